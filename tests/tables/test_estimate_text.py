"""An estimate is written alike in tables, in sentences and on pages."""

import re

import pytest

from cantstop_arena.pages.number_text import number_with_error, with_error
from cantstop_arena.ratings.estimate import Estimate
from cantstop_arena.tables.column import estimate, estimate_text, signed_text
from cantstop_arena.tables.formats import value_text

CASES = {
    "even": (Estimate(52.3, 51.9, 52.7), "52.3 ± 0.4"),
    "lopsided": (Estimate(-156.89, -363.52, -10.07), "-156.9 (-363.5 to -10.1)"),
    "nearly even, beyond 0": (Estimate(10.0, 0.3, 20.5), "10.0 (0.3 to 20.5)"),
    "nearly even, not beyond 0": (Estimate(10.0, -0.5, 19.0), "10.0 (-0.5 to 19.0)"),
    "nearly even below 0": (Estimate(-10.0, -20.5, -0.3), "-10.0 (-20.5 to -0.3)"),
    "no lower end": (Estimate(100.0, None, 120.0), "100.0 (up to 120.0)"),
    "no upper end": (Estimate(100.0, 90.0, None), "100.0 (from 90.0)"),
    "no interval": (Estimate(100.0), "100.0"),
    "known exactly": (Estimate(100.0, 100.0, 100.0), "100.0"),
}


@pytest.mark.parametrize(("value", "text"), CASES.values(), ids=CASES)
def test_one_number_has_one_interval(value: Estimate, text: str) -> None:
    assert estimate_text(value, 1) == text
    assert value_text(estimate("elo", "Elo", 1), value) == text
    assert with_error(value, 1).replace("\u2212", "-") == text
    html = re.sub("<[^>]*>", "", str(number_with_error(value, 1))).replace("\u2212", "-")
    assert html.split() == text.replace("(", "").replace(")", "").split()


@pytest.mark.parametrize(("value", "text"), CASES.values(), ids=CASES)
def test_the_plus_or_minus_is_true_of_zero(value: Estimate, text: str) -> None:
    """Whether an interval holds 0 is read off its text as off its ends."""
    half, (mean, low, high) = value.half_width, value
    if half is not None and mean is not None and low is not None and high is not None:
        assert (mean - half > 0, mean + half < 0) == (low > 0, high < 0)
    assert ("±" in text) == bool(half)


def test_units_and_signs() -> None:
    lopsided = Estimate(0.62, 0.5, 0.65)
    assert estimate_text(lopsided, 1, 100, unit="%") == "62.0% (50.0 to 65.0)"
    assert estimate_text(Estimate(0.5, 0.4, 0.6), 1, 100, unit="%") == "50.0 ± 10.0%"
    assert estimate_text(Estimate(1.0, -1, 3), 2, number_text=signed_text) == "+1.00 ± 2.00"
    assert estimate_text(lopsided.scaled(-1), 2) == "-0.62 (-0.65 to -0.50)"
    assert estimate_text(Estimate(None), 2) == "unknown"
