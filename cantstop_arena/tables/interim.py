"""The standings while a tournament is played: ranks and estimates with intervals so far."""

import msgspec

from cantstop_arena.deals.outcomes import TournamentTotals
from cantstop_arena.ratings.estimate import Estimate
from cantstop_arena.ratings.sequential.stopping_rule import widest
from cantstop_arena.tables.analysis import Analysis
from cantstop_arena.tables.column import Column, Table, Value, estimate, number
from cantstop_arena.tables.notes import extent_for, list_names
from cantstop_arena.tables.standings import ELO, per_game

_RATING_COLUMNS = (ELO, estimate("score", "score %", 2, percent=True))


class Interim(msgspec.Struct, frozen=True):
    """The standings after so many `games`.

    `extent` is that of the widest interval, if the games end when it is narrow enough, else empty.
    The columns of the table, after rank and bot, are in the order of their importance.
    """

    table: Table
    games: int
    extent: str
    notes: tuple[str, ...]


def interim(results: TournamentTotals) -> Interim:
    """The standings of a tournament that is not over."""
    analysis = Analysis(results)
    return Interim(
        Table(
            name="interim",
            title="Standings so far",
            columns=(
                number("rank"),
                Column("bot", "bot"),
                *_estimate_columns(analysis),
                number("games"),
                number("faults", optional=True),
            ),
            rows=_rows(analysis),
        ),
        analysis.games,
        _extent(results),
        (f"Disqualified: {list_names(results.disqualified)}.",) if results.disqualified else (),
    )


def _extent(results: TournamentTotals) -> str:
    if not results.until:
        return ""
    bot, measured = widest(results, results.until)
    return extent_for(results.until.measure, measured, bot) if bot else ""


def _rows(analysis: Analysis) -> list[list[Value]]:
    """The bots that have played by rank, then the others, without estimates."""
    return [[rank, *_row(analysis, bot)] for rank, bot in analysis.ranking]


def _row(analysis: Analysis, bot: int) -> list[Value]:
    name = analysis.results.bots[bot]
    games = analysis.games_of[bot] or None
    return [name, *_estimates(analysis, bot), games, analysis.faults_of[name]]


def _estimate_columns(analysis: Analysis) -> tuple[Column, ...]:
    return (per_game(analysis),) if analysis.is_solo else _RATING_COLUMNS


def _estimates(analysis: Analysis, bot: int) -> list[Value]:
    if bot in analysis.without_games:
        return [Estimate(None)] * len(_estimate_columns(analysis))
    if analysis.is_solo:
        return [analysis.means[bot]]
    return [analysis.elo[bot], analysis.scores[bot]]
