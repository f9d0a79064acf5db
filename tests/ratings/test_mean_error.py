"""The interval of a mean over deals, where the deals themselves are at hand."""

import numpy as np
import pytest
from helpers.oracles import stats

from cantstop_arena.ratings.mean_error import mean_error


def test_the_half_width_of_few_deals_is_students() -> None:
    deals = np.array([0.0, 1.0, 0.5, 0.25, 1.0])
    expected = stats.t.ppf(0.975, 4) * deals.std(ddof=1) / 5**0.5
    assert mean_error(deals.mean(), deals).half_width == pytest.approx(expected)


def test_the_half_width_of_rare_deals_is_that_of_the_farther_end() -> None:
    deals = np.zeros(100)
    deals[:2] = 1.0
    error = mean_error(deals.mean(), deals)
    students = stats.t.ppf(0.975, 99) * deals.std(ddof=1) / 10
    low, high = error.interval
    assert low is not None and high is not None
    assert error.half_width == high - error.mean > max(error.mean - low, 1.2 * students)


def test_equal_deals_have_an_interval_within_bounds_only() -> None:
    """Others may differ, as far as the bounds allow."""
    assert mean_error(1.0, np.ones(20)).half_width == 0
    half = mean_error(1.0, np.ones(20), bounds=(0.0, 1.0)).half_width
    assert half == pytest.approx(1 - 0.05 ** (1 / 20))
