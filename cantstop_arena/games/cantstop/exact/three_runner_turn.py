"""One turn solved exactly, given what every position is worth in which it can end.

States with three runners are solved set by set of columns, backwards from the tops, when a set is
first asked for; so are those with one or two runners, which lead there. These are solved for the
first spaces ahead only, farther on where a turn gets there.

Worths are those of the player on turn: chances to win, or minus the turns still to come after this
one. `desk.markers` holds the markers of all seats, from the player on turn; a column that somebody
has claimed stands at its length for whoever claimed it.
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

AHEAD = 7  # spaces that one or two runners climb together before they are looked at again
_NOTHING = np.float32(0)
_NO_SET = np.int32(-1)


@njit_entry(nrt=False)
def enter(board, net, desk):
    """Begin a turn at the position of `desk.markers`; nothing of it is solved yet."""
    desk.single_reach[:] = 0
    desk.pair_reach[:] = 0
    desk.starts[:] = NOT_SOLVED
    desk.used = 0
    enter_position(board, net, desk)


# Three runners ----------------------------------------------------------------------------------


@njit_call(nrt=False)
def three_runner_state(board, net, desk, a, i, b, j, c, k):
    """The state with runners i, j and k spaces up in columns a, b and c, all different."""
    if a > b:
        a, i, b, j = b, j, a, i
    if b > c:
        b, j, c, k = c, k, b, j
    if a > b:
        a, i, b, j = b, j, a, i
    if desk.starts[a, b, c] == NOT_SOLVED:
        _solve_three(board, net, desk, a, b, c)
    place = ((i - 1) * desk.room[b] + j - 1) * desk.room[c] + k - 1
    return desk.starts[a, b, c] + place


@njit_call(nrt=False)
def _solve_three(board, net, desk, a, b, c):
    """Solve all states with runners in three columns, ascending."""
    start = desk.used
    desk.starts[a, b, c] = start
    desk.used += desk.room[a] * desk.room[b] * desk.room[c]
    for i in range(desk.room[a], 0, -1):
        for j in range(desk.room[b], 0, -1):
            _solve_row(board, net, desk, a, i, b, j, c)


@njit_inline(nrt=False)
def _solve_row(board, net, desk, a, i, b, j, c):
    """Solve the states with two of three runners where they are."""
    ra, rb, rc = desk.room[a], desk.room[b], desk.room[c]
    lower, upper = board.rows[a] + i, board.rows[b] + j
    for unit in range(HIDDEN):
        above = np.int32(desk.steps[lower, unit] + desk.steps[upper, unit])
        desk.hidden[unit] = np.int32(desk.origin[unit] + above)
    tops = int(i == ra) + int(j == rb)
    first = board.rows[c]
    row = desk.starts[a, b, c] + ((i - 1) * rb + j - 1) * rc - 1
    for k in range(rc, 0, -1):
        place = row + k
        if wins(board, desk, tops + int(k == rc)):
            desk.worths[place], desk.rolls[place] = win(net), NEVER
            continue
        stop = value_of_output(net, output_above(net, desk.hidden, desk.steps[first + k]))
        roll = _roll_three(board, desk, a, i, b, j, c, k, place)
        desk.rolls[place] = roll
        desk.worths[place] = larger(stop, roll)


@njit_inline(nrt=False)
def _roll_three(board, desk, a, i, b, j, c, k, place):
    """What rolling on is worth, from the states above, which are solved."""
    ra, rb, rc = desk.room[a], desk.room[b], desk.room[c]
    up_a, up_b, up_c = rb * rc, rc, 1
    more_a, more_b, more_c = i < ra, j < rb, k < rc
    two_a = up_a if i + 2 > ra else 2 * up_a
    two_b = up_b if j + 2 > rb else 2 * up_b
    two_c = up_c if k + 2 > rc else 2
    number = _NO_SET
    if more_a and more_b and more_c:
        _offer_two(desk, 0, 3, place + up_a, place + two_a)
        _offer_two(desk, 1, 4, place + up_b, place + two_b)
        _offer_two(desk, 2, 5, place + up_c, place + two_c)
        _offer_two(desk, 6, 7, place + up_a + up_b, place + up_a + up_c)
        _offer_two(desk, 8, 8, place + up_b + up_c, place + up_b + up_c)
        number = board.sets[a, b, c]
    elif int(more_a) + int(more_b) + int(more_c) == 2:
        x, up_x, two_x = (a, up_a, two_a) if more_a else (b, up_b, two_b)
        y, up_y, two_y = (c, up_c, two_c) if more_c else (b, up_b, two_b)
        _offer_two(desk, 0, 2, place + up_x, place + two_x)
        _offer_two(desk, 1, 3, place + up_y, place + two_y)
        _offer_two(desk, 4, 4, place + up_x + up_y, place + up_x + up_y)
        number = board.sets[x, y, y]
    elif more_a or more_b or more_c:
        x = a if more_a else b if more_b else c
        once = up_a if more_a else up_b if more_b else up_c
        twice = two_a if more_a else two_b if more_b else two_c
        _offer_two(desk, 0, 1, place + once, place + twice)
        number = board.sets[x, x, x]
    return NEVER if number == _NO_SET else expected(board, desk, number)


@njit_inline(nrt=False)
def _offer_two(desk, option, other, place, further):
    desk.offered[option], desk.offered[other] = desk.worths[place], desk.worths[further]


# Two runners ------------------------------------------------------------------------------------


@njit_call(nrt=False)
def two_runner_state(board, net, desk, a, i, b, j):
    """The rows of the state with runners in two columns, which is solved."""
    if a > b:
        a, i, b, j = b, j, a, i
    if desk.pair_reach[a, b] < i + j:
        _solve_two(board, net, desk, a, b, max(AHEAD, i + j))
    return board.rows[a] + i, board.rows[b] + j


@njit_call(nrt=False)
def _worth_two(board, net, desk, a, i, b, j):
    lower, upper = two_runner_state(board, net, desk, a, i, b, j)
    return desk.pair_worths[lower, upper]


@njit_call(nrt=False)
def _solve_two(board, net, desk, a, b, reach):
    """Solve the states in which two runners have climbed up to `reach` spaces together."""
    desk.pair_reach[a, b] = reach
    ra, rb = desk.room[a], desk.room[b]
    for climbed in range(min(reach + 2, ra + rb), 1, -1):
        for i in range(max(1, climbed - rb), min(ra, climbed - 1) + 1):
            _solve_pair(board, net, desk, a, i, b, climbed - i, climbed <= reach)


@njit_call(nrt=False)
def _solve_pair(board, net, desk, a, i, b, j, may_roll):
    lower, upper = board.rows[a] + i, board.rows[b] + j
    if wins(board, desk, int(i == desk.room[a]) + int(j == desk.room[b])):
        desk.pair_worths[lower, upper], desk.pair_rolls[lower, upper] = win(net), NEVER
        return
    stop = stop_two(board, net, desk, a, i, b, j)
    roll = _roll_pair(board, net, desk, a, i, b, j) if may_roll else NEVER
    desk.pair_rolls[lower, upper] = roll
    forced = may_roll and board.must_place_all and _can_place(board, desk, a, b)
    desk.pair_worths[lower, upper] = roll if forced else larger(stop, roll)


@njit_call(nrt=False)
def stop_two(board, net, desk, a, i, b, j):
    """What stopping with two runners is worth where it does not win."""
    lower, upper = board.rows[a] + i, board.rows[b] + j
    for unit in range(HIDDEN):
        desk.hidden[unit] = np.int32(desk.origin[unit] + desk.steps[lower, unit])
    return value_of_output(net, output_above(net, desk.hidden, desk.steps[upper]))


@njit_call(nrt=False)
def _can_place(board, desk, a, b):
    """Whether a column is open besides those of the runners."""
    for column in range(board.columns):
        if column != a and column != b and is_open(desk, column):
            return True
    return False


@njit_inline(nrt=False)
def _up(desk, column, climbed):
    """How far a double leads."""
    return min(desk.room[column], climbed + 2)


# Rows of `desk.placing`: what placing a third runner is worth, once or by a double, and with one
# of the other two advancing as well.
_ONCE, _TWICE, _WITH_A, _WITH_B = range(4)


@njit_call(nrt=False)
def _roll_pair(board, net, desk, a, i, b, j):
    """What rolling on with two runners is worth."""
    more_a, more_b = i < desk.room[a], j < desk.room[b]
    _place_third(board, net, desk, a, i, b, j, more_a, more_b)
    placing, offered = desk.placing, desk.offered
    for option in range(5):
        offered[option] = NEVER
    lower, upper, worths = board.rows[a] + i, board.rows[b] + j, desk.pair_worths
    if more_a:
        offered[0] = worths[lower + 1, upper]
        offered[2] = worths[board.rows[a] + _up(desk, a, i), upper]
    if more_b:
        offered[1] = worths[lower, upper + 1]
        offered[3] = worths[lower, board.rows[b] + _up(desk, b, j)]
    if more_a and more_b:
        offered[4] = worths[lower + 1, upper + 1]
    total = _NOTHING
    for menu in range(board.menu_count):
        best = NEVER
        for number in range(board.sizes[menu]):
            x, y = board.menus[menu, number, 0], board.menus[menu, number, 1]
            best = larger(best, _pairing_of_two(placing, offered, a, b, x, y))
        if best == NEVER:
            best = desk.rest[0]
        total = np.float32(total + np.float32(board.menu_chances[menu] * best))
    return total


@njit_call(nrt=False)
def _place_third(board, net, desk, a, i, b, j, more_a, more_b):
    """Fill in `desk.placing`."""
    placing, worths = desk.placing, desk.worths
    for c in range(board.columns):
        for kind in range(4):
            placing[kind, c] = NEVER
        if c in (a, b) or not is_open(desk, c):
            continue
        placing[_ONCE, c] = worths[three_runner_state(board, net, desk, a, i, b, j, c, 1)]
        placing[_TWICE, c] = worths[
            three_runner_state(board, net, desk, a, i, b, j, c, _up(desk, c, 0))
        ]
        placing[_WITH_A, c] = placing[_WITH_B, c] = placing[_ONCE, c]
        if more_a:
            placing[_WITH_A, c] = worths[three_runner_state(board, net, desk, a, i + 1, b, j, c, 1)]
        if more_b:
            placing[_WITH_B, c] = worths[three_runner_state(board, net, desk, a, i, b, j + 1, c, 1)]


@njit_call(nrt=False)
def _pairing_of_two(placing, offered, a, b, x, y):
    """The best that a pairing allows with two runners; NEVER where it allows nothing.

    A half that cannot advance lapses, and where both would place a runner only one can.
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
def single_state(board, net, desk, a, i):
    """The row of the state with one runner, which is solved."""
    if desk.single_reach[a] < i:
        _solve_one(board, net, desk, a, max(AHEAD, i))
    return board.rows[a] + i


