"""Tails and quantiles of distributions, and p-values of many comparisons, with groups and ranks.

The distributions are the normal, Student's, chi-square and Fisher's. Upper tails, not cumulative
probabilities, are computed, so that small ones keep their digits.

- Normal: `math.erfc`.
- Student: half of I(n/2, 1/2; n / (n + t²)), the incomplete beta function, by its continued
  fraction (Abramowitz and Stegun 1964, 26.5.8, summed as Lentz did, 1976). From `HILL_FROM` degrees
  of freedom on, where that needs many terms, by the normal deviate of the same tail (Hill 1970).
- Fisher's F: the same function.
- Chi-square: the incomplete gamma function, by its series below the mean (Abramowitz and Stegun
  6.5.29) and by its continued fraction above (6.5.31).
- Noncentral chi-square: the normal deviate of Sankaran (1963), exact to some thousandths.
- Quantiles: Newton's method on the tail.

Multiple comparisons have corrected p-values of all pairs, group letters and ranges of ranks.

- Holm (1979): the smallest p-value is multiplied by the number of tests, the next by one less, and
  so on. The chance of any false claim is at most 5%, however the tests depend on each other.
- A compact letter display (Piepho 2004): bots that share a letter are not significantly different.
  Letters are made by inserting one bot after the other and absorbing what others contain.
- A bot's rank is at best one more than the number of bots that are significantly better, at worst
  the number of bots less those that are significantly worse. All these ranges hold together with
  95% (Klein, Wright and Wieczorek 2020).
"""

import re
from collections.abc import Callable
from functools import lru_cache
from math import erfc, exp, inf, isfinite, lgamma, log, pi, sqrt
from string import ascii_lowercase
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cantstop_arena.errors import steps_to
from cantstop_arena.ratings.model.evidence import Truths

Floats: TypeAlias = NDArray[np.floating[Any]]

CENTRAL = 0.95  # the coverage of an interval
HILL_FROM = 300.0  # degrees of freedom from which Hill's deviate is exact to 1e-12
NORMAL_FROM = 1e10  # degrees of freedom from which a difference of lgamma has few digits
CHI_SQUARE_ABOVE = 1e7  # degrees of freedom below: with more, F is a chi-square
MAX_STEPS = 1_000_000  # a tail's middle takes 170 for 10,000 degrees of freedom, and 17,000 for 1e8
BISECTIONS = 60  # of a bracket whose ends differ by a factor of 2 or by 1: to rounding
NEWTON_STEPS = 1000  # each moves a quantile by a factor of e at most
TOLERANCE = 1e-15
TINY = 1e-300


def normal_tail(deviate: float) -> float:
    """The probability that a standard normal number exceeds `deviate`."""
    return erfc(deviate / sqrt(2)) / 2


def student_tail(deviates: Floats, dof: Floats) -> Floats:
    """The probabilities that Student's t with `dof` degrees of freedom exceeds `deviates`."""
    t, v = np.broadcast_arrays(np.asarray(deviates, float), np.asarray(dof, float))
    above = np.empty(t.shape)
    few = v < HILL_FROM
    above[few] = _beta(v[few] / 2, 0.5, t[few] ** 2 / v[few]) / 2
    above[~few] = _mapped(normal_tail, _hill(np.abs(t[~few]), v[~few]))
    return np.where(t >= 0, above, 1 - above)


def student_quantile(dof: float, tail: float = (1 - CENTRAL) / 2) -> float:
    """The number that Student's t exceeds with probability `tail`; by default its 97.5% point."""
    return _quantile(float(dof), tail)


def chi_square_tail(x: float, dof: float) -> float:
    """The probability that chi-square with `dof` degrees of freedom exceeds `x`."""
    if x <= 0:
        return 1.0
    a, x = dof / 2, x / 2
    scale = exp(a * log(x) - x - lgamma(a))
    return 1 - scale * _gamma_series(a, x) if x < a + 1 else scale * _gamma_fraction(a, x)


def fisher_tail(ratio: float, above: float, below: float) -> float:
    """The probability that Fisher's F with `above` and `below` degrees of freedom exceeds `ratio`.

    With more than CHI_SQUARE_ABOVE degrees of freedom below, that of a chi-square.
    """
    if below > CHI_SQUARE_ABOVE:
        return chi_square_tail(ratio * above, above)
    odds = np.array([above * max(ratio, 0.0) / below])
    return float(_beta(np.array([below / 2]), above / 2, odds)[0])


