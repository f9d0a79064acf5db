"""The exact solution of one turn with three runners, given the values of its end positions.

States are solved lazily. Those with three runners are solved one set of columns at a time,
backwards from the tops, at the first lookup of the set. Those with one or two runners, which lead
there, are solved for the first `AHEAD` spaces, and farther if a turn gets there.

Values are for the player on turn: the probability of winning, or with one player minus the number
of turns after this one. `workspace` is a record of WORKSPACE, `board` of BOARD, `net` of NET.
"""

import numpy as np

from cantstop_arena.games.cantstop.engine.engine_decorators import (
    njit_call,
    njit_entry,
    njit_inline,
)
from cantstop_arena.games.cantstop.exact.workspace import NOT_SOLVED
from cantstop_arena.games.cantstop.nets.net import HIDDEN, output, output_above, value_of_output
from cantstop_arena.games.cantstop.nets.net_inputs import (
    NEVER,
    enter_position,
    expected,
    is_open,
    larger,
    win,
    wins,
)

AHEAD = 7  # spaces: how far one or two runners together are solved at first
_NOTHING = np.float32(0)
_NO_SET = np.int32(-1)


@njit_entry(nrt=False)
def enter(board, net, workspace):
    """Begin a turn at the position of `workspace.markers`, with no state solved."""
    workspace.single_reach[:] = 0
    workspace.pair_reach[:] = 0
    workspace.starts[:] = NOT_SOLVED
    workspace.used = 0
    enter_position(board, net, workspace)


# Three runners ----------------------------------------------------------------------------------


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
    workspace.starts[a, b, c] = start
    workspace.used += workspace.remaining[a] * workspace.remaining[b] * workspace.remaining[c]
    for i in range(workspace.remaining[a], 0, -1):
        for j in range(workspace.remaining[b], 0, -1):
            _solve_row(board, net, workspace, a, i, b, j, c)


@njit_inline(nrt=False)
def _solve_row(board, net, workspace, a, i, b, j, c):
    """Solve the states with runners i and j spaces up in columns a and b, and any in column c."""
    ra, rb, rc = workspace.remaining[a], workspace.remaining[b], workspace.remaining[c]
    lower, upper = board.rows[a] + i, board.rows[b] + j
    for unit in range(HIDDEN):
        above = np.int32(workspace.steps[lower, unit] + workspace.steps[upper, unit])
        workspace.hidden[unit] = np.int32(workspace.origin[unit] + above)
    tops = int(i == ra) + int(j == rb)
    first = board.rows[c]
    row = workspace.starts[a, b, c] + ((i - 1) * rb + j - 1) * rc - 1
    for k in range(rc, 0, -1):
        state = row + k
        if wins(board, workspace, tops + int(k == rc)):
            workspace.values[state], workspace.rolls[state] = win(net), NEVER
            continue
        stop = value_of_output(net, output_above(net, workspace.hidden, workspace.steps[first + k]))
        roll = _three_runner_roll(board, workspace, a, i, b, j, c, k, state)
        workspace.rolls[state] = roll
        workspace.values[state] = larger(stop, roll)


@njit_inline(nrt=False)
def _three_runner_roll(board, workspace, a, i, b, j, c, k, state):
    """The value of rolling on with three runners, from the higher states, which are solved."""
    ra, rb, rc = workspace.remaining[a], workspace.remaining[b], workspace.remaining[c]
    up_a, up_b, up_c = rb * rc, rc, 1
    more_a, more_b, more_c = i < ra, j < rb, k < rc
    two_a = up_a if i + 2 > ra else 2 * up_a
    two_b = up_b if j + 2 > rb else 2 * up_b
    two_c = up_c if k + 2 > rc else 2
    number = _NO_SET
    if more_a and more_b and more_c:
        _offer_two(workspace, 0, 3, state + up_a, state + two_a)
        _offer_two(workspace, 1, 4, state + up_b, state + two_b)
        _offer_two(workspace, 2, 5, state + up_c, state + two_c)
        _offer_two(workspace, 6, 7, state + up_a + up_b, state + up_a + up_c)
        _offer_two(workspace, 8, 8, state + up_b + up_c, state + up_b + up_c)
        number = board.sets[a, b, c]
    elif int(more_a) + int(more_b) + int(more_c) == 2:
        x, up_x, two_x = (a, up_a, two_a) if more_a else (b, up_b, two_b)
        y, up_y, two_y = (c, up_c, two_c) if more_c else (b, up_b, two_b)
        _offer_two(workspace, 0, 2, state + up_x, state + two_x)
        _offer_two(workspace, 1, 3, state + up_y, state + two_y)
        _offer_two(workspace, 4, 4, state + up_x + up_y, state + up_x + up_y)
        number = board.sets[x, y, y]
    elif more_a or more_b or more_c:
        x = a if more_a else b if more_b else c
        once = up_a if more_a else up_b if more_b else up_c
        twice = two_a if more_a else two_b if more_b else two_c
        _offer_two(workspace, 0, 1, state + once, state + twice)
        number = board.sets[x, x, x]
    return NEVER if number == _NO_SET else expected(board, workspace, number)


