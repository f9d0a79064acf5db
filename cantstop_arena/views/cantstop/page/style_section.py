"""How bots play Can't Stop: how their turns end, and what style that makes."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from cantstop_arena.documents import charts
from cantstop_arena.documents.analysis import Analysis
from cantstop_arena.documents.chart_labels import labels
from cantstop_arena.documents.document import Chart, Section
from cantstop_arena.documents.formats.model import Column, Table, number
from cantstop_arena.documents.tables.styles import counted, styles
from cantstop_arena.documents.vega import HOVER, Row

TURNS, BUSTS, COLUMNS = "turns", "busts", "columns"
BUST_RATE, SPACES = "bust_rate", "spaces_per_turn"


def outcomes(analysis: Analysis) -> Section:
    """How the turns of each bot end, and how many columns it claims."""
    totals = counted(analysis)
    ends = [(name, bot, told) for name, bot in labels(analysis) if (told := _ends(totals[bot]))]
    title = "How turns end"
    columns = [
        Column("bot", "bot"),
        number("bust", "bust %", 2, percent=True),
        number("stopped", "stopped %", 2, percent=True),
        number("columns", "columns claimed in 100 turns", 2, percent=True),
    ]
    rows = [
        (analysis.results.bots[bot], told.bust, 1 - told.bust, told.columns)
        for _, bot, told in ends
    ]
    named = [(name, told) for name, _, told in ends]
    drawn = [_busts(named), _claims(named)] if named else []
    said = "A turn that wins counts as stopped. Columns are claimed where a bot stops on a top."
    return Section("outcomes", title, [said], drawn, [Table("outcomes", title, columns, rows)])


class _Ends(NamedTuple):
    """How the turns of a bot end: the share of busts, and the columns claimed in a turn."""

    bust: float
    columns: float


def _ends(total: Mapping[str, int]) -> _Ends | None:
    """How a bot's turns end, by its counts; None where it had none."""
    if not total.get(TURNS) or BUSTS not in total:
        return None
    return _Ends(total[BUSTS] / total[TURNS], total[COLUMNS] / total[TURNS])


def _busts(named: Sequence[tuple[str, _Ends]]) -> Chart:
    bars = ("bust", "stopped")
    rows: list[Row] = []
    for name, told in named:
        hover = f"{name}: bust in {100 * told.bust:.1f}% of turns"
        hover = f"{hover}, stopped in {100 * (1 - told.bust):.1f}%"
        for order, (kind, share) in enumerate(zip(bars, (told.bust, 1 - told.bust), strict=True)):
            rows.append(
                {"name": name, "kind": kind, "order": order, "share": 100 * share, HOVER: hover}
            )
    words = "Of 100 turns of each bot, those that ended in a bust and those that it stopped."
    return charts.parts("outcomes-chart", "How turns end", words, "turns, %", rows, bars)


def _claims(named: Sequence[tuple[str, _Ends]]) -> Chart:
    rows: list[Row] = [
        {
            "name": name,
            "amount": 100 * told.columns,
            HOVER: f"{name}: {100 * told.columns:.1f} columns claimed in 100 turns",
        }
        for name, told in named
    ]
    words = "Columns that each bot claims in 100 turns."
    return charts.bars("claims-chart", "Columns claimed", words, "columns in 100 turns", rows)


def style_charts(analysis: Analysis) -> list[Chart]:
    """A map of styles: spaces banked against turns lost."""
    table = styles(analysis)
    keys = [column.key for column in table.columns]
    rows: list[Row] = []
    if BUST_RATE in keys and SPACES in keys:
        for (name, _), values in zip(labels(analysis), table.rows, strict=True):
            told = dict(zip(keys, values, strict=True))
            bust, spaces = told[BUST_RATE], told[SPACES]
            if not isinstance(bust, float) or not isinstance(spaces, float):
                continue
            label = name if len(table.rows) <= charts.MOST_LINES else name.partition(" ")[0]
            hover = f"{name}: {spaces:.2f} spaces per turn, bust in {100 * bust:.1f}% of turns"
            rows.append({"x": spaces, "y": 100 * bust, "label": label, HOVER: hover})
    words = "Spaces banked in a turn against the share of turns lost. Labels show the rank."
    axes = "spaces per turn", "bust rate, %"
    return [charts.scatter("styles-chart", "Styles", words, axes, rows)] if rows else []
