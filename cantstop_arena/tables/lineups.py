"""What each seating won: in summary.json, and of many bots in a file of its own."""

from cantstop_arena.deals.winners import win_units
from cantstop_arena.tables.analysis import Analysis
from cantstop_arena.tables.column import Column, Table, number

MANY_BOTS = 60
"""With more, what grows with the square of their number stands in tables of its own only."""


def lineups(analysis: Analysis) -> Table:
    """A row for each seating, those of one group together."""
    results = analysis.results
    seats = range(1, results.players + 1)
    tallies = sorted(results.tallies.items(), key=lambda item: (sorted(item[0]), item[0]))
    return Table(
        name="lineups",
        title="Lineups",
        columns=[
            *(Column(f"seat_{seat}", f"seat {seat}") for seat in seats),
            number("games"),
            *(number(f"wins_{seat}", f"wins of seat {seat}") for seat in seats),
            number("unfinished"),
        ],
        rows=[
            (
                *(results.bots[bot] for bot in seating),
                tally.games,
                *(parts / win_units(results.players) for parts in tally.wins),
                tally.unfinished,
            )
            for seating, tally in tallies
        ],
    )
