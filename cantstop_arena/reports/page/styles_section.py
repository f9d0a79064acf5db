"""How the bots play: the rates that the game itself names, as bars."""

from collections.abc import Sequence

from cantstop_arena.pages.document import Figure, Section
from cantstop_arena.pages.elements import element, join_markup
from cantstop_arena.pages.html_table import Cell, Head, HtmlRow, name_cell, row_table
from cantstop_arena.pages.marks import bar
from cantstop_arena.pages.number_text import UNKNOWN, plain
from cantstop_arena.tables.analysis import Analysis
from cantstop_arena.tables.column import Column, Value
from cantstop_arena.tables.styles import styles

MAX_BARS = 6  # columns of bars


def styles_section(analysis: Analysis) -> Section:
    """The section of the styles; the game has to have rates."""
    table = styles(analysis)
    shown = range(1, min(len(table.columns), MAX_BARS + 1))
    heads = [Head("Bot", "bot")]
    heads += [Head(_heading(table.columns[place]), "sm") for place in shown]
    tops = {place: _top(table.rows, place) for place in shown}
    rows = [
        HtmlRow(
            [name_cell(str(row[0])), *(_bar(table.columns[p], row[p], tops[p]) for p in shown)],
            "first" if at == 0 else None,
        )
        for at, row in enumerate(table.rows)
    ]
    words = "Bars start at zero; each column has its own scale, the same for all bots."
    figure = Figure(row_table("styles", "Styles of play", heads, rows), words)
    more = [table] if len(table.columns) > MAX_BARS + 1 else []
    found = _range(table.columns[1], table.rows)
    return Section("styles", "Styles of play", (), [figure], more, finding=found, folded=True)


def _heading(column: Column) -> str:
    return column.heading.removesuffix(" %").capitalize()


def _top(rows: Sequence[Sequence[Value]], place: int) -> float:
    return max((abs(value) for value, _ in _known(rows, place)), default=0) or 1


def _known(rows: Sequence[Sequence[Value]], place: int) -> list[tuple[float, str]]:
    """The numbers of a column, the least first, and whose they are."""
    found = ((row[place], str(row[0])) for row in rows)
    return sorted((value, bot) for value, bot in found if isinstance(value, int | float))


def _told(column: Column, value: Value) -> str:
    if not isinstance(value, int | float):
        return UNKNOWN
    return f"{plain(100 * value)}%" if column.percent else plain(value, 2)


def _bar(column: Column, value: Value, top: float) -> Cell:
    known = value if isinstance(value, int | float) else None
    shown = join_markup() if known is None else bar(abs(known) / top)
    text = element("span", _told(column, value), class_="v")
    return Cell(join_markup(text, shown), "sm", known, _heading(column))


def _range(column: Column, rows: Sequence[Sequence[Value]]) -> str:
    """Who has least and who most of what the first column shows."""
    known = _known(rows, 1)
    if len(known) < 2:
        return "How the bots play"
    (low, least), (high, most) = known[0], known[-1]
    ends = f"from {_told(column, low)} ({least}) to {_told(column, high)} ({most})"
    return f"{_heading(column)} {ends}"
