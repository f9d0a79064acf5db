"""Shares of wins and mean counts, each with a 95% interval.

A score is a share of wins: 1 for a bot that won every game it sat in. Its error is in
`estimate`.
"""

from collections.abc import Iterator, Sequence
from math import sqrt

import msgspec
import numpy as np

from cantstop_arena.deals.outcomes import WIN_UNITS, Tally, TournamentTotals, win_units
from cantstop_arena.ratings.covariance import (
    MANY_DEALS,
    DealClusters,
    DegreesOfFreedom,
    degrees_of_freedom,
    degrees_of_freedom_of_rows,
    sample_of,
    wins_of_deals,
)
from cantstop_arena.ratings.estimate import Estimate, ShareError, p_values_of_even
from cantstop_arena.ratings.model.evidence import Floats, Ints, Truths
from cantstop_arena.ratings.significance import SIGNIFICANT, holm, student_quantile

NO_SAMPLE: Floats = np.zeros(0)


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
    wins = _sampled_wins(results)[len(results.bots) :]
    return tuple(
        score(_seat_runs(results, seat), expected_deals(results), wins[seat])
        for seat in range(results.players)
    )


def seat_score_error(results: TournamentTotals, seat: int) -> ShareError | None:
    """The error of a seat's share of wins; None without games."""
    runs = _seat_runs(results, seat)
    if not any(run.deals for run in runs):
        return None
    wins = _sampled_wins(results)[len(results.bots) + seat]
    return _score_error(runs, expected_deals(results), wins)


def _seat_runs(results: TournamentTotals, seat: int) -> list[DealRun]:
    """All deals, with what a seat won in them."""
    index, orders = len(results.bots) + seat, len(results.orders)
    return [
        DealRun(
            deal_range.deals,
            orders * len(deal_range.groups),
            int(deal_range.totals[index]),
            int(deal_range.products[index, index]),
            win_units(results.players),
        )
        for deal_range in results.deals.ranges
    ]


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

    `sampled_wins` are those of a sample of the deals, less their mean.
    """
    games = sum(run.deals * run.games for run in runs)
    if games == 0:
        return Estimate(None, 0.0, 1.0)
    error = _score_error(runs, expected, sampled_wins)
    return Estimate(error.share, *error.interval)


def score_error(results: TournamentTotals, bot: int) -> ShareError | None:
    """The error of a bot's score; None if it has not played."""
    runs = _runs(results)[bot]
    if not any(run.deals for run in runs):
        return None
    return _score_error(runs, expected_deals(results), _sampled_wins(results)[bot])


def _score_error(
    runs: Sequence[DealRun], expected: float | None, sampled_wins: Floats
) -> ShareError:
    deals = sum(run.deals for run in runs)
    games = sum(run.deals * run.games for run in runs)
    total = sum(run.total for run in runs)
    squares = sum(_squared_residuals(run, total, games) for run in runs)
    units = runs[0].win_units
    return ShareError(
        total / (units * games),
        squares / (units * games * games) ** 2,
        deals,
        deals,
        degrees_of_freedom(deals, sampled_wins),
        expected,
    )


def _squared_residuals(run: DealRun, total: int, games: int) -> int:
    """Σ (won - score · games)² over the deals, times all games squared, exactly."""
    expected = total * run.games
    return (
        run.squares * games**2 - 2 * run.total * games * expected + run.deals * expected * expected
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
    return [*_rows_of_pair_errors(results)]


def _rows_of_pair_errors(results: TournamentTotals) -> Iterator[list[ShareError | None]]:
    deals, _ = meetings(results)
    bots = range(len(results.bots))
    sample = _sample(results)
    for bot in bots:
        degrees = degrees_of_freedom_of_rows(deals[bot], _sampled_cells(results, sample, bot))
        yield [
            _cell_error(results, int(deals[bot, rival]), bot, rival, degrees[rival])
            for rival in bots
        ]


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
    results: TournamentTotals, deals: int, bot: int, rival: int, degrees: DegreesOfFreedom
) -> ShareError | None:
    pairs = results.deals.pairs
    bot_units, rival_units = int(pairs.win_units[bot, rival]), int(pairs.win_units[rival, bot])
    if bot == rival or bot_units + rival_units <= 0:
        return None
    squares = int(pairs.squares[bot, rival]), int(pairs.squares[rival, bot])
    share = bot_units / (bot_units + rival_units)
    return ShareError(
        share,
        pair_variance(bot_units, rival_units, squares, int(pairs.crossed[bot, rival])),
        deals,
        min(float(deals), (bot_units + rival_units) / win_units(results.players)),
        degrees,
        expected_deals(results),
    )


def _sampled_cells(results: TournamentTotals, sample: DealClusters | None, bot: int) -> Floats:
    """The residuals of a bot's score against each rival in sampled deals: a row for each rival."""
    bots = len(results.bots)
    if sample is None:
        return np.zeros((bots, 0))
    seated = (sample.lineups == bot).any(axis=0)
    lineups = sample.lineups[:, seated]
    won = DealClusters(lineups, sample.masks[:, seated]).won(results.players)
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
