"""Errors of the ratings, for deals that share their chance.

The unit of sampling is the deal. With u_d = wins in deal d by bot and by seat, minus what the model
expects of a deal, and H Fisher's information of all games, the parameters' covariance is the
sandwich

    H⁻¹ M H⁻¹,   M = Σ u_d u_dᵀ

(Huber 1967, White 1982; for clusters Liang and Zeger 1986), which holds however the games of a deal
depend on each other. All deals of a stretch are expected to come out the same, so M follows exactly
from sums over deals of wins and of their products.

Where residuals stand for errors they are too small: the estimate leans towards each deal. Against
this the variance from each stretch is multiplied by g / (g - l), g being the contrast's variance by
the model and l what of it the fit takes away; for a single stretch of D deals that is D / (D - 1),
the correction of Bell and McCaffrey (2002). Their degrees of freedom, here (Σ g)² / Σ (g² / f) with
f = D (1 - l / g) for each stretch, are D - 1 for a single one; intervals have Student's quantile.

The seats' effects, which few heavy deals can decide, have fewer if the deals' kurtosis asks for it
(see `sampled`).

Two things that no residual shows are added. One is what bots that hardly ever win or lose have not
shown yet (see `unseen`). The other: where all D deals came out the same, others could still come,
with 95% confidence a share of less than
π = 1 - 0.05^(1/D) (Clopper and Pearson 1934), which moves a contrast by π √(D g) if such deals
differ as the model expects of deals; that is then taken as half the interval.
"""

from math import sqrt

import msgspec
import numpy as np
from msgspec.structs import replace

from cantstop_arena.deals.winners import win_units
from cantstop_arena.ratings.distributions import student_quantile
from cantstop_arena.ratings.model.choice import add_by_seat, chances, win_covariance
from cantstop_arena.ratings.model.connections import Truths
from cantstop_arena.ratings.model.evidence import Floats, Span
from cantstop_arena.ratings.model.luce import Luce
from cantstop_arena.ratings.rare_events import rare_win_covariance
from cantstop_arena.ratings.sequential.confidence import (
    FIRST_LOOK,
    chance,
    min_variance,
    multiplier,
)

NOTHING = 1e-13  # of the model's variance: less than that is rounding
MIN_DEGREES_OF_FREEDOM = 0.999  # below, there is one deal, and nothing to see how deals differ
SURE = 0.05
DIGITS = 10


class CovarianceParts(msgspec.Struct, frozen=True):
    """Covariances of the parameters from the deals of one stretch.

    `found` is the sandwich, `expected` what the model says of it and `taken` what the fit takes
    away of the latter.
    """

    deals: int
    sandwich: Floats
    expected: Floats
    taken: Floats


class ContrastVariance(msgspec.Struct, frozen=True):
    """How contrasts vary: `variance` as found, `error` corrected, with its degrees of freedom.

    Where not `known`, too few deals tell how deals differ; `still` where all came out the same.
    Where one looks while games go on, intervals are confidence sequences, tuned for the `expected`
    number of deals.
    """

    variance: Floats
    error: Floats
    degrees_of_freedom: Floats
    names: Truths
    constant: Truths
    expected: float | None = None

    def reach(self, position: int | tuple[int, int]) -> float:
        """Half the width of a contrast's 95% interval."""
        error, dof = float(self.error[position]), float(self.degrees_of_freedom[position])
        if error == 0:
            return 0.0
        if self.expected is None:
            return student_quantile(dof) * error
        return multiplier(round(dof) + 1, self.expected) * error

    def chances(self, contrasts: Floats) -> Floats:
        """The p-values of contrasts for who looks while games go on; 1 where nothing is known."""
        assert self.expected is not None
        value = np.ones_like(contrasts)
        for positions in zip(*np.nonzero(self.names & (self.error > 0)), strict=True):
            deviate, deals = (
                contrasts[positions] / self.error[positions],
                round(self.degrees_of_freedom[positions]) + 1,
            )
            value[positions] = chance(float(deviate), deals, self.expected)
        return value


