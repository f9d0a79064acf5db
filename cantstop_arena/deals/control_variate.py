"""Luck removed from wins: luck as a control variate, for each group of bots.

What the k positions of a group win in a deal, y, correlates with the luck x that they had in it,
whose mean is 0 by the exact odds. So z = y - B x has the mean of y whatever the k by k matrix B is,
and the least variance with the coefficients of the regression of y on x (Lavenberg and Welch,
Management Science 27, 1981; several controls: Glynn and Szechtman 2002). Deal d is in fold d mod
`FOLDS`, and B is estimated from the deals of all other folds (cross-fitting, Chernozhukov et al.
2018):

    B = (I - w 1') diag(s) S_yx S_xx+        S: centred sums of products over those deals
    s_p = max(0, 1 - 1 / F_p)                F_p: of the regression of y_p on x
    w_p = S_yy,pp / sum of S_yy              makes the corrections of a deal add up to 0

Means stay exactly unbiased, however luck is measured and however few deals there are: B, and that
it was shrunk or is 0, follow from other deals, so they are independent of the x that B multiplies,
and E[B x] = E[B] E[x] = 0. No decision may depend on the deals that it corrects. The shrinkage by
the F statistic (the positive part of Efron and Morris 1973) lets B tend to 0 where luck explains
nothing that can be seen: in few deals, or for a bot that hardly ever wins.

Seats are corrected in the same way, with the luck of seats. Corrections are whole win units
(`win_units`), like all sums over deals. They are rounded up or down by a sequence that is uniform
on 0 to 1 from deal to deal, so that rounding has mean 0.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from cantstop_arena.deals.sampling import Floats, Ints, StoredBlock, wins_by_deal
from cantstop_arena.deals.seatings import Group, Orders

FOLDS = 10
DIGITS = 9
"""Of a coefficient: sums of products exceed 2⁵³, so that their last digits depend on the blocks in
which deals are stored."""
_SINGULAR = 1e-9  # of the largest eigenvalue; luck adds up to 0, so that its covariance is singular
_ROUNDING = 1e-12  # of a variance: less than that is rounding
_GOLDEN = (5**0.5 - 1) / 2


class _FoldSums:
    """By fold: its deals, and sums and products of wins (positions, seats) and luck (likewise)."""

    def __init__(self, players: int) -> None:
        self.players = players
        self.deals = np.zeros(FOLDS)
        self.sums = np.zeros((FOLDS, 4 * players))
        self.products = np.zeros((FOLDS, 4 * players, 4 * players))

    def add(self, first: int, wins: Ints, luck: NDArray[Any]) -> None:
        """Add deals from `first` on: wins and luck, deals by positions and then seats."""
        rows = np.concatenate([wins, luck], axis=1).astype(np.float64)
        for fold, inside in _folds(first):
            fold_rows = rows[inside]
            self.deals[fold] += len(fold_rows)
            self.sums[fold] += fold_rows.sum(axis=0)
            self.products[fold] += fold_rows.T @ fold_rows

    def coefficients(self) -> Floats:
        """For each fold the coefficients from all others: folds by 2 players by 2 players."""
        players = self.players
        deals = self.deals.sum() - self.deals
        sums = self.sums.sum(axis=0) - self.sums
        products = self.products.sum(axis=0) - self.products
        centred = products - sums[:, :, None] * sums[:, None] / np.maximum(deals, 1)[:, None, None]
        matrices = np.zeros((FOLDS, 2 * players, 2 * players))
        for start in (0, players):  # positions by the luck of positions, seats by that of seats
            won = slice(start, start + players)
            luck = slice(2 * players + start, 3 * players + start)
            matrices[:, won, won] = _shrunk_coefficients(
                deals, centred[:, won, won], centred[:, luck, luck], centred[:, won, luck]
            )
        matrices[deals < players + 2] = 0
        return _rounded(matrices)


def _folds(first: int) -> Iterator[tuple[int, slice]]:
    """Each fold with its rows among deals from `first` on: by the deal's number, not its row."""
    for fold in range(FOLDS):
        yield fold, slice((fold - first) % FOLDS, None, FOLDS)


