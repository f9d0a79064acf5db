"""Where the rating model does not fit: the largest residuals of pairs, and cycles (`cycles`).

A pair's score less the predicted one (`predictions`), divided by its standard error, has a p-value
by Student's t, corrected by Holm's method (see `multiple_comparisons`).
"""

import msgspec
import numpy as np

from cantstop_arena.deals.outcomes import TournamentTotals
from cantstop_arena.ratings.distributions import student_tail
from cantstop_arena.ratings.model.deal_clusters import sample_of
from cantstop_arena.ratings.model.evidence import Floats, Ints, gather_evidence
from cantstop_arena.ratings.model.luce import Luce, fit
from cantstop_arena.ratings.model_fit.cycles import Cycle, CyclicShare, cycles, cyclic_share
from cantstop_arena.ratings.model_fit.pair_scores import PairScores, pair_scores
from cantstop_arena.ratings.model_fit.predictions import predictions
from cantstop_arena.ratings.multiple_comparisons import holm

MIN_SAMPLE = 30  # deals: with fewer, the share that the fit absorbs is the model's


class Residual(msgspec.Struct, frozen=True):
    """A pair's observed and predicted score, and the standard error of their difference.

    `first` and `second` are bots by number; `first` does better than predicted. `deviate` is the
    difference in standard errors, `p_value` that of the difference, corrected by Holm's method.
    """

    first: int
    second: int
    observed: float
    predicted: float
    error: float
    deviate: float
    p_value: float


class Residuals(msgspec.Struct, frozen=True):
    """The pairs from the smallest p-value on, the clearest cycles, and the cyclic share.

    The share is None where it is not defined: with fewer than three bots that all met in a circle,
    or where the results are no more than noise.
    """

    pairs: tuple[Residual, ...]
    cycles: tuple[Cycle, ...]
    cyclic_share: CyclicShare | None


def residuals(results: TournamentTotals) -> Residuals:
    """The residuals and cycles of a tournament's results."""
    scores = pair_scores(results)
    evidence, order = gather_evidence(results)
    model = fit(evidence)
    return Residuals(
        _residuals(results, scores, model, order),
        cycles(scores, len(results.bots)),
        cyclic_share(scores, len(results.bots)),
    )


def _residuals(
    results: TournamentTotals, scores: PairScores, model: Luce, order: Ints
) -> tuple[Residual, ...]:
    sample = sample_of(results, order, MIN_SAMPLE)
    predicted, shares_left, shift = predictions(scores, model, order, sample)
    sampling_error = np.sqrt(
        np.maximum(scores.variance, _expected_variances(scores, predicted)) * shares_left
    )
    error, tested = np.hypot(sampling_error, shift), sampling_error > 0
    residual = scores.score - predicted
    deviate = np.divide(residual, error, out=np.zeros_like(residual), where=tested)
    p_values = np.ones_like(residual)
    tails = 2 * student_tail(np.abs(deviate[tested]), scores.deals[tested] - 1)
    p_values[tested] = holm(tails)
    pairs = [
        _residual(scores, index, predicted, error, deviate, p_values)
        for index in np.flatnonzero(tested).tolist()
    ]
    return tuple(
        sorted(pairs, key=lambda pair: (pair.p_value, -pair.deviate, pair.first, pair.second))
    )


def _expected_variances(scores: PairScores, predicted: Floats) -> Floats:
    """The variances of the scores if the predictions are true.

    A score near 0 or 1 has a small variance, by the luck that makes it so. This is multiplied by
    the quotient of the binomial variances of the prediction and of the score. A score that does not
    vary has the binomial variance of the prediction, for as many games as there are deals, or
    decided games if these are fewer.
    """
    binomial = scores.score * (1 - scores.score)
    games = np.minimum(scores.deals, scores.decided)
    varying = (scores.variance > 0) & (binomial > 0)
    ratio = np.divide(scores.variance, binomial, out=1 / games, where=varying)
    variances: Floats = predicted * (1 - predicted) * ratio
    return variances


def _residual(
    scores: PairScores,
    index: int,
    predicted: Floats,
    error: Floats,
    deviate: Floats,
    p_values: Floats,
) -> Residual:
    """The residual at `index`, with the bot first that does better than predicted."""
    first, second = int(scores.first[index]), int(scores.second[index])
    score, prediction = float(scores.score[index]), float(predicted[index])
    if score < prediction:
        first, second, score, prediction = second, first, 1 - score, 1 - prediction
    return Residual(
        first,
        second,
        score,
        prediction,
        float(error[index]),
        abs(float(deviate[index])),
        float(p_values[index]),
    )