@njit_call(nrt=False)
def _solve_one(board, net, desk, a, reach):
    """Solve the states in which one runner has climbed up to `reach` spaces."""
    desk.single_reach[a] = reach
    for i in range(min(reach + 2, desk.room[a]), 0, -1):
        row = board.rows[a] + i
        if wins(board, desk, i == desk.room[a]):
            desk.single_worths[row], desk.single_rolls[row] = win(net), NEVER
            continue
        stop = stop_with_one(board, net, desk, a, i)
        roll = _roll_single(board, net, desk, a, i) if i <= reach else NEVER
        desk.single_rolls[row] = roll
        forced = i <= reach and board.must_place_all and _can_place(board, desk, a, a)
        desk.single_worths[row] = roll if forced else larger(stop, roll)


@njit_call(nrt=False)
def stop_with_one(board, net, desk, a, i):
    """What stopping with one runner is worth where it does not win."""
    return value_of_output(net, output_above(net, desk.origin, desk.steps[board.rows[a] + i]))


@njit_call(nrt=False)
def _roll_single(board, net, desk, a, i):
    """What rolling on with one runner is worth."""
    total = _NOTHING
    for menu in range(board.menu_count):
        best = NEVER
        for number in range(board.sizes[menu]):
            x, y = board.menus[menu, number, 0], board.menus[menu, number, 1]
            best = larger(best, _pairing_of_one(board, net, desk, a, i, x, y))
        if best == NEVER:
            best = desk.rest[0]
        total = np.float32(total + np.float32(board.menu_chances[menu] * best))
    return total


