"""Tables that fit a narrow terminal: texts are shortened, columns left out, and a note says so.

Names and other texts are shortened in the middle, to MIN_TEXT_WIDTH at least and only as long as
they still differ. Where that is not enough, columns are left out: those with a `leave_out` by that
number, then the others from the right. The columns up to the first one of text always stay.
"""

from collections.abc import Iterator, Sequence

from msgspec.structs import replace
from tabulate import tabulate

from cantstop_arena.tables.column import Column, Kind, Table, Value
from cantstop_arena.tables.formats import TEXT, visible_columns
from cantstop_arena.texts import listed, middle_shortened, printable

MIN_TEXT_WIDTH = 12  # of a shortened text, while there are columns to leave out
_SHORTEST = 3  # of a shortened text in any case
_GAP = 2  # between columns


def fitted(table: Table, width: int) -> Table:
    """The table within so many columns of a terminal, as far as possible; 0 means any width."""
    table = _without_empty_columns(table)
    widths = _widths(table)
    if not width or _total(widths) <= width:
        return table
    indices = list(range(len(widths)))
    leaving = _leaving_order(table.columns)
    while (limit := _text_limit(table, widths, indices, width, MIN_TEXT_WIDTH)) is None:
        if (leaving_index := next(leaving, None)) is None:
            break
        indices.remove(leaving_index)
    if limit is None:
        limit = _text_limit(table, widths, indices, width, _SHORTEST) or _SHORTEST
    return _narrowed(table, indices, limit)


def table_width(table: Table) -> int:
    """The number of terminal columns that a table takes."""
    return _total(_widths(table))


def _without_empty_columns(table: Table) -> Table:
    """The table with the columns that are printed."""
    printed = {column.key for column, _ in visible_columns(table, TEXT)}
    return _select(
        table, [index for index, column in enumerate(table.columns) if column.key in printed]
    )


def _select(table: Table, indices: Sequence[int]) -> Table:
    columns = [table.columns[index] for index in indices]
    return replace(
        table, columns=columns, rows=[[row[index] for index in indices] for row in table.rows]
    )


def _widths(table: Table) -> list[int]:
    """The width of each printed column; tabulate measures it, as it knows wide characters."""
    return [
        _text_width(TEXT.safe(column.heading), cells)
        for column, cells in visible_columns(table, TEXT)
    ]


def _text_width(heading: str, cells: Sequence[str]) -> int:
    text = tabulate([[cell] for cell in cells], [heading], "simple", disable_numparse=True)
    return len(text.splitlines()[1])  # a line of hyphens


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + _GAP * (len(widths) - 1)


def _leaving_order(columns: Sequence[Column]) -> Iterator[int]:
    """The indices of the columns that can be left out, in that order."""
    texts = [index for index, column in enumerate(columns) if column.kind is Kind.TEXT]
    optional = range(texts[0] + 1 if texts else 1, len(columns))
    numbered = [index for index in optional if columns[index].leave_out]
    yield from sorted(numbered, key=lambda index: columns[index].leave_out)
    yield from (index for index in reversed(optional) if not columns[index].leave_out)


def _text_limit(
    table: Table, widths: Sequence[int], indices: Sequence[int], width: int, minimum: int
) -> int | None:
    """The width to which texts must be shortened; None where that would be below `minimum`."""
    texts = [index for index in indices if table.columns[index].kind is Kind.TEXT]
    numbers = [widths[index] for index in indices if index not in texts]
    room = width - sum(numbers) - _GAP * (len(indices) - 1)
    headings = {index: _text_width(TEXT.safe(table.columns[index].heading), ()) for index in texts}
    for limit in range(max([minimum, *(widths[index] for index in texts)]), minimum - 1, -1):
        needed = sum(min(widths[index], max(limit, headings[index])) for index in texts)
        if needed <= room:
            is_readable = minimum < MIN_TEXT_WIDTH or _stay_distinct(table, texts, limit)
            return limit if is_readable else None
    return None


def _stay_distinct(table: Table, texts: Sequence[int], limit: int) -> bool:
    """Whether texts of a column that differ still do so when they are shortened."""
    columns = [{row[index] for row in table.rows} for index in texts]
    return all(len({_short(value, limit) for value in values}) == len(values) for values in columns)


def _short(value: Value, limit: int) -> Value:
    return middle_shortened(printable(value), limit) if isinstance(value, str) else value


def _narrowed(table: Table, indices: Sequence[int], limit: int) -> Table:
    """The table with the columns of these indices, its texts shortened, and a note about both."""
    selected = _select(table, indices)
    rows = [
        [
            _short(value, limit) if column.kind is Kind.TEXT else value
            for column, value in zip(selected.columns, row, strict=True)
        ]
        for row in selected.rows
    ]
    hidden = [column for index, column in enumerate(table.columns) if index not in indices]
    changes = [_left_out(hidden)] if hidden else []
    if rows != [list(row) for row in selected.rows]:
        changes.append("long texts are shortened")
    note = f"To fit the width, {listed(changes)}; --wide prints everything."
    return replace(selected, rows=rows, notes=[*table.notes, note])


def _left_out(columns: Sequence[Column]) -> str:
    headings = [column.heading.removesuffix("%").rstrip(" ,") for column in columns]
    is_range = len(headings) > 2 and all(heading.isdigit() for heading in headings)
    names = f"{headings[0]} to {headings[-1]}" if is_range else listed(headings)
    noun, verb = ("column", "is") if len(headings) == 1 else ("columns", "are")
    return f"the {noun} {names} {verb} left out"
