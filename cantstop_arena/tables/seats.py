"""Share of the wins and effect in Elo of each seat, and the first-player advantage."""

from cantstop_arena.tables.analysis import Analysis
from cantstop_arena.tables.column import Table, estimate, number
from cantstop_arena.tables.rounding import half_away
from cantstop_arena.tables.standings import ELO


def seats(analysis: Analysis) -> Table:
    """A row for each seat, in order of play."""
    return Table(
        name="seats",
        title="Seats",
        columns=[
            number("seat"),
            estimate("score", "score %", 2, percent=True),
            ELO,
        ],
        rows=[
            (seat, *estimates)
            for seat, estimates in enumerate(analysis.seats, start=1)
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
