"""What is said below the standings, so that nobody reads more out of the Elo than the games say."""

import numpy as np
from helpers.simulated import Truth, results
from msgspec.structs import replace

from cantstop_arena.deals.outcomes import TEST, Until
from cantstop_arena.tables.analysis import Analysis
from cantstop_arena.tables.notes import about_standings

SEATS = (0.1, -0.1)


def notes(truth: Truth, deals: int = 300) -> list[str]:
    """What is said of a tournament of bots of this truth."""
    run = truth.run(deals, np.random.default_rng(4))
    return about_standings(Analysis(results(len(truth.strengths), truth.players, [run])))


def test_neighbours_that_only_others_tell_apart_are_named() -> None:
    said = notes(Truth((0, 0, -1), SEATS, cycles={(0, 2): 1.5}))
    (line,) = (line for line in said if "stands above" in line)
    assert line.startswith("bot0 stands above bot1 by their games with others; head to head, ")
    assert line.endswith(") is not significantly different from even.")
    assert said[0].startswith("A single rating per bot does not fit these results (deviance test, ")


def test_who_lost_to_the_bot_below_is_named() -> None:
    said = notes(Truth((0, 0, 0), SEATS, cycles={(0, 2): 3, (1, 0): 0.4}))
    assert any("bot0 stands above bot1, but lost to it head to head: " in line for line in said)


def test_where_all_agree_the_fit_alone_is_told() -> None:
    (line,) = notes(Truth((0.5, 0, -0.5), SEATS))
    assert line.startswith("On the whole a single rating per bot fits the results (deviance test, ")


def test_with_three_seats_an_even_score_is_a_third() -> None:
    assert "An even score is 33.3%." in notes(Truth((0, 0, 0), (0.1, 0, -0.1)), 30)


def test_a_gauntlet_has_no_games_with_others() -> None:
    truth = Truth((0, 0, -1), SEATS, cycles={(0, 2): 1.5})
    run = truth.run(300, np.random.default_rng(4))
    lines = about_standings(Analysis(results(3, 2, [run], challenger="bot1")))
    assert "Gauntlet: the other bots' scores are against bot1 only." in lines
    assert not any("by their games with others" in line for line in lines)


def test_two_bots_have_no_games_with_others() -> None:
    """Elo and score of two are of the same games, of which a sequence's interval is wider."""
    run = Truth((0.2, 0), SEATS).run(100, np.random.default_rng(4))
    totals = replace(results(2, 2, [run]), until=Until(TEST, 0, 100))
    lines = about_standings(Analysis(totals))
    assert any(line.startswith("Played for a sequential test. ") for line in lines)
    assert not any("stands above" in line for line in lines)


def test_what_is_remarked_stands_below_the_standings() -> None:
    truth = Truth((0, 0, 0), (0.1, -0.1))
    run = truth.run(30, np.random.default_rng(4))
    played = replace(results(3, 2, [run]), notes=("bot0 has no nets.",))
    assert "bot0 has no nets." in about_standings(Analysis(played))
