"""Luck removed from what was won: luck as a control variate, for each group of bots.

What was won in a deal, y, goes along with the luck x that a place of the group had in it, whose
mean is 0 by the exact odds. So y - b x has the mean of y whatever b is, and varies least with
b = cov(x, y) / var(x) (Lavenberg and Welch, Management Science 27, 1981). Here b is found from the
other half of the deals, even or odd, and therefore does not depend on the x that it is applied to:
means stay unbiased, to the last, whatever luck is measured by and however few deals there are. In
games of few deals, or where x and y do not go together for sure, b is 0.

Corrections are whole parts of WHOLE, like all that is added up over deals. They are rounded up or
down by a number that goes evenly over 0 to 1 from deal to deal: rounding adds up to nothing.
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
SURE = 4.0  # a correlation's square, times the deals: two standard errors from 0
_GOLDEN = (5**0.5 - 1) / 2


class _Sums:
    """What two halves of a group's deals add up to: half by place of the group."""

    def __init__(self, index: int) -> None:
        self.deals = np.zeros((2, 1))
        self.won, self.luck, self.crossed = np.zeros((3, 2, index))
        self.squares = np.zeros((2, index)), np.zeros((2, index))

    def add(self, half: int, won: Floats, luck: Floats) -> None:
        """Add what was won, and the luck there was: deals by places."""
        self.deals[half] += len(won)
        self.won[half] += won.sum(axis=0)
        self.luck[half] += luck.sum(axis=0)
        self.crossed[half] += (won * luck).sum(axis=0)
        for squares, values in zip(self.squares, (won, luck), strict=True):
            squares[half] += (values**2).sum(axis=0)

    def coefficients(self) -> Floats:
        """For each half the coefficient of the other half; 0 where it is not significant."""
        deals = np.maximum(self.deals, 1)
        products = (self.crossed - self.won * self.luck / deals).sum(axis=1)
        won_squares = (self.squares[0] - self.won**2 / deals).sum(axis=1)
        luck_squares = (self.squares[1] - self.luck**2 / deals).sum(axis=1)
        significant = (self.deals[:, 0] >= MIN_DEALS) & (
            products**2 * self.deals[:, 0] >= SURE * won_squares * luck_squares
        )
        usable = significant & (luck_squares > 0) & (products > 0)
        coefficients: Floats = np.divide(products, luck_squares, out=np.zeros(2), where=usable)
        return coefficients[::-1]

    def left(self, values: Floats) -> Floats:
        """What the places won, their luck removed."""
        left: Floats = (self.won - values[:, None] * self.luck).sum(axis=0)
        return left


class Correction(msgspec.Struct, frozen=True):
    """What is taken from wins for luck: a coefficient for the even deals of each group, and one
    for the odd ones."""

    coefficients: Mapping[Group, Floats]

    def __call__(self, group: Group, first: int, luck: NDArray[Any]) -> Ints:
        """In parts of WHOLE, by place and then by seat: a row for each deal from the `first`."""
        deals, sides = np.arange(first, first + len(luck)), luck.shape[1] // 2
        expected = -self.coefficients[group][deals % 2, None] * luck
        rounding = (deals * _GOLDEN % 1)[:, None]
        parts: Ints = np.floor(expected + rounding).astype(np.int64)
        for last in (sides - 1, 2 * sides - 1):  # nobody's gain is no one's loss
            parts[:, last] = -parts[:, last - sides + 1 : last].sum(axis=1)
        return parts


def correction(orders: Orders, blocks: Iterable[StoredBlock]) -> Correction:
    """What all blocks of a tournament tell of how luck and wins go together."""
    sums: dict[Group, _Sums] = {}
    sides = len(orders[0])
    for group, first, winners, luck in blocks:
        group_sums = sums.setdefault(group, _Sums(sides))
        won = wins_by_deal(winners, orders)[:, :sides].astype(np.float64)
        odd = np.arange(first, first + len(won)) % 2 == 1
        for half, rows in enumerate((~odd, odd)):
            group_sums.add(half, won[rows], luck[rows, :sides].astype(np.float64))
    return Correction(
        {group: _group_coefficients(item, len(orders), sides) for group, item in sums.items()}
    )


def _group_coefficients(sums: _Sums, orders: int, sides: int) -> Floats:
    """The coefficients of a group; none where somebody would have won less than nothing."""
    values = sums.coefficients()
    left, maximum = sums.left(values), sums.deals.sum() * orders * win_units(sides)
    inside = left.min() > 0 and left.max() < maximum
    return values if inside else np.zeros(2)


def luck_gain(plain: DealSums, luck_removed: DealSums, bots: int) -> float:
    """How many times the games would be needed for such errors without luck removed.

    The variance of what a bot won, of deals with luck and without, all bots alike.
    """
    quotients = _variances(plain, bots) / np.maximum(_variances(luck_removed, bots), 1.0)
    some = quotients[quotients > 0]
    return float(some.mean()) if len(some) else 1.0


def luck_text(of: str, values: Sequence[float]) -> str:
    """What it was worth to remove luck `of` something, here and there, in a sentence."""
    removed = [f"{value:.1f}" for value in sorted(values) if value > 1]
    if not removed:
        return "Luck was scored, and is left in: without it intervals would be no narrower."
    times = " to ".join(dict.fromkeys((removed[0], removed[-1])))
    remaining = (
        "" if len(removed) == len(values) else " Where they would be no narrower it is left in."
    )
    return (
        f"Luck is removed from {of}: their intervals are as narrow as those of about {times} times"
        f" the games.{remaining}"
    )


def _variances(deals: DealSums, bots: int) -> Floats:
    variances = np.zeros(bots)
    for stretch in deals.stretches:
        own = stretch.products.diagonal()[:bots].astype(np.float64)
        variances += own - stretch.totals[:bots].astype(np.float64) ** 2 / stretch.deals
    return variances
