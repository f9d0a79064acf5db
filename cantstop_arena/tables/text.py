"""Tables for people: on a terminal, in Markdown, and in LaTeX (with the package booktabs)."""

from collections.abc import Callable, Iterable, Iterator, Sequence

import msgspec
from tabulate import DataRow, Line, TableFormat, tabulate

from cantstop_arena.tables import escaping
from cantstop_arena.tables.column import Column, Estimate, Kind, Table, Value
from cantstop_arena.texts import ansi_styled

NOTHING = "-"


def _begins(widths: Sequence[int], aligns: Sequence[str]) -> str:
    group = "".join(align[0] for align in aligns)
    return f"\\begin{{tabular}}{{{group}}}\n\\toprule"


_ROW = DataRow("", " & ", " \\\\")
_BOOKTABS = TableFormat(
    lineabove=_begins,
    linebelowheader=Line("\\midrule", "", "", ""),
    linebetweenrows=None,
    linebelow=Line("\\bottomrule\n\\end{tabular}", "", "", ""),
    headerrow=_ROW,
    datarow=_ROW,
    padding=0,
    with_header_hide=None,
)


class Style(msgspec.Struct, frozen=True):
    """How tables are drawn.

    `form` is tabulate's, `safe` makes foreign text harmless, `number` writes a number, `title`
    goes above a table that has a title.
    """

    form: str | TableFormat
    safe: Callable[[str], str]
    number: Callable[[str], str]
    title: Callable[[str], str]


def _mathematical(number: str) -> str:
    return "$" + number.replace("±", "\\pm").replace(",", "{,}") + "$"


TEXT = Style("simple", escaping.printable, str, escaping.printable)
MARKDOWN = Style("pipe", escaping.markdown, str, lambda title: f"## {escaping.markdown(title)}")
LATEX = Style(
    _BOOKTABS, escaping.latex, _mathematical, lambda title: f"% {escaping.printable(title)}"
)


def draw(table: Table, style: Style, coloured: bool = False) -> str:
    """A table and, below it, its notes, without its title."""
    visible = visible_columns(table, style, coloured)
    sample = tabulate(
        list(zip(*(cells for _, cells in visible), strict=True)),
        headers=[style.safe(column.heading) for column, _ in visible],
        tablefmt=style.form,
        disable_numparse=True,
        colalign=[column.align for column, _ in visible],
    )
    return "\n\n".join([sample, *map(style.safe, table.notes)])


def draw_all(tables: Iterable[Table], style: Style, coloured: bool = False) -> str:
    """Tables one below the other, each under its title."""
    return "\n\n".join(
        f"{style.title(table.title)}\n\n{draw(table, style, coloured)}" for table in tables
    )


def visible_columns(
    table: Table, style: Style, coloured: bool = False
) -> list[tuple[Column, list[str]]]:
    """The columns that are shown, each with its cells as text."""
    return [
        (column, _cells(column, values, style, coloured))
        for column, values in _visible_columns(table)
    ]


def _visible_columns(table: Table) -> Iterator[tuple[Column, list[Value]]]:
    """The columns and their values, optional ones only where they have something to say."""
    for index, column in enumerate(table.columns):
        values = [row[index] for row in table.rows]
        if not column.optional or any(values):
            yield column, values


def _cells(column: Column, values: list[Value], style: Style, coloured: bool) -> list[str]:
    """The values of a column as they are shown, every ± below the other."""
    cells = []
    for value, error in zip(values, _errors(column, values), strict=True):
        cell = _cell(column, value, error, style)
        text = cell.rstrip()
        cells.append(colour_cell(text, column, value) + cell[len(text) :] if coloured else cell)
    return cells


def _errors(column: Column, values: list[Value]) -> list[str]:
    """What follows the numbers of a column, all of one width."""
    halves, ends = (
        zip(*(_error(column, value) for value in values), strict=True) if values else ((), ())
    )
    width = max(map(len, halves), default=0)
    texts = [
        f"± {half.rjust(width)}" if half else end for half, end in zip(halves, ends, strict=True)
    ]
    widest = max(map(len, texts), default=0)
    return [error.ljust(widest) for error in texts]


def _cell(column: Column, value: Value, error: str, style: Style) -> str:
    mean = value.mean if isinstance(value, Estimate) else value
    if mean is None:
        return NOTHING
    if isinstance(mean, str):
        return style.safe(mean)
    if column.chance and (bound := _bound(column, mean)):
        return style.safe(bound)
    number = _number(column, mean)
    return style.number(f"{number} {error}" if error.strip() else number)


def _bound(column: Column, chance: float) -> str:
    """What a chance too near to 0, or to 100%, for its decimals is beyond; else nothing."""
    minimum = 10**-column.decimals
    if (100 if column.percent else 1) * chance < minimum:
        return f"<{minimum:g}"
    if column.percent and 100 * (1 - chance) < minimum / 2:
        return f">{100 - minimum:g}"
    return ""


def _error(column: Column, value: Value) -> tuple[str, str]:
    """Half the width of an interval, or else both ends where one ± would tell neither of them."""
    if column.kind is not Kind.ESTIMATE or not isinstance(value, Estimate) or None in value:
        return "", ""
    _, low, high = value
    assert low is not None and high is not None
    if value.lopsided:
        return "", f"({_number(column, low)} to {_number(column, high)})"
    return _number(column, (high - low) / 2), ""


def _number(column: Column, number: float) -> str:
    value = 100 * number if column.percent else number
    return f"{value:z.{column.decimals}f}" if column.decimals else f"{value:z,.0f}"


FAR = 0.25  # of a value's distance from the middle: told in bold
_PLAIN, _FAINT, _ABOVE, _BELOW = "", "2", "32", "31"
_BOLD = "1;"


def colour_cell(text: str, column: Column, value: Value) -> str:
    """The text in the colour of its value: faint where the interval holds the column's middle."""
    return ansi_styled(text, _style(column, value))


def _style(column: Column, value: Value) -> str:
    if column.middle is None or not isinstance(value, Estimate) or value.mean is None:
        return _PLAIN
    if value.low is None or value.high is None or value.low <= column.middle <= value.high:
        return _FAINT
    distance = value.mean - column.middle
    return _BOLD * (abs(distance) >= FAR) + (_ABOVE if distance > 0 else _BELOW)
