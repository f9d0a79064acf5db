"""The build that champion's search chooses, from a bot's view."""

from functools import cache
from typing import Any

import numpy as np

from cantstop_arena.extensions.cubus.builds.build import Build, carry_open_cards
from cantstop_arena.extensions.cubus.builds.piles import pile_of
from cantstop_arena.extensions.cubus.choices.bot_view import CubusBotView
from cantstop_arena.extensions.cubus.choices.search import cells_of, library_arguments
from cantstop_arena.extensions.cubus.engine.bot_row import MAX_CELLS
from cantstop_arena.extensions.cubus.engine.bound import best_value
from cantstop_arena.extensions.cubus.engine.entry_points import champion
from cantstop_arena.extensions.cubus.engine.query_arrays import compiled_rules
from cantstop_arena.extensions.cubus.nets.net_records import (
    KEYS,
    NOW,
    SearchWorkspace,
    new_workspace,
)
from cantstop_arena.native.object_files import array_arguments

_workspace = cache(new_workspace)


def searched_build(view: CubusBotView, net: Any) -> Build | None:
    """The build of the search with a net; None for a pass. Draws one random number, if any."""
    if not view.bound():
        return None
    key = int(view.random() * KEYS)
    cells, plan, work = cells_of(view.table), np.zeros((MAX_CELLS, 4), np.int64), _workspace()
    _fill_state(work, view)
    cards, *others = compiled_rules(view.rules)
    nets, rules = np.array([net], net.dtype), np.array(others, np.int64)
    query, reply_query = work.query, work.reply_query
    workspace = work.states, *query, *reply_query, *work[3:]
    placed = champion().plan_build_of_arrays(
        *library_arguments(view.rules.box),
        *array_arguments(best_value(), nets, rules, cards, cells),
        key,
        *array_arguments(plan, *workspace),
    )
    if not placed:
        return None
    rows = plan[:placed].tolist()
    target = pile_of({(x, y): height for x, y, height, _ in rows})
    return carry_open_cards(view.table, target, [(x, y) for x, y, _, is_open in rows if is_open])


def _fill_state(work: SearchWorkspace, view: CubusBotView) -> None:
    """Set the position of the seat on turn, by its counts."""
    state, cards = work.states[NOW], view.table.cards()
    state.players, state.seat, state.passes = view.players, view.seat, 0
    state.lids, state.lying, state.left, state.right = cards
    state.value, state.crates = view.table.pile.shape.value, view.table.pile.shape.crates
    state.deck[:] = view.unseen
    state.hands[: view.players] = view.hands
    state.scores[: view.players] = view.scores
