"""Whom one sits after: points by predecessor."""

from collections import defaultdict
from collections.abc import Mapping

from cantstop_arena.documents.analysis import Analysis
from cantstop_arena.documents.document import Section
from cantstop_arena.documents.formats.model import Column, Table, number

Pair = tuple[int, int]  # a bot, and whom it sits after

_WORDS = (
    "What one bot leaves on the table is what the next one finds, so it matters whom one sits "
    "after. Points a game of the row's bot after the column's; games that a fault ended are left "
    "out."
)


def predecessors(analysis: Analysis) -> Section:
    """A table of points a game by predecessor."""
    means, order = points_after(analysis), analysis.order
    names = analysis.results.bots
    title = "Points by predecessor"
    columns = [Column("bot", "bot"), *(number(f"after {names[bot]}", decimals=2) for bot in order)]
    rows = [(names[bot], *(means.get((bot, other)) for other in order)) for bot in order]
    table = Table("predecessors", title, columns, rows)
    return Section("predecessors", title, [_WORDS], tables=[table], open=True)


def points_after(analysis: Analysis) -> Mapping[Pair, float]:
    """Mean points a game of a bot that sits after another one."""
    points: defaultdict[Pair, int] = defaultdict(int)
    games: defaultdict[Pair, int] = defaultdict(int)
    for seating, tally in analysis.results.tallies.items():
        for seat, bot in enumerate(seating):
            points[bot, seating[seat - 1]] += tally.counts["points"][seat]
            games[bot, seating[seat - 1]] += tally.games - tally.forfeits
    return {pair: points[pair] / games[pair] for pair in games if games[pair]}
