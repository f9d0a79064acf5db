"""Covariance of the ratings, with the deals of lineups as the units of sampling.

The games of a deal share their luck. With W_d = wins in deal d of a lineup by bot and by seat, m
their mean over the D deals of the lineup, and H Fisher's information of all games, the parameters'
covariance is the sandwich

    H⁻¹ M H⁻¹,   M = Σ D / (D - 1) Σ (W_d - m)(W_d - m)ᵀ   over lineups and their deals

(Huber 1967, White 1982; for clusters Liang and Zeger 1986; for strata Binder 1983), which holds
however the games of a deal depend on each other, and where the model does not fit. Lineups that met
the same dice are one population of deals (`deals.sampling`).

A population of a single deal has no mean: the model's expectation is in its place. Such residuals
are smaller than errors, as the fit follows them; they are divided by the share of their variance
that the fit leaves, the correction of Bell and McCaffrey (2002) with a number for each population.
Degrees of freedom are theirs, too: (Σ g)² / Σ (g² / f), g being the contrast's variance from each
population by the model, and f = D - 1, or the share left of a single deal. Intervals have
Student's quantile; heavy tails limit their degrees of freedom (`deals.deal_variance`).

Two things that no residual shows are added. Bots that won or lost everything have the covariance
that the model, with its virtual games, gives them. And where all D deals had the same result,
others remain possible, with 95% confidence in a share of less than π = 1 - 0.05^(1/D) of all deals
(Clopper and Pearson 1934), which moves a contrast by π √(D g) if
such deals differ as the model expects of deals; that is then taken as half the interval.
"""

from collections.abc import Iterator
from math import sqrt

import msgspec
import numpy as np
from msgspec.structs import replace

from cantstop_arena.deals.deal_variance import DECIMALS, MANY_DEALS, MIN_SAMPLED, tails
from cantstop_arena.deals.outcomes import TournamentTotals, win_units
from cantstop_arena.deals.sampling import Bytes, Populations
from cantstop_arena.deals.seatings import lineups as lineups_of
from cantstop_arena.ratings.model.evidence import Floats, Ints, Truths
from cantstop_arena.ratings.model.luce import Luce, chances
from cantstop_arena.ratings.sequential.confidence import (
    FIRST_LOOK,
    min_variance,
    multiplier,
    p_value,
)
from cantstop_arena.ratings.significance import student_quantile


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
    """The sample of a tournament; None if a group has fewer than `minimum` deals in it.

    A deal of it is one of each lineup: deals of different lineups are as good as any together.
    """
    sample = results.deals.winners
    deals = min(map(len, sample.values()), default=0)
    if deals < minimum:
        return None
    seatings = [lineup for group in sample for lineup in lineups_of(group, results.orders)]
    lineups = np.argsort(order, kind="stable")[np.array(seatings, np.int64).T]
    columns = np.lexsort(lineups)
    masks = np.concatenate([winners[:deals] for winners in sample.values()], axis=1)
    return DealClusters(np.ascontiguousarray(lineups[:, columns]), masks[:, columns])


SINGULAR = 1e-12
TOLERANCE = 1e-13  # of the model's variance: less than that is rounding
MIN_LEFT = 1e-6  # of a single deal's variance: if less is left, the fit follows the deal
MIN_DEGREES_OF_FREEDOM = 0.999  # with fewer there is one deal, which shows no variance
ALPHA = 0.05
DIGITS = 10
_NUMBERS_AT_ONCE = 1 << 20


class PopulationCovariances(msgspec.Struct, frozen=True):
    """What each of some populations adds to the covariance of the score, in games.

    `parameters` has the parameter of each number, populations by numbers; `observed` and `expected`
    are matrices of these numbers, from the deals and by the model. `dof` are the degrees of
    freedom; 0 where the fit absorbs the only deal, of which nothing is `observed` then.
    """

    parameters: Ints
    observed: Floats
    expected: Floats
    dof: Floats
    deviations: Floats
    sampled: Ints
    deals: Ints

    def summed(self, matrices: Floats, size: int) -> Floats:
        """The sum of matrices of each population's numbers as one of so many parameters."""
        total = np.zeros((size, size))
        np.add.at(total, (self.parameters[:, :, None], self.parameters[:, None]), matrices)
        return total


