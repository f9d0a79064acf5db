"""Tables whose cells can be drawings; on narrow screens each row becomes a block.

Columns of result tables that have an `OnPage` are drawn as they are declared; pages add drawings.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import msgspec
from markupsafe import Markup

from cantstop_arena.pages.elements import element, join_markup
from cantstop_arena.pages.number_text import (
    UNKNOWN,
    likelihood,
    number_with_error,
    p_value,
    percent,
    plain,
)
from cantstop_arena.ratings.estimate import Estimate
from cantstop_arena.ratings.significance import letters_in
from cantstop_arena.tables.analysis import Analysis
from cantstop_arena.tables.column import Column, Kind, OnPage, Table, Value
from cantstop_arena.texts import capitalised, printable

_Item = TypeVar("_Item")
MAX_LINE_LENGTH = 34  # letters of a name; longer ones are broken into lines


class Head(msgspec.Struct, frozen=True):
    """The head of a column: label, CSS class, axis labels, tooltip; can it sort the rows?"""

    label: str | Markup
    kind: str = "num"
    sorts: bool = True
    axis: Markup | str = ""
    about: str | None = None


class Cell(msgspec.Struct, frozen=True):
    """A cell: `value` is its sort key, `label` its heading on narrow screens."""

    content: str | Markup
    kind: str = "num"
    value: float | None = None
    label: str | None = None
    heads_row: bool = False


class HtmlRow(msgspec.Struct, frozen=True):
    """The cells of a row, and the row's CSS class."""

    cells: Sequence[Cell]
    kind: str | None = None


def name_cell(name: str, *marks: Markup, kind: str = "bot") -> Cell:
    """The cell that heads a row: a name, followed by marks."""
    look = f"{kind} long" if is_long(name) else kind
    return Cell(join_markup(element("bdi", name), *marks), look, heads_row=True)


def is_long(text: str) -> bool:
    """Whether the heading of a row has to be broken into lines."""
    return len(printable(text)) > MAX_LINE_LENGTH


def row_table(kind: str, label: str, heads: Sequence[Head], rows: Sequence[HtmlRow]) -> Markup:
    """The table as HTML; ARIA roles are explicit, as rows displayed as blocks lose them."""
    top = element("tr", *map(_head, heads), role="row")
    body = [element("tr", *map(_cell, row.cells), role="row", class_=row.kind) for row in rows]
    table = element(
        "table",
        element("thead", top, role="rowgroup"),
        element("tbody", *body, role="rowgroup"),
        class_=kind,
        role="table",
        aria_label=label,
    )
    return element("div", table, class_="tw")


def _head(head: Head) -> Markup:
    return element(
        "th",
        element("span", head.label, class_="h"),
        head.axis,
        scope="col",
        role="columnheader",
        class_=head.kind,
        title=head.about,
        data_sort=True if head.sorts else None,
    )


def _cell(cell: Cell) -> Markup:
    value = None if cell.value is None else f"{cell.value:.7g}"
    if cell.heads_row:
        return element("th", cell.content, scope="row", role="rowheader", class_=cell.kind)
    return element(
        "td", cell.content, role="cell", class_=cell.kind, data_v=value, data_l=cell.label
    )


# Result tables ------------------------------------------------------------------------------


class PageColumn(msgspec.Struct, frozen=True):
    """A column that only a page has: its place among the others, its head, a record's cell."""

    order: int
    head: Head
    cell: Callable[[Any], Cell]


def html_table(
    table: Table,
    own: Sequence[PageColumn],
    kind: str,
    label: str = "",
    first: str | None = None,
    is_blank: Callable[[Any], bool] = lambda record: False,
) -> Markup:
    """A table of records as HTML: its columns with an `OnPage`, and the page's `own` columns.

    A text is the heading of its row. `kind` is the table's CSS class, `first` that of its first
    row. What is unknown of a record that `is_blank` has no label on narrow screens.
    """
    heads = {column.order: column.head for column in own}
    for column in table.columns:
        if page := column.page:
            heads[page.order] = _column_head(column, page)
    rows: list[HtmlRow] = []
    for record, values in zip(table.records, table.rows, strict=True):
        cells = {column.order: column.cell(record) for column in own}
        for column, value in zip(table.columns, values, strict=True):
            if page := column.page:
                is_empty = _is_unknown(value) and is_blank(record)
                cell = Cell(UNKNOWN, page.kind) if is_empty else None
                cells[page.order] = cell or _column_cell(column, page, value, record)
        rows.append(HtmlRow(_in_order(cells), None if rows else first))
    return row_table(kind, label or table.title, _in_order(heads), rows)


