"""Whether the model fits: the deviance against statsmodels, circles, pairs, and false alarms."""

from collections.abc import Mapping
from itertools import product

import numpy as np
import pytest
from helpers.oracles import sm, stats
from helpers.parameters import slow_but
from helpers.simulated import Truth, blocks_at, results

from cantstop_arena.deals.sampling import gather_deals
from cantstop_arena.deals.seatings import Group, all_orders
from cantstop_arena.ratings.model_fit.deviance import binomial_deviance, goodness
from cantstop_arena.ratings.model_fit.residuals import cycles, cyclic_share, pair_scores, residuals

pytestmark = pytest.mark.filterwarnings("error")

CIRCLE: Mapping[Group, float] = {(0, 1): 0.6, (1, 2): 0.6, (2, 0): 0.6}


@pytest.mark.slow
def test_the_deviance_is_that_of_statsmodels() -> None:
    truth = Truth([0.8, 0.2, 0, -1], [0.2, -0.2])
    played = truth.played(150, np.random.default_rng(21))
    design = np.zeros((len(played.tallies), 5))
    won = np.array([tally.wins for tally in played.tallies.values()]) // 60
    for row, (one, other) in zip(design, played.tallies, strict=True):
        row[[one, other]] = 1, -1
        row[4] = 1
    found = sm.GLM(won, design[:, 1:], family=sm.families.Binomial()).fit(tol=1e-12)
    ours = goodness(played)
    assert ours.deviance == pytest.approx(found.deviance, abs=1e-6)
    assert ours.degrees_of_freedom == found.df_resid == 8
    assert ours.p_value == pytest.approx(stats.chi2.sf(found.deviance, 8), abs=0.1)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("truth", "deals"),
    slow_but(
        (2,),
        [
            (Truth([2, 1, 0, -1], [0.2, -0.2], 0.9), 100),
            (Truth(np.linspace(-2, 2, 12).tolist(), [0.2, -0.2], 0.9), 60),
            (Truth([1, 0.5, 0, -1], [0.2, 0.1, -0.3], 0.9), 100),
            (Truth([0, 0, 0, 0], [0.2, -0.2], 0.3, unfinished=0.4), 100),
            (Truth([0, 0, 0, 0, 0], [0.2, 0.1, 0, -0.3], 0.5), 3),
            (Truth([0, 1.4, 2.9, 4.3, 5.8, 7.2], [0.2, -0.2], 0.9), 3),
        ],
    ),
)
def test_a_true_model_is_seldom_rejected(truth: Truth, deals: int) -> None:
    """With shared deals the deviance is far from a chi-square of all its degrees of freedom."""
    rng = np.random.default_rng(22)
    alarms = [(goodness(truth.played(deals, rng)).p_value or 1) < 0.05 for _ in range(120)]
    assert sum(alarms) <= 13, "more than 5% at 2.7 standard errors"


@pytest.mark.parametrize("games", [1, 2, 3, 12])
@pytest.mark.parametrize("chance", [[0.5, 0.5], [0.97, 0.03], [0.4, 0.3, 0.2, 0.1]])
def test_the_mean_deviance_is_that_of_all_results(games: int, chance: list[float]) -> None:
    """Also of few games of a seating, where it is far from the degrees of freedom."""
    expected = np.array(chance) * games
    won = np.array(list(product(range(games + 1), repeat=len(chance) - 1)))
    won = np.column_stack([won, games - won.sum(axis=1)])
    won = won[won[:, -1] >= 0]
    deviances = 2 * (won * np.log(np.maximum(won, 1) / expected)).sum(axis=1)
    mean = stats.multinomial.pmf(won, games, chance) @ deviances
    ours = binomial_deviance(np.full(len(chance), float(games)), np.array(chance)).sum()
    assert ours == pytest.approx(mean, rel=1e-9)


def test_one_deal_says_nothing_about_the_fit() -> None:
    """Nothing shows then how the games of a deal depend on each other."""
    played = Truth([0, 0, 0], [0.2, -0.2], 0.5).played(1, np.random.default_rng(3))
    assert goodness(played).p_value is None


