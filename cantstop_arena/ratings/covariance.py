"""Covariance of the ratings, with the deal as the unit of sampling.

The games of a deal share their luck. With u_d = wins in deal d by bot and by seat, minus what the
model expects of a deal, and H Fisher's information of all games, the parameters' covariance is the
sandwich

    H⁻¹ M H⁻¹,   M = Σ u_d u_dᵀ

(Huber 1967, White 1982; for clusters Liang and Zeger 1986), which holds however the games of a deal
depend on each other. The model expects the same wins of all deals of a `Span`, so M follows exactly
from sums over deals of wins and of their products.

Residuals are smaller than errors, as the fit follows each deal. The variance from each span is
therefore multiplied by g / (g - l), g being the contrast's variance by the model and l the part of
it that the fit absorbs; for a single span of D deals that is D / (D - 1), the correction of Bell
and McCaffrey (2002). Their degrees of freedom, here (Σ g)² / Σ (g² / f) with f = D (1 - l / g) for
each span, are D - 1 for a single one; intervals have Student's quantile.

Where few heavy deals decide, an error has fewer degrees of freedom: an estimate of a variance from
D numbers of kurtosis k varies as if it had 2 D / (k - 1) of them (Satterthwaite 1946; 3 is the
normal distribution's k), and never more than D - 1. So a bot that wins rarely, or a measure that a
few deals decide, has a wider interval. A sample of deals game by game shows k, and how the games of
a deal correlate.

Where deals are skewed, a mean and its error vary together, and g² is the part of k - 1 that they
share, g being the skewness (Johnson 1978). With g > 0, a mean that is too low has an error that is
too small as well, so that for the upper end of its interval that part counts twice, and a mean that
is too high has a large error, so that for the lower end it does not count: the degrees of freedom
are 2 D / (k - 1 + g²) and 2 D / (k - 1 - g²). With g < 0 it is the other way round. Tails never set
a limit below 3: a quantile of Student's t without a variance would speak of t, not of the games.

Two things that no residual shows are added. Bots that won or lost everything have the covariance
that the model, with its virtual games, gives them. And where all D deals had the same result,
others remain possible, with 95% confidence in a share of less than π = 1 - 0.05^(1/D) of all deals
(Clopper and Pearson 1934), which moves a contrast by π √(D g) if
such deals differ as the model expects of deals; that is then taken as half the interval.
"""

from math import sqrt
from typing import NamedTuple

import msgspec
import numpy as np
from msgspec.structs import replace

from cantstop_arena.deals.outcomes import TournamentTotals, win_units
from cantstop_arena.deals.sampling import Bytes
from cantstop_arena.deals.seatings import lineups as lineups_of
from cantstop_arena.ratings.model.evidence import Floats, Ints, Span, Truths
from cantstop_arena.ratings.model.luce import Luce, add_by_seat, chances, win_covariance
from cantstop_arena.ratings.sequential.confidence import (
    FIRST_LOOK,
    min_variance,
    multiplier,
    p_value,
)
from cantstop_arena.ratings.significance import student_quantile

MIN_SAMPLED = 10  # deals from which a kurtosis is taken
MIN_LIMIT = 3.0  # of the degrees of freedom
MANY_DEALS = 2000  # beyond, Student's quantile is the normal one, whatever the deals' scatter
DECIMALS = 3  # more would depend on the order of sums
ROUNDING = 1e-9


class DegreesOfFreedom(NamedTuple):
    """Those of the lower and of the upper end of an interval."""

    low: float
    high: float

    def towards(self, difference: float) -> float:
        """Those of the end at which a value is that is `difference` above the estimate."""
        return self.high if difference > 0 else self.low


def degrees_of_freedom(deals: int, influence: Floats) -> DegreesOfFreedom:
    """The degrees of freedom of an estimate's interval from this many deals, at least 1.

    `influence` is what each deal of a sample adds to the estimate, less the mean, in any unit; with
    few deals in the sample there is no limit but `deals` - 1.
    """
    (degrees,) = degrees_of_freedom_of_rows(np.array([deals]), influence[None])
    return degrees


def degrees_of_freedom_of_rows(deals: Ints, influence: Floats) -> list[DegreesOfFreedom]:
    """The degrees of freedom of several estimates: `deals` and a row of `influence` for each."""
    low, high = np.clip(heavy_tail_limits(deals, influence), 1.0, np.maximum(deals - 1.0, 1.0))
    return [*map(DegreesOfFreedom, low.tolist(), high.tolist())]


