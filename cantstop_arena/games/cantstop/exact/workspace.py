"""One position laid out to be solved: its columns, and the states of the turn that starts there.

The states of a turn are the columns with runners and how far each has advanced, numbered set by
set (`first`), within a set in mixed radix (`strides`).
"""

from typing import Any, NamedTuple

import numpy as np

from cantstop_arena.games.cantstop.engine.engine_decorators import njit_call, njit_inline
from cantstop_arena.games.cantstop.engine.game_array import MAX_SEATS
from cantstop_arena.games.cantstop.exact.board import Board, Floats, Ints
from cantstop_arena.games.cantstop.exact.turn_board import MAX_COLUMNS, MAX_ROWS, MAX_STATES
from cantstop_arena.games.cantstop.nets.net import HIDDEN


class Workspace(NamedTuple):
    """Room to solve the turns of one position after the other.

    `claims` holds the player's and the rival's; `room` the spaces left in each column, 0 where it
    is claimed, and `rival_room` those left to the rival. For each column and advance, `single`
    and `double` say how far another one or two lead, `step` what it adds to the number of the
    position left to the next player, and `on_rival` whether it ends on a rival's marker under
    `leave`. `stops` holds the worth of stopping in each state, `final` whether that is compulsory;
    `rolls` that of rolling on, and `worths` the better of both.
    The rest is what a state and its rolls are worked out in.
    """

    claims: Ints
    room: Ints
    rival_room: Ints
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
    climbed: Ints
    once: Ints
    twice: Ints
    offered: Floats
    offered_slopes: Floats


