"""Where the rating model does not fit: the largest residuals of pairs, and cycles.

A pair's score less the predicted one, divided by its standard error, has a p-value
by Student's t, corrected by Holm's method (see `significance`).

The scores of pairs that the model predicts, and the variance of the residuals.

The prediction is i's share of the wins expected of i and j in games with each other. The fit
follows the score and absorbs a part of the variance of z = won - score · decided: with g the
derivative of the expected z, the residual of deal d is z_d - g H⁻¹ u_d. The share left is computed
from the model's variances and from a sample of deals, and the larger one is used: the model ignores
the correlation of the games of a deal, and the sample may be small.

Where virtual games keep the model finite, they move predictions. The shift, to first order, is
returned, so that it does not count as a misfit.

Scores of pairs: i's share of the wins of i and j in games with each other, with its variance.

The variance is that of a quotient of sums over deals (`deals.deal_variance`).

Cycles, in which bots beat each other in a circle, and their share in the results of pairs.

- A beats B where its score against B is significantly above one half, Student's p-values corrected
  by Holm's method (see `significance`). Three bots that beat each other in a circle are a
  cycle.
- The cyclic share is that of Hodge's decomposition (Jiang, Lim, Yao and Ye 2011): the logarithms of
  the odds of all pairs, seen as a flow, are the sum of a gradient flow, differences of one number
  for each bot, fitted by weighted least squares, and of a cyclic flow, the residuals. Weights are
  1 / variance, so that a bot which loses nearly everything drowns nothing. The share is the cyclic
  flow's squares over all squares, both less the mean of the noise in them. It is 0 for bots on a
  line, 1 for rock, paper and scissors.
- The squares of both parts follow noncentral chi-squares, which give an interval for each. That of
  the share is made of the distances that each part's ends, alone, move the share, as the root of
  their squares (MOVER: Zou and Donner 2008). Pairs that share a bot's luck are correlated, so that
  the squares of noise have the mean T = tr(C) and the degrees of freedom T² / tr(C²), C being the
  covariance of the flow's part (Satterthwaite 1946). C follows from a sample of deals, tr(C²)
  without bias for normal ones (Srivastava 2005).
"""

from itertools import permutations
from math import hypot, sqrt
from typing import NamedTuple

import msgspec
import numpy as np

from cantstop_arena.deals.outcomes import TournamentTotals, win_units
from cantstop_arena.ratings.covariance import DealClusters, sample_of
from cantstop_arena.ratings.model.evidence import Evidence, Floats, Ints, Truths, gather_evidence
from cantstop_arena.ratings.model.luce import Luce, add_by_seat, chances, fit
from cantstop_arena.ratings.scores import pair_sums
from cantstop_arena.ratings.significance import SIGNIFICANT, holm, noncentrality, student_tail


class PairScores(msgspec.Struct, frozen=True):
    """Pairs of bots that met, `first` < `second`, and their scores: arrays of one length.

    `decided` is what the two won, in games; `variance` is that of the score, with so many
    `degrees_of_freedom`.
    """

    first: Ints
    second: Ints
    deals: Floats
    degrees_of_freedom: Floats
    decided: Floats
    score: Floats
    variance: Floats


def pair_scores(results: TournamentTotals) -> PairScores:
    """The scores of all pairs that met in two deals or more and won something there."""
    sums = pair_sums(results, with_tails=False).items()
    pairs = [(pair, found) for pair, found in sums if found.summed.deals > 1]
    first, second = np.array([pair for pair, _ in pairs], np.int64).reshape(-1, 2).T
    won = np.array([found.won for _, found in pairs], float)
    summed = [found.summed for _, found in pairs]
    return PairScores(
        first,
        second,
        np.array([each.deals for each in summed], float),
        np.array([each.degrees_of_freedom.low for each in summed], float),
        won / win_units(results.players),
        np.array([found.score for _, found in pairs], float),
        np.array([each.variance for each in summed], float) / won**2,
    )


MAX_CYCLES = 10
ROUNDING = 1e-12  # of what deals add to a flow
TAIL = 0.025  # beyond each end of an interval
MIN_DOF_BELOW = 4.5  # of Fisher's F, which has a variance from 4 on


class CyclicShare(NamedTuple):
    """The cyclic share of the results of pairs, and its 95% interval."""

    share: float
    low: float
    high: float


