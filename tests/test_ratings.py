"""Strengths against scipy's maximum, intervals against simulated deals, and edge cases."""

from collections.abc import Callable, Mapping
from itertools import combinations
from math import exp, isfinite, log
from random import Random
from typing import Any

import numpy as np
import pytest
from dealt import deals_of
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import optimize, stats

from cantstop_arena.outcomes import WHOLE, Group, Results, Tally, seatings
from cantstop_arena.ratings.luce import ELO, Evidence, Ratings, fit, gathered, rate
from cantstop_arena.ratings.scores import DealSums, crosstable, per_game, score, scores, student

Wins = dict[Group, tuple[float, ...]]


def rated(bots: int, wins: Wins) -> Ratings:
    return fit(evidence(bots, wins))


def evidence(bots: int, wins: Wins) -> Evidence:
    seats = len(next(iter(wins), (0, 0)))
    lineups = np.array(list(wins), np.int64).reshape(-1, seats)
    return Evidence(bots, lineups, np.array(list(wins.values()), float).reshape(-1, seats))


def played(
    tallies: Mapping[Any, Tally], bots: int, sums: tuple[tuple[int, int, int], ...] = ()
) -> Results:
    return Results(
        name="test",
        game="game",
        rules={},
        players=len(next(iter(tallies), (0, 1))),
        seed=1,
        bots=tuple(f"bot{number}" for number in range(bots)),
        tallies=tallies,
        deals=deals_of(len(next(iter(tallies), (0, 1))), sums),
        rates={},
    )


def won(*wins: float, unfinished: int = 0) -> Tally:
    parts = tuple(round(WHOLE * share) for share in wins)
    return Tally(round(sum(wins)), parts, unfinished, 0, {}, {})


def random_wins(bots: int, seats: int, random: Random) -> Wins:
    """Shared wins among them: parts of a sixtieth."""
    return {
        group: tuple(random.randint(30, 6000) / WHOLE for _ in group)
        for group in combinations(range(bots), seats)
    }


def scipy_strengths(bots: int, wins: Wins) -> NDArray[np.float64]:
    def loss(strengths: NDArray[np.complex128]) -> Any:
        return sum(
            share * (np.log(sum(np.exp(strengths[other]) for other in group)) - strengths[bot])
            for group, shares in wins.items()
            for bot, share in zip(group, shares, strict=True)
        ) / sum(map(sum, wins.values()))

    found = optimize.minimize(loss, np.zeros(bots), jac="cs", method="BFGS", tol=1e-10)
    return np.asarray(found.x - found.x.mean())


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_strengths_are_those_that_scipy_finds(seats: int, seed: int) -> None:
    wins = random_wins(6, seats, Random(seed))
    ours = rated(6, wins)
    assert ours.strengths == pytest.approx(scipy_strengths(6, wins), abs=1e-6)
    assert not ours.regularised


def test_three_wins_to_one_are_190_85_elo() -> None:
    ratings = rated(2, {(0, 1): (3, 1)})
    assert ratings.elo[0] - ratings.elo[1] == pytest.approx(400 * log(3, 10), abs=1e-9)
    assert round(ratings.elo[0] - ratings.elo[1], 2) == 190.85
    assert sum(ratings.elo) == pytest.approx(3000)


def test_a_table_of_four_by_hand() -> None:
    ratings = rated(4, {(0, 1, 2, 3): (40, 30, 20, 10)})
    gaps = np.array(ratings.strengths) - ratings.strengths[3]
    assert gaps == pytest.approx([log(4), log(3), log(2), 0], abs=1e-12)


@pytest.mark.parametrize("seed", range(20))
def test_identical_counts_rate_equal_to_the_last_digit(seed: int) -> None:
    random = Random(seed)
    against = [(random.randint(1, 10**6), random.randint(1, 10**6)) for _ in range(5)]
    wins: Wins = {(twin, 2 + other): won for twin in (0, 1) for other, won in enumerate(against)}
    wins[0, 1] = (5000, 5000)
    ratings = rated(7, wins)
    assert ratings.strengths[0] == ratings.strengths[1]
    assert len(set(ratings.elo)) == 6


@given(seed=st.integers(0, 10**6), seats=st.integers(2, 4), names=st.permutations(range(6)))
def test_other_numbers_for_the_bots_change_no_rating(
    seed: int, seats: int, names: list[int]
) -> None:
    wins = random_wins(6, seats, Random(seed))
    renamed = [(tuple(names[bot] for bot in group), shares) for group, shares in wins.items()]
    Random(seed).shuffle(renamed)
    there = rated(6, dict(renamed)).elo
    assert [there[name] for name in names] == pytest.approx(rated(6, wins).elo, abs=1e-9, rel=0)