def noncentrality(x: float, dof: float, tail: float) -> float:
    """The noncentrality with which a noncentral chi-square exceeds x with probability `tail`.

    0 where a central one exceeds x with that probability or more.
    """
    low, high = 0.0, 1.0
    if chi_square_tail(x, dof) >= tail:
        return 0.0
    while _noncentral_tail(x, dof, high) < tail:
        low, high = high, 2 * high
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        low, high = (middle, high) if _noncentral_tail(x, dof, middle) < tail else (low, middle)
    return (low + high) / 2


def _noncentral_tail(x: float, dof: float, distance: float) -> float:
    """Sankaran's second approximation: (x / mean)^h is nearly normal."""
    mean, second = dof + distance, dof + 2 * distance
    h = 1 - 2 * mean * (dof + 3 * distance) / (3 * second**2)
    p, m = second / mean**2, (h - 1) * (1 - 3 * h)
    middle = 1 + h * p * (h - 1 - 0.5 * (2 - h) * m * p)
    return normal_tail(((x / mean) ** h - middle) / (h * sqrt(2 * p) * (1 + 0.5 * m * p)))


def _mapped(function: Callable[[float], float], numbers: Floats) -> Floats:
    return np.array([function(number) for number in numbers.tolist()], float)


def _hill(t: Floats, v: Floats) -> Floats:
    """The normal deviate with the tail of Student's t: Hill (1970), algorithm 395."""
    a = v - 0.5
    b = 48 * a**2
    square = a * np.log1p(t**2 / v)
    z = np.sqrt(square)
    correction = ((4 * square + 33) * square + 240) * square + 855
    deviate: Floats = z + z * (
        (square + 3) / b - correction / (10 * b * (b + 0.8 * square**2 + 100))
    )
    return deviate


def _beta(a: Floats, b: float, odds: Floats) -> Floats:
    """The regularised incomplete beta function I(a, b; x), where (1 - x) / x are the odds."""
    x, remaining = 1 / (1 + odds), odds / (1 + odds)
    front = np.exp(
        _mapped(lambda p: lgamma(p + b) - lgamma(p) - lgamma(b), a)
        + a * np.log(np.maximum(x, TINY))
        + b * np.log(np.maximum(remaining, TINY))
    )
    low = x < (a + 1) / (a + b + 2)
    tail = _beta_fraction(np.where(low, a, b), np.where(low, b, a), np.where(low, x, remaining))
    value: Floats = np.where(low, front * tail / a, 1 - front * tail / b)
    return value


