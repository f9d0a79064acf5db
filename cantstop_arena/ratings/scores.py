"""Shares of wins and mean counts, each with a 95% interval.

A score is a share of wins: 1 for a bot that won every game it sat in. The games of one deal share
their luck, so deals are the units of sampling. A score is the quotient of two sums over D deals,
and its variance (Cochran 1953) is

    D / (D - 1) Σ (won - score · games)² / (Σ games)²

with the wins and games of each deal. The games are worth n = p (1 - p) / variance games of a simple
random sample (Kish 1965), and the interval is Wilson's (1927) with n games and Student's quantile
with D - 1 degrees of freedom in place of the normal one, the modification of Korn and Graubard
(1998):

    (p + t²/2n ± t √(p (1 - p)/n + t²/4n²)) / (1 + t²/n)

For a bot that won nothing or everything, n = D. Where its share is the same in every deal, deals
with another result are, with 95% confidence, a share of less than π = 1 - 0.05^(1/D) of all, and
the interval is from (1 - π) p to (1 - π) p + π. With fewer than two deals it is 0 to 1.

Where results are looked at while games go on, the interval is a confidence sequence, tuned for the
expected number of deals: the same with its multiplier in place of Student's quantile, and with a
lower bound of the variance (`sequential.confidence.min_variance`).
"""

from collections.abc import Sequence
from math import sqrt

import msgspec
import numpy as np

from cantstop_arena.deals.outcomes import Tally, TournamentTotals
from cantstop_arena.deals.winners import WIN_UNITS, win_units
from cantstop_arena.ratings.distributions import student_quantile
from cantstop_arena.ratings.estimate import Estimate
from cantstop_arena.ratings.model.evidence import Ints
from cantstop_arena.ratings.sequential.confidence import FIRST_LOOK, min_variance, multiplier

ALPHA = 0.05


class DealRun(msgspec.Struct, frozen=True):
    """Deals with the same number of games each: the sum of the win units won, and of squares.

    `win_units` is the number of units of a won game.
    """

    deals: int
    games: int
    total: int
    squares: int
    win_units: int = WIN_UNITS


def scores(results: TournamentTotals) -> tuple[Estimate, ...]:
    """Each bot's share of wins in the games it sat in."""
    return tuple(score(runs, expected_deals(results)) for runs in _runs(results))


def expected_deals(results: TournamentTotals) -> float | None:
    """The deals for which confidence sequences are tuned; None for a fixed number of games."""
    return results.until.expected if results.until else None


def seat_scores(results: TournamentTotals) -> tuple[Estimate, ...]:
    """Each seat's share of wins, whoever sat there."""
    orders = len(results.orders)
    seat_indices = range(len(results.bots), len(results.bots) + results.players)
    return tuple(
        score(
            [
                DealRun(
                    deal_range.deals,
                    orders * len(deal_range.groups),
                    int(deal_range.totals[index]),
                    int(deal_range.products[index, index]),
                    win_units(results.players),
                )
                for deal_range in results.deals.ranges
            ],
            expected_deals(results),
        )
        for index in seat_indices
    )


def _runs(results: TournamentTotals) -> list[list[DealRun]]:
    """For each bot the deals in which it sat."""
    runs: list[list[DealRun]] = [[] for _ in results.bots]
    orders = len(results.orders)
    for deal_range in results.deals.ranges:
        counts = np.bincount(np.array(deal_range.groups).ravel(), minlength=len(results.bots))
        squares = deal_range.products.diagonal()
        for bot in np.flatnonzero(counts).tolist():
            sums = int(deal_range.totals[bot]), int(squares[bot])
            runs[bot].append(
                DealRun(
                    deal_range.deals,
                    orders * int(counts[bot]),
                    *sums,
                    win_units(results.players),
                )
            )
    return runs


def score(runs: Sequence[DealRun], expected: float | None = None) -> Estimate:
    """The share of wins in the games of the runs' deals."""
    deals = sum(run.deals for run in runs)
    games = sum(run.deals * run.games for run in runs)
    if games == 0:
        return Estimate(None, 0.0, 1.0)
    total = sum(run.total for run in runs)
    squares = sum(_squared_residuals(run, total, games) for run in runs)
    units = runs[0].win_units
    share = total / (units * games)
    share_variance = squares / (units * games * games) ** 2
    return Estimate(share, *interval(share, share_variance, deals, deals, expected))


def _squared_residuals(run: DealRun, total: int, games: int) -> int:
    """Σ (won - score · games)² over the deals, times all games squared, exactly."""
    expected = total * run.games
    return (
        run.squares * games**2 - 2 * run.total * games * expected + run.deals * expected * expected
    )


def interval(
    share: float,
    share_variance: float,
    deals: int,
    games_at_bound: float,
    expected: float | None = None,
) -> tuple[float, float]:
    """The 95% interval of a share with `share_variance` Σ (won - score · games)² / (Σ games)².

    A share of 0 or 1 counts as one of `games_at_bound` games. With `expected` deals, the interval
    is a confidence sequence tuned for them.
    """
    if deals < (2 if expected is None else FIRST_LOOK):
        return 0.0, 1.0
    quantile = student_quantile(deals - 1) if expected is None else multiplier(deals, expected)
    if share in (0, 1):
        return wilson(share, games_at_bound, quantile)
    if expected is not None:
        minimum = min_variance(max(share, 1 - share), deals, expected) / deals
        share_variance = max(share_variance, minimum)
    if share_variance <= 0:
        rare = 1 - ALPHA ** (1 / deals)
        return (1 - rare) * share, (1 - rare) * share + rare
    games = share * (1 - share) / share_variance * (deals - 1) / deals
    return wilson(share, games, quantile)


