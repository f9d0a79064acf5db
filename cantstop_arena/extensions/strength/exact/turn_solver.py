"""The exact solution of one turn, given the values of a bust and of all later positions.

While decisions stay the same, the value of a state is linear in the value of a bust. Each value
comes with its slope, the probability that the turn ends in a bust. Values are maximised: the
probability of winning, or with one player minus the turns still to come.
"""

from cantstop_arena.extensions.strength.compiled import (
    njit_call,
    njit_entry,
    njit_inline,
)
from cantstop_arena.extensions.strength.exact.workspace import (
    enter,
    go_to_last_state,
    go_to_previous_state,
    open_columns,
    state_of,
)
from cantstop_arena.games.cantstop.engine.column_sets import count_columns

NEVER = -1e300  # the value of an action that is not legal

# Stopping -------------------------------------------------------------------------------------


@njit_call(nrt=False)
def evaluate_stops(board, workspace, values, turned):
    """Fill in the value of stopping in each state; `values` are those of later positions."""
    opened = open_columns(board, workspace)
    for mask in board.sets[:-1]:
        count, states = count_columns(mask), go_to_last_state(board, workspace, mask)
        too_early = board.late_stop and count < board.runners and opened & ~mask
        state = state_of(board, workspace, mask)
        for number in range(state, state - states, -1):
            if too_early or _meets_rival(workspace, count):
                workspace.stops[number], workspace.final[number] = NEVER, 0
            else:
                _evaluate_stop(board, workspace, values, turned, number, count, opened)
            go_to_previous_state(workspace, count)


@njit_inline(nrt=False)
def _evaluate_stop(board, workspace, values, turned, state, count, opened):
    left, topped = turned, 0
    for index in range(count):
        column = workspace.runner_columns[index]
        left += workspace.step[column, workspace.climbs[column]]
        if workspace.climbs[column] == workspace.remaining[column]:
            topped |= 1 << column
    workspace.stops[state] = 1.0 - values[left] if board.players == 2 else -values[left]
    workspace.final[state] = _wins(board, workspace, opened, topped)


@njit_inline(nrt=False)
def _meets_rival(workspace, count):
    for index in range(count):
        column = workspace.runner_columns[index]
        if workspace.on_rival[column, workspace.climbs[column]]:
            return True
    return False


@njit_inline(nrt=False)
def _wins(board, workspace, opened, topped):
    """Whether stopping wins, alone or shared."""
    claims = workspace.claims[0] + count_columns(topped)
    return claims >= board.target or (opened == topped and claims >= workspace.claims[1])


# Rolling --------------------------------------------------------------------------------------


@njit_call(nrt=False)
def solve_turn(board, workspace, bust):
    """Compute the values of all states; returns the value of the turn and its slope."""
    opened = open_columns(board, workspace)
    for mask in board.sets:
        count, states = count_columns(mask), go_to_last_state(board, workspace, mask)
        last = state_of(board, workspace, mask)
        for state in range(last, last - states, -1):
            if mask and workspace.final[state]:
                value, slope = NEVER, 0.0
            elif count == board.runners:
                value, slope = _roll_all_placed(board, workspace, count, state, bust)
            else:
                value, slope = _roll_placing(board, workspace, mask, count, opened, bust)
            workspace.rolls[state] = value
            if mask and workspace.stops[state] >= value:
                value, slope = workspace.stops[state], 0.0
            workspace.values[state], workspace.slopes[state] = value, slope
            go_to_previous_state(workspace, count)
    return workspace.values[workspace.first[0]], workspace.slopes[workspace.first[0]]


@njit_inline(nrt=False)
def _offer(workspace, index, state):
    workspace.offered[index] = workspace.values[state]
    workspace.offered_slopes[index] = workspace.slopes[state]


@njit_inline(nrt=False)
def _find_movers(workspace, count, state):
    """Fill in, for each runner below its top, how far one and two advances change the state's
    number; returns how many runners these are, and their columns as a bit mask."""
    movers, mask, stride = 0, 0, 1
    for index in range(count - 1, -1, -1):
        column = workspace.runner_columns[index]
        climb = workspace.climbs[column]
        if climb < workspace.remaining[column]:
            mask |= 1 << column
            workspace.once[movers] = (workspace.single[column, climb] - climb) * stride
            workspace.twice[movers] = (workspace.double[column, climb] - climb) * stride
            movers += 1
        stride *= workspace.remaining[column]
    return movers, mask


@njit_inline(nrt=False)
def _offer_all_placed(workspace, movers, state):
    """Fill in the values of moves: singles, doubles, and pairs of the columns that can advance."""
    pair = 2 * movers
    for first in range(movers):
        _offer(workspace, first, state + workspace.once[first])
        _offer(workspace, movers + first, state + workspace.twice[first])
        for second in range(first):
            _offer(workspace, pair, state + workspace.once[first] + workspace.once[second])
            pair += 1


