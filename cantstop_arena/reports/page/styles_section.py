"""Styles of play: the rates that a game defines, as bars."""

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
    """The section of the styles, for games that define rates."""
    table = styles(analysis)
    indexes = range(1, min(len(table.columns), MAX_BARS + 1))
    heads = [Head("Bot", "bot")]
    heads += [Head(_heading(table.columns[index]), "sm") for index in indexes]
    tops = {index: _top(table.rows, index) for index in indexes}
    rows = [
        HtmlRow(
            [name_cell(str(row[0])), *(_bar(table.columns[p], row[p], tops[p]) for p in indexes)],
            "first" if at == 0 else None,
        )
        for at, row in enumerate(table.rows)
    ]
    caption = "Bars start at zero; each column has its own scale, the same for all bots."
    figure = Figure(row_table("styles", "Styles of play", heads, rows), caption)
    more = [table] if len(table.columns) > MAX_BARS + 1 else []
    finding = _range(table.columns[1], table.rows)
    return Section("styles", "Styles of play", (), [figure], more, finding=finding, folded=True)


def _heading(column: Column) -> str:
    return column.heading.removesuffix(" %").capitalize()


def _top(rows: Sequence[Sequence[Value]], index: int) -> float:
    return max((abs(value) for value, _ in _column_values(rows, index)), default=0) or 1


def _column_values(rows: Sequence[Sequence[Value]], index: int) -> list[tuple[float, str]]:
    """The numbers of a column in ascending order, each with its bot."""
    cells = ((row[index], str(row[0])) for row in rows)
    return sorted((value, bot) for value, bot in cells if isinstance(value, int | float))


def _value_text(column: Column, value: Value) -> str:
    if not isinstance(value, int | float):
        return UNKNOWN
    return f"{plain(100 * value)}%" if column.percent else plain(value, 2)


def _bar(column: Column, value: Value, top: float) -> Cell:
    number = value if isinstance(value, int | float) else None
    plot = join_markup() if number is None else bar(abs(number) / top)
    text = element("span", _value_text(column, value), class_="v")
    return Cell(join_markup(text, plot), "sm", number, _heading(column))


def _range(column: Column, rows: Sequence[Sequence[Value]]) -> str:
    """The finding: the bots with the least and the greatest rate of the first column."""
    values = _column_values(rows, 1)
    if len(values) < 2:
        return "How the bots play"
    (low, lowest), (high, highest) = values[0], values[-1]
    ends = f"from {_value_text(column, low)} ({lowest}) to {_value_text(column, high)} ({highest})"
    return f"{_heading(column)} {ends}"
