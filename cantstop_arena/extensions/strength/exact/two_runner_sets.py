"""The states with runners in two columns: those in which they have climbed equally far together
are valued side by side, as in `three_runner_sets`.

The moves of a state are numbered: the five of the two runners, and four that place a third one for
each column. `board.pair_moves` has the moves of each menu.
"""

import numpy as np

from cantstop_arena.extensions.strength.compiled import njit_call, njit_inline
from cantstop_arena.extensions.strength.exact.three_runner_sets import three_runner_state
from cantstop_arena.extensions.strength.exact.turn_board import (
    ADVANCE_A,
    ADVANCE_B,
    ADVANCE_BOTH,
    DOUBLE_A,
    DOUBLE_B,
    KINDS,
    MAX_PAIR_MOVES,
    PLACE,
    PLACE_DOUBLE,
    PLACE_WITH_A,
    PLACE_WITH_B,
)
from cantstop_arena.extensions.strength.exact.workspace import LANES
from cantstop_arena.extensions.strength.nets.net import HIDDEN, output_above, value_of_output
from cantstop_arena.extensions.strength.nets.net_inputs import NEVER, is_open, larger, win, wins
from cantstop_arena.native.vectors import (
    WIDTH,
    larger_of_two,
    load_vector,
    product_of_two,
    replace_equal,
    store_vector,
    sum_of_two,
    vector_of,
)

AHEAD = 7  # spaces: how far one or two runners together are solved at first
_CLOSED = -1
_NOTHING = np.float32(0)


@njit_inline(nrt=False)
def two_runner_state(board, net, workspace, a, i, b, j):
    """The rows of the state with runners in two columns; solves it if necessary."""
    if a > b:
        a, i, b, j = b, j, a, i
    if workspace.pair_reach[a, b] < i + j:
        _solve_two_runners(board, net, workspace, a, b, max(AHEAD, i + j))
    return board.rows[a] + i, board.rows[b] + j


@njit_inline(nrt=False)
def pair_value(board, net, workspace, a, i, b, j):
    """The value of the state with runners in two columns."""
    lower, upper = two_runner_state(board, net, workspace, a, i, b, j)
    return workspace.pair_values[lower, upper]


@njit_inline(nrt=False)
def after_double(workspace, column, climbed):
    """The spaces climbed in a column after a double."""
    return min(workspace.remaining[column], climbed + 2)


@njit_inline(nrt=False)
def must_place(board, workspace, a, b):
    """Whether stopping is illegal because a runner can be placed in a column other than a and b."""
    if not board.stops_after_all_runners:
        return False
    for column in range(board.columns):
        if column != a and column != b and is_open(workspace, column):
            return True
    return False


@njit_call(nrt=False)
def _solve_two_runners(board, net, workspace, a, b, reach):
    """Solve the states in which two runners have climbed up to `reach` spaces together."""
    workspace.pair_reach[a, b] = reach
    _find_thirds(board, net, workspace, a, b)
    ra, rb = workspace.remaining[a], workspace.remaining[b]
    forced = must_place(board, workspace, a, b)
    for climbed in range(min(reach + 2, ra + rb), 1, -1):
        may_roll = climbed <= reach
        low, high = max(1, climbed - rb), min(ra, climbed - 1)
        if may_roll:
            for i in range(low, high + 1):
                _fill_offered(board, workspace, a, i, b, climbed - i, i - low)
            _fill_lane_rolls(board, workspace, board.sets[a, b, b], high + 1 - low)
        for i in range(low, high + 1):
            roll = workspace.lane_rolls[i - low] if may_roll else NEVER
            _set_pair_state(board, net, workspace, a, i, b, climbed - i, roll, forced and may_roll)


@njit_inline(nrt=False)
def _set_pair_state(board, net, workspace, a, i, b, j, roll, forced):
    lower, upper = board.rows[a] + i, board.rows[b] + j
    tops = int(i == workspace.remaining[a]) + int(j == workspace.remaining[b])
    if wins(board, workspace, tops) and not forced:
        workspace.pair_values[lower, upper], workspace.pair_rolls[lower, upper] = win(net), NEVER
        return
    workspace.pair_rolls[lower, upper] = roll
    stop = _pair_stop_value(board, net, workspace, lower, upper)
    workspace.pair_values[lower, upper] = roll if forced else larger(stop, roll)


