"""The states with runners in three columns, solved backwards from the tops.

A move takes the runners higher, so states in which they have climbed equally many spaces together
do not depend on each other. Their moves are valued side by side, as vectors. Each state adds up its
outcomes in the same order as by itself.

Most units of a net's hidden layer are at most 0 in all states of a set of columns. They add
nothing to the output, so the value of stopping is computed from the others.
"""

import numpy as np

from cantstop_arena.extensions.strength.compiled import njit_call, njit_inline
from cantstop_arena.extensions.strength.exact.workspace import GROUPS, LANES, MOVES, NOT_SOLVED
from cantstop_arena.extensions.strength.nets.net import HIDDEN, value_of_output
from cantstop_arena.extensions.strength.nets.net_inputs import NEVER, expected, larger, win, wins
from cantstop_arena.native.vectors import (
    WIDTH,
    larger_of_two,
    load_vector,
    number_at,
    product_of_two,
    set_number_at,
    store_vector,
    sum_of_two,
    sum_of_vector,
    vector_of,
)

# Groups of states, by the runners that can move.
_ALL, _WITHOUT_A, _WITHOUT_B, _WITHOUT_C = range(GROUPS)
_ZERO = np.int32(0)


@njit_inline(nrt=False)
def three_runner_state(board, net, workspace, a, i, b, j, c, k):
    """The number of the state with runners i, j and k spaces up in three different columns a, b and
    c; solves it if necessary."""
    if a > b:
        a, i, b, j = b, j, a, i
    if b > c:
        b, j, c, k = c, k, b, j
    if a > b:
        a, i, b, j = b, j, a, i
    if workspace.starts[a, b, c] == NOT_SOLVED:
        _solve_three_runners(board, net, workspace, a, b, c)
    offset = ((i - 1) * workspace.remaining[b] + j - 1) * workspace.remaining[c] + k - 1
    return workspace.starts[a, b, c] + offset


@njit_call(nrt=False)
def _solve_three_runners(board, net, workspace, a, b, c):
    """Solve all states with runners in three columns, ascending."""
    start = workspace.used
    ra, rb, rc = workspace.remaining[a], workspace.remaining[b], workspace.remaining[c]
    workspace.starts[a, b, c] = start
    workspace.used += ra * rb * rc
    _fill_stops(board, net, workspace, a, b, c)
    up_a, up_b = rb * rc, rc
    number = board.sets[a, b, c]
    for climbed in range(ra + rb + rc, 2, -1):
        count = 0
        for i in range(max(1, climbed - rb - rc), min(ra, climbed - 2) + 1):
            two_a = up_a if i + 2 > ra else 2 * up_a
            for j in range(max(1, climbed - i - rc), min(rb, climbed - i - 1) + 1):
                k = climbed - i - j
                state = start + (i - 1) * up_a + (j - 1) * up_b + k - 1
                if i == ra or j == rb or k == rc:
                    _solve_or_wait(board, net, workspace, a, i, b, j, c, k)
                    continue
                two_b = up_b if j + 2 > rb else 2 * up_b
                two_c = 1 if k + 2 > rc else 2
                set_number_at(workspace.waiting, _ALL * LANES + count, np.int32(state))
                _offer_two(workspace, _ALL, count, 0, 3, state + up_a, state + two_a)
                _offer_two(workspace, _ALL, count, 1, 4, state + up_b, state + two_b)
                _offer_two(workspace, _ALL, count, 2, 5, state + 1, state + two_c)
                _offer_two(workspace, _ALL, count, 6, 7, state + up_a + up_b, state + up_a + 1)
                _offer(workspace, _ALL, count, 8, state + up_b + 1)
                count += 1
                if count == LANES:
                    _solve_waiting(board, workspace, _ALL, number, count)
                    count = 0
        _solve_waiting(board, workspace, _ALL, number, count)
        for group in range(_ALL + 1, GROUPS):
            _solve_face(board, workspace, group, a, b, c)


@njit_inline(nrt=False)
def _fill_stops(board, net, workspace, a, b, c):
    """Set `values` to those of stopping, for all states with runners in three columns."""
    _find_live_units(board, net, workspace, a, b, c)
    ra, rb, rc = workspace.remaining[a], workspace.remaining[b], workspace.remaining[c]
    row_a, row_b, row_c = board.rows[a], board.rows[b], board.rows[c]
    state, count = workspace.starts[a, b, c], workspace.live_count
    hidden, steps, weights = workspace.hidden, workspace.live_steps, workspace.live_weights
    for i in range(1, ra + 1):
        for j in range(1, rb + 1):
            for first in range(0, count, WIDTH):
                base = sum_of_two(
                    load_vector(workspace.live_origin, first),
                    load_vector(steps, (row_a + i) * HIDDEN + first),
                )
                above = load_vector(steps, (row_b + j) * HIDDEN + first)
                store_vector(hidden, first, sum_of_two(base, above))
            for k in range(1, rc + 1):
                total = vector_of(_ZERO)
                for first in range(0, count, WIDTH):
                    above = load_vector(steps, (row_c + k) * HIDDEN + first)
                    heights = larger_of_two(
                        sum_of_two(load_vector(hidden, first), above), vector_of(_ZERO)
                    )
                    part = product_of_two(heights, load_vector(weights, first))
                    total = sum_of_two(total, part)
                output = np.int32(net.offset[0] + sum_of_vector(total))
                workspace.values[state] = value_of_output(net, output)
                state += 1