class Cycle(msgspec.Struct, frozen=True):
    """Three bots, each of which beats the next and the last the first, with these three scores."""

    bots: tuple[int, int, int]
    scores: tuple[float, float, float]

    def text(self, names: tuple[str, ...]) -> str:
        """The cycle as a sentence."""
        first, second, third = (names[bot] for bot in self.bots)
        clauses = [
            f"{winner} beats {loser} ({100 * score:.1f}%)"
            for winner, loser, score in zip(
                (first, second, third), (second, third, first), self.scores, strict=True
            )
        ]
        return f"{clauses[0]}, {clauses[1]}, and yet {clauses[2]}."


def cycles(scores: PairScores, bots: int) -> tuple[Cycle, ...]:
    """Up to MAX_CYCLES cycles among bots, in descending order of their smallest deviate."""
    deviates = _deviates_from_half(scores)
    dof = scores.degrees_of_freedom
    significant = holm(2 * student_tail(np.abs(deviates), dof)) < SIGNIFICANT
    beats = np.zeros((bots, bots))
    score = np.zeros((bots, bots))
    score[scores.first, scores.second], score[scores.second, scores.first] = (
        scores.score,
        1 - scores.score,
    )
    beats[scores.first, scores.second] = np.where(significant & (deviates > 0), deviates, 0)
    beats[scores.second, scores.first] = np.where(significant & (deviates < 0), -deviates, 0)
    ranked_cycles = [
        (
            min(beats[first, second], beats[second, third], beats[third, first]),
            (first, second, third),
        )
        for first, second, third in _three_cycles(beats > 0)
    ]
    ranked_cycles.sort(key=lambda entry: (-entry[0], entry[1]))
    return tuple(
        Cycle((a, b, c), (float(score[a, b]), float(score[b, c]), float(score[c, a])))
        for _, (a, b, c) in ranked_cycles[:MAX_CYCLES]
    )


def _deviates_from_half(scores: PairScores) -> Floats:
    """How many standard errors each score is from one half.

    The error of a score that was the same in all deals follows from their number.
    """
    rare = 1 - SIGNIFICANT ** (1 / scores.deals)
    error = np.where(scores.variance > 0, np.sqrt(scores.variance), rare / 2)
    deviate: Floats = (scores.score - 0.5) / error
    return deviate


def _three_cycles(
    beats: Truths,
) -> list[tuple[int, int, int]]:
    """Every cycle of three, once, beginning with its lowest number."""
    closing = (beats.astype(np.float32) @ beats > 0) & beats.T
    return [
        (first, second, third)
        for third, first in zip(*(index.tolist() for index in np.nonzero(closing.T)), strict=True)
        if first < third
        for second in np.flatnonzero(beats[first] & beats[:, third]).tolist()
        if second > first
    ]


def cyclic_share(
    scores: PairScores, bots: int, deal_flows: Floats | None = None
) -> CyclicShare | None:
    """The cyclic share; None where it is not defined, or the flow is no more than noise.

    `deal_flows` is what sampled deals add to each pair's flow, deals by pairs; without it pairs are
    taken as independent. Half a win is added on both sides, so that every flow is finite (Anscombe
    1956).
    """
    won, lost = scores.score * scores.decided + 0.5, (1 - scores.score) * scores.decided + 0.5
    total = won + lost
    variance = np.where(
        scores.variance > 0, scores.variance * (total**2 / won / lost) ** 2, 1 / won + 1 / lost
    )
    root_weights = 1 / np.sqrt(variance)
    flow = root_weights * np.log(won / lost)
    rows = np.arange(len(flow))
    design = np.zeros((len(flow), bots))
    design[rows, scores.first], design[rows, scores.second] = root_weights, -root_weights
    basis, rank = _gradient_basis(design)
    if len(flow) == rank:
        return None
    gradient = basis.T @ flow
    cyclic = flow - basis @ gradient
    noise, alone = _standardised(np.zeros((0, len(flow))) if deal_flows is None else deal_flows)
    of_gradient, leverage = noise @ basis, (basis**2).sum(axis=1)
    deals = float(scores.deals.min())
    whole = _Squares(flow, _Noise(noise, alone, len(flow)), deals)
    if whole.net <= 2 * whole.error:
        return None
    of_cycles = noise - of_gradient @ basis.T
    return _share_of(
        _Squares(cyclic, _Noise(of_cycles, alone * (1 - leverage), len(flow) - rank), deals),
        _Squares(gradient, _Noise(of_gradient, alone * leverage, rank), deals),
    )


def _standardised(deal_flows: Floats) -> tuple[Floats, Floats]:
    """The flows of deals in standard errors, and 1 for each pair without variance there, else 0."""
    lengths = np.sqrt((deal_flows**2).sum(axis=0))
    varies = lengths > ROUNDING
    scaled = np.divide(deal_flows, lengths, out=np.zeros_like(deal_flows), where=varies)
    return scaled, 1.0 - varies


