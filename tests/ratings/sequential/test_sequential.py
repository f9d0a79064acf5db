"""Confidence sequences, the sequential test and planning, against other programs and simulation."""

from itertools import count, pairwise
from math import inf, sqrt
from typing import Any

import numpy as np
import pytest
from helpers.oracles import optimize, power_tables
from numpy.typing import NDArray

from cantstop_arena.deals.deal_variance import DegreesOfFreedom
from cantstop_arena.ratings.estimate import ShareError
from cantstop_arena.ratings.sequential.confidence import (
    FIRST_LOOK,
    deals_for,
    half_width,
    looks,
    multiplier,
    p_value,
)
from cantstop_arena.ratings.sequential.planning import MIN_DEALS, deals_needed, error_at_even, power
from cantstop_arena.ratings.sequential.sprt import (
    SCORES,
    ZERO_COUNT,
    Sprt,
    mean_and_variance,
    score_of,
)

Floats = NDArray[np.float64]

# --- Confidence sequences -------------------------------------------------------------------------


def test_the_boundary_is_that_of_the_paper() -> None:
    """Theorem 2.2: sqrt(2 (n rho² + 1) / (n² rho²) · log(sqrt(n rho² + 1) / alpha))."""
    squared = multiplier(1000, 1000) ** 2
    rho2 = (squared - 1) / 1000
    for deals in (100, 1000, 5000):
        inner = deals * rho2 + 1
        told = sqrt(2 * inner / (deals**2 * rho2) * np.log(sqrt(inner) / 0.05))
        assert half_width(1.0, deals, 1000) == pytest.approx(told, rel=1e-12)


@pytest.mark.parametrize("alpha", [0.001, 0.05])
def test_it_is_narrowest_at_the_expected_deals(alpha: float) -> None:
    def reach(expected: float) -> float:
        return multiplier(1000, expected, alpha)

    best = optimize.minimize_scalar(reach, bounds=(100, 10_000), method="bounded").x
    assert best == pytest.approx(1000, rel=1e-3)
    assert reach(250) < 1.09 * reach(1000)
    assert reach(4000) < 1.09 * reach(1000)


@pytest.mark.parametrize("half", [0.001, 0.01])
def test_it_is_as_narrow_as_wanted_after_the_deals_that_one_expects(half: float) -> None:
    expected = deals_for(0.1, half)
    assert half_width(0.1, round(expected), expected) == pytest.approx(half, rel=1e-4)


def test_before_the_first_look_nothing_is_said() -> None:
    assert half_width(0.1, FIRST_LOOK - 1, 1000) == inf
    assert half_width(0.1, FIRST_LOOK, 1000) < inf
    assert deals_for(1e-9, 1.0) == FIRST_LOOK


def test_looks_grow_and_end_with_all_deals() -> None:
    told = list(looks(10_000, maximum=50_000))
    assert (told[0], told[-1]) == (500, 50_000)
    growth = [after / before for before, after in pairwise(told[:-1])]
    assert all(1.25 <= step < 1.26 for step in growth)
    assert list(looks(10, maximum=7)) == [7]


@pytest.mark.parametrize("shares", [(0.2, 0.6, 0.2), (0.3, 0.1, 0.6), (0.05, 0.1, 0.85)])
def test_any_look_misses_the_truth_in_less_than_one_run_in_twenty(
    shares: tuple[float, ...],
) -> None:
    generator, runs, points = np.random.default_rng(1980), 1000, np.array([0, 0.5, 1])
    truth = float(points @ shares)
    missed = np.zeros(runs, np.bool_)
    total, squares, played = np.zeros(runs), np.zeros(runs), 0
    for deals in looks(1000, maximum=8000):
        drawn = generator.choice(points, (runs, deals - played), p=shares)
        total, squares, played = total + drawn.sum(1), squares + (drawn**2).sum(1), deals
        variance = (squares - total**2 / deals) / (deals - 1)
        reach = multiplier(deals, 1000) * np.sqrt(variance / deals)
        missed |= np.abs(total / deals - truth) > reach
    assert missed.mean() <= 0.05


@pytest.mark.parametrize("deals", [100, 1000, 20_000])
def test_a_p_value_of_five_percent_is_where_the_interval_ends_at_zero(deals: int) -> None:
    assert p_value(multiplier(deals, 1000), deals, 1000) == pytest.approx(0.05, rel=1e-12)
    assert p_value(0, deals, 1000) == 1
    assert p_value(9, FIRST_LOOK - 1, 1000) == 1


