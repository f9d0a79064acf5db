"""Estimated numbers with their 95% intervals, and the error of a share of wins.

The games of one deal share their luck, so the deals of lineups are the units of sampling. A share
has the variance of the sum of what it won in its D deals (`deals.deal_variance`) by its games
squared. The games are worth n = p (1 - p) / variance games of a simple random sample (Kish 1965),
and the interval is Wilson's (1927) with n games and Student's quantile in place of the normal one,
the modification of Korn and Graubard (1998):

    (p + t²/2n ± t √(p (1 - p)/n + t²/4n²)) / (1 + t²/n)

For a bot that won nothing or everything, n = D. Where its share is the same in every deal, deals
with another result are, with 95% confidence, a share of less than π = 1 - 0.05^(1/D) of all, and
the interval is from (1 - π) p to (1 - π) p + π. With fewer than two deals it is 0 to 1.

Where results are looked at while games go on, the interval is a confidence sequence, tuned for the
expected number of deals: the same with its multiplier in place of Student's quantile, and with a
lower bound of the variance (`sequential.confidence.min_variance`), though not above that of deals
which are won or lost as a whole, p (1 - p). Where it is that one, few deals decide the end that is
nearer to 0 or 1, which is moved by half a deal (the continuity correction). No end falls when a
bot wins more.
"""

from collections.abc import Sequence
from math import inf, sqrt
from typing import NamedTuple

import msgspec
import numpy as np

from cantstop_arena.deals.deal_variance import DegreesOfFreedom
from cantstop_arena.ratings.sequential.confidence import (
    FIRST_LOOK,
    min_variance,
    multiplier,
    p_value,
)
from cantstop_arena.ratings.significance import Floats, student_quantile, student_tail

LOPSIDED = 0.2  # difference of the two half widths, as a share of the wider one


class Estimate(NamedTuple):
    """A number with the ends of its 95% interval; None where unknown."""

    mean: float | None
    low: float | None = None
    high: float | None = None

    @property
    def width(self) -> float | None:
        """The width of the interval; None where an end is unknown."""
        return None if self.low is None or self.high is None else self.high - self.low

    @property
    def lopsided(self) -> bool:
        """Whether one ± would not be true of the ends.

        Their distances are too unequal, or with ± another end than the interval's is beyond 0.
        """
        if self.mean is None or self.low is None or self.high is None:
            return False
        near, far = sorted((self.mean - self.low, self.high - self.mean))
        half = (self.high - self.low) / 2
        is_beyond_zero = self.mean - half > 0, self.mean + half < 0
        return far - near > LOPSIDED * far or is_beyond_zero != (self.low > 0, self.high < 0)

    @property
    def half_width(self) -> float | None:
        """Half the width of the interval; None where it is lopsided or lacks an end."""
        return None if self.width is None or self.lopsided else self.width / 2

    def scaled(self, by: float) -> "Estimate":
        """The estimate in another unit; a negative factor turns the interval round."""
        mean, low, high = (None if value is None else by * value for value in self)
        return Estimate(mean, low, high) if by >= 0 else Estimate(mean, high, low)

    @property
    def unsigned(self) -> "Estimate":
        """The estimate of the number without its sign."""
        return self.scaled(-1 if (self.mean or 0) < 0 else 1)


def share_estimate(score: float, half: float) -> Estimate:
    """A share with its 95% interval, of which half the width is given; it stays within 0 and 1."""
    return Estimate(score, max(0.0, score - half), min(1.0, score + half))


ALPHA = 0.05
EVEN = 0.5


class StudentTest(NamedTuple):
    """A deviate of Student's distribution, and its degrees of freedom."""

    deviate: float
    degrees_of_freedom: float


