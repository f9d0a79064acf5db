"""The variance of a weighted sum over deals, and its degrees of freedom.

Populations of deals are independent, and each varies about a mean of its own: a population of D
deals adds D / (D - 1) Σ (x - mean)², x being what a deal adds to the sum (stratified sampling:
Cochran 1977, 5). So it is not the luck of deals that a bot does better against one rival than
against another. Populations of a single deal have no mean to deviate from, and are taken together,
about what all games lead to expect of them (collapsed strata: Cochran 1977, 5A.12): their variance
is rather too large.

With v the variance of each population and f its degrees of freedom, D - 1, the sum has
(Σ v)² / Σ (v² / (f + 2)) - 2 degrees of freedom (Satterthwaite 1946; with the correction for v
being estimated), but no more than Σ f: D - 1 for one population.

Where few heavy deals decide, there are fewer: an estimate of a variance from D numbers of kurtosis
k varies as if it had 2 D / (k - 1) of them (Satterthwaite 1946; 3 is the normal distribution's k).
So a bot that wins rarely, or a measure that a few deals decide, has a wider interval. A sample of
deals shows k. Of several populations, with m₂, m₃ and m₄ the moments of each, the limit is
2 (Σ D m₂)² / Σ D (m₄ - m₂²).

Where deals are skewed, a sum and its error vary together, and (Σ D m₃)² / Σ D m₂ is the part of
Σ D (m₄ - m₂²) that they share (Johnson 1978): of one population that is g² of k - 1, g being the
skewness. With g > 0, a sum that is too low has an error that is too small as well, so that for the
upper end of its interval that part counts twice, and a sum that is too high has a large error, so
that for the lower end it does not count.
"""

from collections.abc import Iterable
from math import fsum, inf
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cantstop_arena.deals.sampling import Floats, Ints, Populations

MIN_SAMPLED = 10  # deals from which a kurtosis is taken
MIN_LIMIT = 3.0  # of the degrees of freedom
MANY_DEALS = 2000  # beyond, Student's quantile is the normal one, whatever the deals' scatter
DECIMALS = 3  # more would depend on the order of sums
DIGITS = 12  # of a variance, likewise
ROUNDING = 1e-9
_ZERO = 1e-12  # of the variances of what is added: less is rounding


class DegreesOfFreedom(NamedTuple):
    """Those of the lower and of the upper end of an interval."""

    low: float
    high: float

    def towards(self, difference: float) -> float:
        """Those of the end at which a value is that is `difference` above the estimate."""
        return self.high if difference > 0 else self.low


class SumVariance(NamedTuple):
    """The variance of a sum over so many deals.

    `effective_deals` are those deals by their kurtosis, (Σ x²)² / Σ x⁴; infinite where no sample
    shows any.
    """

    variance: float
    deals: int
    degrees_of_freedom: DegreesOfFreedom
    effective_deals: float = inf


class WeightedDeals(NamedTuple):
    """Some of the `populations`: the `rows`, and for these the weight of each number of a deal.

    `expected` is the weighted sum of a deal that all games together lead to expect, by row.
    """

    populations: Populations
    rows: Ints
    weights: NDArray[Any]
    expected: NDArray[Any]


def sum_variance(parts: Iterable[WeightedDeals], with_tails: bool = True) -> SumVariance:
    """The variance of the weighted sum over the deals of some populations.

    `with_tails` says whether heavy tails limit the degrees of freedom.
    """
    counts, variances, dof, alone, influence = [], [], [], [], []
    sampled = []
    for populations, rows, weights, expected in parts:
        deals, scatter = populations.deals[rows], populations.scatter[rows]
        squares = np.einsum("re,ref,rf->r", weights, scatter, weights)
        largest = np.einsum("re,ree->r", weights**2, scatter)
        squares = np.where(squares > _ZERO * largest, squares, 0.0)
        several = deals > 1
        variances += (squares * deals / np.maximum(deals - 1, 1))[several].tolist()
        dof += (deals[several] - 1).tolist()
        totals = populations.totals[rows].astype(np.float64)
        surplus = (totals * weights).sum(axis=1) - expected
        alone += (surplus[~several] ** 2).tolist()
        counts.append(deals)
        if with_tails:
            of_sample = np.repeat(weights, populations.sampled[rows], axis=0)
            deviations = populations.deviations[populations.sample_rows(rows)]
            influence.append((deviations * of_sample).sum(axis=1))
            sampled.append(populations.sampled[rows])
    units = sum(int(deals.sum()) for deals in counts)
    if alone:
        joint_dof = max(len(alone) - (not variances), 1)
        variances.append(fsum(alone) * len(alone) / joint_dof)
        dof.append(joint_dof)
    variance = fsum(variances)
    weighted = fsum(v**2 / (f + 2) for v, f in zip(variances, dof, strict=True))
    total = float(max(sum(dof), 1))
    pooled = min(max(variance**2 / weighted - 2, 1.0), total) if weighted > 0 else total
    limits, effective = np.full(2, inf), np.array(inf)
    if with_tails and units:
        limits, effective = tails(
            np.concatenate(influence), np.concatenate(counts), np.concatenate(sampled)
        )
    low, high = np.clip(limits, 1.0, round(pooled, DECIMALS)).tolist()
    return SumVariance(
        float(f"{variance:.{DIGITS}g}"), units, DegreesOfFreedom(low, high), float(effective)
    )


def degrees_of_freedom(deals: int, influence: Floats) -> DegreesOfFreedom:
    """The degrees of freedom of an estimate's interval from this many deals, at least 1.

    `influence` is what each deal of a sample adds to the estimate, less the mean, in any unit; with
    few deals in the sample there is no limit but `deals` - 1.
    """
    limits, _ = tails(influence, np.array([deals]), np.array([len(influence)]))
    return DegreesOfFreedom(*np.clip(limits, 1.0, max(deals - 1.0, 1.0)).tolist())


def tails(influence: NDArray[Any], deals: Ints, sampled: Ints) -> tuple[Floats, Floats]:
    """The limits that the tails of each row of `influence` set, and its effective deals; infinite
    where there are none.

    `influence` is what each sampled deal adds to an estimate, less the mean of its population;
    `deals` and `sampled` are those of the populations. The limits are those of the lower ends, and
    then those of the upper ones: two by rows.
    """
    units, shape = int(deals.sum()), influence.shape[:-1]
    if units > MANY_DEALS or influence.shape[-1] < MIN_SAMPLED:
        return np.full((2, *shape), inf), np.full(shape, inf)
    starts, share = np.cumsum(sampled) - sampled, deals / sampled
    square = influence**2
    second, third, fourth = (  # products: other powers take forty times as long
        np.add.reduceat(power, starts, axis=-1) for power in (square, square * influence, square**2)
    )
    variance = (second * share).sum(axis=-1)
    cubes = (third * share).sum(axis=-1)
    excess = ((fourth - second**2 / sampled) * share).sum(axis=-1)
    shared = np.sign(cubes) * np.divide(
        cubes**2, variance, out=np.zeros_like(variance), where=variance > 0
    )
    excesses = np.stack([excess - shared, excess + shared])
    limits: Floats = np.divide(
        2.0 * variance**2,
        excesses,
        out=np.full_like(excesses, inf),
        where=units * excesses > ROUNDING * variance**2,
    )
    effective: Floats = np.divide(
        variance**2,
        (fourth * share).sum(axis=-1),
        out=np.full_like(variance, inf),
        where=variance > 0,
    )
    return np.maximum(limits, MIN_LIMIT).round(DECIMALS), effective
