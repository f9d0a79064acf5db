"""Upper bounds from counts of cards: a table of the best F by tops, left and right cards.

Among piles of given counts those with their back corner have the most crates. Their tops fill at
least the back row and the back column, whose heights add up to the right and the left cards.
Every other cell is as high as the lower of the two heights behind it. So N is the sum of the
greatest of these minima, over all partitions of the numbers of cards into rows and columns.
"""

from functools import cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from cantstop_arena.extensions.cubus.builds.cards import Cards

MAX_CARDS_PLACED = 16


@cache
def max_crates() -> NDArray[np.int64]:
    """Most crates of a pile, indexed by its exact tops, left and right cards; 0 without a pile.

    From the file beside this module: a test computes the same, which takes half a second.
    """
    with (files(__package__) / "max_crates.npy").open("rb") as file:
        table: NDArray[np.int64] = np.load(file).astype(np.int64)
    return table


@cache
def best_value() -> NDArray[np.int64]:
    """The greatest F of a pile, indexed by the most tops, left and right cards that it may have.

    Entries that allow no crate are about -1000, far below any F.
    """
    crates = max_crates()
    counts = np.indices(crates.shape).sum(axis=0)
    table = np.where(crates > 0, 3 * crates - counts, -1000)
    for axis in range(3):
        table = np.maximum.accumulate(table, axis=axis)
    table.flags.writeable = False
    return table


def bound(value: int, cards: Cards) -> int:
    """Most points of a build with all these cards, where the pile on the table has F `value`."""
    limits = (min(number, MAX_CARDS_PLACED) for number in (cards.tops, cards.left, cards.right))
    return max(0, int(best_value()[tuple(limits)]) - value)
