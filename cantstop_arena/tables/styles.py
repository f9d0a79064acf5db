"""How each bot plays: quotients of counts, as defined by the game (`Counts.rates`)."""

from collections import Counter

from cantstop_arena.deals.counting import Rate
from cantstop_arena.tables.analysis import Analysis
from cantstop_arena.tables.column import Column, Table, number


def styles(analysis: Analysis) -> Table:
    """A row for each bot, a column for each quotient; None where the divisor is 0."""
    totals = counts_by_bot(analysis)
    results = analysis.results
    return Table(
        name="styles",
        title="Styles",
        columns=(Column("bot", "bot"), *(_column(*pair) for pair in results.counts.rates.items())),
        rows=[
            (
                results.bots[bot],
                *(_quotient(totals[bot], rate) for rate in results.counts.rates.values()),
            )
            for bot in analysis.order
        ],
    )


def _column(name: str, rate: Rate) -> Column:
    heading = name.replace("_", " ")
    if rate.share:
        return number(name, f"{heading} %", 2, percent=True)
    return number(name, heading, 3)


def _quotient(counts: Counter[str], rate: Rate) -> float | None:
    return counts[rate.numerator] / counts[rate.denominator] if counts[rate.denominator] else None


def counts_by_bot(analysis: Analysis) -> list[Counter[str]]:
    """Each bot's counts in all its seats, and its games, without games that a fault ended."""
    totals: list[Counter[str]] = [Counter() for _ in analysis.results.bots]
    for seating, tally in analysis.results.tallies.items():
        for seat, bot in enumerate(seating):
            totals[bot]["games"] += tally.games - tally.forfeits
            for name, counts in tally.counts.items():
                totals[bot][name] += counts[seat]
    return totals