def test_twice_the_games_are_the_same_ratings() -> None:
    wins = random_wins(5, 3, Random(7))
    twice: Wins = {group: tuple(2 * share for share in shares) for group, shares in wins.items()}
    assert rated(5, twice).elo == pytest.approx(rated(5, wins).elo, abs=1e-9, rel=0)


def test_the_order_of_seats_and_seatings_does_not_matter() -> None:
    tallies = {
        seating: won(*(1 + bot + 2 * seat for seat, bot in enumerate(seating)))
        for group in combinations(range(4), 3)
        for seating in seatings(group)
    }
    found = gathered(played(tallies, 4))
    assert found.lineups.tolist() == [list(group) for group in combinations(range(4), 3)]
    assert found.wins[0].tolist() == [18, 24, 30]
    backwards = dict(reversed(tallies.items()))
    assert rate(played(backwards, 4)) == rate(played(tallies, 4))


def test_shared_wins_count_in_parts() -> None:
    half = rate(played({(0, 1): won(2.5, 0.5), (1, 0): won(0.5, 0.5)}, 2))
    assert half.elo == pytest.approx(rated(2, {(0, 1): (3, 1)}).elo)


def test_who_won_everything_is_far_ahead_and_said_to_be_at_the_bound() -> None:
    wins: Wins = {(0, 1): (100, 0), (0, 2): (100, 0), (1, 2): (60, 40)}
    ratings = rated(3, wins)
    assert ratings.at_bound == (0,)
    assert ratings.regularised
    assert 600 < ratings.elo[0] - ratings.elo[1] < 1200
    virtual: Wins = {group: (a + 0.5, b + 0.5) for group, (a, b) in wins.items()}
    assert ratings.strengths == pytest.approx(scipy_strengths(3, virtual), abs=1e-6)


def test_who_won_nothing_is_far_behind_and_said_to_be_at_the_bound() -> None:
    ratings = rated(4, {(0, 1, 2): (5, 5, 0), (0, 1, 3): (5, 4, 3), (1, 2, 3): (4, 0, 4)})
    assert ratings.at_bound == (2,)
    assert min(ratings.elo) == ratings.elo[2]


def test_one_win_somewhere_is_enough_for_a_maximum() -> None:
    ratings = rated(3, {(0, 1): (100, 0), (1, 2): (100, 0), (0, 2): (99, 1)})
    assert not ratings.regularised


def test_two_bots_with_one_sided_games_are_both_at_the_bound() -> None:
    ratings = rated(2, {(0, 1): (10**9, 0)})
    assert ratings.at_bound == (0, 1)
    assert ratings.strengths[0] - ratings.strengths[1] == pytest.approx(log((1e9 + 0.5) / 0.5))


def test_fields_that_never_met_have_a_mean_of_1500_each() -> None:
    wins: Wins = {(0, 2): (3, 1), (1, 3): (10, 0), (1, 4): (9, 1), (3, 4): (5, 5)}
    ratings = rated(6, wins)
    assert ratings.fields == (0, 1, 0, 1, 1, 5)
    assert ratings.at_bound == ()
    assert sum(ratings.elo[bot] for bot in (0, 2)) == pytest.approx(3000)
    assert sum(ratings.elo[bot] for bot in (1, 3, 4)) == pytest.approx(4500)
    assert ratings.elo[5] == 1500


def test_a_long_circle_of_winners_needs_no_virtual_games() -> None:
    circle: Wins = {(bot, (bot + 1) % 9): (7, 0) for bot in range(9)}
    assert not rated(9, circle).regularised
    assert rated(9, circle).elo == pytest.approx([1500] * 9)
    broken: Wins = {**circle, (8, 0): (0, 7)}
    assert rated(9, broken).at_bound == tuple(range(9))


def test_a_group_that_has_not_played_gets_no_virtual_game() -> None:
    some = {(0, 1): won(9, 0), (0, 2): won(9, 1), (1, 2): won(0, 0)}
    wins: Wins = {(0, 1): (9.5, 0.5), (0, 2): (9.5, 1.5)}
    assert rate(played(some, 3)).strengths == pytest.approx(rated(3, wins).strengths)


