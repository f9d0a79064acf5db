"""What it means to sit right after each bot, in games that ask for it."""

from collections.abc import Sequence

from cantstop_arena.documents.analysis import Analysis
from cantstop_arena.documents.document import Figure, Section
from cantstop_arena.documents.formats.model import Estimate
from cantstop_arena.documents.tables.predecessors import effect, predecessors
from cantstop_arena.reports.page.plots.axes import Axis, axis_around
from cantstop_arena.reports.page.plots.marks import drawing, grid, interval, scale
from cantstop_arena.reports.page.plots.row_tables import Cell, Head, Row, name_cell, row_table
from cantstop_arena.reports.page.plots.wording import number_with_error

_HEIGHT = 28


def predecessors_section(analysis: Analysis) -> Section:
    """The section: what sitting after each bot brings or costs, and what each bot makes of it."""
    table = predecessors(analysis)
    finding, *words = table.notes or ("The games do not tell",)
    return Section(
        "predecessors",
        table.title,
        words,
        figures=_effects(analysis),
        tables=[table],
        finding=finding.rstrip("."),
        folded=True,
    )


def _effects(analysis: Analysis) -> list[Figure]:
    found = [(analysis.results.bots[bot], effect(analysis, bot)) for bot in analysis.order]
    ends = [end for _, told in found for end in told if end is not None]
    if not ends:
        return []
    axis = axis_around([*ends, 0])
    ticks, counted = axis.ticks(6), analysis.results.counts.followed
    heads = [
        Head("Right after", "bot"),
        Head(f"More {counted} a game", "plot", sorts=False, axis=scale(axis, ticks)),
        Head(counted.capitalize()),
    ]
    known = ((name, told) for name, told in found if told.mean is not None)
    rows = [Row(_cells(axis, ticks, name, told)) for name, told in known]
    words = (
        f"Dot and band: more {counted} a game than with the bot elsewhere, and its 95% interval."
    )
    return [Figure(row_table("rows", "Sitting after", heads, rows), words)]


def _cells(axis: Axis, ticks: Sequence[float], name: str, told: Estimate) -> list[Cell]:
    marks = [*grid(axis, ticks, _HEIGHT), *grid(axis, [0], _HEIGHT, zero=0)]
    return [
        name_cell(name),
        Cell(drawing(_HEIGHT, *marks, interval(axis, told, _HEIGHT / 2)), "plot"),
        Cell(number_with_error(told, 2), value=told.mean, label="Effect"),
    ]
