"""Tails and quantiles of the normal, Student's, chi-square and Fisher's distributions.

Upper tails, not cumulative probabilities, are computed, so that small ones keep their digits.

- Normal: `math.erfc`.
- Student: half of I(n/2, 1/2; n / (n + t²)), the incomplete beta function, by its continued
  fraction (Abramowitz and Stegun 1964, 26.5.8, summed as Lentz did, 1976). From `HILL_FROM` degrees
  of freedom on, where that needs many terms, by the normal deviate of the same tail (Hill 1970).
- Fisher's F: the same function.
- Chi-square: the incomplete gamma function, by its series below the mean (Abramowitz and Stegun
  6.5.29) and by its continued fraction above (6.5.31).
- Noncentral chi-square: the normal deviate of Sankaran (1963), exact to some thousandths.
- Quantiles: Newton's method on the tail.
"""

from collections.abc import Callable
from functools import lru_cache
from math import erfc, exp, isfinite, lgamma, log, pi, sqrt
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.floating[Any]]

CENTRAL = 0.95  # the coverage of an interval
HILL_FROM = 300.0  # degrees of freedom from which Hill's deviate is exact to 1e-12
CHI_SQUARE_ABOVE = 1e7  # degrees of freedom below: with more, F is a chi-square
MAX_STEPS = 10_000
BISECTIONS = 60
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
    for m in range(1, MAX_STEPS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            d = 1 / (1 + term * d)
            c = 1 + term / c
            value = value * (c * d)
        if np.abs(c * d - 1).max(initial=0.0) < TOLERANCE:
            break
    return value


def _gamma_series(a: float, x: float) -> float:
    term = total = 1 / a
    for n in range(1, MAX_STEPS):
        term *= x / (a + n)
        total += term
        if term < total * TOLERANCE / 10:
            break
    return total


def _gamma_fraction(a: float, x: float) -> float:
    b = x + 1 - a
    c, d = 1 / TINY, 1 / b
    value = d
    for n in range(1, MAX_STEPS):
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
    t = _start(dof, tail)
    for _ in range(100):
        above = float(student_tail(np.array([t]), np.array([dof]))[0])
        step = (log(above) - log(tail)) * above / (t * _density(t, dof))
        t *= exp(max(-1.0, min(1.0, step)))
        if abs(step) < 1e-14:
            break
    return t


def _start(dof: float, tail: float) -> float:
    """Newton's starting point: exact for 1 degree of freedom, roughly a normal deviate for many."""
    start = sqrt(-2 * log(2 * tail)) if dof > 2 else 1 / (pi * tail)
    return start if isfinite(start) and start > 0 else 1e-3


def _density(t: float, dof: float) -> float:
    half = lgamma((dof + 1) / 2) - lgamma(dof / 2) - log(dof * pi) / 2
    return exp(half - (dof + 1) / 2 * np.log1p(t * t / dof))
