"""A score with luck removed while a match goes on, by coefficients from earlier deals.

With y the score of a deal and x the luck in it, whose mean is 0 by the exact odds, a deal between
looks l and l + 1 of a sequential test counts as

    z = y - b x,    b = (1 - 1 / F) cov(x, y) / var(x), at least 0, from the deals up to look l

F being the statistic of the regression (see `deals.control_variate`). So b is known before the
deals that it corrects are played, the sums of z less its mean are those of a martingale, and the
test and its confidence sequence hold as without it. Deals up to the first look are corrected
fold by fold, each with the coefficient of the other folds.

A test looks at so many deals whatever was played, so all sums here are the same for a match that
goes on after an interruption.
"""

import numpy as np
from numpy.typing import NDArray

from cantstop_arena.deals.control_variate import FOLDS
from cantstop_arena.ratings.model.evidence import Floats, Ints

MIN_VARIANCE = 1e-9  # of a deal's score, as all deals may be equal
DIGITS = 9  # of a coefficient: the last digits of sums depend on the blocks of deals
_ROUNDING = 1e-12


class CorrectedScore:
    """The mean and the variance of the score of a match's deals, luck removed."""

    def __init__(self) -> None:
        self._earlier = np.zeros(6)  # sums of all deals up to the last look
        self._pending = np.zeros((FOLDS, 6))  # of those since, by fold
        self._corrected = np.zeros(3)  # deals, their sum of z and of its square

    def add(self, first: int, scores: Floats, luck: Ints) -> None:
        """Add deals from `first` on."""
        folds = np.arange(first, first + len(scores)) % FOLDS
        x = luck.astype(np.float64)
        columns = (np.ones(len(scores)), scores, x, scores**2, x * scores, x**2)
        self._pending += np.stack([np.bincount(folds, column, FOLDS) for column in columns], axis=1)

    def look(self) -> tuple[int, float, float]:
        """The number of deals so far, the mean of their scores and the variance of a deal."""
        if self._earlier[0] == 0:
            groups = self._pending
            coefficients = _coefficients(groups.sum(axis=0) - groups)
        else:
            groups = self._pending.sum(axis=0)[None]
            coefficients = _coefficients(self._earlier[None])
        deals, y, x, yy, xy, xx = groups.T
        self._corrected += [
            deals.sum(),
            (y - coefficients * x).sum(),
            (yy - 2 * coefficients * xy + coefficients**2 * xx).sum(),
        ]
        self._earlier = self._earlier + self._pending.sum(axis=0)
        self._pending = np.zeros((FOLDS, 6))
        played, total, squares = self._corrected.tolist()
        if played < 2:
            return int(played), total / max(played, 1), MIN_VARIANCE
        variance = (squares - total * total / played) / (played - 1)
        return int(played), total / played, max(variance, MIN_VARIANCE)


def _coefficients(sums: Floats) -> Floats:
    """The coefficient that each row of sums tells."""
    deals, y, x, yy, xy, xx = sums.T
    count = np.maximum(deals, 1)
    covariance, luck_variance, variance = xy - x * y / count, xx - x * x / count, yy - y * y / count
    slopes = _quotients(covariance, luck_variance)
    explained = np.minimum(slopes * covariance, variance)
    unexplained = np.maximum(variance - explained, _ROUNDING * variance) / np.maximum(deals - 2, 1)
    shrinkage = np.maximum(1 - _quotients(unexplained, explained, 1.0), 0.0)
    return _rounded(np.where(deals >= 4, slopes * shrinkage, 0.0))


def _quotients(numerators: Floats, denominators: Floats, otherwise: float = 0.0) -> Floats:
    quotients: Floats = np.divide(
        numerators,
        denominators,
        out=np.full_like(numerators, otherwise),
        where=denominators > 0,
    )
    return quotients


def _rounded(numbers: Floats) -> Floats:
    rounded: NDArray[np.float64] = np.array([float(f"{number:.{DIGITS}g}") for number in numbers])
    return rounded
