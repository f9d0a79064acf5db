"""The most that counts of cards allow: a table of the best F by tops, left and right cards.

Among piles of given counts those with their back corner have the most crates: tops in the back
row and the back column at least, whose heights are the right and the left cards; every other
cell is as high as the lower of the two heights behind it. So N is the sum of the greatest of
these minima, and rows and columns of heights run over partitions of the numbers of cards.
"""

from collections.abc import Iterator
from functools import cache
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from cantstop_arena.games.cubus.builds.cards import Cards

MAX_CARDS_PLACED = 16


@cache
def max_crates() -> NDArray[np.int64]:
    """Most crates of a pile with exactly so many tops, left and right cards; 0: there is none."""
    table = np.zeros((MAX_CARDS_PLACED + 1,) * 3, np.int64)
    for highest in range(1, MAX_CARDS_PLACED + 1):
        lines = list(_falling(highest, MAX_CARDS_PLACED - highest))
        for row in lines:
            for column in lines:
                _enter(table, (highest, *row), (highest, *column))
    return table


def _falling(highest: int, rest: int) -> Iterator[tuple[int, ...]]:
    """Falling heights, none above `highest`, that add up to at most `rest`."""
    yield ()
    for height in range(1, min(highest, rest) + 1):
        yield from ((height, *more) for more in _falling(height, rest - height))


def _enter(table: NDArray[np.int64], row: tuple[int, ...], column: tuple[int, ...]) -> None:
    """Note what a back row and a back column of heights allow."""
    least = len(row) + len(column) - 1
    if least > MAX_CARDS_PLACED:
        return
    inner = sorted((min(a, b) for a in row[1:] for b in column[1:]), reverse=True)
    crates = accumulate(inner[: MAX_CARDS_PLACED - least], initial=sum(row) + sum(column) - row[0])
    for tops, number in enumerate(crates, start=least):
        place = (tops, sum(column), sum(row))
        table[place] = max(table[place], number)


@cache
def best_value() -> NDArray[np.int64]:
    """The greatest F of a pile with at most so many tops, left and right cards.

    Where not even one crate can be built, it is far below any.
    """
    crates = max_crates()
    counts = np.indices(crates.shape).sum(axis=0)
    table = np.where(crates > 0, 3 * crates - counts, -1000)
    for axis in range(3):
        table = np.maximum.accumulate(table, axis=axis)
    table.flags.writeable = False
    return table


def bound(worth: int, cards: Cards) -> int:
    """Most points for who builds a pile of all these cards where one worth `worth` lies."""
    limits = (min(number, MAX_CARDS_PLACED) for number in (cards.tops, cards.left, cards.right))
    return max(0, int(best_value()[tuple(limits)]) - worth)
