"""Marks from scores and thresholds."""

import pytest

from cantstop_arena.extensions.league.grading import Grade, grade, no_grade, thresholds
from cantstop_arena.extensions.league.league_file import Level, MarkRules
from cantstop_arena.extensions.league.rounds import DONE, LeagueTable, Threshold
from cantstop_arena.extensions.league.standings import LeagueRow
from cantstop_arena.ratings.estimate import Estimate

LEVELS = (Level("random", 0.9, 3), Level("random", 0.96, 1.5), Level("rule28", 0.45, 4))
NUMBERS = {"random": 0, "rule28": 1}


def table(random: Estimate, rule28: Estimate) -> LeagueTable:
    against = {(2, 0): random, (2, 1): rule28}
    return LeagueTable([], [], [], [], against, frozenset(), 0, 0, 0, 5, 0, DONE)


@pytest.mark.parametrize(("rule", "points"), [("lower", 3), ("estimate", 7)])
def test_the_rule_says_what_has_to_reach_a_threshold(rule: str, points: float) -> None:
    found = grade(
        MarkRules(rule, LEVELS),
        table(Estimate(0.94, 0.92, 0.955), Estimate(0.46, 0.44, 0.48)),
        2,
        NUMBERS,
    )
    assert found.mark == points
    assert not found.is_decided
    assert found.remark == "close: 44.0 to 48.0 around 45.0"
    assert found.points("random") == 3
    assert found.score("rule28").mean == 0.46


def test_decided_marks_have_no_remark() -> None:
    found = grade(
        MarkRules("lower", LEVELS),
        table(Estimate(0.98, 0.97, 0.99), Estimate(0.3, 0.28, 0.32)),
        2,
        NUMBERS,
    )
    assert (found.mark, found.is_decided, found.remark) == (4.5, True, "")


@pytest.mark.parametrize(("rule", "points"), [("lower", 0), ("estimate", 4.5)])
def test_scores_without_intervals_decide_nothing(rule: str, points: float) -> None:
    few = grade(MarkRules(rule, LEVELS), table(Estimate(0.97), Estimate(0.3)), 2, NUMBERS)
    assert (few.mark, few.is_decided) == (points, False)
    assert few.remark == (
        "too few games against random; too few games against random; too few games against rule28"
    )


def test_without_games_there_are_no_points() -> None:
    unplayed = LeagueTable([], [], [], [], {}, frozenset(), 0, 0, 0, 0, 0, DONE)
    found = grade(MarkRules("estimate", LEVELS), unplayed, 2, NUMBERS)
    assert (found.mark, found.is_decided, found.remark) == (0, False, "")
    assert (Grade().mark, Grade().is_decided) == (0, True)  # without levels


def test_no_level_of_who_has_no_bot_is_decided() -> None:
    found = no_grade(MarkRules("lower", LEVELS))
    assert (found.mark, found.is_decided, found.remark) == (0, False, "")
    assert no_grade(MarkRules()).is_decided


def test_thresholds_are_of_all_participants() -> None:
    found = thresholds(MarkRules("lower", LEVELS[1:]), [2, 5], NUMBERS)
    assert found == (
        Threshold(2, 0, 0.96),
        Threshold(2, 1, 0.45),
        Threshold(5, 0, 0.96),
        Threshold(5, 1, 0.45),
    )


def test_letters_behind_z_have_numbers() -> None:
    nothing = Estimate(None)
    row = LeagueRow(1, "s1", "s1", "", False, nothing, nothing, 5, "za1b1", False, "", "")
    assert row.groups == ["z", "a1", "b1"]
