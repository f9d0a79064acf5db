"""Share of the wins and effect in Elo of each seat, and the first-player advantage."""

import msgspec
from msgspec.structs import replace

from cantstop_arena.ratings.estimate import Estimate
from cantstop_arena.tables.analysis import Analysis
from cantstop_arena.tables.column import OnPage, Table, estimate, number, table_of
from cantstop_arena.tables.rounding import half_away
from cantstop_arena.tables.standings import ELO, payoff_column


class Seat(msgspec.Struct, frozen=True):
    """A row: a seat, from 1 on in order of play.

    It has its share of the wins, its effect in Elo, and its mean payoff, if the game has any.
    """

    seat: int
    score: Estimate
    elo: Estimate
    payoff: Estimate

    @property
    def percent(self) -> Estimate:
        """Its share of the wins in percent."""
        return Estimate(*(None if end is None else 100 * end for end in self.score))


_SCORE_ON_PAGE = OnPage(order=2, decimals=1, sort=lambda seat: seat.percent.mean)
COLUMNS = (
    number("seat"),
    estimate("score", "score %", 2, percent=True, page=_SCORE_ON_PAGE),
    replace(ELO, page=OnPage(order=3)),
)


def seats(analysis: Analysis) -> Table:
    """A row for each seat, in order of play."""
    paid = analysis.results.payoff
    rows = zip(analysis.seats, analysis.seat_payoffs, strict=True)
    return table_of(
        name="seats",
        title="Seats",
        columns=[*COLUMNS[:1], payoff_column(paid), *COLUMNS[1:]] if paid else COLUMNS,
        records=[
            Seat(seat, *estimates, payoff)
            for seat, (estimates, payoff) in enumerate(rows, start=1)
            if analysis.games
        ],
        notes=_first_player(analysis),
    )


def _first_player(analysis: Analysis) -> list[str]:
    first = analysis.ratings.first_seat
    if first is None or first.low is None or first.high is None:
        return []
    comparison = "" if analysis.results.players == 2 else ", compared with the mean of the others"
    half_width = (first.high - first.low) / 2
    return [
        f"The first player's advantage is {half_away(first.points, 1):.1f}"
        f" ± {half_away(half_width, 1):.1f} Elo{comparison}."
    ]