@njit_call(nrt=False)
def _pairing_of_one(board, net, desk, a, i, x, y):
    more = i < desk.room[a]
    if x == y:
        if x == a:
            return desk.single_worths[board.rows[a] + _up(desk, a, i)] if more else NEVER
        return _worth_two(board, net, desk, a, i, x, _up(desk, x, 0)) if is_open(desk, x) else NEVER
    if x != a and y != a and is_open(desk, x) and is_open(desk, y):
        return desk.worths[three_runner_state(board, net, desk, a, i, x, 1, y, 1)]
    if x == a or y == a:
        new = y if x == a else x
        if is_open(desk, new):
            return _worth_two(board, net, desk, a, i + 1 if more else i, new, 1)
        return desk.single_worths[board.rows[a] + i + 1] if more else NEVER
    new = x if is_open(desk, x) else y
    return _worth_two(board, net, desk, a, i, new, 1) if is_open(desk, new) else NEVER


# Asking -----------------------------------------------------------------------------------------


@njit_entry(nrt=False)
def look_up(board, net, desk):
    """What the turn is worth when runners have advanced so far, `desk.advances`, and what rolling
    on is worth: NEVER where no runner can move, or to stop wins."""
    a = b = c = -1
    for column in range(board.columns):
        if desk.advances[column]:
            a, b, c = b, c, column
    if a >= 0:
        i, j, k = desk.advances[a], desk.advances[b], desk.advances[c]
        place = three_runner_state(board, net, desk, a, i, b, j, c, k)
        return desk.worths[place], desk.rolls[place]
    if b >= 0:
        lower, upper = two_runner_state(board, net, desk, b, desk.advances[b], c, desk.advances[c])
        return desk.pair_worths[lower, upper], desk.pair_rolls[lower, upper]
    row = single_state(board, net, desk, c, desk.advances[c])
    return desk.single_worths[row], desk.single_rolls[row]


