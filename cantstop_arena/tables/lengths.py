"""How long the games of each bot are: turns, say, of all seats together."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from math import sqrt

import msgspec

from cantstop_arena.deals.counting import MAX_EXACT_LENGTH, shortest_of
from cantstop_arena.deals.outcomes import Tally
from cantstop_arena.ratings.scores import variance
from cantstop_arena.tables.analysis import Analysis
from cantstop_arena.tables.column import Column, Table, Value, number

PERCENTS = (5, 25, 50, 75, 95)


class Lengths(msgspec.Struct, frozen=True):
    """The lengths of a bot's games: `classes` has games by class, `percentiles` those of PERCENTS.

    A percentile is the shortest length of its class.
    """

    bot: int
    games: int
    mean: float
    deviation: float | None
    percentiles: tuple[int, ...]
    classes: Counter[int]


def all_lengths(analysis: Analysis) -> list[Lengths]:
    """The lengths of all bots that have played a game to its end, as in the standings."""
    tallies: dict[int, list[Tally]] = {}
    for seating, tally in analysis.results.tallies.items():
        for bot in set(seating):
            tallies.setdefault(bot, []).append(tally)
    length = analysis.results.counts.length
    matches = (_lengths(bot, tallies.get(bot, ()), length) for bot in analysis.order)
    return [lengths for lengths in matches if lengths]


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
    """The games of some tallies together by the class of their length."""
    classes: Counter[int] = Counter()
    for tally in tallies:
        classes.update({kind: games for kind, (games, _) in tally.lengths.items()})
    return classes


def percentile(classes: Counter[int], percent: int) -> int:
    """The first class up to which at least that part of the games is."""
    ordered = sorted(classes)
    enough = percent * classes.total()
    reached = accumulate(classes[kind] for kind in ordered)
    return next(kind for kind, games in zip(ordered, reached, strict=True) if 100 * games >= enough)


def lengths(analysis: Analysis) -> Table:
    """Mean, standard deviation and percentiles for each bot."""
    rows: list[Sequence[Value]] = [
        (analysis.results.bots[data.bot], data.games, data.mean, data.deviation, *data.percentiles)
        for data in all_lengths(analysis)
    ]
    units = f"{analysis.results.counts.unit}s"
    return Table(
        name="lengths",
        title="Length of games",
        columns=[
            Column("bot", "bot"),
            number("games", "games"),
            number("mean", f"{units} per game", 2),
            number("sd", "standard deviation", 2),
            *(number(f"percentile_{percent}", f"{percent}%") for percent in PERCENTS),
        ],
        rows=rows,
        notes=[
            f"{units.capitalize()} of all seats together, without games that a fault ended. 50%:"
            f" half of the games have no more {units} than that. Percentiles above"
            f" {MAX_EXACT_LENGTH} {units} are rounded down, by a sixteenth at most."
        ],
    )


def over(data: Lengths) -> Iterator[tuple[int, float]]:
    """The longest length of each class, and the share of games that are over by then.

    The last hundredth of the games is left out.
    """
    reached = 0
    for kind in range(min(data.classes) - 1, max(data.classes) + 1):
        reached += data.classes[kind]
        yield shortest_of(kind + 1) - 1, reached / data.games
        if 100 * reached >= 99 * data.games:
            return