@njit_inline(nrt=False)
def _offer_two(workspace, option, other_option, state, other_state):
    workspace.offered[option], workspace.offered[other_option] = (
        workspace.values[state],
        workspace.values[other_state],
    )


# Two runners ------------------------------------------------------------------------------------


@njit_call(nrt=False)
def two_runner_state(board, net, workspace, a, i, b, j):
    """The rows of the state with runners in two columns; solves it if necessary."""
    if a > b:
        a, i, b, j = b, j, a, i
    if workspace.pair_reach[a, b] < i + j:
        _solve_two_runners(board, net, workspace, a, b, max(AHEAD, i + j))
    return board.rows[a] + i, board.rows[b] + j


@njit_call(nrt=False)
def _pair_value(board, net, workspace, a, i, b, j):
    lower, upper = two_runner_state(board, net, workspace, a, i, b, j)
    return workspace.pair_values[lower, upper]


@njit_call(nrt=False)
def _solve_two_runners(board, net, workspace, a, b, reach):
    """Solve the states in which two runners have climbed up to `reach` spaces together."""
    workspace.pair_reach[a, b] = reach
    ra, rb = workspace.remaining[a], workspace.remaining[b]
    for climbed in range(min(reach + 2, ra + rb), 1, -1):
        for i in range(max(1, climbed - rb), min(ra, climbed - 1) + 1):
            _solve_pair_state(board, net, workspace, a, i, b, climbed - i, climbed <= reach)


@njit_call(nrt=False)
def _solve_pair_state(board, net, workspace, a, i, b, j, may_roll):
    lower, upper = board.rows[a] + i, board.rows[b] + j
    forced = may_roll and _must_place(board, workspace, a, b)
    tops = int(i == workspace.remaining[a]) + int(j == workspace.remaining[b])
    if wins(board, workspace, tops) and not forced:
        workspace.pair_values[lower, upper], workspace.pair_rolls[lower, upper] = win(net), NEVER
        return
    stop = pair_stop_value(board, net, workspace, a, i, b, j)
    roll = _two_runner_roll(board, net, workspace, a, i, b, j) if may_roll else NEVER
    workspace.pair_rolls[lower, upper] = roll
    workspace.pair_values[lower, upper] = roll if forced else larger(stop, roll)


@njit_call(nrt=False)
def pair_stop_value(board, net, workspace, a, i, b, j):
    """The value of stopping with two runners, if that does not win."""
    lower, upper = board.rows[a] + i, board.rows[b] + j
    for unit in range(HIDDEN):
        workspace.hidden[unit] = np.int32(workspace.origin[unit] + workspace.steps[lower, unit])
    return value_of_output(net, output_above(net, workspace.hidden, workspace.steps[upper]))


@njit_call(nrt=False)
def _must_place(board, workspace, a, b):
    """Whether stopping is illegal because a runner can be placed in a column other than a and b."""
    if not board.stops_after_all_runners:
        return False
    for column in range(board.columns):
        if column != a and column != b and is_open(workspace, column):
            return True
    return False


@njit_inline(nrt=False)
def _after_double(workspace, column, climbed):
    """The spaces climbed in a column after a double."""
    return min(workspace.remaining[column], climbed + 2)


# Rows of `workspace.placing`: the value of placing a third runner, by one advance or a double, and
# together with an advance of one of the other two.
_ONCE, _TWICE, _WITH_A, _WITH_B = range(4)