def wilson(share: float, games: float, quantile: float) -> tuple[float, float]:
    """Wilson's interval of a share in this many independent games; it stays within 0 and 1."""
    shrinkage = quantile**2 / games
    centre = share + shrinkage / 2
    half_width = sqrt(share * (1 - share) * shrinkage + shrinkage**2 / 4)
    low, high = (centre - half_width) / (1 + shrinkage), (centre + half_width) / (1 + shrinkage)
    return min(max(low, 0.0), share), max(min(high, 1.0), share)


def variance(size: int, total: int, squares: int) -> float:
    """The sample variance from integer sums, rounded once: (n Σx² - (Σx)²) / n (n - 1)."""
    return (size * squares - total**2) / (size * (size - 1))


def crosstable(results: TournamentTotals) -> tuple[tuple[Estimate | None, ...], ...]:
    """Each bot's score against each other bot, by number; None where neither won a game.

    The score is wins_i / (wins_i + wins_j) in the games in which both sat. For two seats that is
    the share of wins. For more it leaves out the wins of third bots; the choice model predicts it
    from the two strengths alone.
    """
    deals, _ = meetings(results)
    bots = range(len(results.bots))
    return tuple(tuple(_cell(results, deals, bot, rival) for rival in bots) for bot in bots)


def meetings(results: TournamentTotals) -> tuple[Ints, Ints]:
    """The number of deals, and of games, in which each two bots met."""
    bots = len(results.bots)
    deals, games = np.zeros((bots, bots), np.int64), np.zeros((bots, bots), np.int64)
    for deal_range in results.deals.ranges:
        groups = np.array(deal_range.groups, np.int64).reshape(-1, results.players).T
        met_games = np.zeros_like(games)
        for bot in groups:
            for rival in groups:
                np.add.at(met_games, (bot, rival), deal_range.deals * len(results.orders))
        deals += deal_range.deals * (met_games > 0)
        games += met_games
    return deals, games


def _cell(results: TournamentTotals, deals: Ints, bot: int, rival: int) -> Estimate | None:
    pairs = results.deals.pairs
    bot_units, rival_units = int(pairs.win_units[bot, rival]), int(pairs.win_units[rival, bot])
    if bot == rival or bot_units + rival_units == 0:
        return None
    squares = int(pairs.squares[bot, rival]), int(pairs.squares[rival, bot])
    share_variance = pair_variance(bot_units, rival_units, squares, int(pairs.crossed[bot, rival]))
    met_deals = int(deals[bot, rival])
    games_at_bound = min(float(met_deals), (bot_units + rival_units) / win_units(results.players))
    share = bot_units / (bot_units + rival_units)
    limits = interval(share, share_variance, met_deals, games_at_bound, expected_deals(results))
    return Estimate(share, *limits)


def pair_variance(
    bot_units: int, rival_units: int, squares: tuple[int, int], crossed: int
) -> float:
    """Σ (won - score · decided)² / (Σ decided)² over deals, decided being the wins of the two."""
    numerator = (
        squares[0] * rival_units**2
        - 2 * crossed * bot_units * rival_units
        + squares[1] * bot_units**2
    )
    return numerator / (bot_units + rival_units) ** 4


def per_game(results: TournamentTotals, count: str) -> tuple[Estimate, ...]:
    """Each bot's mean of a count in the games it plays alone, with Student's interval.

    For one seat only: with more, the sums of squares are those of all seats together.
    """
    solo_tallies = {seating[0]: tally for seating, tally in results.tallies.items()}
    return tuple(_mean_count(solo_tallies.get(bot), count) for bot in range(len(results.bots)))


def _mean_count(tally: Tally | None, count: str) -> Estimate:
    games = tally.games - tally.forfeits if tally else 0  # forfeits have no length
    if tally is None or games == 0:
        return Estimate(None)
    total = sum(tally.counts[count])
    mean = total / games
    if games < 2:
        return Estimate(mean)
    count_variance = variance(games, total, tally.squares[count])
    half_width = student_quantile(games - 1) * sqrt(count_variance / games)
    return Estimate(mean, mean - half_width, mean + half_width)


def groups_with_same_rivals(games: Ints) -> list[list[int]]:
    """Groups of bots that met the same rivals equally often.

    `games` is the number of games of each two bots. Two bots belong together if each third bot met
    both equally often.
    """
    groups: list[list[int]] = []
    remaining = list(range(len(games)))
    while remaining:
        differ = games != games[remaining[0]]
        differ[:, remaining[0]] = False
        np.fill_diagonal(differ, False)
        same = ~differ.any(axis=1)
        groups.append([bot for bot in remaining if same[bot]])
        remaining = [bot for bot in remaining if not same[bot]]
    return groups
