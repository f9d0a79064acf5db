"""Tables in which a cell of each row can be a drawing, and which turn into blocks on phones."""

from collections.abc import Sequence

import msgspec
from markupsafe import Markup

from cantstop_arena.documents.formats.escaping import printable
from cantstop_arena.reports.page.plots.elements import element, joined

LONGEST_LINE = 34  # letters of a name that is not broken into lines


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


class Row(msgspec.Struct, frozen=True):
    """The cells of a row, and the row's class."""

    cells: Sequence[Cell]
    kind: str | None = None


def name_cell(name: str, *marks: Markup, kind: str = "bot") -> Cell:
    """The cell that says what a row is about."""
    look = f"{kind} long" if is_long(name) else kind
    return Cell(joined(element("bdi", name), *marks), look, heads_row=True)


def is_long(text: str) -> bool:
    """Whether a name, or what else a row is about, has to be broken into lines."""
    return len(printable(text)) > LONGEST_LINE


def row_table(kind: str, label: str, heads: Sequence[Head], rows: Sequence[Row]) -> Markup:
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