@njit_call(nrt=False)
def _two_runner_roll(board, net, workspace, a, i, b, j):
    """The value of rolling on with two runners."""
    more_a, more_b = i < workspace.remaining[a], j < workspace.remaining[b]
    _fill_placing(board, net, workspace, a, i, b, j, more_a, more_b)
    placing, offered = workspace.placing, workspace.offered
    for option in range(5):
        offered[option] = NEVER
    lower, upper, values = board.rows[a] + i, board.rows[b] + j, workspace.pair_values
    if more_a:
        offered[0] = values[lower + 1, upper]
        offered[2] = values[board.rows[a] + _after_double(workspace, a, i), upper]
    if more_b:
        offered[1] = values[lower, upper + 1]
        offered[3] = values[lower, board.rows[b] + _after_double(workspace, b, j)]
    if more_a and more_b:
        offered[4] = values[lower + 1, upper + 1]
    total = _NOTHING
    for menu in range(board.menu_count):
        best = NEVER
        for number in range(board.sizes[menu]):
            x, y = board.menus[menu, number, 0], board.menus[menu, number, 1]
            best = larger(best, _two_runner_pairing(placing, offered, a, b, x, y))
        if best == NEVER:
            best = workspace.bust_value[0]
        total = np.float32(total + np.float32(board.menu_chances[menu] * best))
    return total


@njit_call(nrt=False)
def _fill_placing(board, net, workspace, a, i, b, j, more_a, more_b):
    """Fill in `workspace.placing` for two runners; columns that are not open get NEVER."""
    placing, values = workspace.placing, workspace.values
    for c in range(board.columns):
        for kind in range(4):
            placing[kind, c] = NEVER
        if c in (a, b) or not is_open(workspace, c):
            continue
        placing[_ONCE, c] = values[three_runner_state(board, net, workspace, a, i, b, j, c, 1)]
        placing[_TWICE, c] = values[
            three_runner_state(board, net, workspace, a, i, b, j, c, _after_double(workspace, c, 0))
        ]
        placing[_WITH_A, c] = placing[_WITH_B, c] = placing[_ONCE, c]
        if more_a:
            placing[_WITH_A, c] = values[
                three_runner_state(board, net, workspace, a, i + 1, b, j, c, 1)
            ]
        if more_b:
            placing[_WITH_B, c] = values[
                three_runner_state(board, net, workspace, a, i, b, j + 1, c, 1)
            ]


@njit_call(nrt=False)
def _two_runner_pairing(placing, offered, a, b, x, y):
    """The value of a pairing's best move with two runners; NEVER if it allows no move.

    A half that cannot advance lapses; if both halves would place a runner, only one can.
    """
    if x == y:
        return offered[2] if x == a else offered[3] if x == b else placing[_TWICE, x]
    new_x, new_y = x != a and x != b, y != a and y != b
    if new_x and new_y:
        return larger(placing[_ONCE, x], placing[_ONCE, y])
    if not new_x and not new_y:
        return offered[4] if offered[4] != NEVER else larger(offered[0], offered[1])
    runner, new = (y, x) if new_x else (x, y)
    if placing[_ONCE, new] == NEVER:
        return offered[0] if runner == a else offered[1]
    return placing[_WITH_A, new] if runner == a else placing[_WITH_B, new]


# One runner -------------------------------------------------------------------------------------


@njit_call(nrt=False)
def single_state(board, net, workspace, a, i):
    """The row of the state with one runner; solves it if necessary."""
    if workspace.single_reach[a] < i:
        _solve_single_runner(board, net, workspace, a, max(AHEAD, i))
    return board.rows[a] + i


@njit_call(nrt=False)
def _solve_single_runner(board, net, workspace, a, reach):
    """Solve the states in which one runner has climbed up to `reach` spaces."""
    workspace.single_reach[a] = reach
    for i in range(min(reach + 2, workspace.remaining[a]), 0, -1):
        row, forced = board.rows[a] + i, i <= reach and _must_place(board, workspace, a, a)
        if wins(board, workspace, i == workspace.remaining[a]) and not forced:
            workspace.single_values[row], workspace.single_rolls[row] = win(net), NEVER
            continue
        stop = single_stop_value(board, net, workspace, a, i)
        roll = _single_runner_roll(board, net, workspace, a, i) if i <= reach else NEVER
        workspace.single_rolls[row] = roll
        workspace.single_values[row] = roll if forced else larger(stop, roll)


@njit_call(nrt=False)
def single_stop_value(board, net, workspace, a, i):
    """The value of stopping with one runner, if that does not win."""
    return value_of_output(
        net, output_above(net, workspace.origin, workspace.steps[board.rows[a] + i])
    )


