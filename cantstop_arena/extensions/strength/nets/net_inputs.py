"""The hidden layer of the position in which a turn begins, and its changes by runners.

`workspace` is a record with POSITION_FIELDS: a WORKSPACE of the exact turn, or a SHEET of the
lookahead.
"""

import numpy as np

from cantstop_arena.extensions.strength.compiled import njit_call, njit_inline
from cantstop_arena.extensions.strength.exact.turn_board import MAX_COLUMNS, MAX_ROWS
from cantstop_arena.extensions.strength.nets.net import HIDDEN, output, value_of_output
from cantstop_arena.games.cantstop.engine.game_array import MAX_SEATS

POSITION_FIELDS = (
    ("turn", np.int64),  # the number of the turn that is solved, set by the caller
    ("claims", np.int64),
    ("bust_value", np.float32, 2),
    ("markers", np.int64, (MAX_SEATS, MAX_COLUMNS)),
    ("climbs", np.int64, MAX_COLUMNS),
    ("remaining", np.int64, MAX_COLUMNS),
    ("origin", np.int32, HIDDEN),
    ("hidden", np.int32, HIDDEN),
    ("steps", np.int32, (MAX_ROWS, HIDDEN)),
    ("offered", np.float32, 10),
)
"""The fields of a position and of a state in its turn.

`markers` holds the markers of all seats, the player on turn first; the marker of the seat that has
claimed a column is at the column's length. `remaining` holds the spaces left in each column, 0 if
it is claimed, `claims` the number of the player's columns, and `climbs` the spaces that runners
have climbed this turn. `origin` is the hidden layer of the position at the beginning of the turn,
`steps[row]` the change by a runner on that row, and `bust_value[0]` the value of a bust. `hidden`
and `offered`, the values of moves, are temporary.
"""

NEVER = np.float32(-1e9)  # the value of an action that is not legal
_NOTHING = np.float32(0)
_CERTAIN = np.float32(1)


@njit_call(nrt=False)
def enter_position(board, net, workspace):
    """Fill in the hidden layer for `workspace.markers`, and its change for every space that a
    runner can reach."""
    workspace.claims = 0
    for unit in range(HIDDEN):
        workspace.origin[unit] = net.bias[unit]
    for column in range(board.columns):
        _enter_column(board, net, workspace, column)
    workspace.bust_value[0] = value_of_output(net, output(net, workspace.origin))


@njit_inline(nrt=False)
def _enter_column(board, net, workspace, column):
    length, first = board.lengths[column], board.rows[column]
    workspace.remaining[column] = length - workspace.markers[0, column]
    workspace.claims += workspace.remaining[column] == 0
    for seat in range(net.players):
        space = workspace.markers[seat, column]
        if space == length:
            workspace.remaining[column] = 0
        for unit in range(HIDDEN):
            workspace.origin[unit] = np.int32(
                workspace.origin[unit] + net.rows[seat, first + space, unit]
            )
    if workspace.remaining[column]:
        _enter_steps(net, workspace, column, first)


@njit_call(nrt=False)
def _enter_steps(net, workspace, column, first):
    remaining, own = workspace.remaining[column], first + workspace.markers[0, column]
    for step in range(1, remaining + 1):
        for unit in range(HIDDEN):
            gain = np.int32(net.rows[0, own + step, unit]) - np.int32(net.rows[0, own, unit])
            workspace.steps[first + step, unit] = np.int32(gain)
    for seat in range(1, net.players):
        rival_row = first + workspace.markers[seat, column]
        for unit in range(HIDDEN):
            lost = np.int32(net.rows[seat, first, unit]) - np.int32(net.rows[seat, rival_row, unit])
            workspace.steps[first + remaining, unit] = np.int32(
                workspace.steps[first + remaining, unit] + lost
            )


@njit_inline(nrt=False)
def win(net):
    """The value of winning now."""
    return _NOTHING if net.turns else _CERTAIN


@njit_inline(nrt=False)
def is_open(workspace, column):
    """Whether the column is unclaimed."""
    return workspace.remaining[column] > 0


@njit_inline(nrt=False)
def wins(board, workspace, tops):
    """Whether reaching `tops` tops in this turn wins the game."""
    return workspace.claims + tops >= board.columns_to_win


@njit_inline(nrt=False)
def larger(first, second):
    """The larger of two values."""
    return first if first > second else second


@njit_inline(nrt=False)
def expected(board, workspace, number):
    """The expected value of the best offered move, over the outcomes of a set of columns."""
    total = np.float32(board.busts[number] * workspace.bust_value[0])
    for outcome in range(board.firsts[number], board.firsts[number + 1]):
        first, second = board.options[outcome, 0], board.options[outcome, 1]
        best = larger(workspace.offered[first], workspace.offered[second])
        best = larger(best, workspace.offered[board.options[outcome, 2]])
        total = np.float32(total + np.float32(board.chances[outcome] * best))
    return total
