"""How the bots play: how long their games are, how their turns end, and what style that makes."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from cantstop_arena.reports.analysis import TURNS, Analysis
from cantstop_arena.reports.lengths import Lengths, all_lengths, lengths, over
from cantstop_arena.reports.model import Column, Table, number
from cantstop_arena.reports.page import charts
from cantstop_arena.reports.page.document import Chart, Section
from cantstop_arena.reports.page.labels import labels
from cantstop_arena.reports.page.vega import HOVER, Row
from cantstop_arena.reports.styles import counted, styles

BUSTS, COLUMNS = "busts", "columns"
BUST_RATE, SPACES = "bust_rate", "spaces_per_turn"


def sections(analysis: Analysis) -> Iterator[Section]:
    """A section each; there have to be games. Those that a fault ended tell of no habits."""
    if analysis.forfeits == analysis.games:
        said = "No game was played to its end, so there is nothing to tell of how the bots play."
        yield Section("lengths", "Length of games", [said])
        return
    yield _lengths(analysis)
    yield _outcomes(analysis)
    yield _styles(analysis)


# Lengths ------------------------------------------------------------------------------------


def _lengths(analysis: Analysis) -> Section:
    table = lengths(analysis)
    names = {bot: name for name, bot in labels(analysis)}
    named = [(names[told.bot], told) for told in all_lengths(analysis)]
    drawn = [_spreads(named), _curves(named)] if named else []
    return Section("lengths", table.title, (), drawn, [table])


def _spreads(named: Sequence[tuple[str, Lengths]]) -> Chart:
    words = (
        "Turns of all seats together in the games of each bot: the median, the middle half of the"
        " games (thick), and all but the shortest and the longest twentieth of them."
    )
    rows = [_spread(name, told) for name, told in named]
    return charts.spreads("lengths-chart", "Length of games", words, "turns", rows)


def _spread(name: str, told: Lengths) -> Row:
    ends = dict(zip(("low", "from", "middle", "to", "high"), told.percentiles, strict=True))
    hover = f"{name}: half of its games have {ends['from']} to {ends['to']} turns"
    return {"name": name, **ends, HOVER: f"{hover}, the median is {ends['middle']}"}


def _curves(named: Sequence[tuple[str, Lengths]]) -> Chart:
    words = "How many of a bot's games are over after so many turns, in percent"
    if len(named) > charts.MOST_LINES:
        words = f"{words}; the first {charts.MOST_LINES} bots"
    rows: list[Row] = [
        {"name": name, "x": turns, "share": 100 * share, HOVER: name}
        for name, told in named[: charts.MOST_LINES]
        for turns, share in over(told)
    ]
    return charts.curves("over-chart", "Games over", f"{words}.", ("turns", "games over, %"), rows)


# Ends of turns ------------------------------------------------------------------------------


def _outcomes(analysis: Analysis) -> Section:
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
        hover = f"{name}: bust in {100 * told.bust:.1f} % of turns"
        hover = f"{hover}, stopped in {100 * (1 - told.bust):.1f} %"
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


# Styles -------------------------------------------------------------------------------------


def _styles(analysis: Analysis) -> Section:
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
            hover = f"{name}: {spaces:.2f} spaces per turn, bust in {100 * bust:.1f} % of turns"
            rows.append({"x": spaces, "y": 100 * bust, "label": label, HOVER: hover})
    words = "Spaces banked in a turn against the share of turns lost. Numbers are places."
    axes = "spaces per turn", "bust rate, %"
    drawn = [charts.scatter("styles-chart", "Styles", words, axes, rows)] if rows else []
    return Section("styles", "Styles of play", (), drawn, [table])
