"""Scores and crosstables by hand, against their definition, and on simulated deals."""

from collections.abc import Callable
from random import Random

import numpy as np
import pytest
from helpers.dealt import met, score_of
from helpers.oracles import stats
from helpers.simulated import Run as Played
from helpers.simulated import Truth, results
from msgspec.structs import replace

from cantstop_arena.deals.outcomes import WIN_UNITS, Tally
from cantstop_arena.ratings.estimate import Estimate
from cantstop_arena.ratings.scores import (
    crosstable,
    decided_pairs,
    meetings,
    pair_errors,
    per_game,
    score_error,
    scores,
)

pytestmark = pytest.mark.filterwarnings("error")


def test_a_score_by_hand() -> None:
    """Four deals of two games: 2, 1, 1 and 2 games won."""
    found = score_of([2, 1, 1, 2])
    variance_of_share = (1 / 3) / 4 / 2**2
    effective = 0.75 * 0.25 / variance_of_share
    assert effective == pytest.approx(9)
    low, high = _wilson_by_its_roots(0.75, effective, stats.t.ppf(0.975, 3))
    assert (found.mean, found.low, found.high) == pytest.approx((0.75, low, high), abs=1e-9)


def _wilson_by_its_roots(share: float, games: float, quantile: float) -> list[float]:
    """Wilson's limits are the p with (share - p)² = quantile² p (1 - p) / games."""
    ease = quantile**2 / games
    return sorted(np.roots([1 + ease, -(2 * share + ease), share**2]).tolist())


@pytest.mark.parametrize("share", [0, 1])
def test_all_or_nothing_counts_the_deals(share: int) -> None:
    found = score_of([2 * share] * 50)
    low, high = _wilson_by_its_roots(share, 50, stats.t.ppf(0.975, 49))
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-9)
    assert found.mean == share
    assert 0 <= (found.low or 0) <= (found.high or 0) <= 1


def test_equal_deals_leave_what_their_number_allows() -> None:
    """That all 1000 deals are the same is no surprise if one in 300 is not."""
    found = score_of([1] * 1000)
    rare = 1 - 0.05**0.001
    assert found.mean == 0.5
    assert (found.low, found.high) == pytest.approx((0.5 - rare / 2, 0.5 + rare / 2))
    assert (1 - rare) ** 1000 == pytest.approx(0.05)


@pytest.mark.parametrize(("deals", "share"), [(0, None), (1, 0.5)])
def test_too_few_deals_say_nothing(deals: int, share: float | None) -> None:
    found = score_of([1] * deals)
    assert (found.mean, found.low, found.high) == (share, 0, 1)


def test_that_rivals_differ_is_no_luck() -> None:
    """Each lineup's deals vary about the lineup's own mean: against the definition."""
    rng = np.random.default_rng(31)
    won = {(0, 1): rng.binomial(2, 0.9, 30), (0, 2): rng.binomial(2, 0.2, 20)}
    every = np.concatenate([*won.values()])
    parts = [float(np.var(games, ddof=1)) * len(games) for games in won.values()]
    dof = min(sum(parts) ** 2 / (parts[0] ** 2 / 31 + parts[1] ** 2 / 21) - 2, 48)
    found = score_error(met({group: games.tolist() for group, games in won.items()}, 100), 0)
    assert found and found.variance == pytest.approx(sum(parts) / 100**2)
    assert found.degrees_of_freedom == pytest.approx((dof, dof), abs=1e-3)
    assert found.variance < 0.6 * 50 * every.var(ddof=1) / 100**2


def test_lineups_of_a_single_deal_vary_about_the_mean_of_all() -> None:
    """They have no mean of their own to vary about; 0 would be no error but the lack of one."""
    found = scores(met({(0, 1): [2], (0, 2): [0], (0, 3): [1], (0, 4): [1]}))[0]
    variance = 4 / 3 * (1 + 1) / 8**2
    wanted = _wilson_by_its_roots(0.5, 0.25 / variance, stats.t.ppf(0.975, 3))
    assert [found.low, found.high] == pytest.approx(wanted, abs=1e-9)


def _deal_apart(random: Random) -> int:
    """Games won of two, dice deciding both: truth 0.5, deals far apart."""
    return sum(random.random() < chance for chance in [random.choice([0.1, 0.9])] * 2)


def _deal_balanced(random: Random) -> int:
    """Games won of two, the seat deciding mostly: truth 0.5, deals much alike."""
    return 1 if random.random() < 0.6 else random.choice([0, 1, 1, 2])


