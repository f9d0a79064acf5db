"""Scores that do not compare are marked row by row: their bots met other rivals."""

import numpy as np
import pytest
from helpers.simulated import Truth, results
from msgspec.structs import replace

from cantstop_arena.deals.seatings import Group
from cantstop_arena.pages.document import as_html
from cantstop_arena.ratings.scores import groups_with_same_rivals
from cantstop_arena.reports.page import tournament_page
from cantstop_arena.reports.tournament_files import summary
from cantstop_arena.tables.analysis import Analysis
from cantstop_arena.tables.notes import NOT_COMPARABLE, OTHER_RIVALS, about_standings
from cantstop_arena.tables.standings import standings

STRENGTHS = (0.4, 0.2, 0.0, -0.2, -0.4)
ALL: list[Group] = [(0, 1), (0, 2), (1, 2)]


def analysed(*tournaments: list[Group], bots: int = 3, seats: int = 2) -> Analysis:
    rng = np.random.default_rng(1)
    seated = [0.0] * seats
    runs = [Truth(STRENGTHS[:bots], seated, lineups=met).run(40, rng) for met in tournaments]
    return Analysis(replace(results(bots, seats, runs), game="cantstop"))


CASES: list[tuple[list[list[Group]], int, set[int]]] = [
    ([ALL], 3, set()),
    ([ALL, ALL], 3, set()),
    ([ALL, [(0, 1)]], 3, {2}),  # 0 and 1 met 2 equally often
    ([ALL, [(0, 3)]], 4, {0, 3}),
    ([[(0, 1), (0, 2)]], 3, {0}),
    ([[(0, 1), (1, 2), (2, 3)]], 4, {0, 1, 2, 3}),
    ([[(0, 1)]], 3, set()),  # who has not played is not marked
]


@pytest.mark.parametrize(("tournaments", "bots", "marked"), CASES)
def test_bots_outside_the_largest_group_that_met_the_same_rivals_are_marked(
    tournaments: list[list[Group]], bots: int, marked: set[int]
) -> None:
    analysis = analysed(*tournaments, bots=bots)
    assert analysis.incomparable == marked
    assert analysis.scores_compare is not bool(marked)
    table = standings(analysis)
    notes = {str(row[1]): str(row[-1]) for row in table.rows}
    assert {name for name, note in notes.items() if OTHER_RIVALS in note} == {
        f"bot{bot}" for bot in marked
    }
    assert (NOT_COMPARABLE in about_standings(analysis)) is bool(marked)
    told = summary(analysis).get("incomparable", [])
    assert told == [analysis.results.bots[bot] for bot in analysis.order if bot in marked]


def test_in_fields_that_never_met_scores_are_marked_within_each() -> None:
    analysis = analysed([(0, 1), (2, 3)], bots=4)
    assert analysis.incomparable == set() and not analysis.scores_compare
    analysis = analysed([(0, 1)], [(2, 3), (2, 4), (3, 4)], [(2, 3)], bots=5)
    assert analysis.incomparable == {4}


def test_with_three_seats_those_who_sat_at_the_same_tables_compare() -> None:
    one_table = analysed([(0, 1, 2)], bots=3, seats=3)
    assert one_table.scores_compare
    analysis = analysed([(0, 1, 2), (0, 1, 3)], bots=4, seats=3)
    assert analysis.incomparable == {2, 3}


def test_twice_the_games_with_each_other_are_no_other_rivals() -> None:
    games = np.array([[0, 80, 40, 40], [80, 0, 40, 40], [40, 40, 0, 40], [40, 40, 40, 0]])
    assert groups_with_same_rivals(games) == [[0, 1], [2, 3]]
    assert groups_with_same_rivals(np.zeros((0, 0), np.int64)) == []


def test_a_gauntlet_says_so_in_words_of_its_own() -> None:
    analysis = analysed([(0, 1), (0, 2)])
    gauntlet = Analysis(replace(analysis.results, challenger="bot0"))
    assert NOT_COMPARABLE not in about_standings(gauntlet)
    assert not any(OTHER_RIVALS in str(row[-1]) for row in standings(gauntlet).rows)


def test_the_page_marks_the_scores_and_explains_the_sign_once() -> None:
    page = as_html(tournament_page.document(analysed(ALL, [(0, 3)], bots=4), [], [], [], ""))
    assert page.count(f"{OTHER_RIVALS} <span") == 2
    assert page.count(NOT_COMPARABLE) == 1
