"""One turn solved exactly, given what a bust is worth and what every later position is worth.

What a state of the turn is worth is linear in the worth of a bust as long as decisions stay the
same, so each comes with its slope, the chance of ending in a bust. Worths are to be maximised:
chances to win, or minus the turns still needed.
"""

from cantstop_arena.games.cantstop.engine.engine_decorators import (
    njit_call,
    njit_entry,
    njit_inline,
)
from cantstop_arena.games.cantstop.engine.moves import count_columns
from cantstop_arena.games.cantstop.exact.workspace import (
    enter,
    open_columns,
    state_of,
    step_back,
    take_up,
)

NEVER = -1e300  # the worth of what is not allowed

# Stopping -------------------------------------------------------------------------------------


@njit_call(nrt=False)
def weigh_stops(board, workspace, value, turned):
    """Note what stopping is worth in each state; `worths` are those of later positions."""
    opened = open_columns(board, workspace)
    for mask in board.sets[:-1]:
        count, states = count_columns(mask), take_up(board, workspace, mask)
        too_early = board.late_stop and count < board.runners and opened & ~mask
        state = state_of(board, workspace, mask)
        for number in range(state, state - states, -1):
            if too_early or _meets_rival(workspace, count):
                workspace.stops[number], workspace.final[number] = NEVER, 0
            else:
                _weigh_stop(board, workspace, value, turned, number, count, opened)
            step_back(workspace, count)


@njit_inline(nrt=False)
def _weigh_stop(board, workspace, value, turned, state, count, opened):
    left, topped = turned, 0
    for index in range(count):
        column = workspace.climbed[index]
        left += workspace.step[column, workspace.climbs[column]]
        if workspace.climbs[column] == workspace.room[column]:
            topped |= 1 << column
    workspace.stops[state] = 1.0 - value[left] if board.players == 2 else -value[left]
    workspace.final[state] = _wins(board, workspace, opened, topped)


@njit_inline(nrt=False)
def _meets_rival(workspace, count):
    for index in range(count):
        column = workspace.climbed[index]
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
    """Reckon what each state is worth; returns the worth of the turn, and its slope."""
    opened = open_columns(board, workspace)
    for mask in board.sets:
        count, states = count_columns(mask), take_up(board, workspace, mask)
        last = state_of(board, workspace, mask)
        for state in range(last, last - states, -1):
            if mask and workspace.final[state]:
                value, slope = NEVER, 0.0
            elif count == board.runners:
                value, slope = _roll_full(board, workspace, count, state, bust)
            else:
                value, slope = _roll_placing(board, workspace, mask, count, opened, bust)
            workspace.rolls[state] = value
            if mask and workspace.stops[state] >= value:
                value, slope = workspace.stops[state], 0.0
            workspace.values[state], workspace.slopes[state] = value, slope
            step_back(workspace, count)
    return workspace.values[workspace.first[0]], workspace.slopes[workspace.first[0]]


@njit_inline(nrt=False)
def _offer(workspace, position, state):
    workspace.offered[position] = workspace.values[state]
    workspace.offered_slopes[position] = workspace.slopes[state]


@njit_inline(nrt=False)
def _find_movers(workspace, count, state):
    """Note how far one and two advances of each runner lead that is not on top; returns which."""
    movers, mask, total = 0, 0, 1
    for index in range(count - 1, -1, -1):
        column = workspace.climbed[index]
        advance = workspace.climbs[column]
        if advance < workspace.room[column]:
            mask |= 1 << column
            workspace.once[movers] = (workspace.single[column, advance] - advance) * total
            workspace.twice[movers] = (workspace.double[column, advance] - advance) * total
            movers += 1
        total *= workspace.room[column]
    return movers, mask


@njit_inline(nrt=False)
def _offer_full(workspace, movers, state):
    """List what moves are worth: singles, doubles, pairs of the columns that can advance."""
    pair = 2 * movers
    for number in range(movers):
        _offer(workspace, number, state + workspace.once[number])
        _offer(workspace, movers + number, state + workspace.twice[number])
        for other in range(number):
            _offer(workspace, pair, state + workspace.once[number] + workspace.once[other])
            pair += 1