@njit_call(nrt=False)
def _single_runner_roll(board, net, workspace, a, i):
    """The value of rolling on with one runner."""
    total = _NOTHING
    for menu in range(board.menu_count):
        best = NEVER
        for number in range(board.sizes[menu]):
            x, y = board.menus[menu, number, 0], board.menus[menu, number, 1]
            best = larger(best, _single_runner_pairing(board, net, workspace, a, i, x, y))
        if best == NEVER:
            best = workspace.bust_value[0]
        total = np.float32(total + np.float32(board.menu_chances[menu] * best))
    return total


@njit_call(nrt=False)
def _single_runner_pairing(board, net, workspace, a, i, x, y):
    more = i < workspace.remaining[a]
    if x == y:
        if x == a:
            return (
                workspace.single_values[board.rows[a] + _after_double(workspace, a, i)]
                if more
                else NEVER
            )
        return (
            _pair_value(board, net, workspace, a, i, x, _after_double(workspace, x, 0))
            if is_open(workspace, x)
            else NEVER
        )
    if x != a and y != a and is_open(workspace, x) and is_open(workspace, y):
        return workspace.values[three_runner_state(board, net, workspace, a, i, x, 1, y, 1)]
    if x == a or y == a:
        new = y if x == a else x
        if is_open(workspace, new):
            return _pair_value(board, net, workspace, a, i + 1 if more else i, new, 1)
        return workspace.single_values[board.rows[a] + i + 1] if more else NEVER
    new = x if is_open(workspace, x) else y
    return _pair_value(board, net, workspace, a, i, new, 1) if is_open(workspace, new) else NEVER


# Lookups ----------------------------------------------------------------------------------------


@njit_entry(nrt=False)
def look_up(board, net, workspace):
    """The value of the turn in the state of `workspace.climbs`, and the value of rolling on: NEVER
    if no runner can move, or if stopping is legal and wins."""
    a = b = c = -1
    for column in range(board.columns):
        if workspace.climbs[column]:
            a, b, c = b, c, column
    if a >= 0:
        i, j, k = workspace.climbs[a], workspace.climbs[b], workspace.climbs[c]
        state = three_runner_state(board, net, workspace, a, i, b, j, c, k)
        return workspace.values[state], workspace.rolls[state]
    if b >= 0:
        lower, upper = two_runner_state(
            board, net, workspace, b, workspace.climbs[b], c, workspace.climbs[c]
        )
        return workspace.pair_values[lower, upper], workspace.pair_rolls[lower, upper]
    row = single_state(board, net, workspace, c, workspace.climbs[c])
    return workspace.single_values[row], workspace.single_rolls[row]


@njit_entry(nrt=False)
def stop_value(board, net, workspace):
    """The value of stopping in the state of `workspace.climbs`."""
    tops = 0
    for unit in range(HIDDEN):
        workspace.hidden[unit] = workspace.origin[unit]
    for column in range(board.columns):
        if workspace.climbs[column]:
            tops += workspace.climbs[column] == workspace.remaining[column]
            row = board.rows[column] + workspace.climbs[column]
            for unit in range(HIDDEN):
                workspace.hidden[unit] = np.int32(
                    workspace.hidden[unit] + workspace.steps[row, unit]
                )
    return (
        win(net)
        if wins(board, workspace, tops)
        else value_of_output(net, output(net, workspace.hidden))
    )


@njit_entry(nrt=False)
def position_value(board, net, workspace):
    """The value of the position for the player on turn before the first roll."""
    total = _NOTHING
    for menu in range(board.menu_count):
        best = NEVER
        for number in range(board.sizes[menu]):
            x, y = board.menus[menu, number, 0], board.menus[menu, number, 1]
            best = larger(best, _first_roll_pairing(board, net, workspace, x, y))
        if best == NEVER:
            best = workspace.bust_value[0]
        total = np.float32(total + np.float32(board.menu_chances[menu] * best))
    return total


@njit_call(nrt=False)
def _first_roll_pairing(board, net, workspace, x, y):
    open_x, open_y = is_open(workspace, x), is_open(workspace, y)
    if x == y:
        return (
            workspace.single_values[
                single_state(board, net, workspace, x, _after_double(workspace, x, 0))
            ]
            if open_x
            else NEVER
        )
    if open_x and open_y:
        return _pair_value(board, net, workspace, x, 1, y, 1)
    if open_x or open_y:
        return workspace.single_values[single_state(board, net, workspace, x if open_x else y, 1)]
    return NEVER
