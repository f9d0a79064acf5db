"""Confidence sequences: intervals that are valid at all looks together, whenever they take place.

An interval of 95% covers the true value with that probability at a number of deals fixed
beforehand. With repeated looks, and an end that depends on them, it misses far more often. A
confidence sequence misses at *any* look with probability alpha at most. This is the asymptotic one
of Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas (Annals of Statistics 52, 2024, theorem 2.2), the
normal mixture of Robbins (1970) with the variance estimated. It holds for the mean of deals that
are independent and alike, and for every estimator that is such a mean up to a vanishing error, such
as a rating with its sandwich variance. After n deals with the variance v per deal

    estimate ± sqrt(v / n) · m(n),    m(n)² = (1 + r) / r · log((1 + r) / alpha²),    r = n · rho²

where any rho > 0 chosen before the games is valid. It is narrowest at n deals where r solves
r = log((1 + r) / alpha²), and there m² = 1 + r. For alpha = 5% that is 3.04 standard errors in
place of 1.96; at four times or a fourth of these deals it is at most 8% wider than it could be.
"""

from collections.abc import Iterator
from functools import cache
from math import ceil, exp, inf, log, sqrt

from cantstop_arena.errors import steps_to

ALPHA = 0.05
FIRST_LOOK = 100
"""Deals before the first look: with fewer, an estimated variance is unreliable."""
GROWTH = 1.25  # of the number of deals, from one look to the next
_FIRST_LOOK_PART = 20  # the first look comes after the expected deals divided by this
_TOLERANCE = 1e-14
_MAX_STEPS = 10_000


def multiplier(deals: int, expected: float, alpha: float = ALPHA) -> float:
    """Half the width of the interval after so many deals, in standard errors.

    It is narrowest at the `expected` deals, which must not depend on the games. Infinite before
    the first look.
    """
    if deals < FIRST_LOOK:
        return inf
    ratio = deals / expected * _best_ratio(alpha)
    return sqrt((1 + ratio) / ratio * log((1 + ratio) / alpha**2))


def half_width(variance: float, deals: int, expected: float, alpha: float = ALPHA) -> float:
    """Half the width of the interval, from the variance per deal."""
    if deals < FIRST_LOOK:
        return inf
    return multiplier(deals, expected, alpha) * sqrt(variance / deals)


def p_value(deviate: float, deals: int, expected: float) -> float:
    """The p-value, valid at any look, of an estimate so many standard errors away from 0.

    It is the alpha whose interval, with rho as it is for ALPHA, ends at 0.
    """
    if deals < FIRST_LOOK:
        return 1.0
    ratio = deals / expected * _best_ratio(ALPHA)
    return min(1.0, sqrt(1 + ratio) * exp(-(deviate**2) / 2 * ratio / (1 + ratio)))


def min_variance(max_distance: float, deals: int, expected: float, alpha: float = ALPHA) -> float:
    """The least variance per deal that is assumed, whatever variance is estimated.

    Where all of n deals, or nearly all, had the same result, the estimate is too small. With the
    multiplier m, a share of m² / n of all deals may differ without having been observed, each by up
    to `max_distance` from the mean. Half the width is then m² / n · `max_distance`, which is
    sqrt(variance / n) · m.
    """
    return (multiplier(deals, expected, alpha) * max_distance) ** 2 / max(deals, 1)


def deals_for(variance: float, target_half_width: float, alpha: float = ALPHA) -> float:
    """The deals after which half the interval's width is the target, if it is tuned for them."""
    return max(FIRST_LOOK, (1 + _best_ratio(alpha)) * variance / target_half_width**2)


def looks(expected: float, maximum: int, growth: float = GROWTH, lineups: int = 1) -> Iterator[int]:
    """The numbers of deals after which to look, ascending; the last is `maximum`.

    They are those of each lineup; where a bot has several `lineups`, `expected` counts all of them.
    """
    deals = ceil(max(FIRST_LOOK, expected / _FIRST_LOOK_PART) / lineups)
    while deals < maximum:
        yield deals
        deals = ceil(deals * growth)
    yield maximum


@cache
def _best_ratio(alpha: float) -> float:
    """n · rho² at the deals for which rho is best: the r with r = log((1 + r) / alpha²)."""
    ratio = -2 * log(alpha)
    for _ in steps_to("The width of a confidence sequence", _MAX_STEPS):
        previous, ratio = ratio, log((1 + ratio) / alpha**2)
        if abs(ratio - previous) <= _TOLERANCE * ratio:
            break
    return ratio