class Sandwich:
    """The covariance of a model's parameters: of strengths first, then of seats."""

    def __init__(self, model: Luce, expected: float | None = None, alikeness: float = 0.0) -> None:
        inverse = model.inverse
        self.expected = expected
        self.deals = sum(span.deals for span in model.evidence.spans)
        self.parts = [_parts(model, span) for span in model.evidence.spans]
        observed: Floats = sum((part.sandwich for part in self.parts), np.zeros_like(inverse))
        self.extra: Floats = inverse @ rare_win_covariance(model, observed, alikeness) @ inverse
        self.covariance = observed + self.extra
        self.trace = sum(float((part.sandwich * model.curvature).sum()) for part in self.parts)

    def of_contrasts(self, contrasts: Floats) -> ContrastVariance:
        """How the sums of parameters weighted by each row of `contrasts` vary."""
        forms = [
            [((contrasts @ matrix) * contrasts).sum(axis=1) for matrix in matrices]
            for matrices in self._matrices()
        ]
        return self._contrast_variance(forms)

    def of_differences(self, bots: int) -> ContrastVariance:
        """How the difference of each two bots' strengths varies: matrices of bots by bots."""
        return self._contrast_variance(
            [[_differences(matrix[:bots, :bots]) for matrix in row] for row in self._matrices()]
        )

    def _matrices(self) -> list[list[Floats]]:
        parts = [[part.sandwich, part.expected, part.taken] for part in self.parts]
        return [[self.extra], *parts]

    def _contrast_variance(self, forms: list[list[Floats]]) -> ContrastVariance:
        (extra,), *parts = forms
        none = np.zeros_like(extra)
        value, corrected, expected, weights = extra.copy(), extra.copy(), none, none
        for part, (observed, model, taken) in zip(self.parts, parts, strict=True):
            left = np.maximum(model - taken, 0.0)
            some = (model > 0) & (left > NOTHING * model)
            share = np.divide(left, model, out=none.copy(), where=some)
            value = value + observed
            corrected = corrected + np.divide(observed, share, out=none.copy(), where=some)
            expected = expected + model
            weight = np.divide(model**2, share * part.deals, out=none.copy(), where=some)
            weights = weights + weight
        contrast_variance = _judged(value, corrected, extra, expected, weights)
        return (
            contrast_variance
            if self.expected is None
            else _sequential_variance(contrast_variance, expected, self.expected)
        )


def _judged(
    values: Floats, corrected: Floats, extra: Floats, expected: Floats, weights: Floats
) -> ContrastVariance:
    none = np.zeros_like(values)
    dof = np.divide(expected**2, weights, out=none.copy(), where=weights > 0)
    existing = (dof >= MIN_DEGREES_OF_FREEDOM) | (expected <= 0)
    constant = existing & (expected > 0) & (corrected <= NOTHING * expected)
    variance = np.maximum(corrected, 0.0)
    for positions in zip(*np.nonzero(constant), strict=True):
        variance[positions] = _variance_of_rare_deals(
            float(dof[positions]), float(expected[positions])
        )
    return ContrastVariance(
        np.maximum(values, 0.0), significant(np.sqrt(variance)), dof, existing, constant
    )


def significant(numbers: Floats) -> Floats:
    """Numbers with ten significant digits, so that those of twins are equal to the last."""
    powers = np.floor(np.log10(np.where(numbers > 0, numbers, 1.0)))
    scale = 10.0 ** (DIGITS - 1 - powers)
    digits: Floats = np.rint(numbers * scale) / scale
    return digits


def _sequential_variance(
    variance: ContrastVariance, model: Floats, expected: float
) -> ContrastVariance:
    """The same for who looks while games go on, `model` being the variance by the model.

    With few deals nothing is known; and of all deals a share may be unseen that looking cannot
    rule out (see `sequential.confidence`), which moves a contrast as the model expects of deals.
    """
    counted = np.rint(variance.degrees_of_freedom).astype(np.int64) + 1
    deals, where = np.unique(counted.ravel(), return_inverse=True)
    shares = [
        min_variance(1.0, many, expected) if many >= FIRST_LOOK else 0.0 for many in deals.tolist()
    ]
    value: Floats = np.array(shares)[where].reshape(model.shape)
    minimum = np.sqrt(value * np.maximum(model, 0.0))
    existing = variance.names & ((variance.degrees_of_freedom >= FIRST_LOOK - 1) | (model <= 0))
    error = np.where(existing, np.maximum(variance.error, minimum), variance.error)
    return replace(variance, error=error, names=existing, expected=expected)


def _variance_of_rare_deals(dof: float, expected: float) -> float:
    deals = dof + 1
    missing = 1 - SURE ** (1 / deals)
    moved = missing * sqrt(deals * expected)
    return float(moved / student_quantile(dof)) ** 2


def _parts(model: Luce, span: Span) -> CovarianceParts:
    bots, inverse = model.evidence.bots, model.inverse
    chance = chances(span.lineups, model.parameters)
    residuals = _scatter(span, add_by_seat(span.lineups, bots, chance))
    deal = win_covariance(span.lineups, bots, np.ones(span.lineups.shape[1]), chance)
    if not model.seats_separable:
        for matrix in (residuals, deal):
            matrix[bots:], matrix[:, bots:] = 0, 0
    leaning = inverse @ deal
    return CovarianceParts(
        deals=span.deals,
        sandwich=inverse @ residuals @ inverse,
        expected=span.deals * leaning @ inverse,
        taken=span.deals * leaning @ leaning @ inverse,
    )


def _scatter(span: Span, expected: Floats) -> Floats:
    """Σ u uᵀ over the deals, in games.

    Wins are taken from a whole number near their mean first, exactly, so that little is left to
    round.
    """
    parts = win_units(len(span.lineups))
    near = span.totals // span.deals
    remaining = (span.totals - span.deals * near).astype(float)
    crossed = np.outer(near, span.totals)
    about = span.products - crossed - crossed.T + span.deals * np.outer(near, near)
    distance = parts * expected - near
    moved = np.outer(distance, remaining)
    scatter: Floats = about - moved - moved.T + span.deals * np.outer(distance, distance)
    return scatter / parts**2


def _differences(covariance: Floats) -> Floats:
    own = covariance.diagonal()
    differences: Floats = own[:, None] + own - covariance - covariance.T
    return differences
