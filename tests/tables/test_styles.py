"""The lengths of games: a percentile is found by its number of percent, not by its place."""

from collections import Counter

import pytest

from cantstop_arena.tables import styles
from cantstop_arena.tables.styles import Lengths


@pytest.mark.parametrize("percents", [(5, 50, 95), (1, 5, 25, 50, 95, 99)])
def test_a_percentile_is_found_by_its_percent(
    monkeypatch: pytest.MonkeyPatch, percents: tuple[int, ...]
) -> None:
    monkeypatch.setattr(styles, "PERCENTS", percents)
    in_tens = tuple(10 * percent for percent in percents)
    distribution = Lengths(0, 100, 12.0, None, in_tens, Counter())
    assert [distribution.percentile(percent) for percent in (5, 50, 95)] == [50, 500, 950]
