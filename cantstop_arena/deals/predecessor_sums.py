"""Effects of the predecessor at the table: what bots count right after each other bot.

Where a game names the count (`Counts.followed`), it is stored for every deal and every two
positions of the group. The games of a deal share their chance, so that deals are the units of
sampling: sums over deals, of their squares and products give a quotient and its error (the
linearised variance of a ratio of sums: Cochran, Sampling Techniques, 1977, 6.3).
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
"""Blocks of deals: the group, the first deal, and a row for each deal (`stored_measures`)."""

_DEALS_AT_ONCE = 1 << 12


class Quotients(msgspec.Struct, frozen=True):
    """An array of quotients of sums over deals: `numerator` by `denominator`.

    The sums of their squares, and of their products (`crossed`), are for the errors. `deals` is the
    number of deals in which `denominator` is not 0.
    """

    deals: Ints
    numerator: Ints
    denominator: Ints
    numerator_squared: Ints
    crossed: Ints
    denominator_squared: Ints

    @classmethod
    def of(cls, numerator: Ints, denominator: Ints) -> "Quotients":
        """The quotients of some deals, which are the first dimension of both arrays."""
        sums = (
            denominator != 0,
            numerator,
            denominator,
            numerator**2,
            numerator * denominator,
            denominator**2,
        )
        return cls(*(array.sum(axis=0, dtype=np.int64) for array in sums))

    def __add__(self, other: "Quotients") -> "Quotients":
        both = zip(astuple(self), astuple(other), strict=True)
        return Quotients(*(left + right for left, right in both))

    def mean(self, position: Position) -> float | None:
        """The quotient at a position; None without games."""
        denominator = int(self.denominator[position])
        return int(self.numerator[position]) / denominator if denominator else None

    def error(self, position: Position) -> float | None:
        """The standard error of a quotient; None with fewer than two deals."""
        deals, numerator, denominator, numerator_squared, crossed, denominator_squared = (
            int(array[position]) for array in astuple(self)
        )
        if deals < 2:
            return None
        residual_squares = (
            numerator_squared * denominator**2
            - 2 * crossed * numerator * denominator
            + denominator_squared * numerator**2
        )
        return sqrt(max(0, residual_squares) * deals / (deals - 1)) / denominator**2


class Predecessors(msgspec.Struct, frozen=True):
    """Counts and effects by bots' numbers.

    `after`: what a bot (row) counts per game right after another one (column). `effects`: how much
    more per game those right after a bot count than with that bot elsewhere at the table, among
    the same bots.
    """

    after: Quotients
    effects: Quotients

    def __add__(self, other: "Predecessors") -> "Predecessors":
        return Predecessors(self.after + other.after, self.effects + other.effects)


def gather_predecessors(
    bots: int, players: int, orders: int, deals: int, read: Callable[[int, int], Blocks]
) -> Predecessors:
    """The sums over the deals from 0 to `deals - 1`.

    `read(start, count)` returns the blocks that have some of those deals. Orders seat each
    bot right after each other one equally often. Deals in which a group's game ended by a fault are
    left out for that group.
    """
    predecessors = _empty_predecessors(bots)
    for start in range(0, deals, _DEALS_AT_ONCE):
        count = min(_DEALS_AT_ONCE, deals - start)
        predecessors += _range_sums(bots, players, orders, start, count, read(start, count))
    return predecessors


def _empty_predecessors(bots: int) -> Predecessors:
    square, row = np.zeros((1, bots, bots), np.int64), np.zeros((1, bots), np.int64)
    return Predecessors(Quotients.of(square, square), Quotients.of(row, row))


def _range_sums(
    bots: int, players: int, orders: int, start: int, count: int, blocks: Blocks
) -> Predecessors:
    after, games = np.zeros((2, count, bots, bots), np.int64)
    effects, weights = np.zeros((2, count, bots), np.int64)
    games_per_pair = orders // (players - 1)
    for group, first, stored in blocks:
        low, high = max(first, start), min(first + len(stored), start + count)
        rows, measures = slice(low - start, high - start), stored[low - first : high - first]
        complete = (measures[:, 0] == orders).astype(np.int64)
        sums = _matrices(measures, players) * complete[:, None, None]
        cells = np.ix_(range(count)[rows], group, group)
        after[cells] += sums
        games[cells] += games_per_pair * complete[:, None, None] * ~np.eye(players, dtype=bool)
        entries = np.ix_(range(count)[rows], group)
        effects[entries] += _effect_sums(sums)
        weights[entries] += (games_per_pair * (players - 1) * (players - 2) * complete)[:, None]
    return Predecessors(Quotients.of(after, games), Quotients.of(effects, weights))


def _matrices(stored: NDArray[Any], players: int) -> Ints:
    """A matrix for each deal: what the row's position counted right after the column's."""
    matrices = np.zeros((len(stored), players, players), np.int64)
    pairs = pairs_of_positions(players)
    rows, columns = zip(*pairs, strict=True)
    matrices[:, rows, columns] = stored[:, -len(pairs) :]
    return matrices


def _effect_sums(sums: Ints) -> Ints:
    """By deal and position, how much more the others count right after it than after each other.

    The sum over the others of what each counts after this position, times the number of the
    remaining ones, less what it counts after those.
    """
    players = sums.shape[1]
    after = sums.sum(axis=1)
    of_others = sums.sum(axis=(1, 2))[:, None] - sums.sum(axis=2)
    effects: Ints = (players - 1) * after - of_others
    return effects
