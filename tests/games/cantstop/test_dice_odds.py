"""Exact chances: the published figures, and the counts against the naive reading of the rules."""

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from helpers import naive
from hypothesis import given
from hypothesis import strategies as st

from cantstop_arena.games.cantstop.dice_odds import (
    all_rolls,
    hit_count,
    hit_table,
    pairings,
    success_count,
)
from cantstop_arena.games.cantstop.rules import CLASSIC, RULES, derive

TRIPLES = list(combinations(CLASSIC.columns, 3))


@pytest.mark.parametrize(("column", "share"), [(2, 13.19), (12, 13.19), (7, 64.35)])
def test_a_column_comes_with_its_published_share_of_rolls(column: int, share: float) -> None:
    """Facts (P, F): 13.19% for 2 and 12, 64.35% for 7."""
    assert round(100 * hit_count(6, [column]) / 1296, 2) == share


def test_the_best_and_the_worst_triple_are_the_published_ones() -> None:
    """Facts: 6, 7, 8 succeed with 1192 rolls, 2, 3, 12 with 568."""
    counts = {triple: success_count(CLASSIC, triple, ()) for triple in TRIPLES}
    assert (counts[6, 7, 8], counts[2, 3, 12]) == (1192, 568)
    assert (max(counts.values()), min(counts.values())) == (1192, 568)


def test_with_a_runner_left_every_open_column_counts() -> None:
    """Rule 2: two runners of three on the board, and no roll can fail."""
    assert success_count(CLASSIC, (2, 12), ()) == 1296
    assert success_count(CLASSIC, (), ()) == 1296


def test_a_claimed_column_counts_for_nothing() -> None:
    """Rule 2: neither under a runner nor for a free one."""
    assert success_count(CLASSIC, (6, 7, 8), (7,)) == hit_count(6, [6, 8])
    assert success_count(CLASSIC, (), range(2, 12)) == hit_count(6, [12])
    assert success_count(CLASSIC, (), CLASSIC.columns) == 0


@pytest.mark.parametrize(
    ("dice", "expected"),
    [
        ((2, 4, 5, 6), [(6, 11), (7, 10), (8, 9)]),
        ((2, 3, 3, 4), [(5, 7), (6, 6)]),
        ((2, 3, 5, 6), [(5, 11), (7, 9), (8, 8)]),
        ((3, 3, 3, 4), [(6, 7)]),
    ],
)
def test_a_roll_has_the_pairings_of_the_sources(
    dice: tuple[int, ...], expected: list[tuple[int, int]]
) -> None:
    """Facts (F, P): one to three pairings, whatever the order of the dice."""
    assert pairings(dice) == pairings(dice[::-1]) == expected


@pytest.mark.parametrize("sides", range(2, 9))
def test_all_rolls_are_counted_once(sides: int) -> None:
    """There are sides to the fourth, and the board as a whole catches all of them."""
    assert len(set(all_rolls(sides))) == sides**4
    assert hit_count(sides, range(2, 2 * sides + 1)) == sides**4
    assert hit_count(sides, ()) == 0


@pytest.mark.parametrize("sides", range(2, 9))
def test_single_columns_mirror_each_other(sides: int) -> None:
    """A die turned over makes column c of its mirror."""
    counts = [hit_count(sides, [column]) for column in range(2, 2 * sides + 1)]
    assert counts == counts[::-1]


def test_the_table_cannot_be_written() -> None:
    """It is shared by all games of a process."""
    with pytest.raises(ValueError, match="read-only"):
        hit_table(6)[0] = 1
    assert hit_table(6).dtype == np.int32


@st.composite
def situations(draw: st.DrawFn) -> tuple[int, int, set[int], set[int]]:
    """Sides of the dice, runners in the game, runners' columns and claimed columns."""
    sides = draw(st.integers(2, 4))
    columns = range(2, 2 * sides + 1)
    runners = draw(st.integers(1, len(columns)))
    order = draw(st.permutations(columns))
    placed = draw(st.integers(0, runners))
    claimed = draw(st.integers(0, len(columns) - placed))
    return sides, runners, set(order[:placed]), set(order[placed : placed + claimed])


@given(situation=situations())
def test_success_counts_are_those_of_the_naive_reading(
    situation: tuple[int, int, set[int], set[int]],
) -> None:
    """Rule 9: every roll tried, on boards on which no runner stands on a top."""
    sides, runners, placed, claimed = situation
    lengths = [9] * (2 * sides - 1)
    rules = derive(CLASSIC, _small(sides, lengths, runners))
    expected = naive.success_count(RULES.as_dict(rules), dict.fromkeys(placed, 1), claimed)
    assert success_count(rules, placed, claimed) == expected


def _small(sides: int, lengths: list[int], runners: int) -> dict[str, Any]:
    return {"sides": sides, "column_lengths": lengths, "runners": runners, "columns_to_win": 1}


def test_all_triples_have_the_counts_of_the_naive_reading_on_a_sample() -> None:
    """Every thirteenth triple of the real board, roll by roll."""
    for triple in TRIPLES[::13]:
        expected = naive.success_count(RULES.as_dict(CLASSIC), dict.fromkeys(triple, 1), set())
        assert success_count(CLASSIC, triple, ()) == expected
