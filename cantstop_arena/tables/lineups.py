"""Games and wins of each seating: in summary.json, or for many bots in a file of its own."""

from cantstop_arena.deals.outcomes import win_units
from cantstop_arena.tables.analysis import Analysis
from cantstop_arena.tables.column import Column, Table, number

MANY_BOTS = 60
"""With more bots, tables that grow with the square of their number are only in separate files."""


def lineups(analysis: Analysis) -> Table:
    """A row for each seating; seatings of the same bots are consecutive."""
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
            *([number("drawn")] if results.drawn else []),
        ],
        rows=[
            (
                *(results.bots[bot] for bot in seating),
                tally.games,
                *(units / win_units(results.players) for units in tally.wins),
                tally.unfinished,
                *([results.drawn.get(seating, 0)] if results.drawn else []),
            )
            for seating, tally in tallies
        ],
    )
