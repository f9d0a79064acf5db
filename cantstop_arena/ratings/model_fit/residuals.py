"""Where the rating model is wrong: the pairs it predicts worst, and circles of winners (`cycles`).

A pair's score less what the model predicts of it (`predicted`), divided by its standard error, has
a p-value of Student's, corrected by Holm's method (see `groups`).
"""

import msgspec
import numpy as np

from cantstop_arena.deals.outcomes import TournamentTotals
from cantstop_arena.ratings.distributions import student_tail
from cantstop_arena.ratings.model.deal_clusters import sample_of
from cantstop_arena.ratings.model.evidence import Floats, Ints, gather_evidence
from cantstop_arena.ratings.model.luce import Luce, maximum
from cantstop_arena.ratings.model_fit.cycles import Cycle, CyclicShare, cycles, cyclic_share
from cantstop_arena.ratings.model_fit.pair_scores import PairScores, pair_scores
from cantstop_arena.ratings.model_fit.predictions import predictions
from cantstop_arena.ratings.multiple_comparisons import holm

MIN_SAMPLE = 30  # deals: with fewer, what the fit takes is left to the model


class Residual(msgspec.Struct, frozen=True):
    """A pair's score and what the model predicts; `deviate` in standard errors, `chance` of Holm's.

    `one` and `other` are bots by number, `one` the one that does better than predicted.
    """

    first: int
    second: int
    observed: float
    predicted: float
    error: float
    deviate: float
    chance: float


class Residuals(msgspec.Struct, frozen=True):
    """The pairs from the worst predicted on, the cycles from the clearest on, the cyclic share.

    The share is None where it is not defined: with fewer than three bots that all met in a circle,
    or where noise is all there is.
    """

    pairs: tuple[Residual, ...]
    cycles: tuple[Cycle, ...]
    cyclic_share: CyclicShare | None


def residuals(results: TournamentTotals) -> Residuals:
    """What the ratings of a tournament do not tell."""
    scores = pair_scores(results)
    evidence, order = gather_evidence(results)
    model = maximum(evidence)
    return Residuals(
        _residuals(results, scores, model, order),
        cycles(scores, len(results.bots)),
        cyclic_share(scores, len(results.bots)),
    )


def _residuals(
    results: TournamentTotals, scores: PairScores, model: Luce, order: Ints
) -> tuple[Residual, ...]:
    sample = sample_of(results, order, MIN_SAMPLE)
    predicted, left, shift = predictions(scores, model, order, sample)
    by_chance = np.sqrt(np.maximum(scores.variance, _expected_variances(scores, predicted)) * left)
    error, tested = np.hypot(by_chance, shift), by_chance > 0
    residual = scores.score - predicted
    deviate = np.divide(residual, error, out=np.zeros_like(residual), where=tested)
    chance = np.ones_like(residual)
    tails = 2 * student_tail(np.abs(deviate[tested]), scores.deals[tested] - 1)
    chance[tested] = holm(tails)
    pairs = [
        _residual(scores, index, predicted, error, deviate, chance)
        for index in np.flatnonzero(tested).tolist()
    ]
    return tuple(
        sorted(pairs, key=lambda pair: (pair.chance, -pair.deviate, pair.first, pair.second))
    )


def _expected_variances(scores: PairScores, predicted: Floats) -> Floats:
    """The variances that the scores would have, were they as predicted.

    A score near 0 or 1 varies little, by the luck that makes it so; its variance is then multiplied
    by how much more a binomial one would vary. One that does not vary counts a game for each deal.
    """
    binomial = scores.score * (1 - scores.score)
    games = np.minimum(scores.deals, scores.decided)
    varying = (scores.variance > 0) & (binomial > 0)
    ratio = np.divide(scores.variance, binomial, out=1 / games, where=varying)
    expected: Floats = predicted * (1 - predicted) * ratio
    return expected


def _residual(
    scores: PairScores,
    index: int,
    predicted: Floats,
    error: Floats,
    deviate: Floats,
    chance: Floats,
) -> Residual:
    """The pair with the bot first that does better than predicted."""
    first, second = int(scores.first[index]), int(scores.second[index])
    score, expected = float(scores.score[index]), float(predicted[index])
    if score < expected:
        first, second, score, expected = second, first, 1 - score, 1 - expected
    return Residual(
        first,
        second,
        score,
        expected,
        float(error[index]),
        abs(float(deviate[index])),
        float(chance[index]),
    )