@njit_inline(nrt=False)
def _best_of(workspace, first, second, third):
    """The index of the best of three offered moves."""
    best = second if workspace.offered[second] > workspace.offered[first] else first
    return third if workspace.offered[third] > workspace.offered[best] else best


@njit_inline(nrt=False)
def _roll_all_placed(board, workspace, count, state, bust):
    movers, mask = _find_movers(workspace, count, state)
    _offer_all_placed(workspace, movers, state)
    value, slope = board.busts[mask] * bust, board.busts[mask]
    for row in range(board.spans[mask, 0], board.spans[mask, 1]):
        best = _best_of(
            workspace, board.outcomes[row, 0], board.outcomes[row, 1], board.outcomes[row, 2]
        )
        value += board.outcome_chances[row] * workspace.offered[best]
        slope += board.outcome_chances[row] * workspace.offered_slopes[best]
    return value, slope


@njit_inline(nrt=False)
def _roll_placing(board, workspace, mask, count, opened, bust):
    usable = opened & ~_fill_gains(board, workspace, opened)
    for index in range(len(board.pairs)):
        low, high = board.pairs[index, 0], board.pairs[index, 1]
        low_too, high_too = usable >> low & 1, usable >> high & 1
        workspace.offered[index] = NEVER
        if low_too or high_too:
            _offer(
                workspace,
                index,
                _best_state_after(board, workspace, mask, count, low, high, low_too, high_too),
            )
    workspace.offered[len(board.pairs)] = NEVER
    return _menus_value(board, workspace, bust)


@njit_inline(nrt=False)
def _fill_gains(board, workspace, opened):
    """Fill in the spaces that one and two advances gain in each open column; returns the columns
    whose runner is on top, as a bit mask."""
    topped = 0
    for column in range(len(board.lengths)):
        if opened >> column & 1:
            climb = workspace.climbs[column]
            workspace.once[column] = workspace.single[column, climb] - climb
            workspace.twice[column] = workspace.double[column, climb] - climb
            if climb == workspace.remaining[column]:
                topped |= 1 << column
    return topped


@njit_inline(nrt=False)
def _menus_value(board, workspace, bust):
    value = slope = 0.0
    for menu in range(len(board.menus)):
        offers = board.menus[menu]
        best = _best_of(workspace, offers[0], offers[1], offers[2])
        bad = workspace.offered[best] == NEVER
        value += board.menu_chances[menu] * (bust if bad else workspace.offered[best])
        slope += board.menu_chances[menu] * (1.0 if bad else workspace.offered_slopes[best])
    return value, slope


@njit_inline(nrt=False)
def _best_state_after(board, workspace, mask, count, low, high, low_too, high_too):
    """The best state after a pairing, of which one half or both are usable."""
    if low == high:
        return _state_after(workspace, mask, count, low, workspace.twice[low])
    if low_too and high_too:
        both = mask | 1 << low | 1 << high
        if count_columns(both) <= board.runners:
            gain = workspace.once[low] * workspace.strides[both, low]
            return (
                _state_in_set(workspace, both, count)
                + gain
                + workspace.once[high] * workspace.strides[both, high]
            )
        low_state = _state_after(workspace, mask, count, low, workspace.once[low])
        high_state = _state_after(workspace, mask, count, high, workspace.once[high])
        return (
            low_state if workspace.values[low_state] >= workspace.values[high_state] else high_state
        )
    column = low if low_too else high
    return _state_after(workspace, mask, count, column, workspace.once[column])


@njit_inline(nrt=False)
def _state_in_set(workspace, mask, count):
    """The number of the present state within a set that may have more columns, without runners."""
    state = workspace.first[mask]
    for index in range(count):
        column = workspace.runner_columns[index]
        state += workspace.climbs[column] * workspace.strides[mask, column]
    return state


@njit_inline(nrt=False)
def _state_after(workspace, mask, count, column, gain):
    """The state after an advance by `gain` spaces in one column."""
    wider = mask | 1 << column
    return _state_in_set(workspace, wider, count) + gain * workspace.strides[wider, column]


# Entry point ----------------------------------------------------------------------------------


@njit_entry(nrt=False)
def solve_turn_of(board, workspace, values, position):
    """Solve the turn of a position, given the values of all positions including this one."""
    turned = enter(board, workspace, position)
    evaluate_stops(board, workspace, values, turned)
    bust = 1.0 - values[turned] if board.players == 2 else -values[position]
    solve_turn(board, workspace, bust)
