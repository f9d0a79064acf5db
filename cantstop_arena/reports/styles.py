"""How each bot plays: the quotients of counts that the game itself names."""

from collections import Counter

from cantstop_arena.reports.analysis import Analysis
from cantstop_arena.reports.model import Column, Table, number

A_SHARE = "_rate"  # how the name of a quotient ends that is a share


def styles(analysis: Analysis) -> Table:
    """The bots as in the standings, a column for each quotient; none where it divides by 0."""
    totals = counted(analysis)
    results = analysis.results
    return Table(
        name="styles",
        title="Styles",
        columns=(Column("bot", "bot"), *map(_column, results.rates)),
        rows=[
            (results.bots[bot], *(_rate(totals[bot], *pair) for pair in results.rates.values()))
            for bot in analysis.order
        ],
    )


def _column(name: str) -> Column:
    heading = name.replace("_", " ")
    if name.endswith(A_SHARE):
        return number(name, f"{heading} %", 2, percent=True)
    return number(name, heading, 3)


def _rate(counts: Counter[str], above: str, below: str) -> float | None:
    return counts[above] / counts[below] if counts[below] else None


def counted(analysis: Analysis) -> list[Counter[str]]:
    """Each bot's counts in all its seats, and its games; without those that a fault ended."""
    found: list[Counter[str]] = [Counter() for _ in analysis.results.bots]
    for seating, tally in analysis.results.tallies.items():
        for seat, bot in enumerate(seating):
            found[bot]["games"] += tally.games - tally.forfeits
            for name, counts in tally.counts.items():
                found[bot][name] += counts[seat]
    return found