class ShareError(msgspec.Struct, frozen=True):
    """The error of a share of wins in some deals.

    With luck removed the wins of a bot that hardly ever wins may be less than 0, and those of its
    rivals more than all games; the share is then 0 or 1, and nothing is known of it.

    A share of 0 or 1 counts as one of `games_at_bound` games. With `expected` deals, the interval
    is a confidence sequence tuned for them.
    """

    won: float
    variance: float
    deals: int
    games_at_bound: float
    degrees_of_freedom: DegreesOfFreedom
    expected: float | None = None

    @property
    def share(self) -> float:
        """The estimate, from 0 to 1."""
        return min(max(self.won, 0.0), 1.0)

    @property
    def standard_error(self) -> float:
        """The standard error; of equal deals that of which the interval is Student's."""
        if self.variance <= 0:
            low, high = self.interval
            return (high - low) / 2 / student_quantile(self.degrees_of_freedom.high)
        return sqrt(self.variance)

    @property
    def interval(self) -> tuple[float, float]:
        """The ends of the 95% interval."""
        if self._is_unknown:
            return 0.0, 1.0
        games = self._games
        if games == inf:
            rare = 1 - ALPHA ** (1 / self.deals)
            return (1 - rare) * self.share, (1 - rare) * self.share + rare
        if self.expected is not None:
            return self._sequence(multiplier(self.deals, self.expected))
        low, high = map(student_quantile, self.degrees_of_freedom)
        return wilson(self.share, games, low)[0], wilson(self.share, games, high)[1]

    @property
    def p_of_even(self) -> float:
        """The p-value of a half: 5% or less where the interval leaves a half out."""
        (value,) = p_values_of_even([self]).tolist()
        return float(value)

    @property
    def test_of_even(self) -> "float | StudentTest":
        """The p-value of a half, or Student's test that gives it."""
        if self._is_unknown:
            return 1.0
        games, distance = self._games, abs(self.share - EVEN)
        if games == inf:  # equal in all deals: the share of others that the interval must reach
            return float((EVEN / (EVEN + distance)) ** self.deals)
        deviate = 2 * distance * sqrt(games)
        if self.expected is not None:
            return p_value(deviate, self.deals, self.expected)
        return StudentTest(deviate, self.degrees_of_freedom.towards(EVEN - self.share))

    def _sequence(self, reach: float) -> tuple[float, float]:
        """The ends of a confidence sequence that reaches so many standard errors."""
        share, half_deal = self.share, 0.5 / self.games_at_bound
        low, high = wilson(share, self._games, reach)
        if self._min_variance < self._whole_variance:
            return low, high
        if share < EVEN:
            return wilson(max(share - half_deal, 0.0), self._games, reach)[0], high
        return low, wilson(min(share + half_deal, 1.0), self._games, reach)[1]

    @property
    def _min_variance(self) -> float:
        """That of deals of which some may differ without having been observed."""
        assert self.expected is not None
        distance = max(self.share, 1 - self.share)
        return min_variance(distance, self.deals, self.expected) / max(self.deals - 1, 1)

    @property
    def _whole_variance(self) -> float:
        """That of deals which are won or lost as a whole."""
        return self.share * (1 - self.share) / self.games_at_bound

    @property
    def _is_unknown(self) -> bool:
        few = self.deals < (2 if self.expected is None else FIRST_LOOK)
        return few or self.won != self.share

    @property
    def _games(self) -> float:
        """How many independent games are worth the deals; infinite where all deals are equal."""
        share, variance = self.share, self.variance
        if share in (0, 1):
            return self.games_at_bound
        if self.expected is not None:
            variance = max(variance, min(self._min_variance, self._whole_variance))
        return share * (1 - share) / variance if variance > 0 else inf


def p_values_of_even(errors: Sequence[ShareError]) -> Floats:
    """`p_of_even` of each of them; many at once take little more time than one."""
    tests = [error.test_of_even for error in errors]
    needs_student = np.array([isinstance(test, StudentTest) for test in tests], np.bool_)
    of_student = [test for test in tests if isinstance(test, StudentTest)]
    deviates, dof = np.array(of_student, float).reshape(-1, 2).T
    p_values = np.array([test if isinstance(test, float) else 1.0 for test in tests])
    p_values[needs_student] = 2 * student_tail(deviates, dof)
    return p_values


def wilson(share: float, games: float, quantile: float) -> tuple[float, float]:
    """Wilson's interval of a share in this many independent games; it stays within 0 and 1."""
    shrinkage = quantile**2 / games
    centre = share + shrinkage / 2
    half_width = sqrt(share * (1 - share) * shrinkage + shrinkage**2 / 4)
    low, high = (centre - half_width) / (1 + shrinkage), (centre + half_width) / (1 + shrinkage)
    return min(max(low, 0.0), share), max(min(high, 1.0), share)