def heavy_tail_limits(deals: int | Ints, influence: Floats) -> Floats:
    """The limits that the tails of each row of `influence` set; infinite where they set none.

    They are those of the lower ends, and then those of the upper ones: two by rows. The number of
    `deals` is one for all rows, or one for each.
    """
    sampled = influence.shape[-1]
    if np.min(deals) > MANY_DEALS or sampled < MIN_SAMPLED:
        return np.full((2, *influence.shape[:-1]), np.inf)
    square = influence**2
    squares = square.sum(axis=-1)
    cubes = (square * influence).sum(axis=-1)  # products: other powers take forty times as long
    fourth = sampled * (square**2).sum(axis=-1)
    excess = np.divide(fourth, squares**2, out=np.ones_like(squares), where=squares > 0) - 1
    shared = np.sign(cubes) * np.divide(
        sampled * cubes**2, squares**3, out=np.zeros_like(squares), where=squares > 0
    )
    excesses = np.stack([excess - shared, excess + shared])
    limits: Floats = np.divide(
        2.0 * deals, excesses, out=np.full_like(excesses, np.inf), where=excesses > ROUNDING
    )
    limits = np.where(np.greater(deals, MANY_DEALS), np.inf, limits)
    return np.maximum(limits, MIN_LIMIT).round(DECIMALS)


class DealClusters(msgspec.Struct, frozen=True):
    """A sample of deals, in the model's canonical numbers and order.

    `lineups` are seats by seatings, `masks` the winning seats, deals by seatings.
    """

    lineups: Ints
    masks: Bytes

    def won(self, seats: int) -> Floats:
        """The wins of each seat, in games: deals by seats by seatings."""
        shares: Floats = _shares(seats).T.take(self.masks, axis=1).transpose(1, 0, 2)
        return shares


def _shares(seats: int) -> Floats:
    """Each seat's share of the win for every mask of winning seats: masks by seats."""
    bits = np.arange(1 << seats)[:, None] >> np.arange(seats) & 1
    shares: Floats = bits / np.maximum(bits.sum(axis=1, keepdims=True), 1)
    return shares


def sample_of(
    results: TournamentTotals, order: Ints, minimum: int = MIN_SAMPLED
) -> DealClusters | None:
    """The sample of a tournament; None if a group has fewer than `minimum` deals in it."""
    sample = results.deals.sample.winners
    if min(map(len, sample.values()), default=0) < minimum:
        return None
    seatings = [lineup for group in sample for lineup in lineups_of(group, results.orders)]
    lineups = np.argsort(order, kind="stable")[np.array(seatings, np.int64).T]
    columns = np.lexsort(lineups)
    masks = np.concatenate(list(sample.values()), axis=1)
    return DealClusters(np.ascontiguousarray(lineups[:, columns]), masks[:, columns])


def wins_of_deals(sample: DealClusters, bots: int, seats: int) -> Floats:
    """The wins, in games, in the deals of a sample: deals by bots and then seats."""
    units, seatings = win_units(seats), sample.lineups.T
    won = np.rint(units * _shares(seats)).take(sample.masks, axis=0)
    seat_columns = np.broadcast_to(np.eye(seats), (len(seatings), seats, seats))
    whose = np.concatenate([np.eye(bots)[seatings], seat_columns], axis=2)
    sums: Floats = won.reshape(len(won), -1) @ whose.reshape(-1, bots + seats)
    return sums / units  # sums of integers, which floating point has exactly


def influence(sample: DealClusters, model: Luce) -> Floats:
    """What each deal of the sample adds to the parameters: deals by parameters."""
    seats, bots = model.evidence.seats, model.evidence.bots
    expected = add_by_seat(sample.lineups, bots, chances(sample.lineups, model.parameters))
    on_parameters: Floats = (wins_of_deals(sample, bots, seats) - expected) @ model.inverse
    return on_parameters


SINGULAR = 1e-12
TOLERANCE = 1e-13  # of the model's variance: less than that is rounding
MIN_DEGREES_OF_FREEDOM = 0.999  # with fewer there is one deal, which shows no variance
ALPHA = 0.05
DIGITS = 10


class CovarianceParts(msgspec.Struct, frozen=True):
    """Covariances of the parameters from the deals of one span.

    `sandwich` is the estimate from the deals, `expected` its expectation by the model, `absorbed`
    the part of `expected` that the fit absorbs.
    """

    deals: int
    sandwich: Floats
    expected: Floats
    absorbed: Floats