@njit_inline(nrt=False)
def _best_of(workspace, first, second, third):
    """The best of three moves that are offered."""
    best = second if workspace.offered[second] > workspace.offered[first] else first
    return third if workspace.offered[third] > workspace.offered[best] else best


@njit_inline(nrt=False)
def _roll_full(board, workspace, count, state, bust):
    movers, mask = _find_movers(workspace, count, state)
    _offer_full(workspace, movers, state)
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
    usable = opened & ~_note_gains(board, workspace, opened)
    for index in range(len(board.pairs)):
        low, high = board.pairs[index, 0], board.pairs[index, 1]
        low_too, high_too = usable >> low & 1, usable >> high & 1
        workspace.offered[index] = NEVER
        if low_too or high_too:
            _offer(
                workspace,
                index,
                _reached(board, workspace, mask, count, low, high, low_too, high_too),
            )
    workspace.offered[len(board.pairs)] = NEVER
    return _best_menus(board, workspace, bust)


@njit_inline(nrt=False)
def _note_gains(board, workspace, opened):
    """Note how far an advance in each open column leads, and two; returns which are on top."""
    topped = 0
    for column in range(len(board.lengths)):
        if opened >> column & 1:
            advance = workspace.climbs[column]
            workspace.once[column] = workspace.single[column, advance] - advance
            workspace.twice[column] = workspace.double[column, advance] - advance
            if advance == workspace.room[column]:
                topped |= 1 << column
    return topped


@njit_inline(nrt=False)
def _best_menus(board, workspace, bust):
    value = slope = 0.0
    for menu in range(len(board.menus)):
        offers = board.menus[menu]
        best = _best_of(workspace, offers[0], offers[1], offers[2])
        bad = workspace.offered[best] == NEVER
        value += board.menu_chances[menu] * (bust if bad else workspace.offered[best])
        slope += board.menu_chances[menu] * (1.0 if bad else workspace.offered_slopes[best])
    return value, slope


@njit_inline(nrt=False)
def _reached(board, workspace, mask, count, low, high, low_too, high_too):
    """The best state that a pairing leads to, of which one half or both are usable."""
    if low == high:
        return _advanced(workspace, mask, count, low, workspace.twice[low])
    if low_too and high_too:
        both = mask | 1 << low | 1 << high
        if count_columns(both) <= board.runners:
            gain = workspace.once[low] * workspace.strides[both, low]
            return (
                _onwards(workspace, both, count)
                + gain
                + workspace.once[high] * workspace.strides[both, high]
            )
        item = _advanced(workspace, mask, count, low, workspace.once[low])
        other = _advanced(workspace, mask, count, high, workspace.once[high])
        return item if workspace.values[item] >= workspace.values[other] else other
    column = low if low_too else high
    return _advanced(workspace, mask, count, column, workspace.once[column])


@njit_inline(nrt=False)
def _onwards(workspace, mask, count):
    """Where a set of columns stands with the runners as they are, and none in the others."""
    state = workspace.first[mask]
    for index in range(count):
        column = workspace.climbed[index]
        state += workspace.climbs[column] * workspace.strides[mask, column]
    return state


@njit_inline(nrt=False)
def _advanced(workspace, mask, count, column, gain):
    """The state after an advance by so many spaces in one column."""
    wider = mask | 1 << column
    return _onwards(workspace, wider, count) + gain * workspace.strides[wider, column]


# All of it ------------------------------------------------------------------------------------


@njit_entry(nrt=False)
def solve_turn_of(board, workspace, value, position):
    """Solve the turn of a position, given the worths of all positions, its own included."""
    turned = enter(board, workspace, position)
    weigh_stops(board, workspace, value, turned)
    bust = 1.0 - value[turned] if board.players == 2 else -value[position]
    solve_turn(board, workspace, bust)
