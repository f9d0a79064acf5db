"""Exact chances of the dice: counts over all rolls of four dice, 1296 of them with six sides."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from functools import cache
from itertools import chain, combinations_with_replacement, product

import numpy as np
from numpy.typing import NDArray

from cantstop_arena.games.cantstop.rules import RuleSet

Pairing = tuple[int, int]


def all_rolls(sides: int) -> Iterator[tuple[int, ...]]:
    """Every roll of four dice, in the order of the engine's roll numbers."""
    return product(range(1, sides + 1), repeat=4)


def pairings(dice: tuple[int, ...]) -> list[Pairing]:
    """The different ways to split a roll into two sums, lower sum first, ascending."""
    a, b, c, d = dice
    splits = ((a + b, c + d), (a + c, b + d), (a + d, b + c))
    return sorted({(min(split), max(split)) for split in splits})


@cache
def pairings_by_roll(sides: int) -> Sequence[tuple[Pairing, ...]]:
    """The pairings of every roll; they do not depend on the order of the dice."""
    by_sorted_dice = {dice: tuple(pairings(dice)) for dice in _sorted_rolls(sides)}
    return [by_sorted_dice[tuple(sorted(dice))] for dice in all_rolls(sides)]


def _sorted_rolls(sides: int) -> Iterator[tuple[int, ...]]:
    return combinations_with_replacement(range(1, sides + 1), 4)


def _column_bits(sides: int) -> Iterator[tuple[int, int]]:
    """Pairs of a set of columns, as a bit mask with bit 0 for column 2, and its number of rolls."""
    for pairings_of_roll, count in Counter(pairings_by_roll(sides)).items():
        yield sum(1 << column - 2 for column in {*chain.from_iterable(pairings_of_roll)}), count


@cache
def hit_table(sides: int) -> NDArray[np.int32]:
    """The number of rolls that make a column of a set, indexed by the set (bit 0 for column 2).

    A roll misses a set when its columns lie in the complement; counts over all subsets come
    from one pass over each bit (the zeta transform over subsets).
    """
    rolls_within = np.zeros(1 << 2 * sides - 1, np.int32)
    for bits, count in _column_bits(sides):
        rolls_within[bits] += count
    for bit in range(2 * sides - 1):
        halves = rolls_within.reshape(-1, 2, 1 << bit)
        halves[:, 1] += halves[:, 0]
    # An array over bytes: a bot that gets hold of it cannot make it writeable again.
    return np.frombuffer((sides**4 - rolls_within[::-1]).tobytes(), np.int32)


def hit_count(sides: int, columns: Collection[int]) -> int:
    """The number of rolls that make at least one of the columns."""
    return int(hit_table(sides)[sum(1 << column - 2 for column in set(columns))])


def success_count(
    rules: RuleSet,
    runners: Collection[int],
    claimed: Collection[int],
    topped: Collection[int] = (),
) -> int:
    """The number of rolls that are no bust with runners in the given columns.

    `topped` are the columns of further runners, on the top: these move no more.
    """
    usable = runners if len({*runners, *topped}) >= rules.runners else rules.columns
    return hit_count(rules.sides, set(usable) - {*claimed, *topped})
