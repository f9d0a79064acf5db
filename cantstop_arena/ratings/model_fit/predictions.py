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

MIN_VARIANCE_LEFT = (
    0.01  # of a score's variance: if the prediction leaves less, it follows the score
)


def predictions(
    scores: PairScores, model: Luce, order: Ints, sample: DealClusters | None
) -> tuple[Floats, Floats, Floats]:
    """The scores that the model predicts, the part of their variance it leaves to residuals, and
    how far virtual games move the predictions.
    """
    canonical = np.argsort(order, kind="stable")
    predictor = _Predictor(model, sample)
    pairs = zip(canonical[scores.first].tolist(), canonical[scores.second].tolist(), strict=True)
    rows = np.array([predictor.prediction(*pair) for pair in pairs]).reshape(-1, 3)
    left: Floats = np.where(rows[:, 1] > MIN_VARIANCE_LEFT, rows[:, 1], 0.0)
    return rows[:, 0], left, rows[:, 2]


class _Predictor:
    """A model with its chances, and the sample's residuals, laid out for one pair after another."""

    def __init__(self, model: Luce, sample: DealClusters | None) -> None:
        self.model, self.lineups = model, model.evidence.lineups
        self.games = model.evidence.wins.sum(axis=0) - model.virtual
        self.chance = chances(self.lineups, model.parameters)
        self.virtual_shift = _virtual_shift(model, self.chance)
        self.rows = _rows(model.evidence)
        has_same_lineups = sample is not None and np.array_equal(sample.lineups, self.lineups)
        self.residuals = self.shifts = None
        if sample is not None and has_same_lineups:
            bots = model.evidence.bots
            self.residuals = sample.won(len(self.lineups)) - self.chance
            scores = [add_by_seat(self.lineups, bots, residual) for residual in self.residuals]
            self.shifts = np.array(scores) @ model.inverse

    def prediction(self, bot: int, rival: int) -> tuple[float, float, float]:
        """The score of one against the other, the part of z's variance that the fit leaves, and
        how far virtual games move the score.
        """
        columns = self.rows[min(bot, rival), max(bot, rival)]
        lineups, games, chance = (
            self.lineups[:, columns],
            self.games[columns],
            self.chance[:, columns],
        )
        bot_wins, rival_wins = (
            float((games * chance * (lineups == bot)).sum()) for bot in (bot, rival)
        )
        score = bot_wins / (bot_wins + rival_wins)
        weights = np.where(lineups == bot, 1 - score, 0.0) - np.where(lineups == rival, score, 0.0)
        centred = weights - (chance * weights).sum(axis=0)
        weighted = games * chance * centred
        slope = add_by_seat(lineups, self.model.evidence.bots, weighted)
        slope[self.model.evidence.bots :] *= self.model.seats_separable
        variance = float((weighted * centred).sum())
        taken = float(slope @ self.model.inverse @ slope)
        left = 1 - taken / variance if variance > 0 else 0.0
        shift = float(slope @ self.virtual_shift) / (bot_wins + rival_wins)
        return score, max(left, self._left_in_sample(columns, weights, slope)), shift

    def _left_in_sample(self, columns: Ints, weights: Floats, slope: Floats) -> float:
        """The same from the sample."""
        if self.residuals is None or self.shifts is None:
            return 0.0
        surplus = np.einsum("dsr,sr->d", self.residuals[:, :, columns], weights)
        squares = float(surplus @ surplus)
        remaining = surplus - self.shifts @ slope
        return min(float(remaining @ remaining) / squares, 1.0) if squares > 0 else 0.0


def _virtual_shift(model: Luce, chance: Floats) -> Floats:
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
        for index, bot in enumerate(seated):
            for rival in seated[index + 1 :]:
                rows.setdefault((bot, rival), []).append(row)
    return {pair: np.array(indices, np.int64) for pair, indices in rows.items()}