def _deal_lopsided(random: Random) -> int:
    """Games won of two: truth 0.1."""
    return 2 * (random.random() < 0.05) + (random.random() < 0.1)


@pytest.mark.parametrize(
    ("deal", "truth"), [(_deal_apart, 0.5), (_deal_balanced, 0.5), (_deal_lopsided, 0.1)]
)
def test_intervals_hold_the_truth_19_times_in_20(
    deal: Callable[[Random], int], truth: float
) -> None:
    random, repetitions, deals = Random(1980), 2000, 60
    held = 0
    for _ in range(repetitions):
        found = score_of([deal(random) for _ in range(deals)])
        assert found.low is not None and found.high is not None
        held += found.low <= truth <= found.high
    assert 0.93 <= held / repetitions <= 0.97


def test_scores_and_cells_are_of_the_games_played() -> None:
    """Against sums over single games, of groups that played different deals."""
    rng = np.random.default_rng(32)
    truth = Truth([1, 0, 0, -1], [0.2, 0, -0.2])
    some = replace(truth, lineups=[(0, 1, 2)])
    runs: list[Played] = [truth.run(20, rng), some.run(9, rng)]
    played = results(5, 3, runs)
    games = [3 * 6 * 20 + 6 * 9] * 3 + [3 * 6 * 20, 0]
    assert (meetings(played)[1].sum(axis=1) // 2).tolist() == games
    assert scores(played)[4].mean is None
    won = np.zeros((5, 5))
    for seating, tally in played.tallies.items():
        for bot, parts in zip(seating, tally.wins, strict=True):
            won[bot, list(seating)] += parts
    cells = crosstable(pair_errors(played))
    for one in range(4):
        assert scores(played)[one].mean == pytest.approx(won[one, one] / WIN_UNITS / games[one])
        for other in range(4):
            cell = cells[one][other]
            if one == other:
                assert cell is None
                continue
            assert cell is not None and cell.low is not None and cell.high is not None
            wanted = won[one, other] / (won[one, other] + won[other, one])
            assert cell.mean == pytest.approx(wanted)
            assert 0 < cell.low < wanted < cell.high < 1
    assert cells[0][4] is None, "they never met"


def test_a_pairs_score_of_two_seats_is_the_plain_score() -> None:
    played = Truth([0.5, 0], [0.2, -0.2], 0.5).played(40, np.random.default_rng(33))
    cell, plain = crosstable(pair_errors(played))[0][1], scores(played)[0]
    assert cell is not None
    assert cell.mean == plain.mean
    assert (cell.low, cell.high) == pytest.approx((plain.low, plain.high))


def test_mean_counts_have_students_interval() -> None:
    turns = [8, 9, 11, 9, 10]
    tally = Tally(5, (300,), 0, 0, {"n": (sum(turns),)}, {"n": sum(n * n for n in turns)})
    found = per_game(replace(results(2, 1, []), tallies={(0,): tally}), "n")
    low, high = stats.t.interval(0.95, 4, np.mean(turns), stats.sem(turns))
    assert (found[0].mean, found[0].low, found[0].high) == pytest.approx((9.4, low, high))
    assert found[1].mean is None


def test_one_game_has_a_mean_but_no_interval() -> None:
    tally = Tally(1, (60,), 0, 0, {"n": (12,)}, {"n": 144})
    found = per_game(replace(results(1, 1, []), tallies={(0,): tally}), "n")[0]
    assert (found.mean, found.low, found.high) == (12, None, None)


def test_what_counts_as_decided_is_corrected_for_all_pairs() -> None:
    truth = Truth((0.15, 0.0, 0.0, -0.1), (0.0, 0.0))
    played = truth.played(200, np.random.default_rng(31))
    errors = pair_errors(played)
    cells, decided = crosstable(errors), decided_pairs(errors)
    pairs = [(bot, rival) for bot in range(4) for rival in range(bot + 1, 4)]
    alone = [pair for pair in pairs if (cell := cells[pair[0]][pair[1]]) and not _holds_half(cell)]
    assert alone == [(0, 3), (1, 2)]
    assert [pair for pair in pairs if decided[pair]] == [(0, 3)]
    assert (decided == decided.T).all()


def _holds_half(cell: Estimate) -> bool:
    return (cell.low or 0.0) <= 0.5 <= (cell.high or 1.0)
