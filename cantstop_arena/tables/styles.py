"""How each bot plays: quotients of counts (`Counts.rates`), and the lengths of its games."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from math import sqrt
from operator import attrgetter

import msgspec

from cantstop_arena.deals.counting import MAX_EXACT_LENGTH, Rate, shortest_of
from cantstop_arena.deals.outcomes import Tally
from cantstop_arena.ratings.scores import variance
from cantstop_arena.tables.analysis import Analysis
from cantstop_arena.tables.column import Column, OnPage, Table, number, table_of


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


# Lengths: turns, say, of all seats together

PERCENTS = (5, 25, 50, 75, 95)


class Lengths(msgspec.Struct, frozen=True):
    """The lengths of a bot's games; `classes` has the number of games by class of length.

    `percentiles` are those of PERCENTS, each the shortest length of its class.
    """

    bot: int
    games: int
    mean: float
    deviation: float | None
    percentiles: tuple[int, ...]
    classes: Counter[int]

    def percentile(self, percent: int) -> int:
        """The length by which this many percent of the games, one of PERCENTS, are over."""
        return self.percentiles[PERCENTS.index(percent)]


def all_lengths(analysis: Analysis) -> list[Lengths]:
    """The lengths of all bots that have finished a game, in the order of the standings."""
    tallies: dict[int, list[Tally]] = {}
    for seating, tally in analysis.results.tallies.items():
        for bot in set(seating):
            tallies.setdefault(bot, []).append(tally)
    length = analysis.results.counts.length
    by_rank = (_lengths(bot, tallies.get(bot, ()), length) for bot in analysis.order)
    return [lengths for lengths in by_rank if lengths]


def _lengths(bot: int, tallies: Sequence[Tally], length: str) -> Lengths | None:
    classes = classes_of(tallies)
    games = classes.total()
    if not games:
        return None
    total = sum(sum(tally.counts[length]) for tally in tallies)
    squares = sum(tally.squares[length] for tally in tallies)
    deviation = sqrt(variance(games, total, squares)) if games > 1 else None
    percentiles = tuple(shortest_of(percentile(classes, percent)) for percent in PERCENTS)
    return Lengths(bot, games, total / games, deviation, percentiles, classes)


def classes_of(tallies: Iterable[Tally]) -> Counter[int]:
    """The number of games of all these tallies, by class of length."""
    classes: dict[int, int] = {}
    for tally in tallies:
        for length_class, (games, _) in tally.lengths.items():
            classes[length_class] = classes.get(length_class, 0) + games
    return Counter(classes)


def percentile(classes: Counter[int], percent: int) -> int:
    """The first class up to which there are at least this many percent of the games."""
    ordered = sorted(classes)
    required = percent * classes.total()
    cumulative = accumulate(classes[length_class] for length_class in ordered)
    return next(
        length_class
        for length_class, games in zip(ordered, cumulative, strict=True)
        if 100 * games >= required
    )


RANGE_ORDER = 3  # on the page, where the outer percentiles are one column


def lengths(analysis: Analysis) -> Table:
    """A row for each bot: mean, standard deviation and percentiles of its lengths."""
    names, units = analysis.results.bots, f"{analysis.results.counts.unit}s"
    return table_of(
        name="lengths",
        title="Length of games",
        columns=[
            Column(
                "bot",
                "bot",
                of=lambda lengths: names[lengths.bot],
                page=OnPage(order=0, kind="bot"),
            ),
            number("games", "games"),
            number("mean", f"{units} per game", 2, page=OnPage(4, "Mean", decimals=1)),
            number("sd", "standard deviation", 2, of=attrgetter("deviation")),
            *map(_percentile_column, range(len(PERCENTS))),
        ],
        records=all_lengths(analysis),
        notes=[
            f"{units.capitalize()} of all seats together, without games that a fault ended. 50%:"
            f" half of the games have no more {units} than that. Percentiles above"
            f" {MAX_EXACT_LENGTH} {units} are rounded down, by a sixteenth at most."
        ],
    )


def _percentile_column(index: int) -> Column:
    percent = PERCENTS[index]
    return number(
        f"percentile_{percent}",
        f"{percent}%",
        of=lambda lengths: lengths.percentiles[index],
        page=OnPage(2, "Median") if percent == 50 else None,
    )


def over(bot_lengths: Lengths) -> Iterator[tuple[int, float]]:
    """The longest length of each class, and the share of games that are over by then.

    The last hundredth of the games is left out.
    """
    finished = 0
    for length_class in range(min(bot_lengths.classes) - 1, max(bot_lengths.classes) + 1):
        finished += bot_lengths.classes[length_class]
        yield shortest_of(length_class + 1) - 1, finished / bot_lengths.games
        if 100 * finished >= 99 * bot_lengths.games:
            return