def _beta_fraction(a: Floats, b: Floats, x: Floats) -> Floats:
    c = np.ones_like(x)
    d = 1 / (1 - (a + b) * x / (a + 1))
    value = d.copy()
    for m in steps_to("A tail of Student's t or Fisher's F", MAX_STEPS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            d = 1 / (1 + term * d)
            c = 1 + term / c
            value = value * (c * d)
        if not np.any(np.abs(c * d - 1) >= TOLERANCE):  # a nan stays one
            break
    return value


def _gamma_series(a: float, x: float) -> float:
    term = total = 1 / a
    for n in steps_to("A tail of chi-square", MAX_STEPS):
        term *= x / (a + n)
        total += term
        if term < total * TOLERANCE / 10:
            break
    return total


def _gamma_fraction(a: float, x: float) -> float:
    b = x + 1 - a
    c, d = 1 / TINY, 1 / b
    value = d
    for n in steps_to("A tail of chi-square", MAX_STEPS):
        term = n * (a - n)
        b += 2
        d = 1 / (term * d + b)
        c = b + term / c
        value *= c * d
        if abs(c * d - 1) < TOLERANCE:
            break
    return value


@lru_cache(maxsize=4096)
def _quantile(dof: float, tail: float) -> float:
    """The quantile, by Newton's method on log(tail) against log(t), which are nearly linear."""
    if tail == 0.5:
        return 0.0
    if tail > 0.5:
        return -_quantile(dof, 1 - tail)
    t, step = _start(dof, tail), inf
    for _ in steps_to("A quantile of Student's t", NEWTON_STEPS):
        previous = abs(step)
        above = float(student_tail(np.array([t]), np.array([dof]))[0])
        step = (log(above) - log(tail)) * above / (t * _density(t, dof))
        t *= exp(max(-1.0, min(1.0, step)))
        if abs(step) < 1e-14 or previous <= abs(step) < 1e-11:  # rounding
            break
    return t


def _start(dof: float, tail: float) -> float:
    """Newton's starting point: exact for 1 degree of freedom, roughly a normal deviate for many."""
    start = sqrt(-2 * log(2 * tail)) if dof > 2 else 1 / (pi * tail)
    return start if isfinite(start) and start > 0 else 1e-3


def _density(t: float, dof: float) -> float:
    half = -log(2 * pi) / 2  # that of the normal distribution
    if dof < NORMAL_FROM:
        half = lgamma((dof + 1) / 2) - lgamma(dof / 2) - log(dof * pi) / 2
    return exp(half - (dof + 1) / 2 * np.log1p(t * t / dof))


# Multiple comparisons

SIGNIFICANT = 0.05


def holm(p_values: Floats) -> Floats:
    """The p-values, a one-dimensional array, corrected for their number."""
    order = np.argsort(p_values, kind="stable")
    factors = np.arange(len(p_values), 0, -1)
    corrected = np.empty_like(p_values)
    corrected[order] = np.minimum(np.maximum.accumulate(p_values[order] * factors), 1.0)
    return corrected


def significant_pairs(p_values: Floats, tested: Truths) -> Truths:
    """Which bots differ significantly: a symmetric matrix, bots by bots.

    The pairs that are `tested`, in the upper triangle, have their `p_values` there, uncorrected.
    """
    different = np.zeros(tested.shape, np.bool_)
    different[tested] = holm(p_values[tested]) <= SIGNIFICANT
    return different | different.T


def assign_groups(
    different: Truths, order: list[int], groups: list[str], first_letter: int = 0
) -> int:
    """Add group letters to `groups`, by bot; return the number of letters used.

    `different[i, j]`: i and j differ significantly. `order` has the bots of a field, the best
    first; letters begin at number `first_letter`.
    """
    conflicts = {bot: _mask(np.flatnonzero(different[bot])) for bot in order}
    columns = [_mask(np.array(order, np.int64))]
    for bot in order:
        columns = _inserted(columns, 1 << bot, conflicts[bot])
    members = ([rank for rank, bot in enumerate(order) if column >> bot & 1] for column in columns)
    for number, ranked in enumerate(sorted(members), start=first_letter):
        for rank in ranked:
            groups[order[rank]] += letter(number)
    return len(columns)


def letter(number: int) -> str:
    """The letter of a group by its number: a to z, then a1 to z1, and so on."""
    cycle, index = divmod(number, len(ascii_lowercase))
    return ascii_lowercase[index] + (str(cycle) if cycle else "")


def letters_in(groups: str) -> list[str]:
    """The letters of a bot's groups one by one."""
    return re.findall(r"[a-z]\d*", groups)


def _mask(bots: "np.ndarray[tuple[int, ...], np.dtype[np.int64]]") -> int:
    return sum(1 << int(bot) for bot in bots)


def _inserted(columns: list[int], bot: int, conflicts: int) -> list[int]:
    """The columns, bit masks of bots, each one split that has both the bot and a conflict of it.

    Halves that another column contains are dropped.
    """
    result = [column for column in columns if not (column & bot and column & conflicts)]
    conflicting = [column for column in columns if column & bot and column & conflicts]
    halves = {half for column in conflicting for half in (column & ~bot, column & ~conflicts)}
    for half in sorted(halves, key=int.bit_count, reverse=True):
        if not any(half & column == half for column in result):
            result.append(half)
    return result


def ranks(better: Truths) -> tuple[tuple[int, int], ...]:
    """For each bot its best and worst possible rank; `better[i, j]`: i is significantly better."""
    best = 1 + better.sum(axis=0)
    worst = len(better) - better.sum(axis=1)
    return tuple(zip(best.tolist(), worst.tolist(), strict=True))
