"""Finding numbers in noise: the true curve is known here, and games are drawn from it."""

import json
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from helpers.arena import Arena
from helpers.parameters import slow_but

from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.deals.outcomes import WIN_UNITS
from cantstop_arena.errors import UsageError
from cantstop_arena.games.cantstop.bots.heuristic import GLENN_ALOI, THRESHOLD, TOPPED
from cantstop_arena.games.cantstop.rules import CLASSIC
from cantstop_arena.tournaments import group_pool
from cantstop_arena.tournaments.preparation import PreparedBot, prepare_bots
from cantstop_arena.tournaments.run_observer import RunObserver
from cantstop_arena.tournaments.run_options import RunOptions
from cantstop_arena.tournaments.table_spec import TableSpec
from cantstop_arena.tuning import tuner
from cantstop_arena.tuning.cma_search import Generation, Numbers, Scores, evolve
from cantstop_arena.tuning.halving import Range, Trial, _short_levels, search
from cantstop_arena.tuning.variant_trials import VariantTrials, variant_trials_for

# What Rule of 28 wins with other thresholds against Glenn and Aloi's champion; 40,000 games each.
THRESHOLDS = np.arange(20, 45, 2)
WON = (29.79, 33.73, 36.31, 38.46, 38.90, 39.03, 37.59, 35.88, 34.35, 31.85, 29.72, 27.16, 25.22)
CURVE = np.polynomial.Polynomial.fit(THRESHOLDS, np.array(WON) / 100, 4)


def each(score: Callable[[Numbers, int, int], float]) -> Scores:
    """The scores of some points, one by one."""
    return lambda points, first, deals: [score(point, first, deals) for point in points]


def noisy(seed: int) -> Scores:
    """Games of Rule of 28, drawn from the curve."""
    draws = np.random.default_rng(seed)

    def score(point: Numbers, first: int, deals: int) -> float:
        chance = float(CURVE(np.clip(point[0], 18, 46)))
        return float(draws.binomial(2 * deals, chance)) / (2 * deals)

    return each(score)


def test_a_threshold_is_found_to_within_seven_tenths_of_a_point() -> None:
    best = max(map(float, CURVE(THRESHOLDS)))
    lost = []
    for seed in range(40):
        peak = search(noisy(seed), [Range(18, 46, True)], 10_000)
        assert sum(trial.deals for trial in peak.trials) <= 10_000
        lost.append(best - float(CURVE(peak.point[0])))
    assert sorted(lost)[35] < 0.007


def parabola(seed: int) -> Scores:
    """Scores with the noise of games around a parabola that is highest at 7."""
    draws = np.random.default_rng(seed)

    def score(point: Numbers, first: int, deals: int) -> float:
        return float(draws.normal(0.6 - 0.001 * (point[0] - 7) ** 2, np.sqrt(1 / 8 / deals)))

    return each(score)


@pytest.mark.slow
def test_intervals_for_the_best_hold_it() -> None:
    widths = {}
    for deals in (4000, 400_000):
        peaks = [search(parabola(seed), [Range(-10, 20, False)], deals) for seed in range(20)]
        assert sum(bool(peak.low[0] <= 7 <= peak.high[0]) for peak in peaks) >= 18
        widths[deals] = np.mean([peak.high[0] - peak.low[0] for peak in peaks])
    assert widths[400_000] < 0.3 * widths[4000]


@pytest.mark.parametrize(
    ("best", "curve"),
    [
        (0.3, lambda x: 0.5 - max(0.3 - x, 0) - 0.03 * max(x - 0.3, 0)),
        (0.25, lambda x: 1 / (1 + np.exp(-(np.log(4 * x + 0.1) - 4 * x)))),
        (0.55, lambda x: 1 / (1 + np.exp(14 * (x - 0.55) ** 2))),
    ],
    ids=["flat top", "like a gamma density", "steep in Elo"],
)
def test_more_games_do_not_shrink_the_interval_about_a_wrong_value(
    best: float, curve: Callable[[float], float]
) -> None:
    """A quadratic's interval lies beside the best value in all of these."""
    for seed in range(4):
        draws = np.random.default_rng(seed)

        def score(point: Numbers, first: int, deals: int, draws: Any = draws) -> float:
            return float(draws.binomial(2 * deals, curve(point[0])) / (2 * deals))

        peak = search(each(score), [Range(0, 1, False)], 200_000)
        assert peak.low[0] - 0.01 <= best <= peak.high[0] + 0.01
        (band,) = peak.curves
        true = np.array([curve(value) for value in band.values])
        assert np.mean(np.abs(true - band.scores) <= band.halves) > 0.7


