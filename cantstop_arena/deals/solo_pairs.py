"""Sums over the deals that pairs of bots both played alone.

Deals are the units of sampling, and two bots that play the same deals share their chance. The
mean and the error of the difference between the two follow exactly from these sums.
"""

from collections.abc import Callable, Iterable
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from cantstop_arena.deals.seatings import Group

Ints = NDArray[np.int64]
Counted = Iterable[tuple[Group, int, NDArray[Any], NDArray[Any]]]
"""Blocks of deals: the bot, the first deal, and by deal the games that no fault ended and what the
bot counted in them."""

_NUMBERS_AT_ONCE = 1 << 20  # held in memory


class SoloPairs(msgspec.Struct, frozen=True):
    """Sums over the `deals` that two bots both played to the end, as matrices of bots by bots.

    With x the count of the row's bot and y that of the column's: of x, of x², and of x y.
    """

    deals: Ints
    sums: Ints
    squares: Ints
    crossed: Ints

    def __add__(self, other: "SoloPairs") -> "SoloPairs":
        return SoloPairs(
            self.deals + other.deals,
            self.sums + other.sums,
            self.squares + other.squares,
            self.crossed + other.crossed,
        )


def gather_solo_pairs(bots: int, deals: int, read: Callable[[int, int], Counted]) -> SoloPairs:
    """The sums over the deals from 0 to `deals - 1`.

    `read(start, count)` returns the blocks that have some of those deals.
    """
    solo_pairs = SoloPairs(*np.zeros((4, bots, bots), np.int64))
    step = max(1, _NUMBERS_AT_ONCE // bots)
    for start in range(0, deals, step):
        count = min(step, deals - start)
        solo_pairs += _range_sums(bots, start, count, read(start, count))
    return solo_pairs


def _range_sums(bots: int, start: int, count: int, blocks: Counted) -> SoloPairs:
    # In floating point products are fast, and exact below 2⁵³.
    played, counts = np.zeros((2, count, bots))
    for (bot,), first, games, counted in blocks:
        low, high = max(first, start), min(first + len(games), start + count)
        target, source = slice(low - start, high - start), slice(low - first, high - first)
        played[target, bot] = games[source] > 0
        counts[target, bot] = counted[source]
    products = played.T @ played, counts.T @ played, (counts**2).T @ played, counts.T @ counts
    return SoloPairs(*(np.rint(matrix).astype(np.int64) for matrix in products))
