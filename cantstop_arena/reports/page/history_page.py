"""The page of `arena history`: the versions of a bot, each with a dot and its interval."""

from collections.abc import Iterator, Sequence
from functools import partial

from markupsafe import Markup

from cantstop_arena.pages.axes import Axis, axis_around
from cantstop_arena.pages.document import Document, Fact, Figure, Section
from cantstop_arena.pages.html_table import Cell, Head, PageColumn, html_table
from cantstop_arena.pages.marks import drawing, grid, interval, scale
from cantstop_arena.pages.number_text import UNKNOWN, error_of, plain
from cantstop_arena.reports.history_report import RatedVersion
from cantstop_arena.reports.page.standings_section import ROW_HEIGHT
from cantstop_arena.tables.column import Table
from cantstop_arena.texts import how_many

_CAPTION = (
    "The first version on top. Dot: Elo; band: 95% interval. Lines: how many differ from the"
    " version above. LOS: likelihood that it is better than the version above."
)


def document(table: Table, bot: str, headline: str, note: str = "") -> Document:
    """The page of a bot's versions, from their table, with a note below it."""
    figure = Figure(_table(table), _CAPTION, [note] if note else [])
    rated = [row for row in table.records if row.elo.mean is not None]
    finding = f"{how_many(len(rated), 'version')}, rated in one fit with the field"
    return Document(
        title=bot,
        about="version by version",
        answer=[table.title],
        sections=[Section("versions", "Versions", figures=[figure], finding=finding)],
        headline=headline,
        facts=list(_facts(rated)),
    )


def _facts(rated: Sequence[RatedVersion]) -> Iterator[Fact]:
    """The newest version, the best one and the first, each once."""
    if not rated:
        return
    best = max(rated, key=lambda row: row.elo.mean or 0)
    distinct = list[RatedVersion]()
    for label, row in (("Newest version", rated[-1]), ("Best version", best), ("First", rated[0])):
        if row not in distinct:
            distinct.append(row)
            error = f"{error_of(row.elo, 1)} Elo"
            since = f", since {row.since}" if row.since else ""
            yield Fact(label, plain(row.elo.mean or 0), error, f"{row.label}{since}")


def _table(table: Table) -> Markup:
    ends = [end for row in table.records for end in row.elo if end is not None]
    axis = axis_around(ends or [0, 1])
    head = Head("Elo with 95% interval", "plot", sorts=False, axis=scale(axis, axis.ticks(5)))
    own = [
        PageColumn(1, Head("Since", "num los", sorts=False), _since),
        PageColumn(3, head, partial(_plot, axis)),
    ]
    return html_table(table, own, "standings", is_blank=lambda row: row.elo.mean is None)


def _since(row: RatedVersion) -> Cell:
    return Cell(row.since or UNKNOWN, "num los", label="Since")


def _plot(axis: Axis, row: RatedVersion) -> Cell:
    if row.elo.mean is None:
        return Cell(Markup(), "plot")
    marks = grid(axis, axis.ticks(5), ROW_HEIGHT)
    return Cell(drawing(ROW_HEIGHT, *marks, interval(axis, row.elo, ROW_HEIGHT / 2)), "plot")
