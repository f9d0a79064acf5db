"""A smooth curve through scores with errors, of which a quadratic is the first approximation.

The logarithm of the odds is a quadratic and a misfit: a Gaussian process with the Matérn
covariance of 5/2 (universal kriging: Sacks, Welch, Mitchell and Wynn 1989; Rasmussen and Williams
2006, 2.7 and 5.4). Sizes and ranges of the misfit are averaged, each weighted by the likelihood of
the scores; one of them is no misfit. Without a misfit, errors about a wrong quadratic would shrink
with more games.
"""

from collections.abc import Callable, Sequence
from itertools import product
from math import log
from typing import TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

_RANGES, _SIZES = (0.1, 0.2, 0.4, 0.8), (0.04, 0.12, 0.4)  # of ranges of 1; in logarithms of odds
_MISFITS = ((1.0, 0.0), *product(_RANGES, _SIZES))
_PRIOR_OF_NONE = 3.0  # of a quadratic without a misfit, as often as any other
_TREND_VARIANCE = 25.0  # of each coefficient of the quadratic: any odds
_HALF = 0.25  # of a game: a score is at least so far from 0 and 1
_MIN_VARIANCE = 1e-18

Numbers: TypeAlias = NDArray[np.float64]
Features: TypeAlias = Callable[[Numbers], Numbers]


class FittedCurve(msgspec.Struct, frozen=True):
    """A fitted curve.

    `level_variance` is that of the luck that all scores may have in common. `means` and `factors`
    are by misfit: what a point's covariances with the scores are multiplied with for its mean, and
    for what the scores tell of its variance.
    """

    design: Features
    positions: Features
    points: Numbers
    middle: float
    level_variance: float
    weights: Numbers
    means: Sequence[Numbers]
    factors: Sequence[Numbers]

    @property
    def quadratic(self) -> float:
        """The probability of no misfit."""
        return float(self.weights[0])

    def at(self, points: Numbers) -> tuple[Numbers, Numbers]:
        """The logarithms of the odds at some points, and their standard errors."""
        mean, variance = self._moments(points)
        return self.middle + mean, np.sqrt(variance + self.level_variance)

    def deviates(self, points: Numbers, best: int) -> Numbers:
        """How many standard errors each point is below the one with this index."""
        behind, variance = self._moments(points, best)
        deviates: Numbers = behind / np.sqrt(np.maximum(variance, _MIN_VARIANCE))
        return deviates

    def _moments(self, points: Numbers, best: int | None = None) -> tuple[Numbers, Numbers]:
        """The means and variances, of the points or of how far the best is ahead."""
        moments = []
        for misfit, coefficients, factor in zip(_MISFITS, self.means, self.factors, strict=True):
            covariance = _covariance(self.design, self.positions, points, self.points, misfit)
            mean, explained = covariance @ coefficients, covariance @ factor
            variance = _TREND_VARIANCE * (self.design(points) ** 2).sum(axis=1) + misfit[1] ** 2
            if best is not None:
                shared = _covariance(self.design, self.positions, points, points[[best]], misfit)
                mean, explained = mean[best] - mean, explained - explained[best]
                variance = variance + variance[best] - 2 * shared[:, 0]
            moments.append((mean, np.maximum(variance - (explained**2).sum(axis=1), 0.0)))
        means, variances = np.array(moments).transpose(1, 0, 2)
        mean = self.weights @ means
        return mean, self.weights @ (variances + (means - mean) ** 2)


def fitted_curve(
    design: Features, positions: Features, points: Numbers, scores: Numbers, games: Numbers
) -> FittedCurve:
    """Fit a curve to the scores that some points have reached in so many independent games.

    `design` maps points to the columns of the quadratic, `positions` to a space in which near
    points have nearly the same misfit.
    """
    shares = np.clip(scores, _HALF / games, 1 - _HALF / games)
    variances = 1 / (games * shares * (1 - shares))
    logits = np.log(shares / (1 - shares))
    middle = float(np.average(logits, weights=1 / variances))
    means, factors, evidence = [], [], []
    for misfit in _MISFITS:
        covariance = _covariance(design, positions, points, points, misfit)
        root = np.linalg.cholesky(covariance + np.diag(variances))
        factor = np.linalg.inv(root).T
        whitened = (logits - middle) @ factor
        means.append(factor @ whitened)
        factors.append(factor)
        evidence.append(-whitened @ whitened / 2 - np.log(np.diag(root)).sum())
    evidence[0] += log(_PRIOR_OF_NONE)
    weights = np.exp(np.array(evidence) - max(evidence))
    weights /= weights.sum()
    level = float(variances.min())  # the scores are of the same deals
    return FittedCurve(design, positions, points, middle, level, weights, means, factors)


def _covariance(
    design: Features,
    positions: Features,
    first: Numbers,
    second: Numbers,
    misfit: tuple[float, float],
) -> Numbers:
    """The covariances of the logits at the first points (rows) and the second, from no games."""
    reach, size = misfit
    squares = ((positions(first)[:, None] - positions(second)[None]) ** 2).sum(axis=-1)
    distance = np.sqrt(5 * squares) / reach
    matern = (1 + distance + distance**2 / 3) * np.exp(-distance)
    covariance: Numbers = size**2 * matern + _TREND_VARIANCE * design(first) @ design(second).T
    return covariance