class _Noise(NamedTuple):
    """The noise in a part of the flow: that of deals, as rows, and the variances of pairs that no
    deal of the sample shows, which are taken as independent. The part has so many `dimensions`.
    """

    of_deals: Floats
    alone: Floats
    dimensions: int

    def moments(self) -> tuple[float, float]:
        """The mean of the squares, tr(C), and their degrees of freedom, tr(C)² / tr(C²)."""
        deals, shown = len(self.of_deals), float((self.of_deals**2).sum())
        products = float(((self.of_deals @ self.of_deals.T) ** 2).sum())
        unbiased = products - shown**2 / (deals - 1)
        unbiased *= (deals - 1) ** 2 / (deals + 1) / (deals - 2)
        trace = max(shown + float(self.alone.sum()), ROUNDING * self.dimensions)
        square = unbiased + float((self.alone**2).sum())
        return trace, trace**2 / min(max(square, trace**2 / self.dimensions), trace**2)


class _Squares:
    """The squares of a part of the flow, less the mean of the noise in them, with 95% limits.

    `error` is the standard deviation of the noise. As variances are estimated from deals, the
    squares over their mean follow Fisher's F. The limits are those of a chi-square with its mean
    and variance.
    """

    def __init__(self, flow: Floats, noise: _Noise, deals: float) -> None:
        mean, dof = noise.moments()
        squares = float(flow @ flow)
        self.net, self.error = max(squares - mean, 0.0), mean * sqrt(2 / dof)
        below = max(dof * (deals - 1), MIN_DOF_BELOW)
        of_chi_square = dof * (below - 4) / (dof + below - 2)
        scale = mean * below / (below - 2) / of_chi_square
        self.low, self.high = (
            scale * noncentrality(squares / scale, of_chi_square, tail) for tail in (TAIL, 1 - TAIL)
        )


def _share_of(cyclic: _Squares, gradient: _Squares) -> CyclicShare:
    share = _ratio(cyclic.net, gradient.net)
    below = (_ratio(cyclic.low, gradient.net), _ratio(cyclic.net, gradient.high))
    above = (_ratio(cyclic.high, gradient.net), _ratio(cyclic.net, gradient.low))
    low, high = (hypot(*(end - share for end in ends)) for ends in (below, above))
    return CyclicShare(share, max(share - low, 0.0), min(share + high, 1.0))


def _ratio(cyclic_squares: float, gradient_squares: float) -> float:
    return cyclic_squares / (cyclic_squares + gradient_squares) if cyclic_squares > 0 else 0.0


def flows_of_deals(scores: PairScores, sample: DealClusters, order: Ints) -> Floats:
    """What each deal of a sample adds to the logarithm of each pair's odds: deals by pairs.

    `order` has the bots, as `scores` numbers them, in the order of the sample.
    """
    lineups = order[sample.lineups]
    seats, bots = len(lineups), len(order)
    numbers = np.full((bots, bots), -1)
    numbers[scores.first, scores.second] = numbers[scores.second, scores.first] = np.arange(
        len(scores.first)
    )
    won_in_games = sample.won(seats).transpose(1, 2, 0)
    won = np.zeros((2, len(scores.first), len(sample.masks)))
    for seat, rival in permutations(range(seats), 2):
        pairs = numbers[lineups[seat], lineups[rival]]
        sides = (lineups[seat] > lineups[rival]).astype(int)
        met = pairs >= 0
        np.add.at(won, (sides[met], pairs[met]), won_in_games[seat, met])
    shares = won / np.maximum(won.sum(axis=2, keepdims=True), 1 / win_units(seats))
    flows = (shares[0] - shares[1]).T
    return np.asarray(flows - flows.mean(axis=0))


def _gradient_basis(design: Floats) -> tuple[Floats, int]:
    """An orthonormal basis of the gradient flows, and its dimension."""
    if not design.size:
        return design, 0
    basis, sizes, _ = np.linalg.svd(design, full_matrices=False)
    rank = int((sizes > 1e-9 * sizes.max()).sum())
    return basis[:, :rank], rank


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
    model, sample = fit(evidence), sample_of(results, order)
    flows = None if sample is None else flows_of_deals(scores, sample, order)
    return Residuals(
        _residuals(results, scores, model, order),
        cycles(scores, len(results.bots)),
        cyclic_share(scores, len(results.bots), flows),
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
    tails = 2 * student_tail(np.abs(deviate[tested]), scores.degrees_of_freedom[tested])
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
