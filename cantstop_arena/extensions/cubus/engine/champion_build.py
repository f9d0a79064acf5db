"""Champion's build in games of compiled bots, given the address of the row. Compiled by numba."""

import numba
import numpy as np

from cantstop_arena.extensions.cubus.engine import bot_row as at
from cantstop_arena.extensions.cubus.engine.bot_row import (
    MAX_CELLS,
)
from cantstop_arena.extensions.cubus.engine.compiled import njit_entry, njit_inline
from cantstop_arena.extensions.cubus.engine.plans import below
from cantstop_arena.extensions.cubus.engine.query import (
    pile_cards,
)
from cantstop_arena.extensions.cubus.engine.query_arrays import (
    TOP,
    Query,
)
from cantstop_arena.extensions.cubus.engine.row_parts import (
    best_values_at,
    library_at,
    numbers_at,
    row_at,
    rows_at,
    rules_at,
    streams_at,
)
from cantstop_arena.extensions.cubus.nets.net_records import (
    AFTERSTATE,
    CUBUS_NET,
    HIDDEN,
    KEYS,
    MAX_HITS,
    MAX_INPUTS,
    MAX_SEATS,
    NOW,
    SearchWorkspace,
)
from cantstop_arena.extensions.cubus.nets.two_ply_search import plan_build
from cantstop_arena.native.bot_compiler import floats_at, integers_at, pointer_at, words_at
from cantstop_arena.native.kernel_code import NO_ANSWER, PLAYERS, SEAT

_states_at, _net_at = (pointer_at(numba.from_dtype(kind)) for kind in (AFTERSTATE, CUBUS_NET))
_hidden_at = pointer_at(numba.int32)


@njit_inline
def _query(addresses, first):
    return Query(
        numba.carray(integers_at(addresses[first]), at.LIMIT_COUNT),
        numba.carray(words_at(addresses[first + 1]), at.MAX_OPEN),
        numba.carray(words_at(addresses[first + 2]), at.MAX_OPEN),
        numba.carray(words_at(addresses[first + 3]), at.SPAN * at.SPAN),
    )


@njit_inline
def _workspace(addresses):
    """The arrays of `flat_workspace`, given their addresses."""
    return SearchWorkspace(
        numba.carray(_states_at(addresses[0]), 4),
        _query(addresses, 1),
        _query(addresses, 5),
        numba.carray(integers_at(addresses[9]), at.MAX_GROUPS),
        numba.carray(integers_at(addresses[10]), at.MAX_GROUPS),
        numba.carray(floats_at(addresses[11]), at.MAX_GROUPS),
        numba.carray(integers_at(addresses[12]), MAX_HITS),
        numba.carray(integers_at(addresses[13]), (MAX_CELLS, 4)),
        numba.carray(integers_at(addresses[14]), MAX_INPUTS),
        numba.carray(_hidden_at(addresses[15]), HIDDEN),
        numba.carray(floats_at(addresses[16]), MAX_SEATS),
        numba.carray(floats_at(addresses[17]), MAX_SEATS),
        numba.carray(words_at(addresses[18]), (1, 2)),
        numba.carray(integers_at(addresses[19]), MAX_CELLS),
    )


@njit_entry
def champion(address):
    """Write champion's build as a plan. Returns what the bot must answer."""
    row = row_at(address)
    if row[at.LIMITS + TOP] <= row[at.VALUE]:
        return np.int64(NO_ANSWER)
    seat, cells = row[SEAT], rows_at(address, at.CELLS, MAX_CELLS)
    work = _workspace(numba.carray(integers_at(row[at.WORKSPACE]), 20))
    _fill_state(work.states[NOW], address)
    bots = numba.carray(integers_at(row[at.BOTS]), (at.MAX_SEATS, at.BOT_COLUMNS))
    net = numba.carray(_net_at(bots[row[at.POSITION], at.NET]), 1)[0]
    key = np.uint64(below(streams_at(address), seat, KEYS))
    tables = library_at(address), best_values_at(address), net, rules_at(address)
    plan = rows_at(address, at.PLAN, MAX_CELLS)
    row[at.PLACED] = plan_build(*tables, cells, row[at.COUNT], work, key, plan)
    if row[at.PLACED] == 0:
        return np.int64(NO_ANSWER)
    row[at.TOKEN] += 1
    return row[at.TOKEN]


@njit_inline
def _fill_state(state, address):
    """Set the position of the seat on turn, by its counts."""
    row = row_at(address)
    players = row[PLAYERS]
    cells, hands = rows_at(address, at.CELLS, MAX_CELLS), rows_at(address, at.HANDS, players)
    unseen, scores = numbers_at(address, at.UNSEEN, 4), numbers_at(address, at.SCORES, players)
    lying, state.left, state.right, state.crates = pile_cards(cells, row[at.COUNT])
    state.players, state.seat, state.passes = players, row[SEAT], 0
    state.lids, state.lying, state.value = row[at.COUNT] - lying, lying, row[at.VALUE]
    for kind in range(4):
        state.deck[kind] = unseen[kind]
        for player in range(players):
            state.hands[player, kind] = hands[player, kind]
    for player in range(players):
        state.scores[player] = scores[player]
