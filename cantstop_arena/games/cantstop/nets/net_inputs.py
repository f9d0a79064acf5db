"""The position in which a turn begins, and what a net says of those in which it can end.

`desk` may be any record with the fields of DESK that are named here.
"""

import numpy as np

from cantstop_arena.games.cantstop.engine.engine_decorators import njit_call, njit_inline
from cantstop_arena.games.cantstop.nets.net import HIDDEN, output, value_of_output

NEVER = np.float32(-1e9)  # the worth of what cannot be done
_NOTHING = np.float32(0)
_CERTAIN = np.float32(1)


@njit_call(nrt=False)
def enter_position(board, net, workspace):
    """Lay out what the net makes of `desk.markers`, and of every space that a runner may reach."""
    workspace.claims = 0
    for unit in range(HIDDEN):
        workspace.origin[unit] = net.bias[unit]
    for column in range(board.columns):
        _enter_column(board, net, workspace, column)
    workspace.remaining[0] = value_of_output(net, output(net, workspace.origin))


@njit_inline(nrt=False)
def _enter_column(board, net, workspace, column):
    length, first = board.lengths[column], board.rows[column]
    workspace.room[column] = length - workspace.markers[0, column]
    workspace.claims += workspace.room[column] == 0
    for seat in range(net.players):
        space = workspace.markers[seat, column]
        if space == length:
            workspace.room[column] = 0
        for unit in range(HIDDEN):
            workspace.origin[unit] = np.int32(
                workspace.origin[unit] + net.rows[seat, first + space, unit]
            )
    if workspace.room[column]:
        _enter_steps(net, workspace, column, first)


@njit_call(nrt=False)
def _enter_steps(net, workspace, column, first):
    room, own = workspace.room[column], first + workspace.markers[0, column]
    for step in range(1, room + 1):
        for unit in range(HIDDEN):
            gain = np.int32(net.rows[0, own + step, unit]) - np.int32(net.rows[0, own, unit])
            workspace.steps[first + step, unit] = np.int32(gain)
    for seat in range(1, net.players):
        rival = first + workspace.markers[seat, column]
        for unit in range(HIDDEN):
            lost = np.int32(net.rows[seat, first, unit]) - np.int32(net.rows[seat, rival, unit])
            workspace.steps[first + room, unit] = np.int32(
                workspace.steps[first + room, unit] + lost
            )


@njit_inline(nrt=False)
def win(net):
    """What winning now is worth."""
    return _NOTHING if net.turns else _CERTAIN


@njit_inline(nrt=False)
def is_open(workspace, column):
    """Whether a runner may be placed in the column."""
    return workspace.room[column] > 0


@njit_inline(nrt=False)
def wins(board, workspace, tops):
    """Whether so many tops reached in a turn are enough."""
    return workspace.claims + tops >= board.columns_to_win


@njit_inline(nrt=False)
def larger(item, other):
    """The larger of two worths."""
    return item if item > other else other


@njit_inline(nrt=False)
def expected(board, workspace, number):
    """The expected worth of the best of what is offered, over the outcomes of a set."""
    total = np.float32(board.busts[number] * workspace.remaining[0])
    for outcome in range(board.firsts[number], board.firsts[number + 1]):
        item, two = board.options[outcome, 0], board.options[outcome, 1]
        best = larger(workspace.offered[item], workspace.offered[two])
        best = larger(best, workspace.offered[board.options[outcome, 2]])
        total = np.float32(total + np.float32(board.chances[outcome] * best))
    return total
