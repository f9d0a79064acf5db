"""The power of the test of a score, and the number of deals that it needs.

With n deals, a true score p that is d above the even score p0, and e the standard error of the
score, the 95% interval leaves p0 out with probability

    power = Phi((d - t e0) / e) + Phi((-d - t e0) / e),   e0 = e √(p0 (1 - p0)) / √(p (1 - p))

where t is Student's quantile with n - 1 degrees of freedom: an interval of a score has the error of
the score at its end, which is that of an even score where it just reaches p0 (Korn and Graubard
1998). No fewer than 20 deals are planned: before that the error is hardly known.

The same holds for other estimates, such as an Elo difference, with e0 = e.
"""

from math import sqrt
from statistics import NormalDist

from cantstop_arena.ratings.significance import student_quantile

MIN_DEALS = 20
MIN_SHARE = 0.02  # scores nearer to 0 or 1 are planned for like this one
_NORMAL = NormalDist()


def error_at_even(even: float, score: float) -> float:
    """How much larger the error of a score is at the even score: e0 / e of the module's head."""
    score = min(max(score, MIN_SHARE), 1 - MIN_SHARE)
    return sqrt(even * (1 - even) / (score * (1 - score)))


def power(
    deals: int, difference: float, variance: float, alpha: float, at_even: float = 1.0
) -> float:
    """The probability that the difference is significant after this many deals.

    `variance` is that per deal of its estimate, `at_even` the quotient `error_at_even`.
    """
    if not variance:
        return 1.0
    signal = abs(difference) / sqrt(variance / deals)
    quantile = at_even * student_quantile(deals - 1, alpha / 2)
    return _NORMAL.cdf(signal - quantile) + _NORMAL.cdf(-signal - quantile)


def deals_needed(
    difference: float, variance: float, target: float, alpha: float, at_even: float = 1.0
) -> int:
    """The number of deals after which the power is `target`, `MIN_DEALS` at least.

    `target` lies between alpha, the power at no difference, and 1.
    """
    low, high = MIN_DEALS - 1, MIN_DEALS
    while power(high, difference, variance, alpha, at_even) < target:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        if power(middle, difference, variance, alpha, at_even) < target:
            low = middle
        else:
            high = middle
    return high
