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
from dataclasses import dataclass
from math import inf, sqrt

import msgspec
import numpy as np

from cantstop_arena.deals.outcomes import Tally, TournamentTotals
from cantstop_arena.deals.winners import WIN_UNITS, win_units
from cantstop_arena.ratings.degrees_of_freedom import MANY_DEALS, degrees_of_freedom
from cantstop_arena.ratings.distributions import student_quantile, student_tail
from cantstop_arena.ratings.model.connections import Truths
from cantstop_arena.ratings.model.deal_clusters import DealClusters, sample_of, wins_of_deals
from cantstop_arena.ratings.model.evidence import Floats, Ints
from cantstop_arena.ratings.multiple_comparisons import SIGNIFICANT, holm
from cantstop_arena.ratings.sequential.confidence import (
    FIRST_LOOK,
    min_variance,
    multiplier,
    p_value,
)

ALPHA = 0.05
EVEN = 0.5
NO_SAMPLE: Floats = np.zeros(0)


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over games and its 95% interval; None where there are too few games."""

    games: int
    mean: float | None
    low: float | None
    high: float | None


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
    wins = _sampled_wins(results)
    return tuple(
        score(runs, expected_deals(results), wins[bot]) for bot, runs in enumerate(_runs(results))
    )


def _sampled_wins(results: TournamentTotals) -> Floats:
    """What each bot and then each seat won in sampled deals, less the mean: a row for each.

    Without deals where there is no sample, or where it would not matter.
    """
    bots, seats = len(results.bots), results.players
    sample = _sample(results)
    if sample is None:
        return np.zeros((bots + seats, 0))
    wins = wins_of_deals(sample, bots, seats).T
    residuals: Floats = wins - wins.mean(axis=1, keepdims=True)
    return residuals


def _sample(results: TournamentTotals) -> DealClusters | None:
    deals = sum(deal_range.deals for deal_range in results.deals.ranges)
    if deals > MANY_DEALS or results.until or results.players < 2:
        return None
    return sample_of(results, np.arange(len(results.bots)))


def expected_deals(results: TournamentTotals) -> float | None:
    """The deals for which confidence sequences are tuned; None for a fixed number of games."""
    return results.until.expected if results.until else None


def seat_scores(results: TournamentTotals) -> tuple[Estimate, ...]:
    """Each seat's share of wins, whoever sat there."""
    orders = len(results.orders)
    wins = _sampled_wins(results)
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
            wins[index],
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


def score(
    runs: Sequence[DealRun], expected: float | None = None, sampled_wins: Floats = NO_SAMPLE
) -> Estimate:
    """The share of wins in the games of the runs' deals.

    `sampled_wins` are those of a sample of the deals, less their mean. With luck removed a share
    may be below 0 or above 1; it is then 0 or 1, and its interval everything.
    """
    deals = sum(run.deals for run in runs)
    games = sum(run.deals * run.games for run in runs)
    if games == 0:
        return Estimate(0, None, 0.0, 1.0)
    total = sum(run.total for run in runs)
    squares = sum(_squared_residuals(run, total, games) for run in runs)
    units = runs[0].win_units
    share = total / (units * games)
    if not 0 <= share <= 1:
        return Estimate(games, min(max(share, 0.0), 1.0), 0.0, 1.0)
    share_variance = squares / (units * games * games) ** 2
    error = ShareError(
        share, share_variance, deals, deals, degrees_of_freedom(deals, sampled_wins), expected
    )
    return Estimate(games, share, *error.interval)


def _squared_residuals(run: DealRun, total: int, games: int) -> int:
    """Σ (won - score · games)² over the deals, times all games squared, exactly."""
    expected = total * run.games
    return (
        run.squares * games**2 - 2 * run.total * games * expected + run.deals * expected * expected
    )


