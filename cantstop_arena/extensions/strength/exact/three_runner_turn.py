"""The exact solution of one turn with three runners, given the values of its end positions.

States are solved lazily. Those with three runners are solved one set of columns at a time,
backwards from the tops, at the first lookup of the set. Those with one or two runners, which lead
there, are solved for the first `AHEAD` spaces, and farther if a turn gets there.

Values are for the player on turn: the probability of winning, or with one player minus the number
of turns after this one. `workspace` is a record of WORKSPACE, `board` of BOARD, `net` of NET.
"""

import numpy as np

from cantstop_arena.extensions.strength.compiled import (
    njit_call,
    njit_entry,
    njit_inline,
)
from cantstop_arena.extensions.strength.exact.three_runner_sets import (
    find_highest_steps,
    three_runner_state,
)
from cantstop_arena.extensions.strength.exact.turn_board import MAX_COLUMNS
from cantstop_arena.extensions.strength.exact.two_runner_sets import (
    AHEAD,
    after_double,
    must_place,
    pair_value,
    two_runner_state,
)
from cantstop_arena.extensions.strength.exact.workspace import NOT_SOLVED
from cantstop_arena.extensions.strength.nets.net import (
    HIDDEN,
    output,
    output_above,
    value_of_output,
)
from cantstop_arena.extensions.strength.nets.net_inputs import (
    NEVER,
    enter_position,
    is_open,
    larger,
    win,
    wins,
)

_NOTHING = np.float32(0)


@njit_entry(nrt=False)
def enter(board, net, workspace):
    """Begin a turn at the position of `workspace.markers`, with no state solved."""
    workspace.single_reach[:] = 0
    workspace.pair_reach[:] = 0
    workspace.starts[:] = NOT_SOLVED
    workspace.used = 0
    enter_position(board, net, workspace)
    find_highest_steps(board, workspace)


@njit_entry(nrt=False)
def enter_again(workspace):
    """Begin another turn at the position of the last one; sets of three columns stay solved.

    States with one or two runners that were solved farther than `AHEAD` are valued differently
    from then on, so they are solved again, as after `enter`.
    """
    workspace.single_reach[:] = 0
    for a in range(MAX_COLUMNS):
        for b in range(MAX_COLUMNS):
            if workspace.pair_reach[a, b] > AHEAD:
                workspace.pair_reach[a, b] = 0


# One runner -------------------------------------------------------------------------------------


@njit_inline(nrt=False)
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
        row, forced = board.rows[a] + i, i <= reach and must_place(board, workspace, a, a)
        if wins(board, workspace, i == workspace.remaining[a]) and not forced:
            workspace.single_values[row], workspace.single_rolls[row] = win(net), NEVER
            continue
        stop = single_stop_value(board, net, workspace, a, i)
        roll = _single_runner_roll(board, net, workspace, a, i) if i <= reach else NEVER
        workspace.single_rolls[row] = roll
        workspace.single_values[row] = roll if forced else larger(stop, roll)


@njit_inline(nrt=False)
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


@njit_inline(nrt=False)
def _single_runner_pairing(board, net, workspace, a, i, x, y):
    more = i < workspace.remaining[a]
    if x == y:
        if x == a:
            return (
                workspace.single_values[board.rows[a] + after_double(workspace, a, i)]
                if more
                else NEVER
            )
        return (
            pair_value(board, net, workspace, a, i, x, after_double(workspace, x, 0))
            if is_open(workspace, x)
            else NEVER
        )
    if x != a and y != a and is_open(workspace, x) and is_open(workspace, y):
        return workspace.values[three_runner_state(board, net, workspace, a, i, x, 1, y, 1)]
    if x == a or y == a:
        new = y if x == a else x
        if is_open(workspace, new):
            return pair_value(board, net, workspace, a, i + 1 if more else i, new, 1)
        return workspace.single_values[board.rows[a] + i + 1] if more else NEVER
    new = x if is_open(workspace, x) else y
    return pair_value(board, net, workspace, a, i, new, 1) if is_open(workspace, new) else NEVER


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
                single_state(board, net, workspace, x, after_double(workspace, x, 0))
            ]
            if open_x
            else NEVER
        )
    if open_x and open_y:
        return pair_value(board, net, workspace, x, 1, y, 1)
    if open_x or open_y:
        return workspace.single_values[single_state(board, net, workspace, x if open_x else y, 1)]
    return NEVER