def test_later_trials_lie_between_the_best_ones() -> None:
    peak = search(noisy(3), [Range(18, 46, True)], 20_000)
    later = peak.trials[15:]
    assert later
    assert len({trial.point[0] for trial in peak.trials}) == len(peak.trials)
    assert all(abs(trial.point[0] - 29) < 9 for trial in later)
    assert all(trial.point[0] == round(trial.point[0]) for trial in later)


def test_two_numbers_that_depend_on_each_other_are_found() -> None:
    def score(point: Numbers, first: int, deals: int) -> float:
        x, y = point
        return float(0.6 - 0.01 * (x - 3) ** 2 - 0.01 * (y + 1) ** 2 + 0.01 * (x - 3) * (y + 1))

    peak = search(each(score), [Range(0, 10, False), Range(-5, 5, False)], 1000)
    assert np.allclose(peak.point, [3, -1], atol=0.3)


def test_a_best_value_at_the_end_of_the_range_is_found_there() -> None:
    peak = search(
        each(lambda point, first, deals: float(point[0]) / 100), [Range(0, 50, True)], 1000
    )
    assert peak.point[0] == 50


def test_too_few_deals_and_too_many_numbers_are_refused() -> None:
    with pytest.raises(UsageError, match="20 games are too few for 15 trials"):
        search(noisy(1), [Range(18, 46, True)], 10)
    with pytest.raises(UsageError, match="one to 3 numbers"):
        search(noisy(1), [Range(0, 1, False)] * 4, 1000)


@pytest.mark.slow
def test_evolution_returns_a_mean_that_is_better_than_its_start() -> None:
    target = np.array([3.0, -2.0, 0.0, 5.0])

    def score(point: Numbers, first: int, deals: int) -> float:
        jitter = np.random.default_rng(first).normal(0, 0.02)
        return float(0.7 - 0.01 * np.sum((point - target) ** 2) + jitter)

    told: list[Generation] = []
    tried = partial(
        evolve, each(score), [0, 0, 0, 9], [2, 2, 0, 2], generations=60, deals=10, trials=10
    )
    found = tried(seed=5, on_generation=told.append)
    assert found[2] == 0
    assert np.allclose(found, target, atol=0.5)
    assert (told[-1].deals, told[-1].number) == (10, 60)
    assert np.array_equal(found, tried(seed=5))


def laboratory(against: str, *options: str) -> VariantTrials:
    """Where options of rule28, or of tuned, are tried out."""
    catalogue = Catalogue(Path("nowhere"))
    bot = catalogue.find("tuned" if options == ("numbers",) else "rule28")
    opponents = [catalogue.find(against)]
    pool = RunOptions(workers=2).pool_options
    return variant_trials_for(catalogue, CLASSIC, bot, opponents, 3, options, RunObserver(), pool)


@pytest.mark.slow
def test_variants_of_a_bot_play_the_same_deals() -> None:
    with laboratory("glenn-aloi", "threshold") as room:
        one, same, other = room.wins([{"threshold": 28}, {}, {"threshold": 20}], 0, 400)
        assert np.array_equal(one, same) and not np.array_equal(one, other)
        assert abs(one.mean() / (2 * WIN_UNITS) - 0.389) < 0.08
        assert room.duel({}, 0, 50).mean() == WIN_UNITS


@pytest.mark.slow
def test_lists_of_numbers_are_tried_without_compiling_again() -> None:
    room = laboratory("glenn-aloi", "numbers")
    numbers = np.array(GLENN_ALOI, np.float64)
    (won,) = room.wins([{"numbers": numbers}], 0, 200)
    assert won.mean() == WIN_UNITS
    numbers[[THRESHOLD, TOPPED]] = 35, 20
    (won,) = room.wins([{"numbers": numbers}], 0, 1000)
    assert won.mean() / (2 * WIN_UNITS) > 0.58


def tuned(arena: Arena, *words: str) -> tuple[int, str]:
    """`arena tune` with these words: the exit code, and all it says."""
    result = arena("tune", *words, code=None)
    return result.code, result.output


