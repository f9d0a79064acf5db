"""Tables in which a cell of each row can be a drawing, and which turn into blocks on phones."""

from collections.abc import Sequence

import msgspec
from markupsafe import Markup

from cantstop_arena.pages.elements import element, join_markup
from cantstop_arena.tables.analysis import Analysis
from cantstop_arena.tables.escaping import printable

MAX_LINE_LENGTH = 34  # letters of a name that is not broken into lines


class Head(msgspec.Struct, frozen=True):
    """The head of a column: its label, its class, the labels of its axis; can it be sorted by?"""

    label: str | Markup
    kind: str = "num"
    sorts: bool = True
    axis: Markup | str = ""
    about: str | None = None


class Cell(msgspec.Struct, frozen=True):
    """A cell: `value` is what its column is sorted by, `label` what phones call it."""

    content: str | Markup
    kind: str = "num"
    value: float | None = None
    label: str | None = None
    heads_row: bool = False


class HtmlRow(msgspec.Struct, frozen=True):
    """The cells of a row, and the row's class."""

    cells: Sequence[Cell]
    kind: str | None = None


def name_cell(name: str, *marks: Markup, kind: str = "bot") -> Cell:
    """The cell that says what a row is about."""
    look = f"{kind} long" if is_long(name) else kind
    return Cell(join_markup(element("bdi", name), *marks), look, heads_row=True)


def is_long(text: str) -> bool:
    """Whether a name, or what else a row is about, has to be broken into lines."""
    return len(printable(text)) > MAX_LINE_LENGTH


def row_table(kind: str, label: str, heads: Sequence[Head], rows: Sequence[HtmlRow]) -> Markup:
    """The whole table; ARIA roles are explicit, as phones show rows as blocks."""
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


MAX_GROUP_COLUMNS = 8  # letters that have lanes of their own


def group_columns_of(analysis: Analysis) -> str:
    """The letters that have a lane each; none where text says it as well, or nobody shares one."""
    if not analysis.games:
        return ""
    letters = sorted({letter for own in analysis.groups for letter in own})
    shared = any(sum(letter in own for own in analysis.groups) > 1 for letter in letters)
    return "".join(letters) if shared and len(letters) <= MAX_GROUP_COLUMNS else ""


def group_cell(analysis: Analysis, place: int, lanes: str) -> Cell:
    """The groups of the bot in this place of the standings."""
    above, own, below = (_letters(analysis, place + step) for step in (-1, 0, 1))
    if not lanes:
        return Cell(", ".join(own), "grp", label="Group")
    return Cell(_drawn(lanes, above, own, below), "grp lanes-in", label="Group")


def _letters(analysis: Analysis, place: int) -> str:
    if not 0 <= place < len(analysis.order) or analysis.order[place] in analysis.without_games:
        return ""
    return analysis.groups[analysis.order[place]]


def _drawn(lanes: str, above: str, own: str, below: str) -> Markup:
    """A row's part of all lanes, from its letters and those of the rows above and below."""
    parts = (_lane(one, one in above, one in own, one in below) for one in lanes)
    return element("span", *parts, class_="lanes")


def _lane(letter: str, above: bool, here: bool, below: bool) -> Markup:
    if not here:
        return element("span", class_="lane")
    ends = ("" if above else " f") + ("" if below else " l")
    return element("span", letter, class_=f"lane on{ends}")