class ContrastVariance(msgspec.Struct, frozen=True):
    """Variances and standard errors of contrasts, as arrays.

    `variance` is uncorrected; `error` is corrected and has the `degrees_of_freedom`, those of the
    lower ends of intervals and those of the upper ones in two arrays. Where not
    `estimable`, there are too few deals for an error; `constant` where all deals had the same
    result. With `expected`, results are looked at while games go on: intervals are confidence
    sequences, tuned for that number of deals.
    """

    variance: Floats
    error: Floats
    degrees_of_freedom: Floats
    estimable: Truths
    constant: Truths
    expected: float | None = None

    def reach(self, index: int | tuple[int, int]) -> tuple[float, float]:
        """How far a contrast's 95% interval reaches below and above it."""
        error = float(self.error[index])
        if error == 0:
            return 0.0, 0.0
        low, high = (float(of_end[index]) for of_end in self.degrees_of_freedom)
        if self.expected is None:
            return student_quantile(low) * error, student_quantile(high) * error
        return (multiplier(round(low) + 1, self.expected) * error,) * 2

    def p_values(self, contrasts: Floats) -> Floats:
        """The p-values of contrasts, valid at any look; 1 where no error can be estimated."""
        assert self.expected is not None
        p_values = np.ones_like(contrasts)
        for index in zip(*np.nonzero(self.estimable & (self.error > 0)), strict=True):
            deviate, deals = (
                contrasts[index] / self.error[index],
                round(self.degrees_of_freedom[0][index]) + 1,
            )
            p_values[index] = p_value(float(deviate), deals, self.expected)
        return p_values


class Sandwich:
    """The covariance of a model's parameters: of strengths first, then of seats."""

    def __init__(self, model: Luce, expected: float | None = None) -> None:
        inverse = model.inverse
        self.expected = expected
        self.deals = sum(span.deals for span in model.evidence.spans)
        self.parts = [_covariance_parts(model, span) for span in model.evidence.spans]
        observed: Floats = sum((part.sandwich for part in self.parts), np.zeros_like(inverse))
        self.extra: Floats = inverse @ _one_sided_covariance(model) @ inverse
        self.covariance = observed + self.extra
        self.trace = sum(float((part.sandwich * model.curvature).sum()) for part in self.parts)

    def of_contrasts(self, contrasts: Floats) -> ContrastVariance:
        """The variances of contrasts, one for each row of `contrasts` (weights of parameters)."""
        forms = [
            [((contrasts @ matrix) * contrasts).sum(axis=1) for matrix in matrices]
            for matrices in self._matrices()
        ]
        return self._contrast_variance(forms)

    def of_differences(self, bots: int) -> ContrastVariance:
        """The variances of the differences of each two bots' strengths: matrices, bots by bots."""
        return self._contrast_variance(
            [[_differences(matrix[:bots, :bots]) for matrix in row] for row in self._matrices()]
        )

    def _matrices(self) -> list[list[Floats]]:
        parts = [[part.sandwich, part.expected, part.absorbed] for part in self.parts]
        return [[self.extra], *parts]

    def _contrast_variance(self, forms: list[list[Floats]]) -> ContrastVariance:
        (extra,), *parts = forms
        zeros = np.zeros_like(extra)
        variance, corrected, expected, weights = extra.copy(), extra.copy(), zeros, zeros
        for part, (observed, model_variance, absorbed) in zip(self.parts, parts, strict=True):
            remaining = np.maximum(model_variance - absorbed, 0.0)
            usable = (model_variance > 0) & (remaining > TOLERANCE * model_variance)
            share = np.divide(remaining, model_variance, out=zeros.copy(), where=usable)
            variance = variance + observed
            corrected = corrected + np.divide(observed, share, out=zeros.copy(), where=usable)
            expected = expected + model_variance
            weight = np.divide(
                model_variance**2, share * part.deals, out=zeros.copy(), where=usable
            )
            weights = weights + weight
        contrast_variance = _finished_variance(variance, corrected, extra, expected, weights)
        return (
            contrast_variance
            if self.expected is None
            else _sequential_variance(contrast_variance, expected, self.expected)
        )


def _one_sided_covariance(model: Luce) -> Floats:
    """The model's covariance of the score of bots that won or lost everything.

    With B these bots and H the information, it is H[:, B] H[B, B]⁻¹ H[B, :], the information about
    them if all other strengths are known: bots and seats by bots and seats.
    """
    if model.seats_at_bound:
        return model.curvature
    bots = np.flatnonzero(model.links.at_bound)
    rows = model.curvature[bots]
    inverse = np.linalg.pinv(model.curvature[np.ix_(bots, bots)], rcond=SINGULAR, hermitian=True)
    covariance: Floats = rows.T @ inverse @ rows
    return covariance