def test_a_circle_is_found_and_told() -> None:
    truth = Truth([0, 0, 0, 0.5], [0.2, -0.2], 0.5, cycles=CIRCLE)
    played = truth.played(1000, np.random.default_rng(23))
    assert (goodness(played).p_value or 0) < 1e-6
    found = residuals(played)
    assert found.cyclic_share is not None
    assert 0.4 < found.cyclic_share.share < 0.8
    assert [cycle.bots for cycle in found.cycles] == [(0, 1, 2)]
    told = found.cycles[0].text(("rock", "scissors", "paper", "well"))
    assert told.startswith("rock beats scissors (6")
    assert ", and yet paper beats rock (6" in told
    assert {(pair.first, pair.second) for pair in found.pairs[:3]} == {(0, 1), (1, 2), (2, 0)}
    worst = found.pairs[0]
    assert worst.observed - worst.predicted == pytest.approx(worst.deviate * worst.error)


@pytest.mark.parametrize("shared", [0.0, 1.0])
def test_rock_paper_scissors_are_all_circle(shared: float) -> None:
    """Also where all luck is shared, so that no noise is left in the ladder."""
    truth = Truth([0, 0, 0], [0, 0], shared, cycles=CIRCLE)
    share = residuals(truth.played(3000, np.random.default_rng(24))).cyclic_share
    assert share is not None
    assert share.share == pytest.approx(1, abs=0.02)
    assert share.low > 0.9 and share.high == 1


def test_bots_on_a_line_have_no_circle() -> None:
    found = residuals(Truth([2, 1, 0, -1], [0.2, -0.2], 0.5).played(500, np.random.default_rng(25)))
    assert found.cycles == ()
    assert found.cyclic_share is not None
    assert found.cyclic_share.share == pytest.approx(0, abs=0.01)
    assert all(pair.p_value > 0.001 for pair in found.pairs)


@pytest.mark.parametrize("players", [1, 2, 3, 4])
@pytest.mark.parametrize("deals", [0, 1, 2, 3])
@pytest.mark.parametrize("far", [0.0, 50.0])
def test_what_cannot_be_tested_is_not(players: int, deals: int, far: float) -> None:
    truth = Truth([far, 0, 0, -far], [far] + [0.0] * (players - 1), 0.5)
    played = truth.played(deals, np.random.default_rng(26))
    test, found = goodness(played), residuals(played)
    assert test.p_value is None or 0 <= test.p_value <= 1
    assert all(0 <= part <= 1 for part in found.cyclic_share or ())
    assert test.deviance >= 0


def test_two_bots_have_no_circle() -> None:
    played = Truth([0.5, 0], [0, 0]).played(100, np.random.default_rng(27))
    assert residuals(played).cyclic_share is None
    assert residuals(played).pairs == (), "their score is what the model follows"


def test_virtual_games_move_nobody_significantly() -> None:
    """One of three bots lost everything, so that the others' score is what the model follows."""
    truth = Truth([3, 0, -50], [0, 0])
    for deals in (50, 200, 800):
        found = residuals(truth.played(deals, np.random.default_rng(deals)))
        assert all(pair.p_value > 0.2 for pair in found.pairs), found.pairs[0]


def test_many_circles_are_cut_short() -> None:
    around: dict[Group, float] = {
        (bot, (bot + step) % 9): 3.0 for bot in range(9) for step in (1, 2, 3, 4)
    }
    truth = Truth([0.0] * 9, [0, 0], cycles=around)
    scores = pair_scores(truth.played(100, np.random.default_rng(28)))
    assert len(cycles(scores, 9)) == 10
    share = cyclic_share(scores, 9)
    assert share is not None
    assert share.share == pytest.approx(1, abs=0.1)


def test_the_sample_has_the_first_deals_as_they_were() -> None:
    truth, rng = Truth([0, 0, 0], [0, 0]), np.random.default_rng(29)
    run = truth.run(300, rng)
    sample = results(3, 2, [run]).deals.winners
    assert sample.keys() == run.keys()
    for group, winners in sample.items():
        assert (winners == run[group][:256]).all()
    cut = [
        (group, first, run[group][first : first + 50], np.zeros((50, 0)))
        for group in run
        for first in (0, 50)
    ]
    spans = {group: [(0, 50), (50, 50)] for group in run}
    again = gather_deals(
        all_orders(2), spans, lambda start, count: blocks_at(cut[::-1], start, count)
    ).winners
    assert all((again[group] == run[group][:100]).all() for group in run)
