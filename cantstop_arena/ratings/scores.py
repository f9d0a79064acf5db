"""Shares of wins and mean counts, each with a 95% interval.

A score is a share of wins: 1 for a bot that won every game it sat in. Its error is in
`estimate`.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from math import sqrt
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace

from cantstop_arena.deals.deal_variance import (
    DegreesOfFreedom,
    SumVariance,
    WeightedDeals,
    sum_variance,
)
from cantstop_arena.deals.outcomes import Tally, TournamentTotals, win_units
from cantstop_arena.deals.sampling import Populations
from cantstop_arena.ratings.estimate import Estimate, ShareError, p_values_of_even
from cantstop_arena.ratings.model.evidence import Ints, Truths
from cantstop_arena.ratings.significance import SIGNIFICANT, holm, student_quantile


def scores(results: TournamentTotals) -> tuple[Estimate, ...]:
    """Each bot's share of wins in the games it sat in."""
    return tuple(map(_estimate, _errors(results, range(len(results.bots)))))


def expected_deals(results: TournamentTotals) -> float | None:
    """The deals for which confidence sequences are tuned; None for a fixed number of games."""
    return results.until.expected if results.until else None


def seat_scores(results: TournamentTotals) -> tuple[Estimate, ...]:
    """Each seat's share of wins, whoever sat there."""
    bots = len(results.bots)
    return tuple(map(_estimate, _errors(results, range(bots, bots + results.players))))


def _estimate(error: ShareError | None) -> Estimate:
    return Estimate(None, 0.0, 1.0) if error is None else Estimate(error.share, *error.interval)


def score_error(results: TournamentTotals, bot: int) -> ShareError | None:
    """The error of a bot's score; None if it has not played."""
    (error,) = _errors(results, [bot])
    return error


def seat_score_error(results: TournamentTotals, seat: int) -> ShareError | None:
    """The error of a seat's share of wins; None without games."""
    return score_error(results, len(results.bots) + seat)


def _errors(results: TournamentTotals, numbers: Iterable[int]) -> Iterator[ShareError | None]:
    """The errors of the shares of bots, and then seats, by number."""
    bots, expected = len(results.bots), expected_deals(results)
    of_deal = win_units(results.players) * len(results.orders)
    parameters = [each.parameters(bots) for each in results.deals.populations]
    for number in numbers:
        deals, won, parts = 0, 0, list[WeightedDeals]()
        for each, of_each in zip(results.deals.populations, parameters, strict=True):
            rows = np.flatnonzero((of_each == number).any(axis=1))
            weights = of_each[rows] == number
            deals += int(weights.sum(axis=1) @ each.deals[rows])
            won += int((weights * each.totals[rows]).sum())
            parts.append(WeightedDeals(each, rows, weights.astype(np.float64), weights.sum(axis=1)))
        if not deals:
            yield None
            continue
        share = won / (of_deal * deals)
        parts = [part._replace(expected=of_deal * share * part.expected) for part in parts]
        summed = sum_variance(parts, expected is None)
        yield ShareError(
            share,
            summed.variance / (of_deal * deals) ** 2,
            summed.deals,
            summed.deals,
            summed.degrees_of_freedom,
            expected,
        )


def variance(size: int, total: int, squares: int) -> float:
    """The sample variance from integer sums, rounded once: (n Σx² - (Σx)²) / n (n - 1)."""
    return (size * squares - total**2) / (size * (size - 1))


PairErrors = Sequence[Sequence[ShareError | None]]
"""The score of each bot against each other bot with its error; None where neither won a game."""


def crosstable(errors: PairErrors) -> tuple[tuple[Estimate | None, ...], ...]:
    """Each bot's score against each other bot, by number; None where neither won a game.

    The score is wins_i / (wins_i + wins_j) in the games in which both sat. For two seats that is
    the share of wins. For more it leaves out the wins of third bots; the choice model predicts it
    from the two strengths alone.
    """
    return tuple(
        tuple(None if error is None else Estimate(error.share, *error.interval) for error in row)
        for row in errors
    )


def decided_pairs(errors: PairErrors) -> Truths:
    """Which scores of two bots differ from a half significantly, corrected for all pairs (Holm)."""
    bots = len(errors)
    pairs = {
        (bot, rival): error
        for bot, row in enumerate(errors)
        for rival, error in enumerate(row)
        if rival > bot and error is not None
    }
    p_values = np.full((bots, bots), np.nan)
    for pair, p_value in zip(pairs, p_values_of_even([*pairs.values()]).tolist(), strict=True):
        p_values[pair] = p_value
    met = ~np.isnan(p_values)
    decided = np.zeros(p_values.shape, np.bool_)
    decided[met] = holm(p_values[met]) <= SIGNIFICANT
    return decided | decided.T