@njit_entry(nrt=False)
def stop_value(board, net, desk):
    """What stopping is worth when runners have advanced so far, `desk.advances`."""
    tops = 0
    for unit in range(HIDDEN):
        desk.hidden[unit] = desk.origin[unit]
    for column in range(board.columns):
        if desk.advances[column]:
            tops += desk.advances[column] == desk.room[column]
            row = board.rows[column] + desk.advances[column]
            for unit in range(HIDDEN):
                desk.hidden[unit] = np.int32(desk.hidden[unit] + desk.steps[row, unit])
    return win(net) if wins(board, desk, tops) else value_of_output(net, output(net, desk.hidden))


@njit_entry(nrt=False)
def position_value(board, net, desk):
    """What the position is worth to the player on turn before the first roll."""
    total = _NOTHING
    for menu in range(board.menu_count):
        best = NEVER
        for number in range(board.sizes[menu]):
            x, y = board.menus[menu, number, 0], board.menus[menu, number, 1]
            best = larger(best, _first_pairing(board, net, desk, x, y))
        if best == NEVER:
            best = desk.rest[0]
        total = np.float32(total + np.float32(board.menu_chances[menu] * best))
    return total


@njit_call(nrt=False)
def _first_pairing(board, net, desk, x, y):
    open_x, open_y = is_open(desk, x), is_open(desk, y)
    if x == y:
        return (
            desk.single_worths[single_state(board, net, desk, x, _up(desk, x, 0))]
            if open_x
            else NEVER
        )
    if open_x and open_y:
        return _worth_two(board, net, desk, x, 1, y, 1)
    if open_x or open_y:
        return desk.single_worths[single_state(board, net, desk, x if open_x else y, 1)]
    return NEVER
