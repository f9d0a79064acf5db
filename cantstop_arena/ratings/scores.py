"""Shares of wins and mean counts, each with a 95% interval.

A score is a share of wins: 1 for a bot that won every game it sat in.
The games of one deal share their luck, so the deal is what was sampled. A score is the quotient of
two sums over D deals, and its variance (Cochran 1953) is

    D / (D - 1) Σ (won - score · games)² / (Σ games)²

with what was won and played in each deal. A game counts n = p (1 - p) / variance times as in a
simple random sample (Kish 1965), and the interval is Wilson's (1927) with n games and Student's
quantile with D - 1 degrees of freedom in place of the normal one, the modification of Korn and
Graubard (1998):

    (p + t²/2n ± t √(p (1 - p)/n + t²/4n²)) / (1 + t²/n)

A bot that won nothing or everything: the same with n = D. Equal shares in every deal: deals that
come out otherwise are then, with 95% confidence, a share of less than π = 1 - 0.05^(1/D) of all,
and the interval is from (1 - π) p to (1 - π) p + π. Fewer than two deals: 0 to 1.

Where one looks while games go on, the interval is a confidence sequence, tuned for the deals that
one expected to play: the same with its multiplier in place of Student's quantile, and a variance
that is not taken to be smaller than looking can tell it to be (see `sequential.confidence`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import msgspec
import numpy as np

from cantstop_arena.deals.outcomes import Tally, TournamentTotals
from cantstop_arena.deals.winners import WIN_UNITS, win_units
from cantstop_arena.ratings.distributions import student_quantile
from cantstop_arena.ratings.model.evidence import Ints
from cantstop_arena.ratings.sequential.confidence import FIRST_LOOK, min_variance, multiplier

SURE = 0.05


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over games and its 95% interval; None where the games say nothing."""

    games: int
    mean: float | None
    low: float | None
    high: float | None


class DealRun(msgspec.Struct, frozen=True):
    """Deals with the same number of games each: sums of the parts of WHOLE won, and of squares."""

    deals: int
    games: int
    total: int
    squares: int
    win_units: int = WIN_UNITS


def scores(results: TournamentTotals) -> tuple[Estimate, ...]:
    """Each bot's share of wins in the games it sat in."""
    return tuple(score(runs, expected_deals(results)) for runs in _runs(results))


def expected_deals(results: TournamentTotals) -> float | None:
    """The deals that one expected to play, where one looked while games went on."""
    return results.until.expected if results.until else None


def seat_scores(results: TournamentTotals) -> tuple[Estimate, ...]:
    """Each seat's share of wins, whoever sat there."""
    orders = len(results.orders)
    position = range(len(results.bots), len(results.bots) + results.players)
    return tuple(
        score(
            [
                DealRun(
                    stretch.deals,
                    orders * len(stretch.groups),
                    int(stretch.totals[index]),
                    int(stretch.products[index, index]),
                    win_units(results.players),
                )
                for stretch in results.deals.stretches
            ],
            expected_deals(results),
        )
        for index in position
    )


def _runs(results: TournamentTotals) -> list[list[DealRun]]:
    """Of each bot the deals in which it sat."""
    runs: list[list[DealRun]] = [[] for _ in results.bots]
    orders = len(results.orders)
    for stretch in results.deals.stretches:
        groups = np.bincount(np.array(stretch.groups).ravel(), minlength=len(results.bots))
        own = stretch.products.diagonal()
        for bot in np.flatnonzero(groups).tolist():
            sums = int(stretch.totals[bot]), int(own[bot])
            runs[bot].append(
                DealRun(stretch.deals, orders * int(groups[bot]), *sums, win_units(results.players))
            )
    return runs


def score(runs: Sequence[DealRun], expected: float | None = None) -> Estimate:
    """The share of wins in the games of some deals."""
    deals = sum(run.deals for run in runs)
    games = sum(run.deals * run.games for run in runs)
    if games == 0:
        return Estimate(0, None, 0.0, 1.0)
    total = sum(run.total for run in runs)
    squares = sum(_squared_residuals(run, total, games) for run in runs)
    parts = runs[0].win_units
    share = total / (parts * games)
    share_variance = squares / (parts * games * games) ** 2
    return Estimate(games, share, *interval(share, share_variance, deals, deals, expected))


def _squared_residuals(run: DealRun, total: int, games: int) -> int:
    """Σ (won - score · games)² over the deals, times all games squared, to the last digit."""
    expected = total * run.games
    return (
        run.squares * games**2 - 2 * run.total * games * expected + run.deals * expected * expected
    )


