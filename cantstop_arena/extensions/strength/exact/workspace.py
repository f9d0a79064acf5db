"""The arrays in which turns are solved: `Workspace` for small boards, WORKSPACE for three runners.

A state of a turn is the set of columns with runners and the spaces climbed in each. In a
`Workspace` states are numbered set by set (`first`), and within a set in mixed radix (`strides`).
"""

from typing import Any, NamedTuple

import numpy as np

from cantstop_arena.extensions.strength.compiled import njit_call, njit_inline
from cantstop_arena.extensions.strength.exact.board import Board, Floats, Ints
from cantstop_arena.extensions.strength.exact.turn_board import (
    MAX_COLUMNS,
    MAX_ROWS,
    MAX_STATES,
    PAIR_MOVES,
)
from cantstop_arena.extensions.strength.nets.net import HIDDEN
from cantstop_arena.extensions.strength.nets.net_inputs import POSITION_FIELDS


class Workspace(NamedTuple):
    """Arrays to solve the turns of one position after another.

    `claims` holds the columns claimed by the player and by the rival, `remaining` the spaces left
    in each column (0 if it is claimed), and `rival_remaining` those left for the rival. By column
    and spaces climbed, `single` and `double` are the spaces climbed after one or two more advances,
    `step` is the change of the number of the position for the next player, and `on_rival` is 1 if
    the runner is on a rival's marker under `leave`. By state, `stops` is the value of stopping,
    `final` is 1 if stopping wins, `rolls` is the value of rolling on, and `values` the better of
    both, with its slope in `slopes`. `climbs` holds the spaces climbed in the present state, and
    `runner_columns` its columns with runners. The other arrays are temporary.
    """

    claims: Ints
    remaining: Ints
    rival_remaining: Ints
    single: Ints
    double: Ints
    step: Ints
    on_rival: Ints
    first: Ints
    strides: Ints
    stops: Floats
    final: Ints
    rolls: Floats
    values: Floats
    slopes: Floats
    climbs: Ints
    runner_columns: Ints
    once: Ints
    twice: Ints
    offered: Floats
    offered_slopes: Floats


