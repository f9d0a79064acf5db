"""Where the rating model is wrong: the pairs it predicts worst, and circles of winners (`cycles`).

The model predicts a pair's score from the wins expected of both in games with each other. The fit
leans towards the score and takes a part from its variance, the same part as it would by the model's
own variances. Where virtual games keep the model finite, they move predictions: by how much, to
first order, is added to the error, so that they are not taken for a misfit. p-values are Student's,
corrected by Holm's method (see `groups`).
"""

from dataclasses import dataclass

import numpy as np

from cantstop_arena.outcomes import Results
from cantstop_arena.ratings.choice import chances, summed
from cantstop_arena.ratings.cycles import Cycle, cycles, cyclic_share
from cantstop_arena.ratings.distributions import student_tail
from cantstop_arena.ratings.evidence import Evidence, Floats, Ints, gathered
from cantstop_arena.ratings.groups import holm
from cantstop_arena.ratings.luce import Luce, maximum
from cantstop_arena.ratings.paired import PairScores, pair_scores

LOOSE = 1e-6  # of a score's variance: if the prediction leaves less, it follows the score


@dataclass(frozen=True, slots=True)
class Misfit:
    """A pair's score and what the model predicts; `deviate` in standard errors, `chance` of Holm's.

    `one` and `other` are bots by number, `one` the one that does better than predicted.
    """

    one: int
    other: int
    observed: float
    predicted: float
    error: float
    deviate: float
    chance: float


@dataclass(frozen=True, slots=True)
class Misfits:
    """The pairs from the worst predicted on, the cycles from the clearest on, the cyclic share.

    The share is None where it is not defined: with fewer than three bots that all met in a circle,
    or where noise is all there is.
    """

    pairs: tuple[Misfit, ...]
    cycles: tuple[Cycle, ...]
    cyclic_share: float | None


def misfits(results: Results) -> Misfits:
    """What the ratings of a tournament do not tell."""
    scores = pair_scores(results)
    evidence, order = gathered(results)
    model = maximum(evidence)
    return Misfits(
        _misfits(scores, evidence, model, order),
        cycles(scores, len(results.bots)),
        cyclic_share(scores, len(results.bots)),
    )


def _misfits(
    scores: PairScores, evidence: Evidence, model: Luce, order: Ints
) -> tuple[Misfit, ...]:
    predicted, left, moved = _predictions(scores, evidence, model, order)
    chance_error = np.sqrt(np.maximum(scores.variance, _expected(scores, predicted)) * left)
    error = np.hypot(chance_error, moved)
    tested = chance_error > 0
    residual = scores.score - predicted
    deviate = np.divide(residual, error, out=np.zeros_like(residual), where=tested)
    chance = np.ones_like(residual)
    tails = 2 * student_tail(np.abs(deviate[tested]), scores.deals[tested] - 1)
    chance[tested] = holm(tails)
    found = [
        _misfit(scores, at, predicted, error, deviate, chance)
        for at in np.flatnonzero(tested).tolist()
    ]
    return tuple(sorted(found, key=lambda pair: (pair.chance, -pair.deviate, pair.one, pair.other)))


def _expected(scores: PairScores, predicted: Floats) -> Floats:
    """The variances that the scores would have, were they as predicted.

    A score near 0 or 1 varies little, by the luck that makes it so; its variance is then multiplied
    by how much more a binomial one would vary. One that does not vary counts a game for each deal.
    """
    found = scores.score * (1 - scores.score)
    games = np.minimum(scores.deals, scores.decided)
    some = (scores.variance > 0) & (found > 0)
    each = np.divide(scores.variance, found, out=1 / games, where=some)
    expected: Floats = predicted * (1 - predicted) * each
    return expected


def _misfit(
    scores: PairScores, at: int, predicted: Floats, error: Floats, deviate: Floats, chance: Floats
) -> Misfit:
    """The pair with the bot first that does better than predicted."""
    one, other = int(scores.one[at]), int(scores.other[at])
    score, foreseen = float(scores.score[at]), float(predicted[at])
    if score < foreseen:
        one, other, score, foreseen = other, one, 1 - score, 1 - foreseen
    return Misfit(
        one, other, score, foreseen, float(error[at]), abs(float(deviate[at])), float(chance[at])
    )


def _predictions(
    scores: PairScores, evidence: Evidence, model: Luce, order: Ints
) -> tuple[Floats, Floats, Floats]:
    """The scores that the model predicts, the part of their variance it leaves to residuals, and
    how far virtual games move the predictions.
    """
    number = np.argsort(order, kind="stable")
    games = evidence.wins.sum(axis=0)
    chance = chances(evidence.lineups, model.parameters)
    predicted, left, moved = np.zeros((3, len(scores.one)))
    pull = _pull(evidence, model, chance)
    rows = _rows(evidence)
    for at, (one, other) in enumerate(zip(number[scores.one], number[scores.other], strict=True)):
        here = rows[min(one, other), max(one, other)]
        seated = evidence.lineups[:, here], games[here], chance[:, here]
        predicted[at], left[at], moved[at] = _prediction(*seated, model, pull, int(one), int(other))
    return predicted, left, moved


def _pull(evidence: Evidence, model: Luce, chance: Floats) -> Floats:
    """How far virtual games, won by all their seats alike, move the parameters: a Newton step."""
    surplus = model.virtual * (1 / evidence.seats - chance)
    pull: Floats = model.inverse @ summed(evidence.lineups, evidence.bots, surplus)
    return pull


def _rows(evidence: Evidence) -> dict[tuple[int, int], Ints]:
    """The lineups in which each two bots sit."""
    rows: dict[tuple[int, int], list[int]] = {}
    for row, lineup in enumerate(evidence.lineups.T.tolist()):
        seated = sorted(lineup)
        for place, one in enumerate(seated):
            for other in seated[place + 1 :]:
                rows.setdefault((one, other), []).append(row)
    return {pair: np.array(where, np.int64) for pair, where in rows.items()}


def _prediction(
    lineups: Ints, games: Floats, chance: Floats, model: Luce, pull: Floats, one: int, other: int
) -> tuple[float, float, float]:
    """The score; with z = won - score · decided, the part of z's variance that the fit leaves; and
    how far the `pull` on the parameters moves the score.
    """
    bots = model.evidence.bots
    mine = float((games * (chance * (lineups == one)).sum(axis=0)).sum())
    yours = float((games * (chance * (lineups == other)).sum(axis=0)).sum())
    score = mine / (mine + yours)
    weights = np.where(lineups == one, 1 - score, 0.0) - np.where(lineups == other, score, 0.0)
    centred = weights - (chance * weights).sum(axis=0)
    towards = games * chance * centred
    slope = summed(lineups, bots, towards)
    whole = float((towards * centred).sum())
    taken = float(slope @ model.inverse @ slope)
    left = 1 - taken / whole if whole > 0 else 0.0
    return score, left if left > LOOSE else 0.0, float(slope @ pull) / (mine + yours)
