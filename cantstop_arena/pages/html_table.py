"""Tables whose cells can be drawings; on narrow screens each row becomes a block."""

from collections.abc import Sequence

import msgspec
from markupsafe import Markup

from cantstop_arena.pages.elements import element, join_markup
from cantstop_arena.tables.analysis import Analysis
from cantstop_arena.tables.escaping import printable

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


MAX_GROUP_COLUMNS = 8  # with more groups, letters are printed instead


def group_columns_of(analysis: Analysis) -> str:
    """The letters of the groups, one for each column; empty where no group has two bots,
    or where there are more than MAX_GROUP_COLUMNS.
    """
    if not analysis.games:
        return ""
    groups = sorted({letter for own in analysis.groups for letter in own})
    shared = any(sum(letter in own for own in analysis.groups) > 1 for letter in groups)
    return "".join(groups) if shared and len(groups) <= MAX_GROUP_COLUMNS else ""


def group_cell(analysis: Analysis, index: int, columns: str) -> Cell:
    """The cell with the groups of the bot at this index of the standings."""
    above, own, below = (_groups_of(analysis, index + step) for step in (-1, 0, 1))
    if not columns:
        return Cell(", ".join(own), "grp", label="Group")
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
