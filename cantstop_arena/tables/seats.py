"""First-player advantage: its share of the wins, and its effect in Elo."""

from cantstop_arena.tables.analysis import Analysis
from cantstop_arena.tables.column import Table, estimate, number
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
            (seat, *parts) for seat, parts in enumerate(analysis.seats, start=1) if analysis.games
        ],
        notes=_first_player(analysis),
    )


def _first_player(analysis: Analysis) -> list[str]:
    first = analysis.ratings.first_seat
    if first is None or first.low is None or first.high is None:
        return []
    others = "" if analysis.results.players == 2 else ", compared with the mean of the others"
    half = (first.high - first.low) / 2
    return [f"The first player's advantage is {first.points:z.1f} ± {half:.1f} Elo{others}."]
