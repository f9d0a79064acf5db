"""The page of `arena tune`: trials, the curve that was fitted to them, and what came of it."""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.arena import Arena
from helpers.pages import checked

from cantstop_arena.reports.tuning_report import TunedGame, tuning_content, tuning_json
from cantstop_arena.reports.write_page import tuning_page
from cantstop_arena.tuning.cma_search import Generation, Numbers
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
    return search(scores_of, WISH.ranges, 400_000)


TUNED = TunedGame("rule28", ("glenn-aloi",), "cantstop", "classic", 2, 1, "arena tune rule28")
PRESENT = {"threshold": 28, "prefer": "<low>"}


def page(
    peak: Optimum | None,
    wish: Ranges | NumberList = WISH,
    options: Mapping[str, Any] | None = None,
    accepted: int | None = None,
    generations: Sequence[Generation] = (),
) -> str:
    options = options or {"threshold": 30, "prefer": "high"}
    present = PRESENT if isinstance(wish, Ranges) else {"numbers": (1.0,)}
    verdict = TuningVerdict(0.5, 1000, accepted, 0.02)
    share = ScoreShare(0.41, 0.01, 2000)
    found = TuningResult(options, peak, share, verdict, present, tuple(generations), 4000)
    text = tuning_page(json.loads(tuning_json(tuning_content(found, wish, TUNED, 10))))
    checked(text)
    return text


def test_the_curve_is_the_one_that_was_fitted(peak: Optimum) -> None:
    curve = peak.curves[0]
    assert np.allclose(curve.scores, 0.41 - 0.0002 * (curve.values - 30) ** 2, atol=0.001)
    assert curve.values[np.argmax(curve.scores)] == peak.point[0] == 30
    assert np.all(curve.halves > 0)
    assert curve.halves[0] > curve.halves[len(curve.halves) // 2], "ends were played less"
    assert np.allclose(peak.curves[1].scores, [0.4, 0.41], atol=0.001)


def test_the_page_draws_trials_and_curve_of_every_number(peak: Optimum) -> None:
    text = page(peak)
    high = {trial.point[0] for trial in peak.trials if trial.point[1] == peak.point[1]}
    assert text.count('class="trial"') == len(high) > len(WISH.ranges[0].levels(5))
    assert text.count('class="walk"') == 1, "choices have no curve"
    assert "Undecided whether threshold 30, prefer high is stronger than threshold 28" in text
    assert "&lt;low&gt;" in text and "<low>" not in text
    coordinates = re.findall(r' c?[xy][12]?="(-?[\d.]+)%?"', text)
    assert len(coordinates) > 20
    assert all(0 <= float(number) <= 300 for number in coordinates)


def test_options_are_recommended_only_after_h1(peak: Optimum) -> None:
    line = "bots: [{bot: rule28, threshold: 30, prefer: high}]"
    assert line in page(peak, accepted=1)
    assert line not in page(peak, accepted=0) and line not in page(peak)
    assert "No improvement found: threshold 28, prefer &lt;low&gt; stays" in page(peak, accepted=0)


def test_the_dot_of_the_test_has_its_verdict_where_the_interval_takes_in_50(peak: Optimum) -> None:
    """The test is of one side, so that H1 can be accepted where a two-sided sequence is open."""
    looks = {None: "dot hollow", 1: "dot best", 0: "dot less"}
    for accepted, look in looks.items():
        facts = page(peak, accepted=accepted).partition("<dl")[2].partition("</dl>")[0]
        own = facts.partition("Against the present version")[2].partition("</div>")[0]
        assert look in own
        assert "two-sided 95% confidence sequence, wider than the one-sided test" in own


def test_two_numbers_have_a_map(peak: Optimum) -> None:
    two = Ranges(("risk", "late"), (Range(0, 4, False), Range(-1, 1, False)), ((), ()), (1.6, 0.1))

    def scores(points: Sequence[Numbers], first: int, deals: int) -> list[float]:
        return [0.5 - 0.02 * float((point**2).sum()) for point in points]

    found = search(scores, two.ranges, 40_000)
    text = page(found, two, two.options(found.point))
    assert text.count("heat ") >= len(found.trials) and "region" in text


def test_a_list_of_numbers_has_generations() -> None:
    wish = NumberList("numbers", (1.0,), (1.0,))
    generations = [Generation(n, np.array([1.0]), 0.5 + n / 100, 0.02, 20) for n in range(1, 9)]
    text = page(None, wish, {"numbers": [1.5]}, generations=generations)
    assert "Undecided whether the new numbers are stronger than the present ones" in text
    assert text.count('class="trial"') == 8 and "[1.5]" in text


def test_the_line_of_a_generation_ends_at_no_score_and_all_points() -> None:
    wish = NumberList("numbers", (1.0,), (1.0,))

    def drawn(deviation: float) -> str:
        generations = [Generation(n, np.array([1.0]), 0.5, deviation, 20) for n in (1, 2)]
        return page(None, wish, {"numbers": [1.5]}, generations=generations)

    assert drawn(0.6) == drawn(5.0) != drawn(0.4)


@pytest.mark.slow
def test_the_command_writes_a_folder(arena: Arena, tmp_path: Path) -> None:
    words = "tune rule28 threshold=24..32 --against glenn-aloi --games 1200 --page"
    done = arena(*words.split(), "--html", str(tmp_path / "page.html"))
    folder = Path("results/tune-rule28-threshold")
    text = (folder / "report.html").read_text()
    assert text == (tmp_path / "page.html").read_text() and text.count('class="walk"') == 1
    content = json.loads((folder / "tuning.json").read_text())
    assert f"{content['headline']}.\n" in done.text and content["headline"] in text
    assert f"Written to {folder}" in done.text
    (folder / "report.html").unlink()
    arena("report", str(folder))
    assert (folder / "report.html").read_text() == text
    arena(*words.split()[:-1], "--no-page", "--quiet")
    assert not (folder / "report.html").exists(), "it was of an earlier result"