def sequence_of(
    deals: int, mean: float, squares: float, expected: float = 40.0
) -> tuple[float, float]:
    """The confidence sequence of a score, from the sum of squares about the mean."""
    dof = DegreesOfFreedom(deals - 1, deals - 1)
    return ShareError(mean, squares / deals**2, deals, deals, dof, expected).interval


def sequences_of(deals: int, low: float, high: float, expected: float) -> Floats:
    """The sequences of 0 to all deals with the share `high`, the others with `low`."""
    parts, span = np.arange(deals + 1) / deals, high - low
    means, squares = low + span * parts, deals * span**2 * parts * (1 - parts)
    pairs = zip(means.tolist(), squares.tolist(), strict=True)
    return np.array([sequence_of(deals, *pair, expected) for pair in pairs])


@pytest.mark.parametrize("step", [100, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("shares", [(0.0, 1.0), (0.5, 1.0), (0.0, 0.5)])
def test_both_ends_rise_with_the_wins(shares: tuple[float, float], step: int) -> None:
    """Also where nearly all deals are won: there 199 of 200 had a lower end of 0.352."""
    low, high = shares
    for deals in range(FIRST_LOOK, 401, step):
        ends = sequences_of(deals, low, high, 40.0)
        means = low + (high - low) * np.arange(deals + 1) / deals
        assert (np.diff(ends, axis=0) >= -1e-12).all(), deals
        assert (ends[:, 0] <= means).all() and (means <= ends[:, 1]).all(), deals
        assert (ends >= 0).all() and (ends <= 1).all(), deals


def test_no_end_falls_when_a_bot_wins_more_in_any_deal() -> None:
    generator = np.random.default_rng(1980)
    for _ in range(1000):
        values = np.array([[0, 1], [0, 0.5, 1], [0, 1 / 3, 0.5, 1]][generator.integers(3)])
        odds = generator.dirichlet(np.full(len(values), generator.choice([0.05, 0.3, 1])))
        before = generator.choice(values, generator.integers(FIRST_LOOK, 400), p=odds)
        after = before.copy()
        after[0] = min(1, before[0] + generator.choice([0.1, 0.5, 1]))
        expected = float(generator.choice([10, 100, 1000]))
        ends = [
            sequence_of(len(shares), shares.mean(), len(shares) * shares.var(), expected)
            for shares in (before, after)
        ]
        assert (np.diff(ends, axis=0) >= -1e-12).all(), (before, after)


@pytest.mark.parametrize("expected", [40.0, 1000.0])
@pytest.mark.parametrize("share", [0.02, 0.5, 0.9, 0.99, 0.999, 0.9998])
@pytest.mark.parametrize("values", [(0.0, 1.0), (0.5, 1.0)])
def test_some_look_misses_the_truth_with_less_than_five_percent(
    values: tuple[float, float], share: float, expected: float
) -> None:
    """Exactly, for looks after each fiftieth deal: the probability of each number of wins."""
    low, high = values
    truth, missed, chances = low + (high - low) * share, 0.0, np.ones(1)
    for deals in range(1, 401):
        chances = np.append(chances * (1 - share), 0.0) + np.append(0.0, chances * share)
        if deals >= FIRST_LOOK and deals % 50 == 0:
            ends = sequences_of(deals, low, high, expected)
            wrong = (ends[:, 0] > truth) | (truth > ends[:, 1])
            missed += chances[wrong].sum()
            chances[wrong] = 0
    assert missed <= 0.05


def test_plain_intervals_would_miss_far_more_often() -> None:
    """What the tests here would find if the intervals did not know that one looks."""
    generator, runs = np.random.default_rng(1980), 500
    walks = generator.standard_normal((runs, 8000)).cumsum(axis=1)
    at = np.array(list(looks(1000, maximum=8000)))
    missed = (np.abs(walks[:, at - 1]) > 1.96 * np.sqrt(at)).any(axis=1)
    assert missed.mean() > 0.15


# --- The sequential probability ratio test --------------------------------------------------------


@pytest.mark.parametrize(
    ("counts", "elo", "ratio"),
    [
        ((223, 9863, 21279, 10037, 246), (0.5, 2.5), -3.07),
        ((871, 26175, 55983, 26678, 821), (0, 2), -4.98),
    ],
)
def test_the_ratio_is_that_of_fastchess(
    counts: tuple[int, ...], elo: tuple[float, float], ratio: float
) -> None:
    """The figures with which that program tests itself."""
    assert Sprt(*elo).ratio(counts) == pytest.approx(ratio, abs=0.006)


def likelihood_by_scipy(counts: Any, mean: float) -> float:
    """The greatest log-likelihood of a distribution over the scores that has this mean."""
    seen = np.array([count or ZERO_COUNT for count in counts])
    points = np.array(SCORES)
    found = optimize.minimize(
        lambda shares: -(seen @ np.log(shares)) / seen.sum(),
        np.full(5, 0.2),
        jac=lambda shares: -seen / shares / seen.sum(),
        bounds=[(1e-12, 1)] * 5,
        constraints=[
            {"type": "eq", "fun": lambda shares: shares.sum() - 1},
            {"type": "eq", "fun": lambda shares: shares @ points - mean},
        ],
        method="SLSQP",
        options={"ftol": 1e-15, "maxiter": 500},
    )
    return float(seen @ np.log(found.x))


@pytest.mark.parametrize("counts", [(30, 100, 300, 130, 40), (5, 9, 11, 4, 2)])
@pytest.mark.parametrize("elo", [(0, 5), (-20, 30), (100, 200)])
def test_the_ratio_is_that_of_the_likelihoods_that_scipy_finds(
    counts: tuple[int, ...], elo: tuple[float, float]
) -> None:
    low, high = (likelihood_by_scipy(counts, score_of(one)) for one in elo)
    assert Sprt(*elo).ratio(counts) == pytest.approx(high - low, abs=1e-5)


def test_the_other_seat_sees_the_test_mirrored() -> None:
    counts = (30, 100, 300, 130, 40)
    mirrored = Sprt(-5, 0).ratio(counts[::-1])
    assert Sprt(0, 5).ratio(counts) == pytest.approx(-mirrored, rel=1e-9)


@pytest.mark.parametrize("counts", [(0, 0, 0, 0, 0), (1, 0, 0, 0, 0), (0, 0, 0, 0, 10**9)])
@pytest.mark.parametrize("elo", [(0, 1e-3), (-800, 800)])
def test_any_counts_have_a_ratio(counts: tuple[int, ...], elo: tuple[float, float]) -> None:
    assert abs(Sprt(*elo).ratio(counts)) < 1e12


def test_bots_that_share_every_deal_are_equal() -> None:
    """The same bot twice: every deal is one all."""
    assert Sprt(0, 5).accepted((0, 0, 500, 0, 0)) == 0
    assert Sprt(-5, 0).accepted((0, 0, 500, 0, 0)) == 1
    assert Sprt(0, 5).accepted((0, 0, 20, 0, 0)) is None


def test_elo_and_score() -> None:
    assert score_of(0) == 0.5
    assert score_of(400) == pytest.approx(10 / 11)
    assert score_of(-123) == pytest.approx(1 - score_of(123))


def test_bounds_are_walds() -> None:
    test = Sprt(0, 5, alpha=0.05, beta=0.1)
    assert (test.lower, test.upper) == pytest.approx((np.log(0.1 / 0.95), np.log(0.9 / 0.05)))


def shares_with(mean: float) -> Floats:
    """A pentanomial distribution with this mean and few halves, as a game without draws has."""
    base = np.array([0.18, 0.01, 0.62, 0.01, 0.18])
    slope = np.array([-1, 0, 0, 0, 1])
    tilted: Floats = base + (mean - 0.5) * slope
    return tilted


def simulated(test: Sprt, elo: float, between: int, runs: int) -> tuple[float, float]:
    """How often H1 is accepted, and the mean of deals, with a true difference in Elo."""
    generator = np.random.default_rng(1980)
    shares, accepted, deals = shares_with(score_of(elo)), 0, 0
    for _ in range(runs):
        counts = np.zeros(5, np.int64)
        for look in count(1):
            counts += generator.multinomial(between, shares)
            verdict = test.accepted(counts.tolist())
            if verdict is not None:
                accepted, deals = accepted + verdict, deals + look * between
                break
    return accepted / runs, deals / runs


@pytest.mark.parametrize("elo", [0, 10, 20])
@pytest.mark.slow
def test_wrong_hypotheses_are_accepted_as_seldom_as_wanted_and_as_soon_as_expected(
    elo: float,
) -> None:
    test, between, runs = Sprt(0, 20), 50, 500
    accepted, deals = simulated(test, elo, between, runs)
    error = sqrt(0.05 * 0.95 / runs)
    if elo == 0:
        assert accepted <= 0.05 + 2 * error
    if elo == 20:
        assert accepted >= 0.95 - 2 * error
    mean, variance = _moments(shares_with(score_of(elo)))
    assert deals == pytest.approx(test.expected_deals(mean, variance, between), rel=0.12)


def _moments(shares: Floats) -> tuple[float, float]:
    points = np.array(SCORES)
    mean = float(points @ shares)
    return mean, float((points - mean) ** 2 @ shares)


def test_the_expected_deals_have_no_gap_where_there_is_no_drift() -> None:
    test, middle = Sprt(0, 5), (score_of(0) + score_of(5)) / 2
    longest = test.expected_deals(middle, 0.06)
    for step in (1e-4, 1e-6, 1e-9, 1e-12):
        near = [test.expected_deals(middle + sign * step, 0.06) for sign in (-1, 1)]
        assert near == pytest.approx([longest] * 2, rel=5e-3)
    assert test.expected_deals(0.99, 0.06) < test.expected_deals(0.51, 0.06) < longest


def test_moments_of_counts() -> None:
    mean, variance = mean_and_variance((100, 0, 200, 0, 100))
    assert (mean, variance) == pytest.approx((0.5, 0.125), rel=1e-4)


# --- Planning -------------------------------------------------------------------------------------


@pytest.mark.parametrize("alpha", [0.01, 0.05])
@pytest.mark.parametrize("wanted", [0.5, 0.8, 0.95])
@pytest.mark.parametrize("difference", [0.01, 0.1, 0.4])
@pytest.mark.slow
def test_deals_are_those_of_statsmodels(difference: float, wanted: float, alpha: float) -> None:
    effect = difference / sqrt(0.2)
    told = power_tables.TTestPower().solve_power(effect, alpha=alpha, power=wanted)
    assert deals_needed(difference, 0.2, wanted, alpha) == pytest.approx(
        max(np.ceil(told), MIN_DEALS), abs=1
    )


@pytest.mark.slow
def test_power_is_that_of_statsmodels() -> None:
    oracle = power_tables.NormalIndPower(ddof=0)
    for difference in (0.001, 0.05, 0.3):
        told = oracle.power(difference / sqrt(0.2), 100_000, 0.05, ratio=0)
        assert power(100_000, difference, 0.2, 0.05) == pytest.approx(told, abs=1e-4)


@pytest.mark.parametrize("score", [0.52, 0.6, 0.75])
@pytest.mark.slow
def test_the_power_that_is_promised_is_reached_by_the_printed_interval(score: float) -> None:
    """Of pairs of games with this score; by the normal quantile it was 76 to 78%."""
    rng, difference = np.random.default_rng(5), 2 * score - 1
    variance = 4 * score * (1 - score) / 2
    deals = deals_needed(difference, variance, 0.8, 0.05, error_at_even(0.5, score))
    won = rng.binomial(2, score, (2000, deals)) / 2
    found = [
        ShareError(
            share, spread / deals, deals, deals, DegreesOfFreedom(deals - 1, deals - 1)
        ).p_of_even
        <= 0.05
        for share, spread in zip(won.mean(axis=1), won.var(axis=1), strict=True)
    ]
    assert 0.78 <= np.mean(found) <= (0.83 if deals > MIN_DEALS else 1)


def test_the_sign_of_a_difference_does_not_matter() -> None:
    assert deals_needed(-3, 1e5, 0.8, 0.05) == deals_needed(3, 1e5, 0.8, 0.05)


def test_what_never_varies_takes_the_fewest_deals() -> None:
    assert deals_needed(0.01, 0.0, 0.8, 0.05) == MIN_DEALS


@pytest.mark.parametrize(
    ("even", "score", "ratio"),
    [(0.5, 0.5, 1), (0.5, 0.9, 5 / 3), (0.25, 0.5, sqrt(3) / 2), (0.5, 0.98, 25 / 7)],
)
def test_the_error_at_the_even_score_of_mirrored_and_of_extreme_scores(
    even: float, score: float, ratio: float
) -> None:
    """Scores nearer to 0 or 1 than 0.02 are planned for like 0.02 and 0.98."""
    scores = [score, 1 - score, *([0.0, 0.999] if score == 0.98 else [])]
    assert [error_at_even(even, each) for each in scores] == pytest.approx([ratio] * len(scores))