def _finished_variance(
    observed: Floats, corrected: Floats, extra: Floats, expected: Floats, weights: Floats
) -> ContrastVariance:
    zeros = np.zeros_like(observed)
    dof = np.divide(expected**2, weights, out=zeros.copy(), where=weights > 0)
    estimable = (dof >= MIN_DEGREES_OF_FREEDOM) | (expected <= 0)
    constant = estimable & (expected > 0) & (corrected <= TOLERANCE * expected)
    variance = np.maximum(corrected, 0.0)
    for index in zip(*np.nonzero(constant), strict=True):
        variance[index] = _variance_of_rare_deals(float(dof[index]), float(expected[index]))
    return ContrastVariance(
        np.maximum(observed, 0.0),
        significant(np.sqrt(variance)),
        np.stack([dof, dof]),
        estimable,
        constant,
    )


def significant(numbers: Floats) -> Floats:
    """Numbers to ten significant digits, so that those of identical bots are equal."""
    powers = np.floor(np.log10(np.where(numbers > 0, numbers, 1.0)))
    scale = 10.0 ** (DIGITS - 1 - powers)
    digits: Floats = np.rint(numbers * scale) / scale
    return digits


def _sequential_variance(
    variance: ContrastVariance, model: Floats, expected: float
) -> ContrastVariance:
    """The variance of a confidence sequence; `model` is the variance by the model.

    Before the first look no error is estimable. An error is never less than that of a share of
    deals that may not have been observed yet (`sequential.confidence.min_variance`), if these
    differ as the model expects of deals.
    """
    deal_counts = np.rint(variance.degrees_of_freedom[0]).astype(np.int64) + 1
    deals, inverse = np.unique(deal_counts.ravel(), return_inverse=True)
    min_variances = [
        min_variance(1.0, count, expected) if count >= FIRST_LOOK else 0.0
        for count in deals.tolist()
    ]
    factors: Floats = np.array(min_variances)[inverse].reshape(model.shape)
    minimum = np.sqrt(factors * np.maximum(model, 0.0))
    estimable = variance.estimable & (
        (variance.degrees_of_freedom[0] >= FIRST_LOOK - 1) | (model <= 0)
    )
    error = np.where(estimable, np.maximum(variance.error, minimum), variance.error)
    return replace(variance, error=error, estimable=estimable, expected=expected)


def _variance_of_rare_deals(dof: float, expected: float) -> float:
    deals = dof + 1
    share = 1 - ALPHA ** (1 / deals)
    shift = share * sqrt(deals * expected)
    return float(shift / student_quantile(dof)) ** 2


def _covariance_parts(model: Luce, span: Span) -> CovarianceParts:
    bots, inverse = model.evidence.bots, model.inverse
    chance = chances(span.lineups, model.parameters)
    scatter = _scatter(span, add_by_seat(span.lineups, bots, chance))
    deal_covariance = win_covariance(span.lineups, bots, np.ones(span.lineups.shape[1]), chance)
    if not model.seats_separable:
        for matrix in (scatter, deal_covariance):
            matrix[bots:], matrix[:, bots:] = 0, 0
    leverage = inverse @ deal_covariance
    return CovarianceParts(
        deals=span.deals,
        sandwich=inverse @ scatter @ inverse,
        expected=span.deals * leverage @ inverse,
        absorbed=span.deals * leverage @ leverage @ inverse,
    )


def _scatter(span: Span, expected: Floats) -> Floats:
    """Σ u uᵀ over the deals, in games.

    An integer near the mean is subtracted from the wins first, exactly: less is lost by rounding.
    """
    units = win_units(len(span.lineups))
    centre = span.totals // span.deals
    remainder = (span.totals - span.deals * centre).astype(float)
    outer = np.outer(centre, span.totals)
    centred = span.products - outer - outer.T + span.deals * np.outer(centre, centre)
    offset = units * expected - centre
    cross = np.outer(offset, remainder)
    scatter: Floats = centred - cross - cross.T + span.deals * np.outer(offset, offset)
    return scatter / units**2


def _differences(covariance: Floats) -> Floats:
    variances = covariance.diagonal()
    differences: Floats = variances[:, None] + variances - covariance - covariance.T
    return differences