def workspace_for(board: Board) -> Workspace:
    """A workspace large enough for every position of the board."""
    columns, climb_count = len(board.lengths), int(board.lengths.max()) + 1
    states, moves = _max_states(board), max(len(board.pairs) + 1, columns * (columns + 3) // 2)
    return Workspace(
        claims=_zeros(2),
        remaining=_zeros(columns),
        rival_remaining=_zeros(columns),
        single=_zeros(columns, climb_count),
        double=_zeros(columns, climb_count),
        step=_zeros(columns, climb_count),
        on_rival=_zeros(columns, climb_count),
        first=_zeros(1 << columns),
        strides=_zeros(1 << columns, columns),
        stops=np.zeros(states),
        final=_zeros(states),
        rolls=np.zeros(states),
        values=np.zeros(states),
        slopes=np.zeros(states),
        climbs=_zeros(columns),
        runner_columns=_zeros(columns),
        once=_zeros(columns),
        twice=_zeros(columns),
        offered=np.zeros(moves),
        offered_slopes=np.zeros(moves),
    )


def _zeros(*shape: int) -> Ints:
    return np.zeros(shape, np.int64)


def _max_states(board: Board) -> int:
    """The number of states of a turn on an empty board, which has the most."""
    bits = board.sets[:, None] >> np.arange(len(board.lengths)) & 1
    return int(np.prod(np.where(bits == 1, board.lengths, 1), axis=1).sum())


# Positions and states of a Workspace -----------------------------------------------------------


@njit_call(nrt=False)
def enter(board, workspace, position):
    """Fill in a position; returns its number with the next player on turn."""
    workspace.claims[:] = 0
    workspace.remaining[:] = 0
    turned = 0
    for column in range(len(board.lengths)):
        digit = position // board.units[column] % board.radices[column]
        turned += _enter_column(board, workspace, column, digit) * board.units[column]
    _number_states(board, workspace)
    return turned


@njit_inline(nrt=False)
def _enter_column(board, workspace, column, digit):
    """Fill in one column; returns its digit with the next player on turn."""
    length = board.lengths[column]
    if board.players == 1:
        own, rival, turned = digit, 0, digit
        if own == length:
            workspace.claims[0] += 1
            return turned
    elif digit >= length * length:
        workspace.claims[digit - length * length] += 1
        return 2 * length * length + 1 - digit
    else:
        own, rival = digit // length, digit % length
        turned = rival * length + own
    workspace.remaining[column], workspace.rival_remaining[column] = length - own, length - rival
    for climb in range(length - own + 1):
        if board.players == 1:
            reached = own + climb
        elif climb < length - own:
            reached = rival * length + own + climb
        else:
            reached = length * length + 1
        workspace.step[column, climb] = (reached - turned) * board.units[column]
        workspace.on_rival[column, climb] = board.leave and 0 < rival == own + climb
        _enter_steps(board, workspace, column, climb, rival - own)
    return turned


@njit_inline(nrt=False)
def _enter_steps(board, workspace, column, climb, rival):
    """Fill in `single` and `double`; after `rival` spaces a runner meets the rival's marker."""
    remaining = workspace.remaining[column]
    once = _after(board.jump, climb, remaining, rival)
    workspace.single[column, climb] = once
    workspace.double[column, climb] = (
        _after(board.jump, once, remaining, rival) if once < remaining else once
    )


@njit_inline(nrt=False)
def _after(jump, climb, remaining, rival):
    following = climb + 1
    return following + 1 if jump and following == rival and following < remaining else following


@njit_inline(nrt=False)
def _number_states(board, workspace):
    """Number the states of the turn: a block for each set of open columns."""
    count = 0
    for mask in board.sets:
        size, before = 1, count
        for column in range(len(board.lengths) - 1, -1, -1):
            if mask >> column & 1:
                workspace.strides[mask, column] = size
                before -= size
                size *= workspace.remaining[column]
        workspace.first[mask] = before
        count += size


@njit_inline(nrt=False)
def state_of(board, workspace, mask):
    """The number of the state with runners in the columns of a set, as far up as `climbs`."""
    state = workspace.first[mask]
    for column in range(len(board.lengths)):
        state += workspace.climbs[column] * workspace.strides[mask, column]
    return state


@njit_inline(nrt=False)
def go_to_last_state(board, workspace, mask):
    """Set `climbs` to the last state of a set of columns; returns the number of its states, 0 if a
    column is claimed."""
    count, states = 0, 1
    for column in range(len(board.lengths)):
        workspace.climbs[column] = 0
        if mask >> column & 1:
            workspace.runner_columns[count] = column
            workspace.climbs[column] = workspace.remaining[column]
            count, states = count + 1, states * workspace.remaining[column]
    return states


@njit_inline(nrt=False)
def go_to_previous_state(workspace, index):
    """Set `climbs` to the state before the present one."""
    while index > 0:
        index -= 1
        column = workspace.runner_columns[index]
        workspace.climbs[column] -= 1
        if workspace.climbs[column]:
            return
        workspace.climbs[column] = workspace.remaining[column]


@njit_inline(nrt=False)
def open_columns(board, workspace):
    """The unclaimed columns as a bit mask."""
    columns = 0
    for column in range(len(board.lengths)):
        if workspace.remaining[column]:
            columns |= 1 << column
    return columns


# The workspace of three_runner_turn -------------------------------------------------------------

NOT_SOLVED = -1
LANES = 64  # states that are valued side by side
GROUPS, MOVES = 4, 9  # of states by the runners that can move, and their moves

_FIELDS = (
    ("used", np.int64),  # states with three runners
    ("highest_steps", np.int32, (MAX_COLUMNS, HIDDEN)),
    ("live_count", np.int64),
    ("live_units", np.int64, HIDDEN),
    ("live_origin", np.int32, HIDDEN),
    ("live_weights", np.int32, HIDDEN),
    ("live_steps", np.int32, (MAX_ROWS, HIDDEN)),
    ("single_reach", np.int32, MAX_COLUMNS),
    ("single_values", np.float32, MAX_ROWS),
    ("single_rolls", np.float32, MAX_ROWS),
    ("pair_reach", np.int32, (MAX_COLUMNS, MAX_COLUMNS)),
    ("pair_values", np.float32, (MAX_ROWS, MAX_ROWS)),
    ("pair_rolls", np.float32, (MAX_ROWS, MAX_ROWS)),
    ("starts", np.int32, (MAX_COLUMNS, MAX_COLUMNS, MAX_COLUMNS)),
    ("values", np.float32, MAX_STATES),
    ("rolls", np.float32, MAX_STATES),
    ("waiting", np.int32, (GROUPS, LANES)),
    ("waiting_count", np.int64, GROUPS),
    ("lane_offered", np.float32, (GROUPS, MOVES, LANES)),
    ("third_states", np.int32, (MAX_COLUMNS, 4)),
    ("pair_offered", np.float32, (PAIR_MOVES, LANES)),
    ("lane_rolls", np.float32, LANES),
)
WORKSPACE = np.dtype((np.record, np.dtype([*POSITION_FIELDS, *_FIELDS], align=True)))
"""The workspace of one turn with three runners: POSITION_FIELDS, and what is solved.

The fields with `values` hold the values of states under the best play, those with `rolls` the
values of rolling on: `single_…` with one runner, `pair_…` with two, the others with three.
`…_reach` is the number of spaces up to which states with one or two runners are solved, and
`starts` the first state of a set of three columns. `highest_steps` has for each unit of the hidden
layer the largest of a column's `steps`. `live_units` are the units above 0 in some state of a set
of columns, and the other `live_…` their numbers one after another; `live_count` is their number,
rounded up to whole vectors. The others are temporary: states that wait for being valued, states
with a third runner, and by state the values of its moves and of rolling on.
"""

WORKSPACE_SIZE = WORKSPACE.itemsize // 8  # numbers of 64 bits


def new_workspace() -> Any:
    """A workspace as a record array of length 1."""
    return np.zeros(1, WORKSPACE).view(np.recarray)
