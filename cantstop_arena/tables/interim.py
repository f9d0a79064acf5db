"""The standings while a tournament is played: ranks and estimates with intervals so far."""

import msgspec

from cantstop_arena.deals.outcomes import TournamentTotals
from cantstop_arena.ratings.estimate import Estimate
from cantstop_arena.ratings.sequential.stopping_rule import widest
from cantstop_arena.tables.analysis import Analysis
from cantstop_arena.tables.column import Table, estimate, number, table_of
from cantstop_arena.tables.notes import extent_for, list_names
from cantstop_arena.tables.standings import (
    BOT,
    ELO,
    RANK,
    field_column,
    payoff_column,
    per_game,
    rows_of,
)

_GAMES = number("games", of=lambda standing: standing.games or None)
_SCORE = estimate(
    "score",
    "score %",
    2,
    percent=True,
    of=lambda standing: standing.score if standing.games else Estimate(None),
)


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
    estimates = [per_game(analysis)] if analysis.is_solo else [ELO, _SCORE]
    if results.payoff:
        estimates = [payoff_column(results.payoff), *estimates]
    table = table_of(
        name="interim",
        title="Standings so far",
        columns=(
            *field_column(analysis),
            RANK,
            BOT,
            *estimates,
            _GAMES,
            number("faults", optional=True),
        ),
        records=rows_of(analysis),
    )
    return Interim(
        table,
        analysis.games,
        _extent(results),
        (f"Disqualified: {list_names(results.disqualified)}.",) if results.disqualified else (),
    )


def _extent(results: TournamentTotals) -> str:
    if not results.until:
        return ""
    bot, measured = widest(results, results.until)
    return extent_for(results.until.measure, measured, bot) if bot else ""