def _shrunk_coefficients(deals: Floats, wins: Floats, luck: Floats, crossed: Floats) -> Floats:
    """B in the module's head, for each fold; from centred sums of products, k by k each."""
    players = wins.shape[1]
    scale = np.sqrt(np.maximum(_diagonals(luck), np.finfo(np.float64).tiny))
    correlations = luck / (scale[:, :, None] * scale[:, None])
    inverse = np.linalg.pinv(correlations, rcond=_SINGULAR, hermitian=True)
    rows = (crossed / scale[:, None]) @ inverse / scale[:, None]
    variances = _diagonals(wins)
    explained = ((rows @ luck) * rows).sum(axis=2)
    rows = rows * _shrinkage(deals, variances, explained)[:, :, None]
    total = variances.sum(axis=1, keepdims=True)
    weights = np.divide(variances, total, out=np.full_like(variances, 1 / players), where=total > 0)
    closed: Floats = rows - weights[:, :, None] * rows.sum(axis=1)[:, None]
    return closed


def _shrinkage(deals: Floats, variances: Floats, explained: Floats) -> Floats:
    """1 - 1 / F of each regression, at least 0: folds by positions."""
    players = variances.shape[1]
    explained = np.minimum(explained, variances)
    unexplained = np.maximum(variances - explained, _ROUNDING * variances)
    mean_unexplained = unexplained / np.maximum(deals - players, 1)[:, None]
    mean_explained = explained / max(players - 1, 1)
    ratio = np.divide(
        mean_unexplained, mean_explained, out=np.ones_like(variances), where=mean_explained > 0
    )
    shrinkage: Floats = np.maximum(1 - ratio, 0.0)
    return shrinkage


def _diagonals(matrices: Floats) -> Floats:
    diagonals: Floats = np.diagonal(matrices, axis1=1, axis2=2)
    return diagonals


def _rounded(numbers: Floats) -> Floats:
    """The numbers to so many significant digits."""
    powers = np.floor(np.log10(np.where(numbers == 0, 1.0, np.abs(numbers))))
    scale = 10.0 ** (DIGITS - 1 - powers)
    rounded: Floats = np.rint(numbers * scale) / scale
    return rounded


class Correction(msgspec.Struct, frozen=True):
    """The correction of wins for luck: for each group the coefficients of each fold of deals."""

    coefficients: Mapping[Group, Floats]

    def __call__(self, group: Group, first: int, luck: NDArray[Any]) -> Ints:
        """The corrections in win units: deals, from `first`, by positions and then seats."""
        players = luck.shape[1] // 2
        coefficients = self.coefficients[group]
        exact = np.empty(luck.shape)
        for fold, inside in _folds(first):
            exact[inside] = -(luck[inside].astype(np.float64) @ coefficients[fold].T)
        rounding = (np.arange(first, first + len(luck)) * _GOLDEN % 1)[:, None]
        units: Ints = np.floor(exact + rounding).astype(np.int64)
        for columns in (slice(players), slice(players, 2 * players)):
            # Corrections add up to 0. What rounding leaves goes where it is the smallest share.
            largest = columns.start or 0
            largest += int(np.abs(coefficients[0, columns]).sum(axis=1).argmax())
            units[:, largest] = 0
            units[:, largest] = -units[:, columns].sum(axis=1)
        return units


def correction(orders: Orders, blocks: Iterable[StoredBlock]) -> Correction:
    """The correction estimated from all blocks of a tournament; their last item is luck."""
    sums: dict[Group, _FoldSums] = {}
    players = len(orders[0])
    for group, first, winners, luck in blocks:
        group_sums = sums.setdefault(group, _FoldSums(players))
        group_sums.add(first, wins_by_deal(winners, orders), luck)
    return Correction({group: group_sums.coefficients() for group, group_sums in sums.items()})


def width_gain(plain_width: float | None, width: float | None) -> float | None:
    """How many times the games an interval as narrow as `width` would take with luck.

    None where one of the two intervals is not known.
    """
    return (plain_width / width) ** 2 if plain_width and width else None


def gain_range(gains: Sequence[float]) -> str:
    """The smallest and the largest of some gains in words, as printed: `1.0 to 2.1`."""
    return " to ".join(dict.fromkeys(f"{gain:.1f}" for gain in (min(gains), max(gains))))