def test_virtual_games_stay_in_the_field_that_needs_them() -> None:
    ratings = rated(4, {(0, 1): (3, 1), (2, 3): (9, 0)})
    assert ratings.at_bound == (2, 3)
    assert ratings.elo[0] - ratings.elo[1] == pytest.approx(ELO * log(3))


@pytest.mark.parametrize("bots", [1, 2, 5])
def test_no_games_are_no_differences(bots: int) -> None:
    ratings = rated(bots, {})
    assert ratings.elo == (1500,) * bots
    assert not ratings.regularised
    unplayed = {group: won(0, 0) for group in combinations(range(bots), 2)}
    assert rate(played(unplayed, bots)) == ratings


def test_a_bot_alone_is_average() -> None:
    assert rate(played({(0,): won(10), (1,): won(10)}, 2)).elo == (1500, 1500)


@given(
    seed=st.integers(0, 10**6),
    seats=st.integers(2, 4),
    scale=st.sampled_from([(0, 0, 1), (0, 0.5, 10**9), (0, 1, 1000, 10**6)]),
)
def test_no_games_whatever_give_a_rating_without_bounds(
    seed: int, seats: int, scale: tuple[float, ...]
) -> None:
    random = Random(seed)
    wins = {
        group: tuple(random.choice(scale) for _ in group)
        for group in combinations(range(6), seats)
        if random.random() < 0.6
    }
    wins = {group: shares for group, shares in wins.items() if any(shares)}
    ratings = rated(6, wins)
    assert all(isfinite(elo) and abs(elo) < 1e5 for elo in ratings.elo)
    for field in set(ratings.fields):
        members = [bot for bot in range(6) if ratings.fields[bot] == field]
        assert sum(ratings.elo[bot] for bot in members) == pytest.approx(1500 * len(members))


@pytest.mark.parametrize(
    "wins",
    [
        {
            **{(0, 1, 3): (0, 0, 1 / 60), (0, 2, 5): (0, 1 / 60, 1e9)},
            **{(1, 2, 6): (5, 5, 0), (1, 3, 5): (0, 1000, 0)},
        },
        {
            **{(0, 2, 4): (1 / 60, 1e12, 0), (0, 3, 4): (0, 0, 1), (0, 3, 5): (1, 0, 0)},
            **{(1, 2, 4): (0, 0, 1 / 60), (1, 3, 5): (1 / 60, 0, 1)},
            **{(2, 3, 5): (0, 1e12, 1e12), (2, 4, 5): (0, 1, 0)},
        },
    ],
)
def test_newtons_equations_stay_regular(wins: Wins) -> None:
    """Games that numbers of sixteen digits cannot weigh against each other."""
    assert all(isfinite(elo) for elo in rated(7, wins).elo)


@pytest.mark.parametrize(
    "wins",
    [
        {
            **{(0, 1): (10000, 2), (0, 2): (0, 10), (0, 3): (0, 1), (0, 4): (1, 0)},
            **{(1, 2): (0, 1), (1, 3): (1, 2), (1, 4): (2, 1000), (2, 3): (10, 10000)},
            **{(2, 4): (1, 10000), (3, 4): (2, 2)},
        },
        {
            **{(0, 1): (10**4, 10**4), (0, 2): (1, 1000), (0, 3): (2, 10**8)},
            **{(1, 2): (1000, 10**8), (1, 3): (0, 10), (2, 3): (10**4, 10**8)},
        },
    ],
)
def test_newton_does_not_diverge_where_its_first_steps_leap_too_far(wins: Wins) -> None:
    bots = 1 + max(bot for group in wins for bot in group)
    strengths = rated(bots, wins).strengths
    for bot in range(bots):
        won = sum(shares[group.index(bot)] for group, shares in wins.items() if bot in group)
        assert _expected(bot, wins, strengths) == pytest.approx(won, rel=1e-9)


def _expected(bot: int, wins: Wins, strengths: tuple[float, ...]) -> float:
    return sum(
        sum(shares) * exp(strengths[bot]) / sum(exp(strengths[other]) for other in group)
        for group, shares in wins.items()
        if bot in group
    )


# --- scores -------------------------------------------------------------------------------------


def test_students_quantile_is_scipys() -> None:
    for freedom in [*range(1, 40), 100, 10**6]:
        assert student(freedom) == pytest.approx(stats.t.ppf(0.975, freedom), abs=5e-5)


