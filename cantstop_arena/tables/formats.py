"""The formats in which tables are written.

For people on a terminal, in Markdown, and in LaTeX (with the package booktabs); for programs as CSV
and JSON, with raw numbers, an estimate's interval in columns of its own.
"""

import csv
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from io import StringIO
from typing import Any, TypeVar

import msgspec
from tabulate import DataRow, Line, TableFormat, tabulate

from cantstop_arena.ratings.estimate import Estimate
from cantstop_arena.tables.column import (
    Column,
    Kind,
    Table,
    Value,
    decimal_text,
    interval_texts,
    mean_text,
)
from cantstop_arena.texts import ansi_styled, printable

NOTHING = "-"

# Escaping, so that no format of output interprets names and messages as markup.

_MARKDOWN = re.compile(
    r"[\\`*\[\]<>|~&$]"
    r"|(?<![^\W_])_|_(?![^\W_])"  # inner_underscores are plain
    r"|^[#+=-]|(?<=^\d)[.)](?=\s|$)"  # headings and lists
)
_LATEX = {
    **{sign: "\\" + sign for sign in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\symbol{34}",
    "[": "{[}",  # these two, at the beginning of a row, would belong to the end of the one before
    "*": "{*}",
    "-": "-{}",
    "±": r"$\pm$",
    "…": r"\ldots{}",
}
_LATEX_SIGNS = re.compile(r'-(?=-)|[&%$#_{}\\~^<>|"[*±…]')  # two hyphens would be a dash


def markdown(text: str) -> str:
    """Printable text with all Markdown markup escaped."""
    return _MARKDOWN.sub(lambda match: "\\" + match[0], printable(text))


def latex(text: str) -> str:
    """Printable text with all LaTeX commands and special characters escaped."""
    return _LATEX_SIGNS.sub(lambda match: _LATEX[match[0]], printable(text))


# Drawing


def _latex_begin(widths: Sequence[int], aligns: Sequence[str]) -> str:
    alignments = "".join(align[0] for align in aligns)
    return f"\\begin{{tabular}}{{{alignments}}}\n\\toprule"


_ROW = DataRow("", " & ", " \\\\")
_BOOKTABS = TableFormat(
    lineabove=_latex_begin,
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

    `form` is a table format of tabulate; `safe` escapes foreign text, `number` formats a number,
    and `title` the line above a table.
    """

    form: str | TableFormat
    safe: Callable[[str], str]
    number: Callable[[str], str]
    title: Callable[[str], str]


def _mathematical(number: str) -> str:
    text = re.sub(" ?[a-z][a-z ]*", lambda match: f"\\mbox{{{match[0]}}}", number)
    symbols = text.replace("±", "\\pm").replace(",", "{,}")
    return f"${symbols}$"


TEXT = Style("simple", printable, str, printable)
MARKDOWN = Style("pipe", markdown, str, lambda title: f"## {markdown(title)}")
LATEX = Style(_BOOKTABS, latex, _mathematical, lambda title: f"% {printable(title)}")


def draw(table: Table, style: Style, coloured: bool = False) -> str:
    """A table and, below it, its notes, without its title."""
    columns = visible_columns(table, style, coloured)
    body = tabulate(
        list(zip(*(cells for _, cells in columns), strict=True)),
        headers=[style.safe(column.heading) for column, _ in columns],
        tablefmt=style.form,
        disable_numparse=True,
        colalign=[column.align for column, _ in columns],
    )
    return "\n\n".join([body, *map(style.safe, table.notes)])


def draw_all(tables: Iterable[Table], style: Style, coloured: bool = False) -> str:
    """Tables one below the other, each under its title, if it has one."""
    return "\n\n".join(
        f"{style.title(table.title)}\n\n" * bool(table.title) + draw(table, style, coloured)
        for table in tables
    )


def value_text(column: Column, value: Value) -> str:
    """A value of a column as a text has it, with its interval."""
    (cell,) = _cells(column, [value], TEXT, False)
    return cell.rstrip()


def visible_columns(
    table: Table, style: Style, coloured: bool = False
) -> list[tuple[Column, list[str]]]:
    """The columns to be printed, each with its cells as text."""
    return [
        (column, _cells(column, values, style, coloured))
        for column, values in _nonempty_columns(table)
    ]


def _nonempty_columns(table: Table) -> Iterator[tuple[Column, list[Value]]]:
    """The columns and their values, without optional columns that have none."""
    for index, column in enumerate(table.columns):
        values = [row[index] for row in table.rows]
        if not column.optional or any(values):
            yield column, values


def _cells(column: Column, values: list[Value], style: Style, coloured: bool) -> list[str]:
    """The values of a column as text, with each ± below the one before."""
    cells = []
    for value, error in zip(values, _error_texts(column, values), strict=True):
        cell = _cell(column, value, error, style)
        text = cell.rstrip()
        cells.append(colour_cell(text, column, value) + cell[len(text) :] if coloured else cell)
    return cells


def _error_texts(column: Column, values: list[Value]) -> list[str]:
    """The errors or intervals after the numbers of a column, all of one width."""
    halves, ends = (
        zip(*(_interval_text(column, value) for value in values), strict=True)
        if values
        else ((), ())
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
    if column.chance and (bound := _bound_text(column, mean)):
        return style.safe(bound)
    number = mean_text(mean, column.decimals, column.scale, decimal_text)
    return style.number(f"{number} {error}" if error.strip() else number)


def _bound_text(column: Column, chance: float) -> str:
    """A bound ("<0.001") for a chance too near to 0, or 100%, for its decimals; else empty."""
    minimum = 10**-column.decimals
    if (100 if column.percent else 1) * chance < minimum:
        return f"<{minimum:g}"
    if column.percent and 100 * (1 - chance) < minimum / 2:
        return f">{100 - minimum:g}"
    return ""


def _interval_text(column: Column, value: Value) -> tuple[str, str]:
    """Half the width of an interval, or its ends in brackets: one is empty, or both."""
    if column.kind is not Kind.ESTIMATE or not isinstance(value, Estimate) or value.mean is None:
        return "", ""
    half, ends = interval_texts(value, column.decimals, column.scale)
    return half, f"({ends})" if ends else ""


FAR = 0.25  # distance from the middle from which a value is bold
_PLAIN, _FAINT, _ABOVE, _BELOW = "", "2", "32", "31"
_BOLD = "1;"


def colour_cell(text: str, column: Column, value: Value) -> str:
    """The text in the colour of its value; faint if the interval contains the column's middle."""
    return ansi_styled(text, _ansi_style(column, value))


def _ansi_style(column: Column, value: Value) -> str:
    if column.middle is None or not isinstance(value, Estimate) or value.mean is None:
        return _PLAIN
    if value.low is None or value.high is None or value.low <= column.middle <= value.high:
        return _FAINT
    distance = value.mean - column.middle
    return _BOLD * (abs(distance) >= FAR) + (_ABOVE if distance > 0 else _BELOW)


# For programs

T = TypeVar("T")
_FORMULA = re.compile(r"'*[=+\-@\t\r\n]")  # apostrophes too, so that a reader can take one off


def records(table: Table) -> list[dict[str, Any]]:
    """The rows as dicts, numbers rounded as in all output for programs."""
    return [
        {
            key: number
            for column, value in zip(table.columns, row, strict=True)
            for key, number in zip(column.keys, _exact_values(column, value), strict=True)
        }
        for row in table.rows
    ]


def _exact_values(column: Column, value: Value) -> Iterator[str | float | None]:
    if column.kind is not Kind.ESTIMATE:
        numbers: Iterable[Any] = (value,)
    else:
        numbers = value if isinstance(value, Estimate) else (value, None, None)
    for number in numbers:
        yield column.exact(number) if isinstance(number, int | float) else number


def row_schema(columns: Iterable[Column], **special: Any) -> dict[str, Any]:
    """The JSON Schema of a record with these columns; `special` has the schemas of some keys."""
    properties = {key: _value_schema(column) for column in columns for key in column.keys}
    return {
        "type": "object",
        "properties": properties | special,
        "required": list(properties),
        "additionalProperties": False,
    }


def _value_schema(column: Column) -> dict[str, Any]:
    """The JSON Schema of a column's values; shares are parts of 1."""
    if column.kind is Kind.TEXT:
        return {"type": "string"}
    if column.percent:
        return {"type": ["number", "null"], "minimum": 0, "maximum": 1}
    if column.kind is Kind.NUMBER and not column.decimals:
        return {"type": "integer", "minimum": 0}
    return {"type": ["number", "null"]}


def as_csv(table: Table) -> str:
    """A table as CSV: the keys of the columns, then the rows; unknown values are empty.

    Names that a spreadsheet would calculate are text in it (`csv_cell`).
    """
    keys = [csv_cell(key) for column in table.columns for key in column.keys]
    lines: list[Iterable[Value]] = [keys]
    for row in table.rows:
        cells = zip(table.columns, row, strict=True)
        lines.append(
            _cell_value(column, number)
            for column, cell in cells
            for number in _exact_values(column, cell)
        )
    return "".join(map(_line, lines))


def _line(cells: Iterable[Value]) -> str:
    """A line of CSV that ends with LF.

    It is written with CRLF first: the csv module quotes only those line ends that it writes.
    """
    line = StringIO(newline="")
    csv.writer(line, lineterminator="\r\n").writerow(cells)
    return line.getvalue().removesuffix("\r\n") + "\n"


def csv_cell(cell: T) -> T | str:
    """The content of a cell of CSV: text gets an apostrophe where a spreadsheet would calculate it.

    Numbers stay as they are, whatever their sign.
    """
    return f"'{cell}" if isinstance(cell, str) and _FORMULA.match(cell) else cell


def _cell_value(column: Column, number: str | float | None) -> str | float | None:
    if column.fixed is not None and isinstance(number, float):
        return f"{number:.{column.fixed}f}"
    return csv_cell(number)


def all_as_csv(tables: Iterable[Table]) -> str:
    """One table as CSV; several each below a line with its name, with empty lines between them."""
    tables = list(tables)
    if len(tables) == 1:
        return as_csv(tables[0])
    return "\n".join(f"{table.name}\n{as_csv(table)}" for table in tables)


def as_json(content: object) -> str:
    """JSON with a fixed layout: a record, or a row of numbers, is a line."""
    return "".join(_lines_of(content, "\n")) + "\n"


def _lines_of(content: object, margin: str) -> Iterator[str]:
    """The pieces of the text of `content`; its lines begin with `margin`, a line end and spaces."""
    if not isinstance(content, dict | list) or _is_flat(content):
        yield _in_a_line(content)
        return
    is_dict = isinstance(content, dict)
    items = content.items() if isinstance(content, dict) else enumerate(content)
    inner = f"{margin}  "
    yield "{" if is_dict else "["
    for index, (key, value) in enumerate(items):
        yield f"{',' if index else ''}{inner}"
        if is_dict:
            yield f"{_in_a_line(key)}: "
        yield from _lines_of(value, inner)
    yield f"{margin}{'}' if is_dict else ']'}"


def _is_flat(content: dict[str, Any] | list[Any]) -> bool:
    """Whether no value is a dict or a list of dicts or lists."""
    values = content.values() if isinstance(content, dict) else content
    return not any(
        isinstance(value, dict) or (isinstance(value, list) and _is_nested(value))
        for value in values
    )


def _is_nested(values: list[Any]) -> bool:
    return any(isinstance(value, dict | list) for value in values)


def _in_a_line(content: object) -> str:
    return json.dumps(content, ensure_ascii=False, allow_nan=False)


def as_json_lines(rows: Iterable[object]) -> str:
    """A line of JSON for each row."""
    return "".join(f"{json.dumps(row)}\n" for row in rows)


def all_as_json(tables: Iterable[Table], headline: str = "") -> str:
    """One object with every table's rows and notes by its name, below the `headline`."""
    first = {"headline": headline} if headline else {}
    named = {table.name: {"rows": records(table), "notes": list(table.notes)} for table in tables}
    return as_json(first | named)
