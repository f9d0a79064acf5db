"""The bootstrap-t interval of a quotient of sums over games or deals that are few and skewed.

The units are drawn again, with replacement; in each resample the quotient R* has a deviate
(R* - R) / error*, and the quantiles of the deviates take the place of Student's (Efron and
Tibshirani 1993, 12.5; Hall 1992). It needs some 20 units, to draw from.
"""

import numpy as np

from cantstop_arena.ratings.mean_error import TAIL
from cantstop_arena.ratings.model.evidence import Floats

MIN_UNITS, MAX_UNITS = 20, 2000
RESAMPLES = 999


def quotient_interval(numerator: Floats, denominator: Floats) -> tuple[float, float] | None:
    """The 95% interval; None with too few units, or as many as make it Student's, or all alike."""
    units = len(numerator)
    if not MIN_UNITS <= units <= MAX_UNITS:
        return None
    value, error = map(float, _quotients(numerator, denominator))
    picked = np.random.default_rng(0).integers(0, units, (RESAMPLES, units))
    values, errors = _quotients(numerator[picked], denominator[picked])
    usable = (errors > 0) & np.isfinite(values)
    if not error or not usable.any():
        return None
    deviates = (values[usable] - value) / errors[usable]
    high, low = np.quantile(deviates, (TAIL, 1 - TAIL))
    return value - float(low) * error, value - float(high) * error


def _quotients(numerator: Floats, denominator: Floats) -> tuple[Floats, Floats]:
    """The quotients of the sums of rows, and their standard errors, linearised."""
    with np.errstate(divide="ignore", invalid="ignore"):
        values = numerator.sum(axis=-1) / denominator.sum(axis=-1)
        residuals = numerator - values[..., None] * denominator
        scale = denominator.mean(axis=-1) * numerator.shape[-1] ** 0.5
        return values, residuals.std(axis=-1, ddof=1) / scale
