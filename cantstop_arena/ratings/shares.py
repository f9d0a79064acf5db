"""What share of the wins one bot has against another, and what share a seat has, with errors.

Deals are what was sampled, and a share is a quotient of two sums over deals, A / N. With a and n
what a deal adds to them, its variance over D deals is by linearisation

    D / (D - 1) · Σ (a - n A / N)² / N²

and the interval is that of `scores`. The sums are whole numbers: nothing is rounded on the way.
"""

from itertools import permutations
from math import factorial

import numpy as np

from cantstop_arena.outcomes import WHOLE, Results
from cantstop_arena.ratings.scores import Estimate, crosstable, interval
from cantstop_arena.sampling import Ints, Pairs


def against(results: Results) -> tuple[tuple[Estimate | None, ...], ...]:
    """The crosstable with errors: None where there is nothing to compare."""
    deals, games = _deals_together(results), _games_together(results)
    return tuple(
        tuple(
            None
            if share is None
            else Estimate(
                int(games[me, you]),
                share,
                *_pair_interval(results.deals.pairs, me, you, share, int(deals[me, you])),
            )
            for you, share in enumerate(row)
        )
        for me, row in enumerate(crosstable(results))
    )


def _pair_interval(
    pairs: Pairs, me: int, you: int, share: float, deals: int
) -> tuple[float, float]:
    mine, yours = int(pairs.won[me, you]), int(pairs.won[you, me])
    apart = (
        int(pairs.squares[me, you]) * yours**2
        - 2 * int(pairs.crossed[me, you]) * mine * yours
        + int(pairs.squares[you, me]) * mine**2
    )
    return interval(share, _variance(apart, mine + yours, deals), deals)


def seats(results: Results) -> tuple[Estimate, ...]:
    """Each seat's share of the wins, the bots that sat there taken together."""
    games = sum(tally.games for tally in results.tallies.values())
    return tuple(_seat(results, seat, games) for seat in range(results.players))


def _seat(results: Results, seat: int, games: int) -> Estimate:
    if games == 0:
        return Estimate(0, None, 0.0, 1.0)
    place, whole = len(results.bots) + seat, WHOLE * games
    seatings = factorial(results.players)
    won = sum(tally.wins[seat] for tally in results.tallies.values())
    apart = deals = 0
    for stretch in results.deals.stretches:
        expected = won * WHOLE * len(stretch.groups) * seatings  # of a deal, times the whole
        apart += (
            int(stretch.products[place, place]) * whole**2
            - 2 * int(stretch.totals[place]) * whole * expected
            + stretch.deals * expected**2
        )
        deals += stretch.deals
    share = won / whole
    return Estimate(games, share, *interval(share, _variance(apart, whole, deals), deals))


def _variance(apart: int, whole: int, deals: int) -> float:
    """From Σ (a N - n A)², of a share with N = `whole`."""
    return deals * apart / ((deals - 1) * whole**4) if deals > 1 and whole else 0.0


def _deals_together(results: Results) -> Ints:
    """In how many deals two bots met."""
    bots = len(results.bots)
    deals = np.zeros((bots, bots), np.int64)
    for stretch in results.deals.stretches:
        met = np.zeros((bots, bots), np.bool_)
        groups = np.array(stretch.groups, np.int64).reshape(len(stretch.groups), -1).T
        for mine, yours in permutations(groups, 2):
            met[mine, yours] = True
        deals += stretch.deals * met
    return deals


def _games_together(results: Results) -> Ints:
    """In how many games two bots met."""
    bots = len(results.bots)
    games = np.zeros((bots, bots), np.int64)
    for seating, tally in results.tallies.items():
        for pair in permutations(seating, 2):
            games[pair] += tally.games
    return games
