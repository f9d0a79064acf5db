"""Degrees of freedom of an interval, given how heavy the tails of its deals are.

An estimate of a variance from D numbers of kurtosis k varies as if it had 2 D / (k - 1) degrees of
freedom (Satterthwaite 1946; 3 is the normal distribution's k), and never more than D - 1. A bot
that wins rarely, or a measure that a few deals decide, has a large kurtosis, so that its interval
is wider than Student's with D - 1 degrees of freedom.
"""

import numpy as np

from cantstop_arena.ratings.model.evidence import Floats

MIN_SAMPLED = 10  # deals from which a kurtosis is taken
MANY_DEALS = 2000  # beyond, Student's quantile is the normal one, whatever the deals' scatter
DECIMALS = 3  # more would depend on the order of sums
ROUNDING = 1e-9


def degrees_of_freedom(deals: int, influence: Floats) -> float:
    """The degrees of freedom of the error of an estimate from this many deals, at least 1.

    `influence` is what each deal of a sample adds to the estimate, less the mean, in any unit; with
    few deals in the sample there is no limit but `deals` - 1.
    """
    return max(1.0, min(deals - 1.0, float(heavy_tail_limits(deals, influence))))


def heavy_tail_limits(deals: int, influence: Floats) -> Floats:
    """The limits that the kurtosis of each row of `influence` sets; infinite where it sets none."""
    sampled = influence.shape[-1]
    if deals > MANY_DEALS or sampled < MIN_SAMPLED:
        return np.full(influence.shape[:-1], np.inf)
    squares = (influence**2).sum(axis=-1)
    fourth = sampled * (influence**4).sum(axis=-1)
    excess = np.divide(fourth, squares**2, out=np.ones_like(squares), where=squares > 0) - 1
    limits: Floats = np.divide(
        2.0 * deals, excess, out=np.full_like(excess, np.inf), where=excess > ROUNDING
    )
    return limits.round(DECIMALS)