def test_a_score_by_hand() -> None:
    """Four deals of two games: 2, 1, 1 and 2 games won."""
    found = score(DealSums(4, 6 * WHOLE, (4 + 1 + 1 + 4) * WHOLE**2), games=8)
    variance_of_share = (1 / 3) / 4 / 2**2
    effective = 0.75 * 0.25 / variance_of_share
    assert effective == pytest.approx(9)
    low, high = _wilson_by_its_roots(0.75, effective, stats.t.ppf(0.975, 3))
    assert (found.mean, found.low, found.high) == pytest.approx((0.75, low, high), abs=1e-8)


def _wilson_by_its_roots(share: float, games: float, quantile: float) -> list[float]:
    """Wilson's limits are the p with (share - p)² = quantile² p (1 - p) / games."""
    ease = quantile**2 / games
    return sorted(np.roots([1 + ease, -(2 * share + ease), share**2]).tolist())


@pytest.mark.parametrize("share", [0, 1])
def test_all_or_nothing_counts_the_deals(share: int) -> None:
    found = score(DealSums(50, share * 100 * WHOLE, share * 50 * (2 * WHOLE) ** 2), games=100)
    low, high = _wilson_by_its_roots(share, 50, stats.t.ppf(0.975, 49))
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-8)
    assert found.mean == share
    assert 0 <= (found.low or 0) <= (found.high or 0) <= 1


def test_a_bot_against_itself_is_known_exactly() -> None:
    found = score(DealSums(1000, 1000 * WHOLE, 1000 * WHOLE**2), games=2000)
    assert (found.mean, found.low, found.high) == (0.5, 0.5, 0.5)


@pytest.mark.parametrize(("deals", "games", "share"), [(0, 0, None), (1, 2, 0.5)])
def test_too_few_deals_say_nothing(deals: int, games: int, share: float | None) -> None:
    found = score(DealSums(deals, deals * WHOLE, deals * WHOLE**2), games)
    assert (found.mean, found.low, found.high) == (share, 0, 1)


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
        won = [deal(random) * WHOLE for _ in range(deals)]
        sums = DealSums(deals, sum(won), sum(parts**2 for parts in won))
        found = score(sums, games=2 * deals)
        assert found.low is not None and found.high is not None
        held += found.low <= truth <= found.high
    assert 0.93 <= held / repetitions <= 0.97


def test_scores_count_every_game_a_bot_sat_in() -> None:
    tallies = {(0, 1): won(3, 1), (1, 0): won(2, 2), (0, 2): won(4, 0), (2, 0): won(1, 3)}
    sums = ((4, 12 * WHOLE, 40 * WHOLE**2),) * 3
    assert [found.games for found in scores(played(tallies, 3, sums))] == [16, 8, 8]
    assert scores(played(tallies, 3, sums))[0].mean == 12 / 16


def test_a_pairs_score_is_of_the_games_that_one_of_them_won() -> None:
    tallies = {(0, 1, 2): won(3, 1, 6), (2, 1, 0): won(5, 2, 3), (0, 1, 3): won(1, 0, 4)}
    cells = crosstable(played(tallies, 5))
    assert cells[0][1] == 7 / 10
    assert cells[1][0] == 3 / 10
    assert cells[0][2] == 6 / 17
    assert cells[1][3] == 0
    assert cells[2][3] is None, "they never met"
    assert cells[0][0] is None


def test_a_pairs_score_of_two_seats_is_the_plain_score() -> None:
    cells = crosstable(played({(0, 1): won(7, 3), (1, 0): won(2.5, 7.5)}, 2))
    assert cells == ((None, 14.5 / 20), (5.5 / 20, None))


def test_mean_counts_have_students_interval() -> None:
    turns = [8, 9, 11, 9, 10]
    tally = Tally(5, (300,), 0, 0, {"n": (sum(turns),)}, {"n": sum(n * n for n in turns)})
    found = per_game(played({(0,): tally}, 2), "n")
    low, high = stats.t.interval(0.95, 4, np.mean(turns), stats.sem(turns))
    assert (found[0].mean, found[0].low, found[0].high) == pytest.approx((9.4, low, high))
    assert (found[1].games, found[1].mean) == (0, None)


def test_one_game_has_a_mean_but_no_interval() -> None:
    tally = Tally(1, (60,), 0, 0, {"n": (12,)}, {"n": 144})
    found = per_game(played({(0,): tally}, 1), "n")[0]
    assert (found.mean, found.low, found.high) == (12, None, None)
