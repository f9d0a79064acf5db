"""What the model predicts of the scores of pairs, and how far scores may be from it.

The prediction is i's part of the wins expected of i and j in games with each other. The fit leans
towards the score and takes a part from the variance of z = won - score · decided: with g the
derivative of what is expected of z, deal d leaves z_d - g H⁻¹ u_d. The part left is taken from the
model's variances or from a sample of deals, whichever leaves more: the model does not know how the
games of a deal go together, and the sample may be small.

Where virtual games keep the model finite, they move predictions. By how far, to first order, is
told, so that it is not taken for a misfit.
"""

import numpy as np

from cantstop_arena.ratings.model.choice import add_by_seat, chances
from cantstop_arena.ratings.model.deal_clusters import DealClusters
from cantstop_arena.ratings.model.evidence import Evidence, Floats, Ints
from cantstop_arena.ratings.model.luce import Luce
from cantstop_arena.ratings.model_fit.pair_scores import PairScores

LOOSE = 0.01  # of a score's variance: if the prediction leaves less, it follows the score


def predictions(
    scores: PairScores, model: Luce, order: Ints, sample: DealClusters | None
) -> tuple[Floats, Floats, Floats]:
    """The scores that the model predicts, the part of their variance it leaves to residuals, and
    how far virtual games move the predictions.
    """
    number = np.argsort(order, kind="stable")
    predictor = _Predictor(model, sample)
    pairs = zip(number[scores.first].tolist(), number[scores.second].tolist(), strict=True)
    values = np.array([predictor.prediction(*pair) for pair in pairs]).reshape(-1, 3)
    left: Floats = np.where(values[:, 1] > LOOSE, values[:, 1], 0.0)
    return values[:, 0], left, values[:, 2]


class _Predictor:
    """A model with its chances, and the sample's residuals, laid out for one pair after another."""

    def __init__(self, model: Luce, sample: DealClusters | None) -> None:
        self.model, self.lineups = model, model.evidence.lineups
        self.games = model.evidence.wins.sum(axis=0) - model.virtual
        self.chance = chances(self.lineups, model.parameters)
        self.pull = _pull(model, self.chance)
        self.rows = _rows(model.evidence)
        is_complete = sample is not None and np.array_equal(sample.lineups, self.lineups)
        self.residuals = self.moved = None
        if sample is not None and is_complete:
            bots = model.evidence.bots
            self.residuals = sample.won(len(self.lineups)) - self.chance
            scores = [add_by_seat(self.lineups, bots, item) for item in self.residuals]
            self.moved = np.array(scores) @ model.inverse

    def prediction(self, number: int, other: int) -> tuple[float, float, float]:
        """The score of one against the other, the part of z's variance that the fit leaves, and
        how far virtual games move the score.
        """
        here = self.rows[min(number, other), max(number, other)]
        lineups, games, chance = self.lineups[:, here], self.games[here], self.chance[:, here]
        own, yours = (float((games * chance * (lineups == bot)).sum()) for bot in (number, other))
        score = own / (own + yours)
        weights = np.where(lineups == number, 1 - score, 0.0) - np.where(
            lineups == other, score, 0.0
        )
        centred = weights - (chance * weights).sum(axis=0)
        towards = games * chance * centred
        slope = add_by_seat(lineups, self.model.evidence.bots, towards)
        slope[self.model.evidence.bots :] *= self.model.seats_separable
        varies = float((towards * centred).sum())
        taken = float(slope @ self.model.inverse @ slope)
        left = 1 - taken / varies if varies > 0 else 0.0
        moved = float(slope @ self.pull) / (own + yours)
        return score, max(left, self._left(here, weights, slope)), moved

    def _left(self, here: Ints, weights: Floats, slope: Floats) -> float:
        """The same from the sample."""
        if self.residuals is None or self.moved is None:
            return 0.0
        isolated = np.einsum("dsr,sr->d", self.residuals[:, :, here], weights)
        squares = float(isolated @ isolated)
        remaining = isolated - self.moved @ slope
        return min(float(remaining @ remaining) / squares, 1.0) if squares > 0 else 0.0


def _pull(model: Luce, chance: Floats) -> Floats:
    """How far virtual games, won by all their seats alike, move the parameters: a Newton step."""
    evidence = model.evidence
    surplus = model.virtual * (1 / evidence.seats - chance)
    pull: Floats = model.inverse @ add_by_seat(evidence.lineups, evidence.bots, surplus)
    return pull


def _rows(evidence: Evidence) -> dict[tuple[int, int], Ints]:
    """The lineups in which each two bots sit."""
    rows: dict[tuple[int, int], list[int]] = {}
    for row, lineup in enumerate(evidence.lineups.T.tolist()):
        seated = sorted(lineup)
        for index, item in enumerate(seated):
            for other in seated[index + 1 :]:
                rows.setdefault((item, other), []).append(row)
    return {pair: np.array(where, np.int64) for pair, where in rows.items()}
