"""Scores of pairs: i's share of the wins of i and j in games with each other, with its variance.

The variance is that of a quotient of sums over deals (Cochran 1953).
"""

import msgspec
import numpy as np

from cantstop_arena.deals.outcomes import TournamentTotals
from cantstop_arena.deals.winners import win_units
from cantstop_arena.ratings.model.evidence import Floats, Ints
from cantstop_arena.ratings.scores import meetings, pair_variance


class PairScores(msgspec.Struct, frozen=True):
    """Pairs of bots that met, `first` < `second`, and their scores: arrays of one length.

    `decided` is what the two won, in games; `variance` is that of the score.
    """

    first: Ints
    second: Ints
    deals: Floats
    decided: Floats
    score: Floats
    variance: Floats


def pair_scores(results: TournamentTotals) -> PairScores:
    """The scores of all pairs that met in two deals or more and won something there."""
    deals, _ = meetings(results)
    pairs = results.deals.pairs
    won = np.asarray(pairs.win_units)
    first, second = np.nonzero(np.triu((won + won.T > 0) & (deals > 1), 1))
    first_won, second_won = won[first, second].tolist(), won[second, first].tolist()
    squares = zip(
        pairs.squares[first, second].tolist(), pairs.squares[second, first].tolist(), strict=True
    )
    crossed = pairs.crossed[first, second].tolist()
    variances = np.array(list(map(pair_variance, first_won, second_won, squares, crossed)), float)
    met_deals = deals[first, second].astype(float)
    decided = np.array(first_won, float) + second_won
    return PairScores(
        first,
        second,
        met_deals,
        decided / win_units(results.players),
        np.array(first_won) / decided,
        variances * met_deals / (met_deals - 1),
    )