@pytest.mark.slow
def test_the_command_finds_a_threshold_and_tests_it(arena: Arena) -> None:
    code, text = tuned(
        arena,
        "rule28",
        "threshold=18..46",
        "--against",
        "glenn-aloi",
        "--games",
        "8000",
        "--json",
        "--quiet",
    )
    found = json.loads(text)
    threshold = found["options"]["threshold"]
    assert (code, 23 <= threshold <= 35) == (0, True)
    assert found["low"]["threshold"] <= threshold <= found["high"]["threshold"]
    assert threshold == 28 or found["test"]["games"] >= 1000
    again = "arena tune rule28 threshold=18..46 --against glenn-aloi --games 8000 --seed 1"
    assert found["command"] == again


REFUSED = {
    "nothing": (["rule28"], "option=LOW..HIGH"),
    "unknown": (["rule28", "treshold=1..2"], "no option 'treshold' (did you mean 'threshold'?)"),
    "no such choice": (["rule28", "prefer=1..2"], "option prefer is one of middle, outer"),
    "one choice": (["rule28", "prefer=outer"], "nothing to choose between"),
    "a list and more": (["tuned", "numbers=1..2"], "is a list of numbers, and tuned alone"),
    "no game": (["rule28", "threshold=1..2", "--game", "chess"], "unknown game 'chess'"),
    "no range": (["rule28", "threshold=28"], "option=LOW..HIGH"),
    "no numbers": (["rule28", "threshold=a..b"], "must be numbers"),
    "halves": (["rule28", "threshold=0.5..9"], "takes whole numbers"),
    "upside down": (["rule28", "threshold=9..3"], "9 must be less than 3"),
    "twice": (["rule28", "threshold=1..3", "threshold=1..3"], "given twice"),
    "few games": (["rule28", "threshold=1..30", "--games", "10"], "10 games are too few"),
    "no bot": (["rule29", "threshold=1..30"], "unknown bot 'rule29'"),
}


@pytest.mark.parametrize(("words", "sentence"), REFUSED.values(), ids=REFUSED.keys())
def test_what_cannot_be_tuned_is_refused(arena: Arena, words: list[str], sentence: str) -> None:
    code, text = tuned(arena, *words)
    assert (code, sentence in text) == (2, True)


@pytest.mark.usefixtures("second_game")
def test_a_choice_is_tuned_with_a_number(arena: Arena) -> None:
    def score(point: Numbers, first: int, deals: int) -> float:
        number, choice = point
        return float((0.5, 0.55)[int(choice)] - 0.01 * (number - (2, 6)[int(choice)]) ** 2)

    peak = search(each(score), [Range(0, 10, False), Range(0, 1, True, is_choice=True)], 1000)
    assert np.allclose(peak.point, [6, 1], atol=0.3)
    code, text = tuned(arena, "careful", "prefer=no", "--game", "salvage")
    assert (code, "careful has no option 'prefer'" in text) == (2, True)


@pytest.mark.slow
def test_the_command_evolves_the_whole_family(arena: Arena) -> None:
    words = ("tuned", "numbers", "--against", "glenn-aloi", "--games", "28000", "--seed", "3")
    code, text = tuned(arena, *words, "--json", "--quiet")
    found = json.loads(text)
    assert (code, len(found["options"]["numbers"])) == (0, len(GLENN_ALOI))
    assert found["won"]["score"] > 0.4 and found["test"]["accepted"] == 0


@pytest.mark.slow
def test_a_bot_is_tuned_among_copies_of_its_opponent(arena: Arena) -> None:
    words = "tune rule28 threshold=18..34 --games 1200 --quiet --players 3"
    found = json.loads(arena(f"{words} --format json").text)
    assert found == json.loads(arena(f"{words} --json").text)
    assert found["won"]["games"] % 6 == 0 and 0.2 < found["won"]["score"] < 0.45
    rows = arena(f"{words} --format csv").text.splitlines()
    assert rows[0] == "threshold,deals,won,won_low,won_high" and len(rows) >= 16
    assert "from 2 to 4, not 9" in arena("tune rule28 threshold=18..34 --players 9", code=2).error


