"""The scores of pairs that the model predicts, and the variance of the residuals.

The prediction is i's share of the wins expected of i and j in games with each other. The fit
follows the score and absorbs a part of the variance of z = won - score · decided: with g the
derivative of the expected z, the residual of deal d is z_d - g H⁻¹ u_d. The share left is computed
from the model's variances and from a sample of deals, and the larger one is used: the model ignores
the correlation of the games of a deal, and the sample may be small.

Where virtual games keep the model finite, they move predictions. The shift, to first order, is
returned, so that it does not count as a misfit.
"""

import numpy as np

from cantstop_arena.ratings.model.choice import add_by_seat, chances
from cantstop_arena.ratings.model.deal_clusters import DealClusters
from cantstop_arena.ratings.model.evidence import Evidence, Floats, Ints
from cantstop_arena.ratings.model.luce import Luce
from cantstop_arena.ratings.model_fit.pair_scores import PairScores

MIN_VARIANCE_LEFT = 0.01  # of a score's variance: if less is left, the fit follows the score


def predictions(
    scores: PairScores, model: Luce, order: Ints, sample: DealClusters | None
) -> tuple[Floats, Floats, Floats]:
    """The predicted scores, the share of their variance that is left to residuals, and the shifts
    of the predictions by virtual games.
    """
    canonical = np.argsort(order, kind="stable")
    predictor = _Predictor(model, sample)
    pairs = zip(canonical[scores.first].tolist(), canonical[scores.second].tolist(), strict=True)
    rows = np.array([predictor.prediction(*pair) for pair in pairs]).reshape(-1, 3)
    shares_left: Floats = np.where(rows[:, 1] > MIN_VARIANCE_LEFT, rows[:, 1], 0.0)
    return rows[:, 0], shares_left, rows[:, 2]


class _Predictor:
    """The predictions of a model for single pairs, from arrays that are computed once."""

    def __init__(self, model: Luce, sample: DealClusters | None) -> None:
        self.model, self.lineups = model, model.evidence.lineups
        self.games = model.evidence.wins.sum(axis=0) - model.virtual
        self.chance = chances(self.lineups, model.parameters)
        self.virtual_shift = _virtual_shift(model, self.chance)
        self.columns = _pair_columns(model.evidence)
        has_same_lineups = sample is not None and np.array_equal(sample.lineups, self.lineups)
        self.residuals = self.shifts = None
        if sample is not None and has_same_lineups:
            bots = model.evidence.bots
            self.residuals = sample.won(len(self.lineups)) - self.chance
            scores = [add_by_seat(self.lineups, bots, residual) for residual in self.residuals]
            self.shifts = np.array(scores) @ model.inverse

    def prediction(self, bot: int, rival: int) -> tuple[float, float, float]:
        """The predicted score of a bot against a rival, the share of z's variance that is left, and
        the shift of the score by virtual games.
        """
        columns = self.columns[min(bot, rival), max(bot, rival)]
        lineups, games, chance = (
            self.lineups[:, columns],
            self.games[columns],
            self.chance[:, columns],
        )
        bot_wins, rival_wins = (
            float((games * chance * (lineups == seated_bot)).sum()) for seated_bot in (bot, rival)
        )
        score = bot_wins / (bot_wins + rival_wins)
        weights = np.where(lineups == bot, 1 - score, 0.0) - np.where(lineups == rival, score, 0.0)
        centred = weights - (chance * weights).sum(axis=0)
        weighted = games * chance * centred
        slope = add_by_seat(lineups, self.model.evidence.bots, weighted)
        slope[self.model.evidence.bots :] *= self.model.seats_separable
        variance = float((weighted * centred).sum())
        absorbed = float(slope @ self.model.inverse @ slope)
        share_left = 1 - absorbed / variance if variance > 0 else 0.0
        shift = float(slope @ self.virtual_shift) / (bot_wins + rival_wins)
        return score, max(share_left, self._share_left_in_sample(columns, weights, slope)), shift

    def _share_left_in_sample(self, columns: Ints, weights: Floats, slope: Floats) -> float:
        """The share of z's variance that is left by the sample; 0 where there is none."""
        if self.residuals is None or self.shifts is None:
            return 0.0
        surplus = np.einsum("dsr,sr->d", self.residuals[:, :, columns], weights)
        squares = float(surplus @ surplus)
        remaining = surplus - self.shifts @ slope
        return min(float(remaining @ remaining) / squares, 1.0) if squares > 0 else 0.0


def _virtual_shift(model: Luce, chance: Floats) -> Floats:
    """The shift of the parameters by virtual games, won by all their seats alike: a Newton step."""
    evidence = model.evidence
    surplus = model.virtual * (1 / evidence.seats - chance)
    shift: Floats = model.inverse @ add_by_seat(evidence.lineups, evidence.bots, surplus)
    return shift


def _pair_columns(evidence: Evidence) -> dict[tuple[int, int], Ints]:
    """For each two bots the indices of the lineups in which both sit."""
    columns: dict[tuple[int, int], list[int]] = {}
    for column, lineup in enumerate(evidence.lineups.T.tolist()):
        seated = sorted(lineup)
        for index, bot in enumerate(seated):
            for rival in seated[index + 1 :]:
                columns.setdefault((bot, rival), []).append(column)
    return {pair: np.array(indices, np.int64) for pair, indices in columns.items()}
