"""The states with runners in three columns, solved backwards from the tops.

A move takes the runners higher, so states in which they have climbed equally many spaces together
do not depend on each other. Their moves are valued side by side: a loop over states, which the
compiler turns into vector instructions, in place of one over the outcomes of one state. Each state
adds up its outcomes in the same order as by itself.
"""

import numpy as np

from cantstop_arena.games.cantstop.engine.engine_decorators import njit_call, njit_inline
from cantstop_arena.games.cantstop.exact.workspace import GROUPS, LANES, NOT_SOLVED
from cantstop_arena.games.cantstop.nets.net import HIDDEN, output_above, value_of_output
from cantstop_arena.games.cantstop.nets.net_inputs import NEVER, expected, larger, win, wins

# Groups of states, by the runners that can move.
_ALL, _WITHOUT_A, _WITHOUT_B, _WITHOUT_C = range(GROUPS)
_WIDTH = 8  # of a vector, or its multiple


@njit_call(nrt=False)
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
    for i in range(1, ra + 1):
        for j in range(1, rb + 1):
            _fill_stops(board, net, workspace, a, i, b, j, c)
    for climbed in range(ra + rb + rc, 2, -1):
        for i in range(max(1, climbed - rb - rc), min(ra, climbed - 2) + 1):
            for j in range(max(1, climbed - i - rc), min(rb, climbed - i - 1) + 1):
                _solve_or_wait(board, net, workspace, a, i, b, j, c, climbed - i - j)
        for group in range(GROUPS):
            _solve_waiting(board, workspace, group, a, b, c)


@njit_inline(nrt=False)
def _fill_stops(board, net, workspace, a, i, b, j, c):
    """Set `values` to those of stopping with runners i and j spaces up in columns a and b."""
    lower, upper, first = board.rows[a] + i, board.rows[b] + j, board.rows[c]
    for unit in range(HIDDEN):
        above = np.int32(workspace.steps[lower, unit] + workspace.steps[upper, unit])
        workspace.hidden[unit] = np.int32(workspace.origin[unit] + above)
    rc = workspace.remaining[c]
    row = workspace.starts[a, b, c] + ((i - 1) * workspace.remaining[b] + j - 1) * rc - 1
    for k in range(1, rc + 1):
        total = output_above(net, workspace.hidden, workspace.steps[first + k])
        workspace.values[row + k] = value_of_output(net, total)


@njit_inline(nrt=False)
def _solve_or_wait(board, net, workspace, a, i, b, j, c, k):
    """Solve a state in which fewer than two runners can move; let others wait in their group."""
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
    if moving == 3:
        lane = _lane_for(workspace, _ALL, state)
        _offer_two(workspace, _ALL, lane, 0, 3, state + up_a, state + two_a)
        _offer_two(workspace, _ALL, lane, 1, 4, state + up_b, state + two_b)
        _offer_two(workspace, _ALL, lane, 2, 5, state + up_c, state + two_c)
        _offer_two(workspace, _ALL, lane, 6, 7, state + up_a + up_b, state + up_a + up_c)
        _offer_two(workspace, _ALL, lane, 8, 8, state + up_b + up_c, state + up_b + up_c)
        _solve_if_full(board, workspace, _ALL, a, b, c)
    elif moving == 2:
        group = _WITHOUT_C if not more_c else _WITHOUT_B if not more_b else _WITHOUT_A
        up_x, two_x = (up_a, two_a) if more_a else (up_b, two_b)
        up_y, two_y = (up_c, two_c) if more_c else (up_b, two_b)
        lane = _lane_for(workspace, group, state)
        _offer_two(workspace, group, lane, 0, 2, state + up_x, state + two_x)
        _offer_two(workspace, group, lane, 1, 3, state + up_y, state + two_y)
        _offer_two(workspace, group, lane, 4, 4, state + up_x + up_y, state + up_x + up_y)
        _solve_if_full(board, workspace, group, a, b, c)
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
def _lane_for(workspace, group, state):
    lane = workspace.waiting_count[group]
    workspace.waiting[group, lane] = state
    workspace.waiting_count[group] = lane + 1
    return lane


@njit_inline(nrt=False)
def _offer_two(workspace, group, lane, move, other_move, state, other_state):
    workspace.lane_offered[group, move, lane] = workspace.values[state]
    workspace.lane_offered[group, other_move, lane] = workspace.values[other_state]


@njit_inline(nrt=False)
def _set_roll(workspace, state, roll):
    workspace.rolls[state] = roll
    workspace.values[state] = larger(workspace.values[state], roll)


@njit_inline(nrt=False)
def _solve_if_full(board, workspace, group, a, b, c):
    if workspace.waiting_count[group] == LANES:
        _solve_waiting(board, workspace, group, a, b, c)


@njit_call(nrt=False)
def _solve_waiting(board, workspace, group, a, b, c):
    """Solve the states that wait in a group."""
    count = workspace.waiting_count[group]
    if count == 0:
        return
    number = board.sets[a, b, c]
    if group == _WITHOUT_A:
        number = board.sets[b, c, c]
    elif group == _WITHOUT_B:
        number = board.sets[a, c, c]
    elif group == _WITHOUT_C:
        number = board.sets[a, b, b]
    _fill_lane_rolls(board, workspace, group, number, padded_to_vectors(count))
    for lane in range(count):
        _set_roll(workspace, workspace.waiting[group, lane], workspace.lane_rolls[lane])
    workspace.waiting_count[group] = 0


@njit_inline(nrt=False)
def padded_to_vectors(count):
    """The number of lanes that are valued for so many states."""
    return (count + _WIDTH - 1) // _WIDTH * _WIDTH


@njit_inline(nrt=False)
def _fill_lane_rolls(board, workspace, group, number, lanes):
    """Set `lane_rolls` to the expected values of the best moves, as `expected` does for one."""
    rolls, offered = workspace.lane_rolls, workspace.lane_offered
    bust = np.float32(board.busts[number] * workspace.bust_value[0])
    for lane in range(lanes):
        rolls[lane] = bust
    for outcome in range(board.firsts[number], board.firsts[number + 1]):
        x, y = board.options[outcome, 0], board.options[outcome, 1]
        z = board.options[outcome, 2]
        chance = board.chances[outcome]
        for lane in range(lanes):
            best = larger(offered[group, x, lane], offered[group, y, lane])
            best = larger(best, offered[group, z, lane])
            rolls[lane] = np.float32(rolls[lane] + np.float32(chance * best))