class ContrastVariance(msgspec.Struct, frozen=True):
    """Variances and standard errors of contrasts, as arrays.

    `variance` is what the deals show; `error` is its root, or, where they show too little of it,
    the root of what other deals may have. It has the `degrees_of_freedom`, those of the lower ends
    of intervals and those of the upper ones in two arrays. Where not `estimable`, there are too few
    deals for an error; `constant` where all deals had the same result. With `expected`, results are
    looked at while games go on: intervals are confidence sequences, tuned for that number of deals.
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
        inverse, size = model.inverse, len(model.inverse)
        self.expected, self._inverse = expected, inverse
        self.parts = [_covariances(model, each) for each in model.evidence.populations]
        self.deals = sum(int(part.deals.sum()) for part in self.parts)
        self.populations = sum(len(part.deals) for part in self.parts)
        zeros = np.zeros_like(inverse)
        observed = sum((part.summed(part.observed, size) for part in self.parts), zeros)
        expected_sum = sum((part.summed(part.expected, size) for part in self.parts), zeros)
        self.trace = float((observed * inverse).sum())
        self.extra: Floats = inverse @ _one_sided_covariance(model) @ inverse
        self.covariance: Floats = inverse @ observed @ inverse + self.extra
        self._model_covariance: Floats = inverse @ expected_sum @ inverse

    def of_contrasts(self, contrasts: Floats) -> ContrastVariance:
        """The variances of contrasts, one for each row of `contrasts` (weights of parameters)."""
        matrices = (self.covariance, self.extra, self._model_covariance)
        forms = [((contrasts @ matrix) * contrasts).sum(axis=1) for matrix in matrices]
        on_wins = contrasts @ self._inverse
        usable, weights = np.zeros((2, len(contrasts)))
        for part, rows in self._chunks(contrasts.size):
            weight = on_wins[:, part.parameters[rows]]
            variance = np.einsum(
                "cre,ref,crf->cr", weight, part.expected[rows], weight, optimize=True
            )
            usable += variance.sum(axis=1)
            weights += (variance**2 / part.dof[rows]).sum(axis=1)
        limits = np.full((2, len(contrasts)), np.inf)
        if self._shows_tails:
            limits, _ = tails(self._influence(on_wins), *self._sample_sizes)
        return self._contrast_variance(forms, usable, weights, limits)

    def of_differences(self, bots: int) -> ContrastVariance:
        """The variances of the differences of each two bots' strengths: matrices, bots by bots."""
        matrices = (self.covariance, self.extra, self._model_covariance)
        forms = [_differences(matrix[:bots, :bots]) for matrix in matrices]
        on_wins = self._inverse[:bots]
        usable, weights = np.zeros((2, bots, bots))
        for part, rows in self._chunks(bots * bots):
            weight = on_wins[:, part.parameters[rows]].transpose(1, 0, 2)
            variance = _differences(weight @ part.expected[rows] @ weight.transpose(0, 2, 1))
            usable += variance.sum(axis=0)
            weights += (variance**2 / part.dof[rows, None, None]).sum(axis=0)
        limits = np.full((2, bots, bots), np.inf)
        if self._shows_tails:
            columns = self._influence(on_wins)
            for bot, column in enumerate(columns):
                of_bot, _ = tails(column - columns[bot + 1 :], *self._sample_sizes)
                limits[:, bot, bot + 1 :] = of_bot
                limits[:, bot + 1 :, bot] = of_bot[::-1]  # the lower end is the rival's upper end
        return self._contrast_variance(forms, usable, weights, limits)

    def _chunks(self, numbers: int) -> "Iterator[tuple[PopulationCovariances, Ints]]":
        """The populations that have degrees of freedom, some at once, with so many numbers each."""
        step = max(1, _NUMBERS_AT_ONCE // max(numbers, 1))
        for part in self.parts:
            usable = np.flatnonzero(part.dof > 0)
            for start in range(0, len(usable), step):
                yield part, usable[start : start + step]

    @property
    def _shows_tails(self) -> bool:
        """Whether the tails of deals may limit degrees of freedom."""
        return self.expected is None and 0 < self.deals <= MANY_DEALS

    @property
    def _sample_sizes(self) -> tuple[Ints, Ints]:
        """The deals of each population, and how many of them are sampled."""
        deals = np.concatenate([part.deals for part in self.parts])
        return deals, np.concatenate([part.sampled for part in self.parts])

    def _influence(self, on_wins: Floats) -> Floats:
        """What each sampled deal adds to contrasts, from what a win adds: contrasts by deals."""
        added = []
        for part in self.parts:
            weights = on_wins[:, np.repeat(part.parameters, part.sampled, axis=0)]
            added.append((weights * part.deviations).sum(axis=2))
        return np.concatenate(added, axis=1)

    def _contrast_variance(
        self, forms: list[Floats], usable: Floats, weights: Floats, limits: Floats
    ) -> ContrastVariance:
        """From the variance, the part of it that is the model's, and the variance by the model."""
        variance, extra, model = forms
        zeros = np.zeros_like(variance)
        usable = np.where(usable > TOLERANCE * model, usable, 0.0)
        observed = np.where(usable > 0, variance, extra)
        dof = np.divide(usable**2, weights, out=zeros, where=(weights > 0) & (usable > 0))
        dof = dof.round(DECIMALS)  # more would depend on the order of bots
        contrast_variance = _finished_variance(observed, model, dof, limits)
        if self.expected is None:
            return contrast_variance
        return _sequential_variance(contrast_variance, model, self.expected)


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
    observed: Floats, expected: Floats, dof: Floats, limits: Floats
) -> ContrastVariance:
    estimable = (dof >= MIN_DEGREES_OF_FREEDOM) | (expected <= 0)
    constant = estimable & (expected > 0) & (observed <= TOLERANCE * expected)
    variance = np.maximum(observed, 0.0)
    for index in zip(*np.nonzero(constant), strict=True):
        variance[index] = _variance_of_rare_deals(float(dof[index]), float(expected[index]))
    return ContrastVariance(
        np.maximum(observed, 0.0),
        significant(np.sqrt(variance)),
        np.minimum(np.stack([dof, dof]), limits),
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


def _covariances(model: Luce, populations: Populations) -> PopulationCovariances:
    """What populations of deals add to the covariance of the score."""
    bots, units = model.evidence.bots, win_units(model.evidence.seats)
    parameters, deals = populations.parameters(bots), populations.deals
    mean, deal_covariance = _by_model(model, populations)
    single = deals == 1
    observed = populations.scatter / units**2 * (deals / np.maximum(deals - 1, 1))[:, None, None]
    surplus = populations.totals[single] / units - mean[single]
    observed[single] = surplus[:, :, None] * surplus[:, None]
    expected = deals[:, None, None] * deal_covariance
    if not model.seats_separable:
        fitted = parameters < bots
        for matrices in (observed, expected):
            matrices *= fitted[:, :, None] * fitted[:, None]
    leverage = expected @ model.inverse[parameters[:, :, None], parameters[:, None]]
    size = np.trace(leverage, axis1=1, axis2=2)
    absorbed = np.trace(leverage @ leverage, axis1=1, axis2=2)
    left = 1 - np.divide(absorbed, size, out=np.ones_like(size), where=size > 0)
    left = np.where(left > MIN_LEFT, left, 0.0)
    dof = np.where(single, left, deals - 1)
    share = np.where(single, left, 1.0)[:, None, None]
    observed = np.divide(observed, share, out=np.zeros_like(observed), where=share > 0)
    return PopulationCovariances(
        parameters,
        observed,
        expected,
        dof,
        populations.deviations / units,
        populations.sampled,
        deals,
    )


def _by_model(model: Luce, populations: Populations) -> tuple[Floats, Floats]:
    """The mean and the covariance of the wins of a deal, in games, by the model."""
    seats, orders = model.evidence.seats, np.array(model.evidence.orders)
    seatings = populations.lineups[:, :, orders]  # populations by lineups by orders by seats
    chance = chances(seatings.reshape(-1, seats).T, model.parameters).T.reshape(seatings.shape)
    whose = np.zeros((len(orders), 2 * seats, seats))  # the numbers that count a seat's wins
    rows, seat = np.arange(len(orders))[:, None], np.arange(seats)
    whose[rows, orders, seat] = whose[rows, seats + seat, seat] = 1
    means = np.einsum("oes,rgos->rgoe", whose, chance)
    covariance = np.einsum("oes,rgos,ofs->rgef", whose, chance, whose, optimize=True)
    covariance -= np.einsum("rgoe,rgof->rgef", means, means, optimize=True)
    populations_count, lineups = populations.lineups.shape[:2]
    blocks = np.einsum("rgef,gh->rgehf", covariance, np.eye(lineups))
    size = lineups * 2 * seats
    return means.sum(axis=2).reshape(-1, size), blocks.reshape(populations_count, size, size)


def _differences(covariance: Floats) -> Floats:
    """The variances of the differences of each two numbers, from their covariance."""
    variances = np.diagonal(covariance, axis1=-2, axis2=-1)
    both = covariance + np.swapaxes(covariance, -1, -2)
    differences: Floats = variances[..., :, None] + variances[..., None, :] - both
    return differences
