"""Matches of known truth: errors and length of sequential tests, and the power that plans reach.

Part of `make coverage-study`: tables of its lines.
"""

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from helpers.simulated import Truth
from helpers.study_tables import Column, Line, StudyTable

from cantstop_arena.deals.control_variate import correction
from cantstop_arena.deals.outcomes import WIN_UNITS
from cantstop_arena.deals.sampling import Bytes, Ints, wins_by_deal
from cantstop_arena.deals.seatings import standard_orders
from cantstop_arena.ratings.model.luce import ELO
from cantstop_arena.ratings.scores import score_error
from cantstop_arena.ratings.sequential.confidence import looks
from cantstop_arena.ratings.sequential.corrected_score import CorrectedScore
from cantstop_arena.ratings.sequential.sprt import GROWTH, Sprt, TestState, expected_deals
from cantstop_arena.ratings.significance import SIGNIFICANT
from cantstop_arena.reports.plan_report import CostQuestion, plan_of

PAIR, ORDERS, GAMES = (0, 1), standard_orders(2), 2
SHARED, LUCKY = 0.5, 0.8  # of the noise: what the games of a deal share, and what is measured
MOST_DEALS = 1_000_000
TRIAL_DEALS = 1000
POWER = 0.8

WRONG_H1, WRONG_H0 = "accepts H1 where H0 is true", "accepts H0 where H1 is true"
DEALS_H0, DEALS_H1 = "deals where H0 is true", "deals where H1 is true"
PLANNED, REACHED = "deals", "power reached"
PLANNED_REMOVED, REACHED_REMOVED = "deals, luck removed", "power reached, luck removed"

Scored = Callable[[int, int], TestState]
"""The state of a test after deals from the first number up to the second have been played."""


def _played(truth: Truth, deals: int, rng: np.random.Generator) -> tuple[Bytes, Ints]:
    """The winners of a pair's deals, and the luck in them."""
    luck: dict[tuple[int, ...], Ints] = {}
    winners = truth.run(deals, rng, luck)[PAIR]
    return winners, luck.get(PAIR, np.zeros((deals, 4), np.int64))


def _pair(elo: float, shared: float, lucky: float) -> Truth:
    return Truth((elo / ELO, 0.0), (0.0, 0.0), shared, lucky=lucky)


def sequential_tests(
    test: Sprt, shared: float, lucky: float, repetitions: int, rng: np.random.Generator
) -> dict[str, float]:
    """How often a test errs at each border, and the deals it takes."""
    found = {}
    for elo, mistake, wrong, length in (
        (test.elo0, 1, WRONG_H1, DEALS_H0),
        (test.elo1, 0, WRONG_H0, DEALS_H1),
    ):
        truth = _pair(elo, shared, lucky)
        ends = [_decided(test, truth, rng) for _ in range(repetitions)]
        found[wrong] = float(np.mean([accepted == mistake for accepted, _ in ends]))
        found[length] = float(np.mean([deals for _, deals in ends]))
    return found


def _decided(test: Sprt, truth: Truth, rng: np.random.Generator) -> tuple[int, int]:
    """The hypothesis that a test accepts, and after how many deals."""
    counts, corrected, played = np.zeros(5, np.int64), CorrectedScore(), 0
    for deals in looks(expected_deals(test), MOST_DEALS, GROWTH):
        winners, luck = _played(truth, deals - played, rng)
        wins = wins_by_deal(winners, ORDERS)[:, 0]
        if truth.lucky:
            corrected.add(played, wins / (GAMES * WIN_UNITS), luck[:, 0])
            state = test.state_of(*corrected.look())
        else:
            counts += np.bincount(wins * 4 // (GAMES * WIN_UNITS), minlength=5)
            state = test.state(counts.tolist())
        played = deals
        if state.accepted is not None:
            return state.accepted, deals
    raise AssertionError("no test takes so long")


def planned(question: CostQuestion, repetitions: int, rng: np.random.Generator) -> dict[str, float]:
    """The deals that are planned from trial games, and how often so many find the difference."""
    score = 0.5 + question.difference / 2
    elo = question.difference if question.elo else ELO * np.log(score / (1 - score))
    truth = _pair(elo, SHARED, LUCKY)
    rows = [_found(question, truth, rng) for _ in range(repetitions)]
    names = (PLANNED, REACHED, PLANNED_REMOVED, REACHED_REMOVED)
    return dict(zip(names, np.mean(rows, axis=0).tolist(), strict=True))


def _found(
    question: CostQuestion, truth: Truth, rng: np.random.Generator
) -> tuple[float, float, float, float]:
    winners, luck = _played(truth, TRIAL_DEALS, rng)
    corrections = correction(ORDERS, [(PAIR, 0, winners, luck)])(PAIR, 0, luck)[:, :2]
    plan = plan_of(question, wins_by_deal(winners, ORDERS)[:, :2], GAMES, corrections)
    assert plan.plain_deals is not None and plan.deals is not None
    plain = score_error(truth.played(plan.plain_deals, rng).plain, 0)
    removed = score_error(truth.played(plan.deals, rng), 0)
    assert plain is not None and removed is not None
    p_values = plain.p_of_even, removed.p_of_even
    reached = [float(p <= SIGNIFICANT) for p in p_values]
    return plan.plain_deals, reached[0], plan.deals, reached[1]


def _test_line(elo: tuple[float, float], shared: float, lucky: float) -> Line:
    name = f"{elo[0]:g} against {elo[1]:g} Elo, {shared:.0%} shared"
    name += ", luck removed" if lucky else ""
    return Line(name, partial(sequential_tests, Sprt(*elo), shared, lucky))


def _plan_line(difference: float, elo: bool) -> Line:
    name = f"{difference:g} Elo" if elo else f"{difference:g} in score"
    return Line(name, partial(planned, CostQuestion(difference, elo, POWER, SIGNIFICANT)))


def tables() -> Sequence[StudyTable]:
    """Those of sequential tests and of plans."""
    test_lines = [
        _test_line(elo, shared, lucky)
        for elo, shared in (((0, 30), 0.0), ((0, 30), SHARED), ((0, 30), 0.9), ((300, 330), SHARED))
        for lucky in (0.0, LUCKY)
    ]
    plan_lines = [_plan_line(difference, False) for difference in (0.06, 0.1, 0.2, 0.3, 0.4)]
    return (
        StudyTable(
            "{repetitions} sequential tests of a match at each border, both risks 5%, in percent,"
            " and the mean number of deals that they take.",
            "matches",
            [Column(WRONG_H1), Column(WRONG_H0), Column(DEALS_H0, 0), Column(DEALS_H1, 0)],
            test_lines,
        ),
        StudyTable(
            "{repetitions} plans for a difference that is there, with 80% power: the mean number of"
            " deals planned from 1000 trial deals, and how often tournaments of so many"
            " deals find it. No plan has fewer than 20 deals.",
            "plans",
            [
                *(Column(PLANNED, 0), Column(REACHED)),
                *(Column(PLANNED_REMOVED, 0), Column(REACHED_REMOVED)),
            ],
            [*plan_lines, _plan_line(40, True), _plan_line(150, True)],
        ),
    )
