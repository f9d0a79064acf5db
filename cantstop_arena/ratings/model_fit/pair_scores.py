"""Scores of pairs: i's part of what i and j won in games with each other, with its variance.

The variance is that of a quotient of sums over deals (Cochran 1953).
"""

import msgspec
import numpy as np

from cantstop_arena.deals.outcomes import TournamentTotals
from cantstop_arena.deals.winners import win_units
from cantstop_arena.ratings.model.evidence import Floats, Ints
from cantstop_arena.ratings.scores import pair_variance, together


class PairScores(msgspec.Struct, frozen=True):
    """Pairs that met, i before j, with their scores: arrays."""

    first: Ints
    second: Ints
    deals: Floats
    decided: Floats
    score: Floats
    variance: Floats


def pair_scores(results: TournamentTotals) -> PairScores:
    """The scores of all pairs that met in two deals or more and won something there."""
    deals, _ = together(results)
    pairs = results.deals.pairs
    won = np.asarray(pairs.won)
    number, other = np.nonzero(np.triu((won + won.T > 0) & (deals > 1), 1))
    own, yours = won[number, other].tolist(), won[other, number].tolist()
    squares = zip(
        pairs.squares[number, other].tolist(), pairs.squares[other, number].tolist(), strict=True
    )
    crossed = pairs.crossed[number, other].tolist()
    spreads = np.array(list(map(pair_variance, own, yours, squares, crossed)), float)
    met = deals[number, other].astype(float)
    decided = np.array(own, float) + yours
    return PairScores(
        number,
        other,
        met,
        decided / win_units(results.players),
        np.array(own) / decided,
        spreads * met / (met - 1),
    )
