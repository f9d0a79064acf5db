"""Cycles, in which bots beat each other in a circle, and their share in the results of pairs.

- A beats B where its score against B is significantly above one half, Student's p-values corrected
  by Holm's method (see `multiple_comparisons`). Three bots that beat each other in a circle are a
  cycle.
- The cyclic share is that of Hodge's decomposition (Jiang, Lim, Yao and Ye 2011): the logarithms of
  the odds of all pairs, seen as a flow, are the sum of a gradient flow, differences of one number
  for each bot, fitted by weighted least squares, and of a cyclic flow, the residuals. Weights are
  1 / variance, so that a bot which loses nearly everything drowns nothing. The share is the cyclic
  flow's squares over all squares, both less the mean of the noise in them. It is 0 for bots on a
  line, 1 for rock, paper and scissors. The cyclic flow's squares follow a noncentral chi-square,
  which gives the interval.
"""

from math import sqrt
from typing import NamedTuple

import msgspec
import numpy as np

from cantstop_arena.ratings.distributions import noncentrality, student_tail
from cantstop_arena.ratings.model.connections import Truths
from cantstop_arena.ratings.model.evidence import Floats
from cantstop_arena.ratings.model_fit.pair_scores import PairScores
from cantstop_arena.ratings.multiple_comparisons import SIGNIFICANT, holm

MAX_CYCLES = 10
TAIL = 0.025  # beyond each end of an interval


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
    dof = scores.deals - 1
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


def cyclic_share(scores: PairScores, bots: int) -> CyclicShare | None:
    """The cyclic share; None where it is not defined, or the flow is no more than noise.

    Half a win is added on both sides, so that every flow is finite (Anscombe 1956).
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
    gradient, rank = _gradient_basis(design)
    dimensions = len(flow) - rank
    squares = float(flow @ flow)
    if dimensions <= 0 or squares - len(flow) <= 2 * sqrt(2 * len(flow)):
        return None
    cyclic_flow = flow - gradient @ (gradient.T @ flow)
    cyclic_squares = float(cyclic_flow @ cyclic_flow)
    gradient_squares = max(squares - cyclic_squares - rank, 0.0)
    limits = (noncentrality(cyclic_squares, dimensions, tail) for tail in (TAIL, 1 - TAIL))
    return CyclicShare(
        *(
            _share_of_squares(net_squares, gradient_squares)
            for net_squares in (max(cyclic_squares - dimensions, 0.0), *limits)
        )
    )


def _share_of_squares(cyclic_squares: float, gradient_squares: float) -> float:
    return cyclic_squares / (cyclic_squares + gradient_squares) if cyclic_squares > 0 else 0.0


def _gradient_basis(design: Floats) -> tuple[Floats, int]:
    """An orthonormal basis of the gradient flows, and its dimension."""
    if not design.size:
        return design, 0
    basis, sizes, _ = np.linalg.svd(design, full_matrices=False)
    rank = int((sizes > 1e-9 * sizes.max()).sum())
    return basis[:, :rank], rank
