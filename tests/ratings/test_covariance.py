"""Errors of ratings against statsmodels, distributions against scipy, groups, and coverage."""

import sys
from collections.abc import Callable
from itertools import combinations, permutations
from math import atan, log, pi
from random import Random

import numpy as np
import pytest
from coverage_study import SITUATIONS, Situation, studied
from helpers.oracles import multitest, sm, stats
from helpers.parameters import long_but
from helpers.simulated import Run, Truth, results, seatings_of

from cantstop_arena.deals.deal_variance import degrees_of_freedom, tails
from cantstop_arena.deals.seatings import Group
from cantstop_arena.ratings.covariance import Sandwich
from cantstop_arena.ratings.elo import even_score, rate
from cantstop_arena.ratings.model.evidence import gather_evidence
from cantstop_arena.ratings.model.luce import ELO, fit
from cantstop_arena.ratings.significance import (
    assign_groups,
    chi_square_tail,
    fisher_tail,
    holm,
    letter,
    letters_in,
    normal_tail,
    ranks,
    student_quantile,
    student_tail,
)

pytestmark = pytest.mark.filterwarnings("error")


def as_rows(run: Run, bots: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Single games of two: who won, the design (bots but the first, then the seat), and the deal
    of the lineup, by number.
    """
    won, design, deals = [], [], []
    for group, winners in run.items():
        for seating, masks in zip(seatings_of(group), winners.T, strict=True):
            row = np.zeros(bots)
            row[seating[0]] += 1
            row[seating[1]] -= 1
            for deal, mask in enumerate(masks):
                won.append(mask == 1)
                design.append([*row[1:], 1])
                deals.append(1000 * list(run).index(group) + deal)
    return np.array(won, float), np.array(design), np.array(deals)


@pytest.mark.slow
@pytest.mark.parametrize("shared", [0.0, 0.8])
def test_errors_are_those_of_statsmodels_for_clusters(shared: float) -> None:
    """Where the model holds: its residuals are about the model, ours about the lineup's mean."""
    truth = Truth([0.8, 0.2, 0, -1], [0.2, -0.2], shared)
    run = truth.run(150, np.random.default_rng(11))
    won, design, deals = as_rows(run, 4)
    options = {"groups": deals, "use_correction": False}
    found = sm.Logit(won, design).fit(disp=0, tol=1e-12, cov_type="cluster", cov_kwds=options)
    ratings = rate(results(4, 2, [run]))
    strengths = np.concatenate([[0], found.params[:3]])
    even, derivatives = even_score(strengths)
    contrast = (np.eye(4) - derivatives)[:, 1:]
    assert even != pytest.approx(strengths.mean(), abs=1e-3)
    assert ratings.elo == pytest.approx(1500 + ELO * (strengths - even), abs=1e-6)
    theirs = ELO**2 * contrast @ found.cov_params()[:3, :3] @ contrast.T
    assert np.sqrt(ratings.covariance.diagonal()) == pytest.approx(
        np.sqrt(theirs.diagonal()), rel=0.02
    )
    first = ratings.first_seat
    assert first is not None
    assert first.points == pytest.approx(ELO * found.params[3], abs=1e-6)
    assert first.error == pytest.approx(ELO * found.bse[3], rel=0.02)
    reach = stats.t.ppf(0.975, 3 * 149) * (ratings.errors[0] or 0)
    assert ratings.low[0] == pytest.approx(ratings.elo[0] - reach, rel=1e-3)


def test_errors_for_three_seats_are_the_sandwich_by_definition() -> None:
    """Single games one by one, in place of sums over deals, each lineup's about its mean."""
    truth = Truth([0.8, 0.2, 0, -1], [0.2, 0, -0.2], 0.6)
    run = truth.run(40, np.random.default_rng(12))
    played = results(4, 3, [run])
    evidence, order = gather_evidence(played)
    model = fit(evidence)
    middle = np.zeros((7, 7))
    curvature = np.zeros((7, 7))
    for group, winners in run.items():
        scores = np.zeros((40, 7))
        for seating, masks in zip(seatings_of(group), winners.T, strict=True):
            canonical = [int(np.flatnonzero(order == bot)[0]) for bot in seating]
            rows = np.zeros((3, 7))
            for seat, bot in enumerate(canonical):
                rows[seat, [bot, 4 + seat]] = 1
            chance = np.exp(rows @ model.parameters)
            chance /= chance.sum()
            curvature += 40 * rows.T @ (np.diag(chance) - np.outer(chance, chance)) @ rows
            won = np.array([[mask >> seat & 1 for seat in range(3)] for mask in masks])
            scores += (won - chance) @ rows
        middle += 40 * np.cov(scores.T)
    inverse = np.linalg.pinv(curvature)
    wanted = inverse @ middle @ inverse
    found = Sandwich(model).covariance
    differences = np.array(
        [[1, -1, 0, 0, 0, 0, 0], [0, 1, 0, -1, 0, 0, 0], [0, 0, 0, 0, 2, -1, -1]]
    )
    assert differences @ found @ differences.T == pytest.approx(
        differences @ wanted @ differences.T, abs=1e-9
    )


def test_two_runs_of_the_same_deals_are_corrected_as_bell_and_mccaffrey_do() -> None:
    """One stretch cut in two: degrees of freedom are those of the whole."""
    truth = Truth([0.5, 0, -0.5], [0.1, -0.1], 0.5)
    run = truth.run(40, np.random.default_rng(13))
    parts: list[Run] = [
        {group: winners[:20] for group, winners in run.items()},
        {group: winners[20:] for group, winners in run.items()},
    ]
    whole, cut = rate(results(3, 2, [run])), rate(results(3, 2, parts))
    assert cut.elo == pytest.approx(whole.elo, abs=1e-9)
    assert cut.errors == pytest.approx(whole.errors, rel=1e-6)
    assert cut.low == pytest.approx(whole.low, abs=1e-3)


def test_a_bot_with_few_deals_has_few_degrees_of_freedom() -> None:
    truth, rng = Truth([0.5, 0, -0.5, 0], [0.1, -0.1]), np.random.default_rng(14)
    known = Truth(truth.strengths, truth.seats, lineups=list(combinations(range(3), 2)))
    ratings = rate(results(4, 2, [known.run(1000, rng), truth.run(4, rng)]))
    error, low = ratings.errors[3], ratings.low[3]
    assert error is not None and low is not None
    assert stats.t.ppf(0.975, 10) < (ratings.elo[3] - low) / error < 3
    assert (ratings.errors[0] or 0) < error


def test_the_kurtosis_of_several_lineups_is_that_of_their_sum() -> None:
    """Σ κ v² / (Σ v)², with the excess κ and the variance v of each lineup."""
    rng = np.random.default_rng(16)
    rows = [rng.normal(size=100) ** 3, rng.exponential(size=100), rng.normal(size=100)]
    rows = [row - row.mean() for row in rows]
    found, _ = tails(np.concatenate(rows), np.full(3, 100), np.full(3, 100))
    variances = np.array([row.var() for row in rows])
    excess = np.array([stats.kurtosis(row) + 2 for row in rows])
    pooled = float((excess * variances**2).sum() / variances.sum() ** 2)
    cubes = sum(float((row**3).mean()) for row in rows)
    shared = np.sign(cubes) * cubes**2 / variances.sum() ** 3
    assert found.tolist() == pytest.approx(
        [200 / (pooled - shared), 200 / (pooled + shared)], abs=1e-3
    )


@pytest.mark.slow
def test_skewed_deals_limit_the_degrees_of_freedom_of_each_end_by_itself() -> None:
    deals = np.random.default_rng(15).exponential(size=1000)
    away = deals - deals.mean()
    excess, skewness = stats.kurtosis(away) + 2, stats.skew(away)
    low, high = degrees_of_freedom(1000, away)
    assert low == pytest.approx(2000 / (excess - skewness**2), abs=1e-3)
    assert high == pytest.approx(2000 / (excess + skewness**2), abs=1e-3)
    assert degrees_of_freedom(1000, -away) == (high, low)
    mirrored = degrees_of_freedom(2000, np.concatenate([away, -away]))
    assert mirrored.low == mirrored.high == pytest.approx(4000 / excess, abs=1e-3)


def test_a_rare_win_leaves_the_lower_end_with_students_quantile() -> None:
    """Of two values, the error follows from the mean: nothing of it varies by itself."""
    away = np.repeat([0.98, -0.02], [2, 98])
    low, high = degrees_of_freedom(100, away)
    assert low == 99
    assert high < 4


# --- distributions ------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("freedom", [1, 2, 3, 5.5, 29, 100, 299, 300, 1000, 1e5, 1e7])
def test_students_tail_and_quantile_are_scipys(freedom: float) -> None:
    deviates = np.array([-4, -1, 0, 0.1, 0.5, 1, 2, 3, 5, 8, 20])
    ours = student_tail(deviates, np.array(freedom))
    assert ours == pytest.approx(stats.t.sf(deviates, freedom), abs=1e-12, rel=1e-7)
    for tail in (0.6, 0.4, 0.1, 0.025, 1e-3, 1e-6):
        assert student_quantile(freedom, tail) == pytest.approx(
            stats.t.isf(tail, freedom), rel=1e-10
        )


def test_a_small_deviate_keeps_its_digits() -> None:
    found = float(student_tail(np.array([1e-8]), np.array(1.0))[0])
    assert found == pytest.approx(0.5 - atan(1e-8) / pi, abs=1e-16)


@pytest.mark.parametrize("freedom", [0.37, 1, 2, 3, 10, 100, 4851, 1e4])
def test_chi_squares_tail_is_scipys(freedom: float) -> None:
    for times in (0.01, 0.5, 0.9, 1, 1.1, 1.5, 2):
        ours = chi_square_tail(times * freedom, freedom)
        assert ours == pytest.approx(stats.chi2.sf(times * freedom, freedom), abs=1e-11)
    assert chi_square_tail(0, freedom) == 1


@pytest.mark.parametrize(("above", "below"), [(3, 9), (8.3, 200), (66, 1914), (1000, 1e6)])
def test_fishers_tail_is_scipys(above: float, below: float) -> None:
    for ratio in (0, 0.5, 1, 1.3, 2):
        ours = fisher_tail(ratio, above, below)
        assert ours == pytest.approx(stats.f.sf(ratio, above, below), abs=1e-9)
    assert fisher_tail(1.3, above, 1e12) == chi_square_tail(1.3 * above, above)


def test_the_normal_tail_is_scipys() -> None:
    for deviate in (-3, 0, 1, 1.96, 8, 30):
        assert normal_tail(deviate) == pytest.approx(stats.norm.sf(deviate), rel=1e-12)


# --- groups -------------------------------------------------------------------------------------


@pytest.mark.slow
def test_holms_correction_is_that_of_statsmodels() -> None:
    random = Random(5)
    for size in (1, 2, 10, 50):
        chances = np.array([random.random() ** 3 for _ in range(size)])
        theirs = multitest.multipletests(chances, method="holm")[1]
        assert holm(chances) == pytest.approx(theirs, abs=1e-12)
    assert holm(np.array([])).size == 0


def letters_of(bots: int, pairs: set[tuple[int, int]]) -> list[str]:
    apart = np.zeros((bots, bots), np.bool_)
    for one, other in pairs:
        apart[one, other] = apart[other, one] = True
    signs = [""] * bots
    assign_groups(apart, list(range(bots)), signs)
    return signs


def test_letters_by_hand() -> None:
    assert letters_of(3, set()) == ["a", "a", "a"]
    assert letters_of(3, {(0, 2)}) == ["a", "ab", "b"]
    assert letters_of(3, {(0, 1), (0, 2), (1, 2)}) == ["a", "b", "c"]
    assert letters_of(4, {(0, 3), (1, 2)}) == ["ab", "ac", "bd", "cd"]


@pytest.mark.parametrize("seed", range(20))
def test_bots_share_a_letter_unless_they_are_told_apart(seed: int) -> None:
    random = Random(seed)
    pairs = {pair for pair in combinations(range(8), 2) if random.random() < seed / 20}
    signs = letters_of(8, pairs)
    for pair in combinations(range(8), 2):
        assert bool(set(signs[pair[0]]) & set(signs[pair[1]])) == (pair not in pairs)


def test_letters_do_not_run_out() -> None:
    assert [letter(number) for number in (0, 25, 26, 53)] == ["a", "z", "a1", "b2"]
    assert letters_in("aza1b2") == ["a", "z", "a1", "b2"]


def test_ranks_are_what_significance_leaves() -> None:
    better = np.zeros((3, 3), np.bool_)
    better[0, 2] = True
    assert ranks(better) == ((1, 2), (1, 3), (2, 3))


def test_superiority_is_students() -> None:
    truth = Truth([0.3, 0, -0.2], [0.1, -0.1], 0.5)
    ratings = rate(truth.played(30, np.random.default_rng(15)))
    for one, other in permutations(range(3), 2):
        found = ratings.difference(one, other)
        assert found is not None and found.ahead.error is not None
        chance = stats.t.cdf(found.ahead.points / found.ahead.error, 2 * 29)
        assert found.superiority == pytest.approx(chance, abs=0.01)
    assert ratings.superiority(1, 1) == 0.5


# --- at large -----------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_hundred_bots_are_rated_in_few_steps() -> None:
    """Pairs of bots are reckoned together, not one by one: some steps for each of 4950 pairs."""
    rng = np.random.default_rng(16)
    played = Truth(rng.normal(size=100).tolist(), [0.1, -0.1], 0.3).played(30, rng)
    rate(played)
    assert calls_of(lambda: rate(played)) < 50 * 4950


def calls_of(work: Callable[[], object]) -> int:
    """How many functions are called."""
    calls = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(before)
    return calls


def test_one_sided_games_by_the_million_are_rated_in_a_moment() -> None:
    order = {group: group[0] for group in combinations(range(60), 2)}
    run: dict[Group, np.ndarray] = {
        group: np.array([[1, 2]], np.uint8).repeat(3, axis=0) for group in order
    }
    ratings = rate(results(60, 2, [run]))
    assert ratings.at_bound == tuple(range(60))
    assert list(ratings.elo) == sorted(ratings.elo, reverse=True)
    assert ratings.elo[0] - ratings.elo[1] > ELO * log(2)


@pytest.mark.parametrize(
    "situation", long_but(range(0, 100, 3), SITUATIONS[::7]), ids=lambda situation: situation.name
)
@pytest.mark.slow
def test_intervals_hold_the_truth(situation: Situation) -> None:
    """A small part of the study: so few repetitions scatter by some per cent."""
    found = studied(situation, 40, np.random.default_rng(17))
    for name in ("Elo", "difference", "seat", "score"):
        assert 0.88 <= found[name] <= 1, name
    for name in ("misfit", "worst pair", "letters"):
        assert found[name] <= 0.17, name


def test_a_difference_seen_from_the_other_side_has_its_ends_exchanged() -> None:
    strengths = [2.0, 0.3, -0.3, -2.0]  # deals in which the first loses or the last wins are rare
    ratings = rate(Truth(strengths, [0.0, 0.0]).played(60, np.random.default_rng(5)))
    skewed = 0
    for bot, rival in combinations(range(4), 2):
        ahead, behind = ratings.difference(bot, rival), ratings.difference(rival, bot)
        assert ahead and behind and ahead.ahead.low and ahead.ahead.high
        assert (behind.ahead.low, behind.ahead.high) == (-ahead.ahead.high, -ahead.ahead.low)
        middle = (ahead.ahead.low + ahead.ahead.high) / 2
        skewed += middle != pytest.approx(ahead.ahead.points, abs=1e-6)
    assert skewed
