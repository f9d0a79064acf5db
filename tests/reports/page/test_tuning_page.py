"""The page of `arena tune`: trials, the curve that was fitted to them, and what came of it."""

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from helpers.arena import Arena

from cantstop_arena.reports.write_page import tuning_page
from cantstop_arena.tuning.cma_search import Numbers
from cantstop_arena.tuning.halving import Optimum, Range, search
from cantstop_arena.tuning.search_space import NumberList, Ranges
from cantstop_arena.tuning.tuner import ScoreShare, TuningResult, TuningVerdict

WISH = Ranges(
    ("threshold", "prefer"),
    (Range(18, 46, is_integer=True), Range(0, 1, is_integer=True, is_choice=True)),
    ((), ("<low>", "high")),
    (28, "<low>"),
)


def scores_of(points: Sequence[Numbers], first: int, deals: int) -> list[float]:
    """A parabola with its top at 30, whose every value is known exactly."""
    return [0.4 - 0.0002 * float(point[0] - 30) ** 2 + 0.01 * float(point[1]) for point in points]


@pytest.fixture(scope="module")
def peak() -> Optimum:
    return search(scores_of, WISH.ranges, 400_000, 1)


def page(peak: Optimum | None, wish: Ranges | NumberList = WISH) -> str:
    found = TuningResult(
        {"threshold": 30}, peak, ScoreShare(0.41, 0.01, 2000), TuningVerdict(0.5, 1000, None)
    )
    return tuning_page(found, wish, "rule28", "glenn-aloi", 10)


def test_the_curve_is_the_quadratic_that_was_fitted(peak: Optimum) -> None:
    curve = peak.curves[0]
    assert np.allclose(curve.scores, 0.41 - 0.0002 * (curve.values - 30) ** 2)
    assert curve.values[np.argmax(curve.scores)] == peak.point[0] == 30
    assert np.all(curve.halves > 0)
    assert curve.halves[0] > curve.halves[len(curve.halves) // 2], "ends were played less"
    assert np.allclose(peak.curves[1].scores, [0.4, 0.41])


def test_the_page_draws_trials_and_curve_of_every_number(peak: Optimum) -> None:
    text = page(peak)
    assert text.count('class="dot"') == len(peak.trials)
    assert text.count('class="fitted"') == 1
    assert "threshold 30 (" in text and "undecided" in text
    assert "&lt;low&gt;" in text and "<low>" not in text
    coordinates = re.findall(r' c?[xy][12]?="(-?[\d.]+)%?"', text)
    assert len(coordinates) > 50
    assert all(0 <= float(number) <= 300 for number in coordinates)


def test_a_list_of_numbers_has_no_curve() -> None:
    text = page(None, NumberList("numbers", (1.0,), (1.0,)))
    assert "Trials and fitted curve" not in text
    assert "rule28, tuned" in text


@pytest.mark.slow
def test_the_command_writes_it(arena: Arena, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    words = "tune rule28 threshold=24..32 --against glenn-aloi --games 1200 --quiet --html"
    arena(*words.split(), str(path))
    assert path.read_text().count('class="fitted"') == 1
