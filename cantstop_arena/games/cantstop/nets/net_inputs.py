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
def enter_position(board, net, desk):
    """Lay out what the net makes of `desk.markers`, and of every space that a runner may reach."""
    desk.claims = 0
    for unit in range(HIDDEN):
        desk.origin[unit] = net.bias[unit]
    for column in range(board.columns):
        _enter_column(board, net, desk, column)
    desk.rest[0] = value_of_output(net, output(net, desk.origin))


@njit_inline(nrt=False)
def _enter_column(board, net, desk, column):
    length, first = board.lengths[column], board.rows[column]
    desk.room[column] = length - desk.markers[0, column]
    desk.claims += desk.room[column] == 0
    for seat in range(net.players):
        space = desk.markers[seat, column]
        if space == length:
            desk.room[column] = 0
        for unit in range(HIDDEN):
            desk.origin[unit] = np.int32(desk.origin[unit] + net.rows[seat, first + space, unit])
    if desk.room[column]:
        _enter_steps(net, desk, column, first)


@njit_call(nrt=False)
def _enter_steps(net, desk, column, first):
    room, own = desk.room[column], first + desk.markers[0, column]
    for step in range(1, room + 1):
        for unit in range(HIDDEN):
            gain = np.int32(net.rows[0, own + step, unit]) - np.int32(net.rows[0, own, unit])
            desk.steps[first + step, unit] = np.int32(gain)
    for seat in range(1, net.players):
        theirs = first + desk.markers[seat, column]
        for unit in range(HIDDEN):
            lost = np.int32(net.rows[seat, first, unit]) - np.int32(net.rows[seat, theirs, unit])
            desk.steps[first + room, unit] = np.int32(desk.steps[first + room, unit] + lost)


@njit_inline(nrt=False)
def win(net):
    """What winning now is worth."""
    return _NOTHING if net.turns else _CERTAIN


@njit_inline(nrt=False)
def is_open(desk, column):
    """Whether a runner may be placed in the column."""
    return desk.room[column] > 0


@njit_inline(nrt=False)
def wins(board, desk, tops):
    """Whether so many tops reached in a turn are enough."""
    return desk.claims + tops >= board.columns_to_win


@njit_inline(nrt=False)
def larger(one, other):
    """The larger of two worths."""
    return one if one > other else other


@njit_inline(nrt=False)
def expected(board, desk, number):
    """The expected worth of the best of what is offered, over the outcomes of a set."""
    total = np.float32(board.busts[number] * desk.rest[0])
    for outcome in range(board.firsts[number], board.firsts[number + 1]):
        one, two = board.options[outcome, 0], board.options[outcome, 1]
        best = larger(desk.offered[one], desk.offered[two])
        best = larger(best, desk.offered[board.options[outcome, 2]])
        total = np.float32(total + np.float32(board.chances[outcome] * best))
    return total
