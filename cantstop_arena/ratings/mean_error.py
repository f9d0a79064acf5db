"""The error of a mean over deals, and of every estimate that is nearly one.

An estimate that adds up what each deal has added to it, its *influence*, has the error of the mean
of the influences. Quantiles are Student's, with the degrees of freedom of deals with heavy tails,
each end its own (`degrees_of_freedom`).

Where all D deals are the same, others are, with 95% confidence, a share of less than
π = 1 - 0.05^(1/D) of all: with known bounds the interval of the mean m is from (1 - π) m + π low to
(1 - π) m + π high, and without bounds there is none; p is then that of the sign test, 2^(1 - D).

Where results are looked at while games go on, the interval is a confidence sequence, and with known
bounds its variance is never less than that of a share of deals that may not have been observed yet.
"""

from math import isfinite, sqrt

import msgspec
import numpy as np

from cantstop_arena.deals.deal_variance import DegreesOfFreedom, degrees_of_freedom
from cantstop_arena.ratings.estimate import Estimate
from cantstop_arena.ratings.model.evidence import Floats
from cantstop_arena.ratings.sequential.confidence import (
    FIRST_LOOK,
    min_variance,
    multiplier,
    p_value,
)
from cantstop_arena.ratings.significance import CENTRAL, student_quantile, student_tail

TAIL = (1 - CENTRAL) / 2
ROUNDING = 1e-12  # relative to the terms of an estimate: an error below is 0
_MAX_DEALS = 1000  # of equal differences: with many more, 2^(1 - n) would underflow


class MeanError(msgspec.Struct, frozen=True):
    """The error of a mean over deals, or of what is nearly one.

    The mean is within `bounds`, if these are known. With `expected` deals the interval is a
    confidence sequence for them.
    """

    mean: float
    variance: float
    deals: int
    degrees_of_freedom: DegreesOfFreedom
    bounds: tuple[float, float] | None
    expected: float | None = None

    @property
    def is_unknown(self) -> bool:
        """Whether there are too few deals."""
        return self.deals < (2 if self.expected is None else FIRST_LOOK)

    @property
    def standard_error(self) -> float:
        """The standard error; 0 where all deals are equal."""
        variance = self.variance
        if self.expected is not None and self.bounds is not None and not self.is_unknown:
            distance = max(self.bounds[1] - self.mean, self.mean - self.bounds[0])
            minimum = min_variance(distance, self.deals, self.expected) / max(self.deals - 1, 1)
            variance = max(variance, minimum)
        return sqrt(variance)

    @property
    def interval(self) -> tuple[float | None, float | None]:
        """The 95% interval."""
        return self.interval_at(TAIL)

    def interval_at(self, tail: float) -> tuple[float | None, float | None]:
        """The interval that the mean leaves with this probability on either side.

        An end is None where nothing bounds it. A confidence sequence is that of 95%.
        """
        if self.is_unknown:
            return None, None
        if error := self.standard_error:
            if self.expected is not None:
                low = high = multiplier(self.deals, self.expected)
            else:
                low, high = (student_quantile(dof, tail) for dof in self.degrees_of_freedom)
            return self.mean - low * error, self.mean + high * error
        if self.bounds is None:
            return None, None
        rare = 1 - (2 * tail) ** (1 / self.deals)
        low, high = ((1 - rare) * self.mean + rare * bound for bound in self.bounds)
        return low, high

    @property
    def half_width(self) -> float:
        """The distance from the mean to the farther end of the interval; 0 without an interval."""
        low, high = self.interval
        return 0.0 if low is None or high is None else max(self.mean - low, high - self.mean)

    @property
    def p_of_zero(self) -> float:
        """The p-value of a mean of 0, which the interval with this tail on either side ends at."""
        if self.is_unknown or self.mean == 0:
            return 1.0
        if error := self.standard_error:
            if self.expected is not None:
                return p_value(abs(self.mean) / error, self.deals, self.expected)
            return min(1.0, 2 * self._tail(error))
        if self.bounds is None:  # the sign test
            return float(2.0 ** max(1 - self.deals, -_MAX_DEALS))
        across = abs(self.bounds[0 if self.mean > 0 else 1])  # what others would have to pay
        return float((across / (across + abs(self.mean))) ** self.deals)

    @property
    def superiority(self) -> float:
        """The probability that the mean is above 0, under an even prior."""
        if self.is_unknown or self.mean == 0:
            return 0.5
        if not (error := self.standard_error):
            return float(self.mean > 0)
        tail = self._tail(error)
        return 1 - tail if self.mean > 0 else tail

    def _tail(self, error: float) -> float:
        """The probability that a mean of 0 is estimated so far from it, on this side."""
        dof = np.array([self.degrees_of_freedom.towards(-self.mean)])
        return float(student_tail(np.array([abs(self.mean) / error]), dof)[0])

    @property
    def estimate(self) -> Estimate:
        """The mean with its interval."""
        low, high = (None if end is None or not isfinite(end) else end for end in self.interval)
        return Estimate(self.mean, low, high)


def mean_error(
    value: float,
    influences: Floats,
    bounds: tuple[float, float] | None = None,
    scale: float = 1.0,
) -> MeanError:
    """The error of a value, from what each deal adds to it, in any order.

    `scale` is the size of the numbers that were added or subtracted.
    """
    deals = len(influences)
    away = influences - influences.mean()
    variance = float((away**2).mean()) / max(deals - 1, 1)
    is_constant = variance <= (ROUNDING * scale) ** 2
    dof = degrees_of_freedom(deals, away)
    return MeanError(value, 0.0 if is_constant else variance, deals, dof, bounds)
