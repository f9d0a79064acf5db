"""What a tuning recommends: only what its test has shown to be stronger."""

from typing import Any

import pytest

from cantstop_arena.reports.tuning_report import judged_text, line_text, tuning_text
from cantstop_arena.tuning.tuner import ScoreShare, TuningResult, TuningVerdict

SHARE = ScoreShare(0.5, 0.01, 1000)


def tuned(accepted: int | None, score: float) -> TuningResult:
    verdict = TuningVerdict(score, 1000, accepted)
    return TuningResult({"skip": 12}, None, SHARE, verdict)


@pytest.mark.parametrize(
    ("accepted", "score", "text"),
    [
        (1, 0.736, "it scored 73.6%: H1 accepted: stronger by more than 0 Elo"),
        (0, 0.5, "it scored 50.0%: no improvement found"),
        (0, 0.34950000000000003, "it scored 34.9%: no improvement found"),  # halves away from 50
        (None, 0.51, "it scored 51.0%: undecided, no improvement shown"),
    ],
)
def test_a_verdict_claims_no_more_than_its_test(
    accepted: int | None, score: float, text: str
) -> None:
    told = judged_text(tuned(accepted, score).verdict, 10)
    assert told.startswith("In 1,000 fresh games against the current version ")
    assert f"{text} (one-sided sequential test of 0 against 10 Elo, wrong in at most 5%)." in told


def test_a_bot_that_stays_as_it_is_gets_no_score_against_itself() -> None:
    found = TuningResult({"skip": 12}, None, SHARE, None, {"skip": 12})
    nothing: Any = None  # is searched
    assert "It won" not in tuning_text(found, nothing, "twin", "twin", 10)
    assert "against rule28." in tuning_text(found, nothing, "twin", "rule28", 10)


@pytest.mark.slow
def test_only_what_is_shown_to_be_stronger_is_recommended() -> None:
    assert line_text(tuned(1, 0.7), "twin") == "- {bot: twin, skip: 12}"
    assert line_text(tuned(0, 0.5), "twin") == ""
    assert line_text(tuned(None, 0.6), "twin") == "", "not decided"
    assert line_text(TuningResult({"skip": 1}, None, SHARE, None), "twin") == ""
