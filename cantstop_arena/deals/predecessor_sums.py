"""Whom one sits after: what bots count in games in which they come right after each other one.

Where a game names the count (`Counts.followed`), it is kept of every deal, for every two places of
the group. The games of a deal share their chance, so that deals are the units of sampling: sums
over deals, of their squares and products give a quotient and its error (the linearised variance of
a ratio of sums: Cochran, Sampling Techniques, 1977, 6.3).
"""

from collections.abc import Callable, Iterable
from math import sqrt
from typing import Any

import msgspec
import numpy as np
from msgspec.structs import astuple
from numpy.typing import NDArray

from cantstop_arena.deals.seatings import Group, pairs_of_positions

Ints = NDArray[np.int64]
Position = tuple[int, ...]
Blocks = Iterable[tuple[Group, int, NDArray[Any]]]
"""Blocks of deals: the group, the first deal, and what is kept of each deal (`kept_of_deals`)."""

_DEALS_AT_ONCE = 1 << 12


class Quotients(msgspec.Struct, frozen=True):
    """An array of quotients of sums over deals: `above` by `below`, their squares and products.

    `deals` are those in which `below` was anything.
    """

    deals: Ints
    above: Ints
    below: Ints
    above_squared: Ints
    crossed: Ints
    below_squared: Ints

    @classmethod
    def of(cls, above: Ints, below: Ints) -> "Quotients":
        """Those of some deals, which are the first dimension of either array."""
        sums = (below != 0, above, below, above**2, above * below, below**2)
        return cls(*(number.sum(axis=0, dtype=np.int64) for number in sums))

    def __add__(self, other: "Quotients") -> "Quotients":
        both = zip(astuple(self), astuple(other), strict=True)
        return Quotients(*(item + another for item, another in both))

    def mean(self, position: Position) -> float | None:
        """A quotient; None without games."""
        below = int(self.below[position])
        return int(self.above[position]) / below if below else None

    def error(self, position: Position) -> float | None:
        """Its standard error; None with less than two deals."""
        deals, above, below, squares, crossed, weights = (
            int(item[position]) for item in astuple(self)
        )
        if deals < 2:
            return None
        number = squares * below**2 - 2 * crossed * above * below + weights * above**2
        return sqrt(max(0, number) * deals / (deals - 1)) / below**2


class Predecessors(msgspec.Struct, frozen=True):
    """By bots' numbers: `after`, what a bot counts a game right after another one.

    `effects`: how much more whoever sits right after a bot counts a game than with that bot
    elsewhere at the table, among the same bots.
    """

    after: Quotients
    effects: Quotients

    def __add__(self, other: "Predecessors") -> "Predecessors":
        return Predecessors(self.after + other.after, self.effects + other.effects)


def gather_predecessors(
    bots: int, players: int, orders: int, deals: int, read: Callable[[int, int], Blocks]
) -> Predecessors:
    """What `read` tells of the deals before `deals`; it gives the blocks with some of them.

    Orders seat each bot right after each other one equally often. Deals in which a group's game
    ended by a fault are left out for that group.
    """
    predecessors = _nothing(bots)
    for start in range(0, deals, _DEALS_AT_ONCE):
        count = min(_DEALS_AT_ONCE, deals - start)
        predecessors += _of_deals(bots, players, orders, start, count, read(start, count))
    return predecessors


def _nothing(bots: int) -> Predecessors:
    square, row = np.zeros((1, bots, bots), np.int64), np.zeros((1, bots), np.int64)
    return Predecessors(Quotients.of(square, square), Quotients.of(row, row))


def _of_deals(
    bots: int, players: int, orders: int, start: int, count: int, blocks: Blocks
) -> Predecessors:
    after, games = np.zeros((2, count, bots, bots), np.int64)
    effects, weights = np.zeros((2, count, bots), np.int64)
    times = orders // (players - 1)
    for group, first, stored in blocks:
        low, high = max(first, start), min(first + len(stored), start + count)
        rows, values = slice(low - start, high - start), stored[low - first : high - first]
        full = (values[:, 0] == orders).astype(np.int64)
        sums = _square(values, players) * full[:, None, None]
        cells = np.ix_(range(count)[rows], group, group)
        after[cells] += sums
        games[cells] += times * full[:, None, None] * ~np.eye(players, dtype=bool)
        chosen = np.ix_(range(count)[rows], group)
        effects[chosen] += _ahead(sums)
        weights[chosen] += (times * (players - 1) * (players - 2) * full)[:, None]
    return Predecessors(Quotients.of(after, games), Quotients.of(effects, weights))


def _square(stored: NDArray[Any], players: int) -> Ints:
    """Of every deal a matrix: what the place of the row counted right after that of the column."""
    square = np.zeros((len(stored), players, players), np.int64)
    pairs = pairs_of_positions(players)
    rows, columns = zip(*pairs, strict=True)
    square[:, rows, columns] = stored[:, -len(pairs) :]
    return square


def _ahead(sums: Ints) -> Ints:
    """By place, how much more all others count right after it than after anybody else.

    Of each of the others: what it counts after this one, so many times as there are further ones
    to sit after, less what it counts after those.
    """
    players = sums.shape[1]
    after = sums.sum(axis=1)
    of_others = sums.sum(axis=(1, 2))[:, None] - sums.sum(axis=2)
    ahead: Ints = (players - 1) * after - of_others
    return ahead