@njit_inline(nrt=False)
def _find_live_units(board, net, workspace, a, b, c):
    """Fill in the units that are above 0 in some state, and fill up the last lanes."""
    highest, count = workspace.highest_steps, 0
    for unit in range(HIDDEN):
        height = workspace.origin[unit] + highest[a, unit] + highest[b, unit] + highest[c, unit]
        if height > 0:
            workspace.live_units[count] = unit
            workspace.live_origin[count] = workspace.origin[unit]
            workspace.live_weights[count] = net.weights[unit]
            count += 1
    for column in (a, b, c):
        for row in range(
            board.rows[column] + 1, board.rows[column] + workspace.remaining[column] + 1
        ):
            for number in range(count):
                unit = workspace.live_units[number]
                workspace.live_steps[row, number] = workspace.steps[row, unit]
    workspace.live_count = (count + WIDTH - 1) // WIDTH * WIDTH
    for number in range(count, workspace.live_count):
        workspace.live_weights[number] = 0


@njit_call(nrt=False)
def find_highest_steps(board, workspace):
    """Fill in `highest_steps` of a position."""
    for column in range(board.columns):
        first = board.rows[column]
        for unit in range(HIDDEN):
            workspace.highest_steps[column, unit] = workspace.steps[first + 1, unit]
        for row in range(first + 2, first + workspace.remaining[column] + 1):
            for unit in range(HIDDEN):
                workspace.highest_steps[column, unit] = larger(
                    workspace.highest_steps[column, unit], workspace.steps[row, unit]
                )


@njit_inline(nrt=False)
def _solve_or_wait(board, net, workspace, a, i, b, j, c, k):
    """Solve a state with a runner at a top, if fewer than two can move; let others wait in their
    group."""
    ra, rb, rc = workspace.remaining[a], workspace.remaining[b], workspace.remaining[c]
    more_a, more_b, more_c = i < ra, j < rb, k < rc
    state = workspace.starts[a, b, c] + ((i - 1) * rb + j - 1) * rc + k - 1
    moving = int(more_a) + int(more_b) + int(more_c)
    if wins(board, workspace, 3 - moving):
        workspace.values[state], workspace.rolls[state] = win(net), NEVER
        return
    up_a, up_b, up_c = rb * rc, rc, 1
    two_a = up_a if i + 2 > ra else 2 * up_a
    two_b = up_b if j + 2 > rb else 2 * up_b
    two_c = up_c if k + 2 > rc else 2
    if moving == 2:
        group = _WITHOUT_C if not more_c else _WITHOUT_B if not more_b else _WITHOUT_A
        up_x, two_x = (up_a, two_a) if more_a else (up_b, two_b)
        up_y, two_y = (up_c, two_c) if more_c else (up_b, two_b)
        lane = workspace.waiting_count[group]
        workspace.waiting_count[group] = lane + 1
        workspace.waiting[group, lane] = state
        _offer_two(workspace, group, lane, 0, 2, state + up_x, state + two_x)
        _offer_two(workspace, group, lane, 1, 3, state + up_y, state + two_y)
        _offer(workspace, group, lane, 4, state + up_x + up_y)
        if lane + 1 == LANES:
            _solve_face(board, workspace, group, a, b, c)
    elif moving == 1:
        x = a if more_a else b if more_b else c
        once = up_a if more_a else up_b if more_b else up_c
        twice = two_a if more_a else two_b if more_b else two_c
        workspace.offered[0] = workspace.values[state + once]
        workspace.offered[1] = workspace.values[state + twice]
        _set_roll(workspace, state, expected(board, workspace, board.sets[x, x, x]))
    else:
        workspace.rolls[state] = NEVER


@njit_inline(nrt=False)
def _offer_two(workspace, group, lane, move, other_move, state, other_state):
    _offer(workspace, group, lane, move, state)
    _offer(workspace, group, lane, other_move, other_state)


@njit_inline(nrt=False)
def _offer(workspace, group, lane, move, state):
    value = number_at(workspace.values, state)
    set_number_at(workspace.lane_offered, (group * MOVES + move) * LANES + lane, value)


@njit_inline(nrt=False)
def _set_roll(workspace, state, roll):
    set_number_at(workspace.rolls, state, roll)
    set_number_at(workspace.values, state, larger(number_at(workspace.values, state), roll))


@njit_inline(nrt=False)
def _solve_face(board, workspace, group, a, b, c):
    """Solve the states that wait in a group with one runner at its top."""
    number = board.sets[a, b, b]
    if group == _WITHOUT_A:
        number = board.sets[b, c, c]
    elif group == _WITHOUT_B:
        number = board.sets[a, c, c]
    _solve_waiting(board, workspace, group, number, workspace.waiting_count[group])
    workspace.waiting_count[group] = 0


@njit_inline(nrt=False)
def _solve_waiting(board, workspace, group, number, count):
    """Solve the `count` states that wait in a group, whose outcomes are those of a set."""
    offered, options = workspace.lane_offered, board.options
    base = group * MOVES * LANES
    bust = np.float32(board.busts[number] * workspace.bust_value[0])
    for first in range(0, count, WIDTH):
        rolls = vector_of(bust)
        for outcome in range(board.firsts[number], board.firsts[number + 1]):
            x, y = number_at(options, 3 * outcome), number_at(options, 3 * outcome + 1)
            z = number_at(options, 3 * outcome + 2)
            best = larger_of_two(
                load_vector(offered, base + x * LANES + first),
                load_vector(offered, base + y * LANES + first),
            )
            best = larger_of_two(best, load_vector(offered, base + z * LANES + first))
            part = product_of_two(vector_of(number_at(board.chances, outcome)), best)
            rolls = sum_of_two(rolls, part)
        store_vector(workspace.lane_rolls, first, rolls)
    for lane in range(count):
        state = np.int64(number_at(workspace.waiting, group * LANES + lane))
        _set_roll(workspace, state, number_at(workspace.lane_rolls, lane))
