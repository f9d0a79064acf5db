"""Variances of sums over deals: lineups by themselves, and lineups that met the same dice."""

from itertools import combinations
from math import inf

import numpy as np
import pytest
from helpers.dealt import met, populations_of
from helpers.simulated import Truth
from msgspec.structs import astuple, replace

from cantstop_arena.deals.deal_variance import SumVariance, WeightedDeals, sum_variance
from cantstop_arena.deals.sampling import Populations, gather_rows
from cantstop_arena.ratings.scores import pair_errors

FIRST, SECOND = (0, 2), (1, 2)  # two versions against a rival


def difference(populations: tuple[Populations, ...]) -> SumVariance:
    """That of what bot 0 got in all deals less what bot 1 got."""
    parts = []
    for each in populations:
        numbers = each.parameters(3)
        weights = (numbers == 0) * 1.0 - (numbers == 1)
        rows = np.arange(len(each.deals))
        parts.append(WeightedDeals(each, rows, weights, np.zeros(len(rows))))
    return sum_variance(parts, with_tails=False)


def test_versions_on_the_same_dice_are_joined_deal_by_deal() -> None:
    """What both owe to the dice cancels in their difference; alone it would be counted twice."""
    rng = np.random.default_rng(1)
    luck = rng.integers(0, 50, (200, 4))
    rows = {FIRST: luck + rng.integers(0, 5, (200, 4)), SECOND: luck + rng.integers(0, 5, (200, 4))}
    joined = difference(populations_of(rows, [(FIRST, SECOND)]))
    apart = difference(populations_of(rows))
    wanted = 200 * np.var(rows[FIRST][:, 0] - rows[SECOND][:, 0], ddof=1)
    assert joined.variance == pytest.approx(wanted)
    assert (joined.deals, apart.deals) == (200, 400)
    assert apart.variance > 20 * joined.variance


def test_deals_that_one_version_lacks_are_a_population_of_their_own() -> None:
    rng = np.random.default_rng(2)
    rows = {FIRST: rng.integers(0, 50, (30, 4)), SECOND: rng.integers(0, 50, (20, 4))}
    alone, together = populations_of(rows, [(FIRST, SECOND)])
    assert (alone.lineups.tolist(), alone.deals.tolist()) == ([[[0, 2]]], [10])
    assert (together.lineups.tolist(), together.deals.tolist()) == ([[[0, 2], [1, 2]]], [20])
    assert together.totals[0].tolist() == [*rows[FIRST][:20].sum(0), *rows[SECOND].sum(0)]


def test_a_difference_that_never_varies_has_no_variance() -> None:
    """Not even one of rounding."""
    luck = np.random.default_rng(3).integers(0, 10**6, (50, 4))
    found = difference(populations_of({FIRST: luck, SECOND: luck + 7}, [(FIRST, SECOND)]))
    assert found.variance == 0
    assert found.degrees_of_freedom == (49, 49)


@pytest.mark.parametrize(("deals", "bots", "dof"), [(2, 40, 39), (30, 4, 87), (3, 2, 2)])
def test_equal_lineups_have_the_degrees_of_freedom_of_all(deals: int, bots: int, dof: int) -> None:
    """Each loses one for its mean. On average: variances are estimated, and differ."""
    rng, found = np.random.default_rng(4), []
    for _ in range(200):
        rows = {(0, rival): rng.normal(size=(deals, 4)) * 1000 // 1 for rival in range(1, bots)}
        (each,) = populations_of(rows)
        weights = (each.parameters(bots) == 0) * 1.0
        part = WeightedDeals(each, np.arange(len(rows)), weights, np.zeros(len(rows)))
        summed = sum_variance([part], with_tails=False)
        assert summed.effective_deals == inf
        found.append(summed.degrees_of_freedom.low)
    assert max(found) <= dof
    assert np.mean(found) == pytest.approx(dof, rel=0.12)


@pytest.mark.parametrize("players", [2, 3])
def test_that_all_deals_are_one_is_asked_of_each_lineup(players: int) -> None:
    """In a field without chance there are as many deals as lineups, and none says more."""
    truth = Truth([1.0, 0.5, 0.0, -1.0], [0.0] * players)
    repeated = dict.fromkeys(combinations(range(4), players), (1, 100))
    for deals in (1, 2):
        played = truth.played(deals, np.random.default_rng(5))
        assert not played.is_one_deal
        assert replace(played, repeated=repeated).is_one_deal == (deals == 1)


def test_the_tails_are_those_of_every_lineup() -> None:
    """A bot that wins rarely does so against its second rival, not the first, of which most is
    sampled.
    """
    rare = [0.0] * 98 + [1.0, 2.0]
    errors = pair_errors(met({(0, 1): [0.0, 1.0] * 128, (0, 2): rare}))
    first, second = errors[0][1], errors[0][2]
    assert first and second
    assert first.degrees_of_freedom.high > 200
    assert second.degrees_of_freedom.high < 5


@pytest.mark.parametrize("pieces", [1, 3, 100])
def test_sums_do_not_depend_on_the_blocks_in_which_deals_come(pieces: int) -> None:
    """Blocks of two lineups, in any sequence, as processes end them."""
    rng = np.random.default_rng(6)
    rows = {FIRST: rng.integers(0, 50, (300, 4)), SECOND: rng.integers(0, 50, (300, 4))}
    blocks = [
        (group, int(numbers[0]), table[numbers], table[numbers])
        for group, table in rows.items()
        for numbers in np.array_split(np.arange(300), pieces)
    ]
    rng.shuffle(blocks)
    found = gather_rows(
        {group: [(0, 300)] for group in rows},
        lambda start, count: blocks,
        lambda chunk: np.concatenate([table for *_, table in chunk]).astype(np.float64),
        4,
    )
    for one, other in zip(populations_of(rows), found, strict=True):
        for expected, column in zip(astuple(one), astuple(other), strict=True):
            assert (column == expected).all()