def test_trial_values_are_round_and_have_intervals() -> None:
    assert _short_levels(Range(0.5, 3, False), 15)[:3] == [0.5, 0.68, 0.86]
    assert _short_levels(Range(1000, 1001, False), 5) == [1000, 1000.25, 1000.5, 1000.75, 1001]
    assert _short_levels(Range(2, 2, False), 5) == [2]
    low, high = Trial(np.array([1.0]), 0.125, 1000, 500).interval
    assert high - low == pytest.approx(2 * 1.96 * (0.125 / 1000) ** 0.5, rel=0.01)
    assert low + high == pytest.approx(1)


def test_the_share_of_what_was_found_has_students_interval() -> None:
    won = np.array([[0.0, 1.0, 1.0, 0.0, 1.0]])  # by rivals and deals
    trials = SimpleNamespace(
        wins=lambda options, first, deals: [won], win_units=1, games_per_deal=1
    )
    share = tuner.Tuner._share(cast(Any, SimpleNamespace(_trials=trials)), {}, 5)
    assert share.score == pytest.approx(0.6)
    assert share.half == pytest.approx(2.776445 * (0.3 / 5) ** 0.5)


@pytest.mark.parametrize("won", [0, 0.5, 1])
def test_the_interval_of_a_trial_of_one_deal_is_one_of_shares(won: float) -> None:
    low, high = Trial(np.array([1.0]), 0.125, 1, won).interval
    assert 0 <= low <= won <= high <= 1 and high - low > 0.5


STEPS = """def choose_move(turn, moves): return 0
def roll_again(turn, steps=4): return turn.rolls < steps
"""
TUNE_STEPS = "tune steps steps=2..5 --against random --games 40 --quiet --json"


@pytest.fixture
def few_deals(monkeypatch: pytest.MonkeyPatch) -> None:
    """The test of what has been found is of few deals, too."""
    monkeypatch.setattr(tuner, "_LOOK_DEALS", 20)


@pytest.mark.slow
@pytest.mark.usefixtures("few_deals")
def test_workers_of_any_number_and_start_play_the_same_trials(arena: Arena) -> None:
    one = arena(f"{TUNE_STEPS} --workers 1", bots={"steps": STEPS}).text
    assert one == arena(f"{TUNE_STEPS} --workers 2 --start-method spawn").text


@pytest.mark.slow
@pytest.mark.usefixtures("few_deals")
def test_a_plain_bot_is_prepared_once(arena: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    """For all tables of the search and the test."""
    prepared: list[str] = []

    def noted(spec: TableSpec, compiling: Callable[[list[str]], None]) -> Sequence[PreparedBot]:
        prepared.extend(seat.bot.name for seat in spec.seats)
        return prepare_bots(spec, compiling)

    monkeypatch.setattr(group_pool, "prepare_bots", noted)
    arena(TUNE_STEPS, bots={"steps": STEPS})
    assert prepared.count("steps") == 1 < prepared.count("random")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("harm", "sentence"),
    slow_but(
        [0],
        [
            ("raise ValueError('too\\nmany')", "cannot play: ValueError: too many ("),
            ("import time; time.sleep(60)", "gave no answer within 1 s ("),
            ("import os; os._exit(0)", "cannot play: "),
        ],
    ),
)
def test_a_variant_that_fails_is_named_with_its_line(
    arena: Arena, harm: str, sentence: str
) -> None:
    body = f"\n    if steps > 4: {harm}\n    return"
    bots = {"steps": STEPS.replace(" return turn.rolls", f"{body} turn.rolls")}
    error = arena(TUNE_STEPS, bots=bots, code=1).error
    assert "steps and random: bot " in error and sentence in error
    assert error.count("\n") == 1


@pytest.mark.slow
@pytest.mark.usefixtures("few_deals")
def test_bots_that_disturb_a_shared_process_are_tuned_in_one_of_their_own(arena: Arena) -> None:
    thread = "import threading, time\nthreading.Thread(target=time.sleep, args=(9,)).start()\n"
    words = TUNE_STEPS.replace(" --quiet", "").replace("2..5", "2..3")
    done = arena(words, bots={"steps": thread + STEPS})
    told = "steps leaves threads running (bots/steps.py:2), so it plays in a process of its own."
    assert done.output.replace(f"{Path.cwd()}/", "").count(told) == 1
    assert '"won"' in done.text
