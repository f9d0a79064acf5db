"""How the bots play: how long their games are, and what style that makes."""

from collections.abc import Iterator, Sequence

from cantstop_arena.documents import charts
from cantstop_arena.documents.analysis import Analysis
from cantstop_arena.documents.chart_labels import labels
from cantstop_arena.documents.document import Chart, Section
from cantstop_arena.documents.tables.lengths import Lengths, all_lengths, lengths, over
from cantstop_arena.documents.tables.styles import styles
from cantstop_arena.documents.vega import HOVER, Row
from cantstop_arena.games.registry import game_called
from cantstop_arena.views.game_view import GameView, view_of


def sections(analysis: Analysis) -> Iterator[Section]:
    """A section each; there have to be games. Those that a fault ended tell of no habits."""
    if analysis.forfeits == analysis.games:
        said = "No game was played to its end, so there is nothing to tell of how the bots play."
        yield Section("lengths", "Length of games", [said])
        return
    view = view_of(game_called(analysis.results.game))
    yield _lengths(analysis)
    yield from view.page_sections(analysis)
    yield _styles(analysis, view)


# Lengths ------------------------------------------------------------------------------------


def _lengths(analysis: Analysis) -> Section:
    table = lengths(analysis)
    names = {bot: name for name, bot in labels(analysis)}
    named = [(names[told.bot], told) for told in all_lengths(analysis)]
    units = f"{analysis.results.counts.unit}s"
    drawn = [_spreads(named, units), _curves(named, units)] if named else []
    return Section("lengths", table.title, (), drawn, [table])


def _spreads(named: Sequence[tuple[str, Lengths]], units: str) -> Chart:
    words = (
        f"{units.capitalize()} of all seats together in the games of each bot: the median, the"
        " interquartile range (thick), and the 5th to the 95th percentile."
    )
    rows = [_spread(name, told, units) for name, told in named]
    return charts.spreads("lengths-chart", "Length of games", words, units, rows)


def _spread(name: str, told: Lengths, units: str) -> Row:
    ends = dict(zip(("low", "from", "middle", "to", "high"), told.percentiles, strict=True))
    hover = f"{name}: half of its games have {ends['from']} to {ends['to']} {units}"
    return {"name": name, **ends, HOVER: f"{hover}, the median is {ends['middle']}"}


def _curves(named: Sequence[tuple[str, Lengths]], units: str) -> Chart:
    words = f"How many of a bot's games are over after so many {units}, in percent"
    if len(named) > charts.MOST_LINES:
        words = f"{words}; the first {charts.MOST_LINES} bots"
    rows: list[Row] = [
        {"name": name, "x": length, "share": 100 * share, HOVER: name}
        for name, told in named[: charts.MOST_LINES]
        for length, share in over(told)
    ]
    return charts.curves("over-chart", "Games over", f"{words}.", (units, "games over, %"), rows)


# Styles -------------------------------------------------------------------------------------


def _styles(analysis: Analysis, view: GameView) -> Section:
    drawn = view.style_charts(analysis)
    return Section("styles", "Styles of play", (), drawn, [styles(analysis)])
