"""Deals made by hand, for tests of what is reckoned from them."""

from collections.abc import Sequence

import numpy as np

from cantstop_arena.deals.sampling import DealRange, DealSums, Pairs


def deals_of(players: int, sums: Sequence[tuple[int, int, int]]) -> DealSums:
    """Deals in which each bot played alone: how many, the parts it won, and their squares."""
    size = len(sums) + players
    ranges = []
    for bot, (deals, total, squares) in enumerate(sums):
        totals, products = np.zeros(size, np.int64), np.zeros((size, size), np.int64)
        totals[bot], products[bot, bot] = total, squares
        ranges.append(DealRange(((bot,),), deals, totals, products))
    nothing = np.zeros((len(sums), len(sums)), np.int64)
    return DealSums(tuple(ranges), Pairs(nothing, nothing, nothing))
