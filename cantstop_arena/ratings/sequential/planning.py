"""The power of a two-sided test of a mean over deals, and the number of deals that it needs.

With the variance v per deal, a true difference d is significant at level alpha with probability

    power = Phi(d / sqrt(v / n) - z) + Phi(-d / sqrt(v / n) - z),    z = Phi⁻¹(1 - alpha / 2)

after n deals (Cohen 1988). As the variance is estimated and Student's quantile is used, z² / 2
deals are added (Guenther, The American Statistician 35, 1981). The difference may be one of scores
or of Elo; what matters is that v is the variance per deal of its estimate.
"""

from math import ceil, inf, sqrt
from statistics import NormalDist

_NORMAL = NormalDist()
_BISECTIONS = 200


def power(deals: float, difference: float, variance: float, alpha: float) -> float:
    """The probability that the difference is significant, by the formula of the module's head."""
    quantile = _NORMAL.inv_cdf(1 - alpha / 2)
    signal = abs(difference) / sqrt(variance / deals) if variance else inf
    return _NORMAL.cdf(signal - quantile) + _NORMAL.cdf(-signal - quantile)


def deals_needed(difference: float, variance: float, target: float, alpha: float) -> int:
    """The number of deals after which the power is `target`, two at least.

    `target` lies between alpha, the power at no difference, and 1.
    """
    low, high = 0.0, 1.0
    while power(high, difference, variance, alpha) < target:
        low, high = high, 2 * high
    for _ in range(_BISECTIONS):
        centre = (low + high) / 2
        if not low < centre < high:
            break
        if power(centre, difference, variance, alpha) < target:
            low = centre
        else:
            high = centre
    return max(2, ceil(high + _NORMAL.inv_cdf(1 - alpha / 2) ** 2 / 2))