def workspace_for(board: Board) -> Workspace:
    """A desk that is large enough for every position of the board."""
    columns, max_length = len(board.lengths), int(board.lengths.max()) + 1
    states, moves = _max_states(board), max(len(board.pairs) + 1, columns * (columns + 3) // 2)
    return Workspace(
        claims=_room(2),
        room=_room(columns),
        rival_room=_room(columns),
        single=_room(columns, max_length),
        double=_room(columns, max_length),
        step=_room(columns, max_length),
        on_rival=_room(columns, max_length),
        first=_room(1 << columns),
        strides=_room(1 << columns, columns),
        stops=np.zeros(states),
        final=_room(states),
        rolls=np.zeros(states),
        values=np.zeros(states),
        slopes=np.zeros(states),
        climbs=_room(columns),
        climbed=_room(columns),
        once=_room(columns),
        twice=_room(columns),
        offered=np.zeros(moves),
        offered_slopes=np.zeros(moves),
    )


def _room(*shape: int) -> Ints:
    return np.zeros(shape, np.int64)


def _max_states(board: Board) -> int:
    """The states of a turn where nobody has a marker: there are no longer turns."""
    bits = board.sets[:, None] >> np.arange(len(board.lengths)) & 1
    return int(np.prod(np.where(bits == 1, board.lengths, 1), axis=1).sum())


# The position ---------------------------------------------------------------------------------


@njit_call(nrt=False)
def enter(board, workspace, position):
    """Lay a position out; returns the number under which the next player sees it."""
    workspace.claims[:] = 0
    workspace.room[:] = 0
    turned = 0
    for column in range(len(board.lengths)):
        digit = position // board.units[column] % board.radices[column]
        turned += _enter_column(board, workspace, column, digit) * board.units[column]
    _number_states(board, workspace)
    return turned


@njit_inline(nrt=False)
def _enter_column(board, workspace, column, digit):
    """Lay one column out; returns its digit as the next player sees it."""
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
    workspace.room[column], workspace.rival_room[column] = length - own, length - rival
    for advance in range(length - own + 1):
        if board.players == 1:
            reached = own + advance
        elif advance < length - own:
            reached = rival * length + own + advance
        else:
            reached = length * length + 1
        workspace.step[column, advance] = (reached - turned) * board.units[column]
        workspace.on_rival[column, advance] = board.leave and 0 < rival == own + advance
        _enter_climbs(board, workspace, column, advance, rival - own)
    return turned


@njit_inline(nrt=False)
def _enter_climbs(board, workspace, column, advance, rival):
    """Where one and two advances lead from here; `rival` is the advance that meets a marker."""
    room = workspace.room[column]
    once = _after(board.jump, advance, room, rival)
    workspace.single[column, advance] = once
    workspace.double[column, advance] = (
        _after(board.jump, once, room, rival) if once < room else once
    )


@njit_inline(nrt=False)
def _after(jump, advance, room, rival):
    following = advance + 1
    return following + 1 if jump and following == rival and following < room else following


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
                size *= workspace.room[column]
        workspace.first[mask] = before
        count += size


@njit_inline(nrt=False)
def state_of(board, workspace, mask):
    """The number of the state in which the columns of a set have come as far as `advances`."""
    state = workspace.first[mask]
    for column in range(len(board.lengths)):
        state += workspace.climbs[column] * workspace.strides[mask, column]
    return state


@njit_inline(nrt=False)
def take_up(board, workspace, mask):
    """Come to the last state of a set of columns; returns how many it has, 0 if one is claimed."""
    count, states = 0, 1
    for column in range(len(board.lengths)):
        workspace.climbs[column] = 0
        if mask >> column & 1:
            workspace.climbed[count] = column
            workspace.climbs[column] = workspace.room[column]
            count, states = count + 1, states * workspace.room[column]
    return states


@njit_inline(nrt=False)
def step_back(workspace, position):
    """Come to the state before this one."""
    while position > 0:
        position -= 1
        column = workspace.climbed[position]
        workspace.climbs[column] -= 1
        if workspace.climbs[column]:
            return
        workspace.climbs[column] = workspace.room[column]


@njit_inline(nrt=False)
def open_columns(board, workspace):
    """The set of the columns that nobody has claimed."""
    columns = 0
    for column in range(len(board.lengths)):
        if workspace.room[column]:
            columns |= 1 << column
    return columns


NOT_SOLVED = -1

_FIELDS = np.dtype(
    [
        ("turn", np.int64),  # the number of the turn that is solved, for whoever keeps the desk
        ("claims", np.int64),
        ("used", np.int64),  # states with three runners
        ("remaining", np.float32, 2),
        ("markers", np.int64, (MAX_SEATS, MAX_COLUMNS)),
        ("climbs", np.int64, MAX_COLUMNS),
        ("room", np.int64, MAX_COLUMNS),
        ("origin", np.int32, HIDDEN),
        ("hidden", np.int32, HIDDEN),
        ("steps", np.int32, (MAX_ROWS, HIDDEN)),
        ("offered", np.float32, 10),
        ("placing", np.float32, (4, MAX_COLUMNS)),
        ("single_reach", np.int32, MAX_COLUMNS),
        ("single_values", np.float32, MAX_ROWS),
        ("single_rolls", np.float32, MAX_ROWS),
        ("pair_reach", np.int32, (MAX_COLUMNS, MAX_COLUMNS)),
        ("pair_values", np.float32, (MAX_ROWS, MAX_ROWS)),
        ("pair_rolls", np.float32, (MAX_ROWS, MAX_ROWS)),
        ("starts", np.int32, (MAX_COLUMNS, MAX_COLUMNS, MAX_COLUMNS)),
        ("values", np.float32, MAX_STATES),
        ("rolls", np.float32, MAX_STATES),
    ],
    align=True,
)
WORKSPACE = np.dtype((np.record, _FIELDS))
"""`markers` are those of all seats, from the player on turn; a column that somebody has claimed
stands at its length for whoever claimed it. `room` holds the spaces left in each column, 0 where
it is claimed, `claims` the player's columns. `origin` is the hidden layer of the position as it
stands, `steps[row]` what a runner on that row adds to it, and `rest[0]` what a bust is worth.
Of turns with one runner, two and three: `worths` with the best play, `rolls` of rolling on. `reach`
says how many spaces ahead a set of one or two is solved, `starts` where the states of a set of
three begin. The others are what a state is worked out in.
"""

WORKSPACE_SIZE = WORKSPACE.itemsize // 8  # numbers of 64 bits


def new_workspace() -> Any:
    """A desk, as a record array of length 1."""
    return np.zeros(1, WORKSPACE).view(np.recarray)
