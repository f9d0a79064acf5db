"""Sequential tests with luck removed: each deal is corrected by what earlier deals show."""

import json
from pathlib import Path

import numpy as np
import pytest
from helpers.arena import Arena
from match_study import DEALS_H0, WRONG_H0, WRONG_H1, sequential_tests

from cantstop_arena.deals.control_variate import FOLDS
from cantstop_arena.ratings.model.evidence import Floats, Ints
from cantstop_arena.ratings.sequential.corrected_score import CorrectedScore
from cantstop_arena.ratings.sequential.sprt import Sprt

Deals = tuple[Floats, Ints]


def made_up(deals: int, rng: np.random.Generator) -> Deals:
    """The scores of deals, 0, 1/2 or 1, and luck that goes along with them."""
    luck = rng.normal(size=deals)
    ahead = 0.2 + luck[:, None] + rng.normal(size=(deals, 2))
    return (ahead > 0).mean(axis=1), np.rint(1e5 * luck).astype(np.int64)


def slope(y: Floats, x: Ints) -> float:
    """The shrunk coefficient of the regression of scores on luck."""
    covariance = np.cov(y, x)
    found = covariance[0, 1] / covariance[1, 1]
    explained = found * covariance[0, 1] * (len(y) - 1)
    unexplained = (covariance[0, 0] * (len(y) - 1) - explained) / (len(y) - 2)
    return float(found * max(0, 1 - unexplained / explained))


def looked(deals: Deals, looks: list[int], cuts: int = 10_000) -> list[tuple[int, float, float]]:
    """What is known at each look; deals come in blocks of at most `cuts`."""
    corrected, start, found = CorrectedScore(), 0, []
    for look in looks:
        for first in range(start, look, cuts):
            rows = slice(first, min(first + cuts, look))
            corrected.add(first, deals[0][rows], deals[1][rows])
        found.append(corrected.look())
        start = look
    return found


def test_deals_are_corrected_by_coefficients_from_earlier_deals() -> None:
    y, x = made_up(300, np.random.default_rng(1))
    (_, first, _), (count, mean, variance) = looked((y, x), [100, 300])
    folds = np.arange(100) % FOLDS
    z = y.copy()
    for fold in range(FOLDS):
        outside = folds != fold
        z[:100][~outside] -= slope(y[:100][outside], x[:100][outside]) * x[:100][~outside]
    z[100:] -= slope(y[:100], x[:100]) * x[100:]
    assert first == pytest.approx(z[:100].mean(), rel=1e-8)
    assert count == 300
    assert (mean, variance) == pytest.approx((z.mean(), z.var(ddof=1)), rel=1e-6)
    assert variance < 0.8 * y.var()


def test_later_deals_do_not_change_how_earlier_ones_are_corrected() -> None:
    y, x = made_up(300, np.random.default_rng(2))
    before = looked((y, x), [100, 200, 300])
    x[200:] *= -50
    after = looked((y, x), [100, 200, 300])
    assert after[:2] == before[:2] and after[2] != before[2]


@pytest.mark.parametrize("cuts", [1, 7, 64])
def test_the_blocks_of_a_ledger_do_not_matter(cuts: int) -> None:
    deals = made_up(400, np.random.default_rng(3))
    assert looked(deals, [110, 250, 400], cuts) == pytest.approx(
        np.array(looked(deals, [110, 250, 400])), rel=1e-12
    )


def test_luck_that_does_not_matter_changes_nothing() -> None:
    y, x = made_up(2000, np.random.default_rng(4))
    ((_, mean, variance),) = looked((y, 0 * x), [2000])
    assert (mean, variance) == pytest.approx((y.mean(), y.var(ddof=1)))


def test_equal_deals_have_a_variance() -> None:
    ((deals, mean, variance),) = looked((np.full(100, 0.5), np.arange(100)), [100])
    assert (deals, mean) == (100, 0.5) and variance > 0


@pytest.mark.slow
def test_a_test_that_goes_on_is_the_same(
    arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In three commands, and in one: the same look, ratio, verdict and tables."""
    monkeypatch.chdir(tmp_path)
    match = "match rule28 odds --sprt 0 20 --luck-removed --seed 3 --no-page"
    whole = arena(f"{match} --results whole")
    for games in (214, 330, 100_000):
        done = arena(f"{match} --results parts --games {games}")
    for name in ("match.json", "standings.csv"):
        paths = (whole.folder / name, done.folder / name)
        one, other = (path.read_text() for path in paths)
        assert one == other
    test = json.loads((whole.folder / "match.json").read_text())["sprt"]
    assert test["accepted"] and "Luck removed: the LLR corrects each deal" in whole.text


@pytest.mark.slow
def test_errors_are_as_rare_as_without_and_tests_shorter() -> None:
    rng, test = np.random.default_rng(5), Sprt(0, 30)
    removed, plain = (sequential_tests(test, 0.5, lucky, 300, rng) for lucky in (0.8, 0.0))
    for found in (removed, plain):
        assert max(found[WRONG_H0], found[WRONG_H1]) <= 0.05 + 3 * (0.05 * 0.95 / 300) ** 0.5
    assert removed[DEALS_H0] < 0.8 * plain[DEALS_H0]