@njit_inline(nrt=False)
def _pair_stop_value(board, net, workspace, lower, upper):
    """The value of stopping with two runners, if that does not win."""
    for unit in range(HIDDEN):
        workspace.hidden[unit] = np.int32(workspace.origin[unit] + workspace.steps[lower, unit])
    return value_of_output(net, output_above(net, workspace.hidden, workspace.steps[upper]))


@njit_inline(nrt=False)
def _find_thirds(board, net, workspace, a, b):
    """Set `third_states` for two runners: the states with a third one, for each column.

    They are the number of the state with all three on their first spaces, and how much a space of
    the first, second and third runner adds to it.
    """
    for c in range(board.columns):
        workspace.third_states[c, 0] = _CLOSED
        if c in (a, b) or not is_open(workspace, c):
            continue
        first = three_runner_state(board, net, workspace, a, 1, b, 1, c, 1)
        middle, last = max(min(b, c), a), max(b, c)
        in_last = 1
        in_middle = workspace.remaining[last]
        in_first = in_middle * workspace.remaining[middle]
        workspace.third_states[c, 0] = first
        workspace.third_states[c, 1] = in_middle if c < a else in_first
        workspace.third_states[c, 2] = in_middle if b < c else in_last
        workspace.third_states[c, 3] = in_first if c < a else in_middle if c < b else in_last


@njit_inline(nrt=False)
def _fill_offered(board, workspace, a, i, b, j, lane):
    """Set the values of all moves of a state with two runners; those that are illegal get NEVER, or
    the value of the half that can move."""
    more_a, more_b = i < workspace.remaining[a], j < workspace.remaining[b]
    offered, values = workspace.pair_offered, workspace.pair_values
    lower, upper = board.rows[a] + i, board.rows[b] + j
    offered[ADVANCE_A, lane] = offered[DOUBLE_A, lane] = NEVER
    offered[ADVANCE_B, lane] = offered[DOUBLE_B, lane] = NEVER
    if more_a:
        offered[ADVANCE_A, lane] = values[lower + 1, upper]
        offered[DOUBLE_A, lane] = values[board.rows[a] + after_double(workspace, a, i), upper]
    if more_b:
        offered[ADVANCE_B, lane] = values[lower, upper + 1]
        offered[DOUBLE_B, lane] = values[lower, board.rows[b] + after_double(workspace, b, j)]
    offered[ADVANCE_BOTH, lane] = (
        values[lower + 1, upper + 1]
        if more_a and more_b
        else larger(offered[ADVANCE_A, lane], offered[ADVANCE_B, lane])
    )
    for c in range(board.columns):
        kind = KINDS * c
        if workspace.third_states[c, 0] == _CLOSED:
            offered[PLACE + kind, lane] = offered[PLACE_DOUBLE + kind, lane] = NEVER
            offered[PLACE_WITH_A + kind, lane] = offered[ADVANCE_A, lane]
            offered[PLACE_WITH_B + kind, lane] = offered[ADVANCE_B, lane]
            continue
        up_a, up_b = workspace.third_states[c, 1], workspace.third_states[c, 2]
        state = workspace.third_states[c, 0] + (i - 1) * up_a + (j - 1) * up_b
        up_c = workspace.third_states[c, 3] if workspace.remaining[c] > 1 else 0
        offered[PLACE + kind, lane] = workspace.values[state]
        offered[PLACE_DOUBLE + kind, lane] = workspace.values[state + up_c]
        offered[PLACE_WITH_A + kind, lane] = workspace.values[state + up_a if more_a else state]
        offered[PLACE_WITH_B + kind, lane] = workspace.values[state + up_b if more_b else state]


@njit_inline(nrt=False)
def _fill_lane_rolls(board, workspace, number, count):
    """Set `lane_rolls` to the values of rolling on with the two runners of a set."""
    offered = workspace.pair_offered
    bust, never = vector_of(workspace.bust_value[0]), vector_of(NEVER)
    for first in range(0, count, WIDTH):
        rolls = vector_of(_NOTHING)
        for menu in range(board.menu_count):
            moves = board.pair_moves[number, menu]
            best = load_vector(offered, np.int64(moves[0]) * LANES + first)
            for move in range(1, MAX_PAIR_MOVES):
                index = np.int64(moves[move]) * LANES + first
                best = larger_of_two(best, load_vector(offered, index))
            value = replace_equal(best, never, bust)
            part = product_of_two(vector_of(board.menu_chances[menu]), value)
            rolls = sum_of_two(rolls, part)
        store_vector(workspace.lane_rolls, first, rolls)
