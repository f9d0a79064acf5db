"""The table of Cubus: what compiled lineups load and how they are sampled; sorted keys."""

import numpy as np
import pytest
from helpers.cubus.max_crates import computed_max_crates
from helpers.cubus.seats import contestant

from cantstop_arena.extensions.cubus import kernel_table
from cantstop_arena.extensions.cubus.engine.bound import max_crates
from cantstop_arena.extensions.cubus.engine.compiled import njit_entry
from cantstop_arena.extensions.cubus.engine.search import sort
from cantstop_arena.extensions.cubus.game import GAME
from cantstop_arena.extensions.cubus.kernel_table import KernelTable
from cantstop_arena.extensions.cubus.rules import LEAFLET


def refuse() -> None:
    raise AssertionError("not needed here")


def test_compiled_games_are_sampled_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel_table, "_load_search_in_box", refuse)
    table = KernelTable(GAME, LEAFLET, [contestant("greedy"), contestant("hasty")], 2, 7)
    traces = []
    for deal in (0, 0, 1):
        table.start((1, 0), deal)
        traces.append([*table.trace()])
    assert traces[0] == traces[1] != traces[2]
    assert [step.seat for step in traces[0]] == [0, 1]


def test_records_of_compiled_bots_need_no_search_without_a_box(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(kernel_table, "_load_search_without_box", refuse)
    table = KernelTable(GAME, LEAFLET, [contestant("greedy"), contestant("hasty")], 2, 7)
    table.start((0, 1), 0)
    assert [*table.events()]


@njit_entry
def sorted_keys(keys):  # type: ignore[no-untyped-def]
    sort(keys, len(keys))
    return keys


@pytest.mark.parametrize("count", [0, 1, 2, 3, 4, 5, 14, 50, 5000])
def test_keys_are_sorted(count: int) -> None:
    keys = np.random.default_rng(count).integers(-100, 100, count)
    assert np.array_equal(sorted_keys(keys.copy()), np.sort(keys))


@pytest.mark.slow
def test_the_table_of_crates_is_the_computed_one() -> None:
    assert np.array_equal(max_crates(), computed_max_crates())