def pair_errors(results: TournamentTotals) -> PairErrors:
    """The score of each bot against each other bot with its error, a row for each bot."""
    bots, expected = len(results.bots), expected_deals(results)
    errors: list[list[ShareError | None]] = [[None] * bots for _ in range(bots)]
    for (bot, rival), pair in pair_sums(results, expected is None).items():
        summed, decided = pair.summed, pair.won / win_units(results.players)
        error = ShareError(
            pair.score,
            summed.variance / pair.won**2,
            summed.deals,
            min(float(summed.deals), decided),
            summed.degrees_of_freedom,
            expected,
        )
        errors[bot][rival], degrees = error, error.degrees_of_freedom
        errors[rival][bot] = replace(
            error,
            won=1 - pair.score,
            degrees_of_freedom=DegreesOfFreedom(degrees.high, degrees.low),
        )
    return errors


class PairSum(NamedTuple):
    """What two bots won in games with each other, in win units, and the first one's share of it.

    `summed` is the variance of what it won beyond that share of each deal.
    """

    won: int
    score: float
    summed: SumVariance


def pair_sums(results: TournamentTotals, with_tails: bool) -> dict[tuple[int, int], PairSum]:
    """The sums of each two bots that met and won something there, the lower number first."""
    found: dict[tuple[int, int], list[_Meetings]] = {}
    for met in _meetings(results):
        codes = met.first * len(results.bots) + met.second
        order = np.argsort(codes, kind="stable")
        for places in np.split(order, np.flatnonzero(np.diff(codes[order])) + 1):
            of_pair = met.some(places)
            pair = int(of_pair.first[0]), int(of_pair.second[0])
            found.setdefault(pair, []).append(of_pair)
    sums = {pair: _pair_sum(found[pair], with_tails) for pair in sorted(found)}
    return {pair: pair_sum for pair, pair_sum in sums.items() if pair_sum is not None}


class _Meetings(NamedTuple):
    """The lineups of some populations in which two bots sit, once for each two of them.

    `first` and `second` are the bots, `rows` the populations, and `of_first` and `of_second` the
    indices of what they won among the numbers of a deal.
    """

    populations: Populations
    first: Ints
    second: Ints
    rows: Ints
    of_first: Ints
    of_second: Ints

    def some(self, indices: Ints) -> "_Meetings":
        """Those at these indices."""
        return _Meetings(self.populations, *(numbers[indices] for numbers in self[1:]))


def _meetings(results: TournamentTotals) -> Iterator[_Meetings]:
    """Those of the populations of each shape."""
    players = results.players
    first, second = np.array([*combinations(range(players), 2)], np.int64).reshape(-1, 2).T
    for each in results.deals.populations if players > 1 else ():
        count, size = each.lineups.shape[:2]
        shape = count, size, len(first)
        start = 2 * players * np.arange(size)[:, None]
        yield _Meetings(
            each,
            each.lineups[:, :, first].ravel(),
            each.lineups[:, :, second].ravel(),
            np.broadcast_to(np.arange(count)[:, None, None], shape).ravel(),
            np.broadcast_to(start + first, shape).ravel(),
            np.broadcast_to(start + second, shape).ravel(),
        )


def _pair_sum(met: Sequence[_Meetings], with_tails: bool) -> PairSum | None:
    """The sums of two bots from the lineups in which both sit."""
    first_won = sum(int(each.populations.totals[each.rows, each.of_first].sum()) for each in met)
    second_won = sum(int(each.populations.totals[each.rows, each.of_second].sum()) for each in met)
    if first_won + second_won <= 0:
        return None
    score, parts = first_won / (first_won + second_won), list[WeightedDeals]()
    for each in met:
        rows, indices = np.unique(each.rows, return_inverse=True)
        weights = np.zeros((len(rows), each.populations.totals.shape[1]))
        np.add.at(weights, (indices, each.of_first), 1 - score)
        np.add.at(weights, (indices, each.of_second), -score)
        parts.append(WeightedDeals(each.populations, rows, weights, np.zeros(len(rows))))
    return PairSum(first_won + second_won, score, sum_variance(parts, with_tails))


def meetings(results: TournamentTotals) -> tuple[Ints, Ints]:
    """The number of deals, and of games, in which each two bots met."""
    bots = len(results.bots)
    deals, games = np.zeros((2, bots, bots), np.int64)
    for met in _meetings(results):
        of_each = met.populations.deals
        first, second, rows = np.unique(met[1:4], axis=1)
        np.add.at(deals, (first, second), of_each[rows])
        np.add.at(games, (met.first, met.second), of_each[met.rows] * len(results.orders))
    return deals + deals.T, games + games.T


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
