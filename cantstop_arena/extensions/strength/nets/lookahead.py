"""The values of a turn by two small nets, of stopping and of rolling on, with a lookahead of one
roll.

With fewer than three runners the second net gives the value of rolling on; with three runners it
is the expected value of the best of both nets after each outcome of the roll.
"""

from typing import Any, NamedTuple

import numpy as np

from cantstop_arena.extensions.strength.compiled import (
    njit_call,
    njit_entry,
    njit_inline,
)
from cantstop_arena.extensions.strength.exact.turn_board import RUNNERS
from cantstop_arena.extensions.strength.nets.net import HIDDEN, positive, set_row, value_of_output
from cantstop_arena.extensions.strength.nets.net_inputs import (
    NEVER,
    POSITION_FIELDS,
    enter_position,
    expected,
    is_open,
    larger,
    win,
    wins,
)

SHEET = np.dtype((np.record, np.dtype([*POSITION_FIELDS], align=True)))
"""The hidden layers of one net for a position: POSITION_FIELDS alone, as nothing is solved."""

SHEET_SIZE = SHEET.itemsize // 8  # numbers of 64 bits


class Lookahead(NamedTuple):
    """A board, the nets of stopping and of rolling on, and a SHEET for each.

    Markers and climbs are read from the sheet of stopping.
    """

    board: Any
    ends: Any
    rolls: Any
    stopping: Any
    rolling: Any


@njit_entry(nrt=False)
def begin(board, ends, rolls, stopping, rolling):
    """Begin a turn at the position of `stopping.markers`."""
    for seat in range(rolls.players):
        for column in range(board.columns):
            rolling.markers[seat, column] = stopping.markers[seat, column]
    enter_position(board, ends, stopping)
    enter_position(board, rolls, rolling)
    for unit in range(HIDDEN):
        stopping.steps[board.rows[0], unit] = rolling.steps[board.rows[0], unit] = 0
    for column in range(board.columns):
        first = board.rows[column]
        for up in range(1, rolling.remaining[column] + 1):
            for unit in range(HIDDEN):
                more = np.int32(rolls.rows[rolls.players, first + up, unit])
                rolling.steps[first + up, unit] = np.int32(rolling.steps[first + up, unit] + more)


@njit_call(nrt=False)
def _net_values(lookahead):
    """The nets' values of stopping and of rolling on in the state of `stopping.climbs`.

    The value of rolling on is NEVER if no runner can move, or if stopping is legal and wins.
    """
    board, stopping, rolling = lookahead.board, lookahead.stopping, lookahead.rolling
    tops, placed, a, b, c = 0, 0, -1, -1, -1
    first = second = third = board.rows[0]  # a row of zeros, where there is no runner
    for column in range(board.columns):
        up = stopping.climbs[column]
        if up == 0:
            continue
        placed += 1
        if up == stopping.remaining[column]:
            tops += 1
        else:
            a, b, c = b, c, column
        first, second, third = second, third, board.rows[column] + up
    if wins(board, stopping, tops) and not _is_forced(lookahead):
        return win(lookahead.ends), NEVER
    total = lookahead.ends.offset[0]
    for unit in range(HIDDEN):
        height = _height(stopping, first, second, third, unit)
        total = np.int32(total + np.int32(positive(height) * lookahead.ends.weights[unit]))
    stop = value_of_output(lookahead.ends, total)
    if placed == RUNNERS and c < 0:
        return stop, NEVER
    row = set_row(board, placed, a, b, c)
    total = lookahead.rolls.offset[0]
    for unit in range(HIDDEN):
        height = _height(rolling, first, second, third, unit)
        height = np.int32(height + lookahead.rolls.sets[row, unit])
        total = np.int32(total + np.int32(positive(height) * lookahead.rolls.weights[unit]))
    return stop, value_of_output(lookahead.rolls, total)


@njit_inline(nrt=False)
def _height(sheet, first, second, third, unit):
    """A unit of the hidden layer, with runners on three rows."""
    steps = sheet.steps
    height = np.int32(sheet.origin[unit] + steps[first, unit])
    return np.int32(height + np.int32(steps[second, unit] + steps[third, unit]))


@njit_entry(nrt=False)
def choice(board, ends, rolls, stopping, rolling):
    """The values of stopping and of rolling on in the state of `stopping.climbs`, with a lookahead
    of one roll if all runners are placed."""
    return _choice(Lookahead(board, ends, rolls, stopping, rolling))


@njit_call(nrt=False)
def _choice(lookahead):
    stop, roll = _net_values(lookahead)
    if roll == NEVER:
        return stop, roll
    a = b = c = -1
    placed = 0
    for column in range(lookahead.board.columns):
        up = lookahead.stopping.climbs[column]
        placed += up > 0
        if 0 < up < lookahead.stopping.remaining[column]:
            a, b, c = b, c, column
    return stop, _roll_value(lookahead, a, b, c) if placed == RUNNERS else roll


@njit_entry(nrt=False)
def best(board, ends, rolls, stopping, rolling):
    """The value of the turn in the state of `stopping.climbs`."""
    lookahead = Lookahead(board, ends, rolls, stopping, rolling)
    stop, roll = _choice(lookahead)
    return roll if _is_forced(lookahead) else larger(stop, roll)


@njit_inline(nrt=False)
def _is_forced(lookahead):
    """Whether stopping is illegal because a runner can still be placed."""
    if not lookahead.board.stops_after_all_runners:
        return False
    placed, can_place = 0, False
    for column in range(lookahead.board.columns):
        placed += lookahead.stopping.climbs[column] > 0
        if lookahead.stopping.climbs[column] == 0 and is_open(lookahead.stopping, column):
            can_place = True
    return placed < RUNNERS and can_place


@njit_call(nrt=False)
def _roll_value(lookahead, a, b, c):
    """The expected value of the best move after a roll; a, b and c are the columns in which runners
    can move, in ascending order, with -1 in front if there are fewer."""
    board, sheet = lookahead.board, lookahead.stopping
    x = a if a >= 0 else b if b >= 0 else c
    y = b if a >= 0 else c
    count = 1 + int(b >= 0) + int(a >= 0)
    for number in range(count):
        column = c if number == 2 else y if number == 1 else x
        sheet.offered[number] = _value_after(lookahead, column, column, 0)
        has_two = sheet.climbs[column] + 2 <= sheet.remaining[column]
        twice = _value_after(lookahead, column, column, 1) if has_two else sheet.offered[number]
        sheet.offered[count + number] = twice
    if count > 1:
        sheet.offered[2 * count] = _value_after(lookahead, x, y, 1)
    if count > 2:
        sheet.offered[7] = _value_after(lookahead, x, c, 1)
        sheet.offered[8] = _value_after(lookahead, y, c, 1)
    return expected(board, sheet, board.sets[x, y, c])


@njit_call(nrt=False)
def _value_after(lookahead, first, second, more):
    """The nets' value of the turn after one advance in `first`, and `more` in `second`."""
    climbs = lookahead.stopping.climbs
    climbs[first] += 1
    climbs[second] += more
    stop, roll = _net_values(lookahead)
    climbs[first] -= 1
    climbs[second] -= more
    return larger(stop, roll)