def _in_order(items: Mapping[int, _Item]) -> list[_Item]:
    return [items[order] for order in sorted(items)]


def slot(label: str) -> Markup:
    """A heading that is aligned with the numbers, with empty space above their errors."""
    return join_markup(label, element("span", class_="pmx"))


def _heading(column: Column, page: OnPage) -> str:
    return page.heading or capitalised(column.heading)


def _column_head(column: Column, page: OnPage) -> Head:
    heading = _heading(column, page)
    label = slot(heading) if column.kind is Kind.ESTIMATE else heading
    return Head(label, page.kind, about=page.about)


def _column_cell(column: Column, page: OnPage, value: Value, record: Any) -> Cell:
    if isinstance(value, str):
        return name_cell(value, kind=page.kind)
    mark = page.mark(record) if page.mark else ""
    text = join_markup(f"{mark} " if mark else "", _number_text(column, page, value))
    number = value.mean if isinstance(value, Estimate) else value
    key = page.sort(record) if page.sort else number
    return Cell(text, page.kind, key, _heading(column, page) if page.labelled else None)


def _is_unknown(value: Value) -> bool:
    return value is None or (isinstance(value, Estimate) and value.mean is None)


def _number_text(column: Column, page: OnPage, value: float | Estimate | None) -> str | Markup:
    decimals = column.decimals if page.decimals is None else page.decimals
    if value is None:
        return UNKNOWN
    if isinstance(value, Estimate):
        return number_with_error(value, decimals, 100 if column.percent else 1)
    if column.chance:
        return likelihood(value) if column.percent else p_value(value)
    return percent(value, decimals) if column.percent else plain(value, decimals)


# Groups -------------------------------------------------------------------------------------

MAX_GROUP_COLUMNS = 8  # with more groups, letters are printed instead


def group_columns_of(analysis: Analysis) -> str:
    """The letters of the groups, one for each column; empty where no group has two bots,
    or where there are more than MAX_GROUP_COLUMNS.
    """
    if not analysis.games:
        return ""
    letters = [analysis.letters_of(bot) for bot in range(len(analysis.groups))]
    groups = sorted({letter for own in letters for letter in own})
    shared = any(sum(letter in own for own in letters) > 1 for letter in groups)
    return "".join(groups) if shared and len(groups) <= MAX_GROUP_COLUMNS else ""


def group_cell(analysis: Analysis, index: int, columns: str) -> Cell:
    """The cell with the groups of the bot at this index of the standings."""
    above, own, below = (_groups_of(analysis, index + step) for step in (-1, 0, 1))
    if not columns:
        return Cell(", ".join(letters_in(own)), "grp", label="Group")
    return Cell(_group_columns(columns, above, own, below), "grp lanes-in", label="Group")


def _groups_of(analysis: Analysis, index: int) -> str:
    if not 0 <= index < len(analysis.order) or analysis.order[index] in analysis.without_games:
        return ""
    return analysis.groups[analysis.order[index]]


def _group_columns(columns: str, above: str, own: str, below: str) -> Markup:
    """A row's segments of all group columns, from its letters and those of adjacent rows."""
    parts = (
        _group_column(letter, letter in above, letter in own, letter in below) for letter in columns
    )
    return element("span", *parts, class_="lanes")


def _group_column(letter: str, above: bool, here: bool, below: bool) -> Markup:
    if not here:
        return element("span", class_="lane")
    ends = ("" if above else " f") + ("" if below else " l")
    return element("span", letter, class_=f"lane on{ends}")
