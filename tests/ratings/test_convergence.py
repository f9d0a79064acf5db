"""Iterations: each converges at extreme arguments, or raises an error that is a sentence."""

from collections.abc import Callable
from types import ModuleType

import numpy as np
import pytest
from helpers.arena import Arena
from helpers.simulated import seatings_of

from cantstop_arena.errors import ConvergenceError, steps_to
from cantstop_arena.ratings import significance
from cantstop_arena.ratings.model import luce
from cantstop_arena.ratings.model.evidence import Evidence
from cantstop_arena.ratings.sequential import confidence, sprt
from cantstop_arena.ratings.significance import (
    chi_square_tail,
    fisher_tail,
    noncentrality,
    student_quantile,
)


def evidence(*won: tuple[tuple[int, ...], tuple[float, ...]], bots: int) -> Evidence:
    """What the bots of a lineup won in each of its seatings."""
    rows = [
        (seating, [wins[lineup.index(bot)] for bot in seating])
        for lineup, wins in won
        for seating in seatings_of(lineup)
    ]
    lineups, wins = (np.array(part).T for part in zip(*rows, strict=True))
    return Evidence(bots, lineups, wins.astype(float))


UNEVEN = evidence(((0, 1), (9, 1)), ((1, 2), (4, 3)), ((0, 2), (2, 7)), bots=3)

ITERATIONS: dict[str, tuple[ModuleType, str, Callable[[], object]]] = {
    "beta": (significance, "MAX_STEPS", lambda: fisher_tail(1.2, 40, 50)),
    "gamma series": (significance, "MAX_STEPS", lambda: chi_square_tail(30, 40)),
    "gamma fraction": (significance, "MAX_STEPS", lambda: chi_square_tail(50, 40)),
    "noncentrality": (significance, "MAX_STEPS", lambda: noncentrality(50, 40, 0.025)),
    "quantile": (significance, "NEWTON_STEPS", lambda: student_quantile(7.7, 0.013)),
    "confidence": (confidence, "_MAX_STEPS", lambda: confidence.multiplier(200, 300, 0.013)),
    "test": (sprt, "_MAX_STEPS", lambda: sprt._tilt([(0, 5), (0.5, 2), (1, 9)], 0.45)),
    "ratings": (luce, "MAX_STEPS", lambda: luce.fit(UNEVEN)),
}


@pytest.mark.parametrize(
    ("module", "limit", "calculate"), ITERATIONS.values(), ids=ITERATIONS.keys()
)
def test_an_iteration_that_has_not_converged_raises(
    monkeypatch: pytest.MonkeyPatch, module: ModuleType, limit: str, calculate: Callable[[], object]
) -> None:
    monkeypatch.setattr(module, limit, 2)
    with pytest.raises(ConvergenceError, match="cannot be computed: no convergence in 2 steps"):
        calculate()


def test_a_step_that_stays_downhill_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(luce, "MAX_HALVINGS", 0)
    with pytest.raises(ConvergenceError, match="ratings' likelihood"):
        luce.fit(UNEVEN)


def test_steps_that_suffice_do_not_raise() -> None:
    assert next(step for step in steps_to("a root", 3) if step == 3) == 3


def test_the_user_reads_a_sentence(arena: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    yaml = "bots: [rule28, random]\ngames: 40\n"
    arena("run", "cup.yaml", "--quiet", yaml=yaml)
    monkeypatch.setattr(luce, "MAX_STEPS", 1)
    error = arena("rate", "results/cup", code=1).error
    assert error.startswith("The maximum of the ratings' likelihood cannot be computed")


# By scipy, the first by the tail's asymptote: t³ times the tail is that of 1e-50.
@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (lambda: student_quantile(3, 1e-200), 4.7952757204692e66),
        (lambda: student_quantile(1e20), 1.95996398454005),
        (lambda: chi_square_tail(1e8 - 1e4, 1e8), 0.7602426160),
    ],
    ids=["small tail", "many degrees of freedom", "many degrees of freedom of chi-square"],
)
def test_extreme_arguments_need_more_steps(value: Callable[[], float], expected: float) -> None:
    assert value() == pytest.approx(expected, rel=1e-8)


LOPSIDED = [
    evidence(
        ((1, 0, 3), (17544, 0, 639)), ((1, 0, 2), (2941, 0, 149)), ((3, 2, 1), (3844, 6352614, 52)),
        ((2, 3, 1), (0, 73454, 0)), ((3, 1, 2), (0, 6393065, 28)), bots=4,
    ),
]  # fmt: skip


@pytest.mark.parametrize("played", LOPSIDED)
def test_steps_of_rounding_alone_have_converged(played: Evidence) -> None:
    model = luce.fit(played)
    slope = luce.gradient(model.evidence, model.parameters)
    assert np.abs(slope).max() < 1e-12 * played.wins.sum()


def test_a_start_that_is_too_far_off_does_not_matter() -> None:
    draw = evidence(((0, 1), (1, 1)), bots=2)
    assert np.abs(luce.fit(draw, np.array([1.0, -4, 2, -3])).parameters).max() < 1e-9
