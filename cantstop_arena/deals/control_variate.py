"""Luck removed from wins: luck as a control variate, for each group of bots.

The wins in a deal, y, correlate with the luck x that a position of the group had in it, whose
mean is 0 by the exact odds. So y - b x has the mean of y whatever b is, and the least variance with
b = cov(x, y) / var(x) (Lavenberg and Welch, Management Science 27, 1981). Here b is estimated from
the other half of the deals, even or odd, and therefore independent of the x that it is applied to:
means stay exactly unbiased, however luck is measured and however few deals there are. With few
deals, or where x and y are not significantly correlated, b is 0.

Corrections are whole win units (`win_units`), like all sums over deals. They are rounded up or
down by a sequence that is uniform on 0 to 1 from deal to deal, so that rounding has mean 0.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from cantstop_arena.deals.sampling import DealSums, Floats, Ints, StoredBlock, wins_by_deal
from cantstop_arena.deals.seatings import Group, Orders
from cantstop_arena.deals.winners import win_units

MIN_DEALS = 25  # in a half, for a coefficient to be taken from it
MIN_TEST_STATISTIC = 4.0  # a correlation's square, times the deals: two standard errors from 0
_GOLDEN = (5**0.5 - 1) / 2


class _Sums:
    """Sums over the two halves of a group's deals: halves by positions in the group."""

    def __init__(self, positions: int) -> None:
        self.deals = np.zeros((2, 1))
        self.wins, self.luck, self.crossed = np.zeros((3, 2, positions))
        self.squares = np.zeros((2, positions)), np.zeros((2, positions))

    def add(self, half: int, wins: Floats, luck: Floats) -> None:
        """Add the wins and the luck of deals of one half: deals by positions."""
        self.deals[half] += len(wins)
        self.wins[half] += wins.sum(axis=0)
        self.luck[half] += luck.sum(axis=0)
        self.crossed[half] += (wins * luck).sum(axis=0)
        for squares, values in zip(self.squares, (wins, luck), strict=True):
            squares[half] += (values**2).sum(axis=0)

    def coefficients(self) -> Floats:
        """The coefficient for each half, estimated from the other one."""
        deals = np.maximum(self.deals, 1)
        covariances = (self.crossed - self.wins * self.luck / deals).sum(axis=1)
        win_variances = (self.squares[0] - self.wins**2 / deals).sum(axis=1)
        luck_variances = (self.squares[1] - self.luck**2 / deals).sum(axis=1)
        significant = (self.deals[:, 0] >= MIN_DEALS) & (
            covariances**2 * self.deals[:, 0] >= MIN_TEST_STATISTIC * win_variances * luck_variances
        )
        usable = significant & (luck_variances > 0) & (covariances > 0)
        values: Floats = np.divide(covariances, luck_variances, out=np.zeros(2), where=usable)
        return values[::-1]

    def corrected_wins(self, coefficients: Floats) -> Floats:
        """The wins of the positions, luck removed."""
        corrected: Floats = (self.wins - coefficients[:, None] * self.luck).sum(axis=0)
        return corrected


class Correction(msgspec.Struct, frozen=True):
    """The correction of wins for luck: for each group the coefficients of even and of odd deals."""

    coefficients: Mapping[Group, Floats]

    def __call__(self, group: Group, first: int, luck: NDArray[Any]) -> Ints:
        """The corrections in win units: deals, from `first`, by positions and then seats."""
        deals, players = np.arange(first, first + len(luck)), luck.shape[1] // 2
        exact = -self.coefficients[group][deals % 2, None] * luck
        rounding = (deals * _GOLDEN % 1)[:, None]
        units: Ints = np.floor(exact + rounding).astype(np.int64)
        for last in (players - 1, 2 * players - 1):  # corrections add up to 0
            units[:, last] = -units[:, last - players + 1 : last].sum(axis=1)
        return units


def correction(orders: Orders, blocks: Iterable[StoredBlock]) -> Correction:
    """The correction estimated from all blocks of a tournament; their last item is luck."""
    sums: dict[Group, _Sums] = {}
    players = len(orders[0])
    for group, first, winners, luck in blocks:
        group_sums = sums.setdefault(group, _Sums(players))
        wins = wins_by_deal(winners, orders)[:, :players].astype(np.float64)
        odd = np.arange(first, first + len(wins)) % 2 == 1
        for half, rows in enumerate((~odd, odd)):
            group_sums.add(half, wins[rows], luck[rows, :players].astype(np.float64))
    return Correction(
        {
            group: _group_coefficients(group_sums, len(orders), players)
            for group, group_sums in sums.items()
        }
    )


def _group_coefficients(sums: _Sums, orders: int, players: int) -> Floats:
    """The coefficients of a group; 0 if corrected wins would be negative, or all of them."""
    coefficients = sums.coefficients()
    corrected, maximum = (
        sums.corrected_wins(coefficients),
        sums.deals.sum() * orders * win_units(players),
    )
    is_possible = corrected.min() > 0 and corrected.max() < maximum
    return coefficients if is_possible else np.zeros(2)


def luck_gain(plain: DealSums, luck_removed: DealSums, bots: int) -> float:
    """How many times the games would be needed for the same errors without luck removed.

    The quotient of the variances of wins by deal, with luck and without: the mean over bots.
    """
    quotients = _variances(plain, bots) / np.maximum(_variances(luck_removed, bots), 1.0)
    positive = quotients[quotients > 0]
    return float(positive.mean()) if len(positive) else 1.0


def luck_text(of: str, gains: Sequence[float]) -> str:
    """A sentence on the gains of removing luck `of` something: `luck_gain` of each case."""
    narrowed = [f"{gain:.1f}" for gain in sorted(gains) if gain > 1]
    if not narrowed:
        return "Luck was scored, and is left in: without it intervals would be no narrower."
    times = " to ".join(dict.fromkeys((narrowed[0], narrowed[-1])))
    exception = (
        "" if len(narrowed) == len(gains) else " Where they would be no narrower it is left in."
    )
    return (
        f"Luck is removed from {of}: their intervals are as narrow as those of about {times} times"
        f" the games.{exception}"
    )


def _variances(deals: DealSums, bots: int) -> Floats:
    variances = np.zeros(bots)
    for deal_range in deals.ranges:
        squares = deal_range.products.diagonal()[:bots].astype(np.float64)
        variances += squares - deal_range.totals[:bots].astype(np.float64) ** 2 / deal_range.deals
    return variances