def interval(
    share: float, share_variance: float, deals: int, sure: float, expected: float | None = None
) -> tuple[float, float]:
    """The interval of a share, `share_variance` being its Σ (won - score · games)² / (Σ games)².

    Where the share is 0 or 1, it counts as one of `sure` games. A confidence sequence, if it is
    said how many deals one `expected`.
    """
    if deals < (2 if expected is None else FIRST_LOOK):
        return 0.0, 1.0
    reach = student_quantile(deals - 1) if expected is None else multiplier(deals, expected)
    if share in (0, 1):
        return _wilson(share, sure, reach)
    if expected is not None:
        minimum = min_variance(max(share, 1 - share), deals, expected) / deals
        share_variance = max(share_variance, minimum)
    if share_variance <= 0:
        missing = 1 - SURE ** (1 / deals)
        return (1 - missing) * share, (1 - missing) * share + missing
    games = share * (1 - share) / share_variance * (deals - 1) / deals
    return _wilson(share, games, reach)


def _wilson(share: float, games: float, quantile: float) -> tuple[float, float]:
    ease = quantile**2 / games
    middle = share + ease / 2
    reach = sqrt(share * (1 - share) * ease + ease**2 / 4)
    low, high = (middle - reach) / (1 + ease), (middle + reach) / (1 + ease)
    return min(max(low, 0.0), share), max(min(high, 1.0), share)


def variance(size: int, total: int, squares: int) -> float:
    """The sample variance from whole-number sums, rounded once: (n Σx² - (Σx)²) / n (n - 1)."""
    return (size * squares - total**2) / (size * (size - 1))


def crosstable(results: TournamentTotals) -> tuple[tuple[Estimate | None, ...], ...]:
    """Each bot's score against each other bot, by number; None where there is nothing to compare.

    Of the games in which both sat, and of what either of the two won there, the row's bot's part:
    wins_i / (wins_i + wins_j). For two seats that is the plain score. For more it leaves out what
    third bots won, and is what the choice model predicts from the two strengths alone.
    """
    deals, games = together(results)
    bots = range(len(results.bots))
    return tuple(
        tuple(_cell(results, deals, games, number, other) for other in bots) for number in bots
    )


def together(results: TournamentTotals) -> tuple[Ints, Ints]:
    """The number of deals, and of games, in which each two bots met."""
    bots = len(results.bots)
    deals, games = np.zeros((bots, bots), np.int64), np.zeros((bots, bots), np.int64)
    for stretch in results.deals.stretches:
        groups = np.array(stretch.groups, np.int64).reshape(-1, results.players).T
        met = np.zeros_like(games)
        for number in groups:
            for other in groups:
                np.add.at(met, (number, other), stretch.deals * len(results.orders))
        deals += stretch.deals * (met > 0)
        games += met
    return deals, games


def _cell(
    results: TournamentTotals, deals: Ints, games: Ints, number: int, other: int
) -> Estimate | None:
    pairs = results.deals.pairs
    own, yours = int(pairs.won[number, other]), int(pairs.won[other, number])
    if number == other or own + yours == 0:
        return None
    squares = int(pairs.squares[number, other]), int(pairs.squares[other, number])
    distance = pair_variance(own, yours, squares, int(pairs.crossed[number, other]))
    met = int(deals[number, other])
    sure = min(float(met), (own + yours) / win_units(results.players))
    share = own / (own + yours)
    ends = interval(share, distance, met, sure, expected_deals(results))
    return Estimate(int(games[number, other]), share, *ends)


def pair_variance(own: int, yours: int, squares: tuple[int, int], crossed: int) -> float:
    """Σ (won - score · decided)² / (Σ decided)² over deals, decided being what the two won."""
    number = squares[0] * yours**2 - 2 * crossed * own * yours + squares[1] * own**2
    return number / (own + yours) ** 4


def per_game(results: TournamentTotals, count: str) -> tuple[Estimate, ...]:
    """How much each bot has of a count in a game it plays alone: the mean, and Student's interval.

    For one seat only: with more, the sums of squares are those of all seats together.
    """
    alone = {seating[0]: tally for seating, tally in results.tallies.items()}
    return tuple(_mean_count(alone.get(bot), count) for bot in range(len(results.bots)))


def _mean_count(tally: Tally | None, count: str) -> Estimate:
    games = tally.games - tally.forfeits if tally else 0  # forfeits have no length
    if tally is None or games == 0:
        return Estimate(0, None, None, None)
    total = sum(tally.counts[count])
    mean = total / games
    if games < 2:
        return Estimate(1, mean, None, None)
    share_variance = variance(games, total, tally.squares[count])
    half = student_quantile(games - 1) * sqrt(share_variance / games)
    return Estimate(tally.games, mean, mean - half, mean + half)


def groups_with_same_rivals(games: Ints) -> list[list[int]]:
    """The bots, grouped by whom else they met how often; `games` are those of every two bots.

    Two bots are alike if each third one met both equally often, and so are all of a group.
    """
    groups: list[list[int]] = []
    left = list(range(len(games)))
    while left:
        others = games != games[left[0]]
        others[:, left[0]] = False
        np.fill_diagonal(others, False)
        same = ~others.any(axis=1)
        groups.append([bot for bot in left if same[bot]])
        left = [bot for bot in left if not same[bot]]
    return groups