class ShareError(msgspec.Struct, frozen=True):
    """The error of a share of wins in some deals.

    `share_variance` is Σ (won - share · games)² / (Σ games)². A share of 0 or 1 counts as one of
    `games_at_bound` games. With `expected` deals, the interval is a confidence sequence tuned for
    them.
    """

    share: float
    share_variance: float
    deals: int
    games_at_bound: float
    degrees_of_freedom: float
    expected: float | None = None

    @property
    def interval(self) -> tuple[float, float]:
        """The ends of the 95% interval."""
        if self._is_unknown:
            return 0.0, 1.0
        games = self._games
        if games == inf:
            rare = 1 - ALPHA ** (1 / self.deals)
            return (1 - rare) * self.share, (1 - rare) * self.share + rare
        if self.expected is not None:
            return wilson(self.share, games, multiplier(self.deals, self.expected))
        return wilson(self.share, games, student_quantile(self.degrees_of_freedom))

    @property
    def p_of_even(self) -> float:
        """The p-value of a half: 5% or less where the interval leaves a half out."""
        if self._is_unknown:
            return 1.0
        games, distance = self._games, abs(self.share - EVEN)
        if games == inf:  # equal in all deals: the share of others that the interval must reach
            return float((EVEN / (EVEN + distance)) ** self.deals)
        deviate = 2 * distance * sqrt(games)
        if self.expected is not None:
            return p_value(deviate, self.deals, self.expected)
        dof = np.array([self.degrees_of_freedom])
        return float(2 * student_tail(np.array([deviate]), dof)[0])

    @property
    def _is_unknown(self) -> bool:
        return self.deals < (2 if self.expected is None else FIRST_LOOK)

    @property
    def _games(self) -> float:
        """How many independent games are worth the deals; infinite where all deals are equal."""
        share, share_variance = self.share, self.share_variance
        if share in (0, 1):
            return self.games_at_bound
        if self.expected is not None:
            minimum = min_variance(max(share, 1 - share), self.deals, self.expected) / self.deals
            share_variance = max(share_variance, minimum)
        if share_variance <= 0:
            return inf
        return share * (1 - share) / share_variance * (self.deals - 1) / self.deals


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
    return _crosstable(results)[0]


def decided_pairs(results: TournamentTotals) -> Truths:
    """Which scores of two bots differ from a half significantly, corrected for all pairs (Holm)."""
    p_values = _crosstable(results)[1]
    met = np.triu(~np.isnan(p_values), 1)
    decided = np.zeros(p_values.shape, np.bool_)
    decided[met] = holm(p_values[met]) <= SIGNIFICANT
    return decided | decided.T


def _crosstable(
    results: TournamentTotals,
) -> tuple[tuple[tuple[Estimate | None, ...], ...], Floats]:
    """Each bot's score against each other bot, and the p-values of a half; nan without games."""
    deals, games = meetings(results)
    bots = range(len(results.bots))
    p_values = np.full((len(bots), len(bots)), np.nan)
    rows: list[tuple[Estimate | None, ...]] = []
    sample = _sample(results)
    for bot in bots:
        residuals = _sampled_cells(results, sample, bot)
        row: list[Estimate | None] = []
        for rival in bots:
            error = _cell_error(results, int(deals[bot, rival]), bot, rival, residuals[rival])
            if error is None:
                row.append(None)
                continue
            row.append(Estimate(int(games[bot, rival]), error.share, *error.interval))
            p_values[bot, rival] = error.p_of_even
        rows.append(tuple(row))
    return tuple(rows), p_values


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


def _cell_error(
    results: TournamentTotals, deals: int, bot: int, rival: int, residuals: Floats
) -> ShareError | None:
    pairs = results.deals.pairs
    bot_units, rival_units = int(pairs.win_units[bot, rival]), int(pairs.win_units[rival, bot])
    if bot == rival or bot_units + rival_units <= 0:
        return None
    squares = int(pairs.squares[bot, rival]), int(pairs.squares[rival, bot])
    share = bot_units / (bot_units + rival_units)
    return ShareError(
        min(max(share, 0.0), 1.0),
        pair_variance(bot_units, rival_units, squares, int(pairs.crossed[bot, rival])),
        deals,
        min(float(deals), (bot_units + rival_units) / win_units(results.players)),
        degrees_of_freedom(deals, residuals),
        expected_deals(results),
    )


def _sampled_cells(results: TournamentTotals, sample: DealClusters | None, bot: int) -> Floats:
    """The residuals of a bot's score against each rival in sampled deals: a row for each rival."""
    bots = len(results.bots)
    if sample is None:
        return np.zeros((bots, 0))
    seated = (sample.lineups == bot).any(axis=0)
    lineups, won = sample.lineups[:, seated], sample.won(results.players)[:, :, seated]
    bot_wins = np.where(lineups == bot, won, 0.0).sum(axis=1)
    own, of_rivals = np.zeros((bots, len(won))), np.zeros((bots, len(won)))
    for seat, rivals in enumerate(lineups):
        np.add.at(own, rivals, bot_wins.T)
        np.add.at(of_rivals, rivals, won[:, seat].T)
    units = results.deals.pairs.win_units
    decided = np.maximum(units[bot] + units[:, bot], 1)[:, None]
    shares = units[bot][:, None] / decided
    residuals: Floats = own * (1 - shares) - of_rivals * shares
    return residuals


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
        return Estimate(0, None, None, None)
    total = sum(tally.counts[count])
    mean = total / games
    if games < 2:
        return Estimate(1, mean, None, None)
    count_variance = variance(games, total, tally.squares[count])
    half_width = student_quantile(games - 1) * sqrt(count_variance / games)
    return Estimate(tally.games, mean, mean - half_width, mean + half_width)


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
