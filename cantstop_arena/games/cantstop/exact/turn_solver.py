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
def weigh_stops(board, desk, worths, turned):
    """Note what stopping is worth in each state; `worths` are those of later positions."""
    opened = open_columns(board, desk)
    for mask in board.sets[:-1]:
        count, states = count_columns(mask), take_up(board, desk, mask)
        too_early = board.late_stop and count < board.runners and opened & ~mask
        state = state_of(board, desk, mask)
        for number in range(state, state - states, -1):
            if too_early or _meets_rival(desk, count):
                desk.stops[number], desk.final[number] = NEVER, 0
            else:
                _weigh_stop(board, desk, worths, turned, number, count, opened)
            step_back(desk, count)


@njit_inline(nrt=False)
def _weigh_stop(board, desk, worths, turned, state, count, opened):
    left, topped = turned, 0
    for place in range(count):
        column = desk.climbed[place]
        left += desk.step[column, desk.advances[column]]
        if desk.advances[column] == desk.room[column]:
            topped |= 1 << column
    desk.stops[state] = 1.0 - worths[left] if board.players == 2 else -worths[left]
    desk.final[state] = _wins(board, desk, opened, topped)


@njit_inline(nrt=False)
def _meets_rival(desk, count):
    for place in range(count):
        column = desk.climbed[place]
        if desk.on_rival[column, desk.advances[column]]:
            return True
    return False


@njit_inline(nrt=False)
def _wins(board, desk, opened, topped):
    """Whether stopping wins, alone or shared."""
    claims = desk.claims[0] + count_columns(topped)
    return claims >= board.target or (opened == topped and claims >= desk.claims[1])


# Rolling --------------------------------------------------------------------------------------


@njit_call(nrt=False)
def solve_turn(board, desk, bust):
    """Reckon what each state is worth; returns the worth of the turn, and its slope."""
    opened = open_columns(board, desk)
    for mask in board.sets:
        count, states = count_columns(mask), take_up(board, desk, mask)
        last = state_of(board, desk, mask)
        for state in range(last, last - states, -1):
            if mask and desk.final[state]:
                worth, slope = NEVER, 0.0
            elif count == board.runners:
                worth, slope = _roll_full(board, desk, count, state, bust)
            else:
                worth, slope = _roll_placing(board, desk, mask, count, opened, bust)
            desk.rolls[state] = worth
            if mask and desk.stops[state] >= worth:
                worth, slope = desk.stops[state], 0.0
            desk.worths[state], desk.slopes[state] = worth, slope
            step_back(desk, count)
    return desk.worths[desk.first[0]], desk.slopes[desk.first[0]]


@njit_inline(nrt=False)
def _offer(desk, place, state):
    desk.offered[place] = desk.worths[state]
    desk.offered_slopes[place] = desk.slopes[state]


@njit_inline(nrt=False)
def _find_movers(desk, count, state):
    """Note how far one and two advances of each runner lead that is not on top; returns which."""
    movers, mask, whole = 0, 0, 1
    for place in range(count - 1, -1, -1):
        column = desk.climbed[place]
        advance = desk.advances[column]
        if advance < desk.room[column]:
            mask |= 1 << column
            desk.once[movers] = (desk.single[column, advance] - advance) * whole
            desk.twice[movers] = (desk.double[column, advance] - advance) * whole
            movers += 1
        whole *= desk.room[column]
    return movers, mask


@njit_inline(nrt=False)
def _offer_full(desk, movers, state):
    """List what moves are worth: singles, doubles, pairs of the columns that can advance."""
    pair = 2 * movers
    for one in range(movers):
        _offer(desk, one, state + desk.once[one])
        _offer(desk, movers + one, state + desk.twice[one])
        for other in range(one):
            _offer(desk, pair, state + desk.once[one] + desk.once[other])
            pair += 1


@njit_inline(nrt=False)
def _best_of(desk, first, second, third):
    """The best of three moves that are offered."""
    best = second if desk.offered[second] > desk.offered[first] else first
    return third if desk.offered[third] > desk.offered[best] else best


@njit_inline(nrt=False)
def _roll_full(board, desk, count, state, bust):
    movers, mask = _find_movers(desk, count, state)
    _offer_full(desk, movers, state)
    worth, slope = board.busts[mask] * bust, board.busts[mask]
    for row in range(board.spans[mask, 0], board.spans[mask, 1]):
        best = _best_of(
            desk, board.outcomes[row, 0], board.outcomes[row, 1], board.outcomes[row, 2]
        )
        worth += board.outcome_chances[row] * desk.offered[best]
        slope += board.outcome_chances[row] * desk.offered_slopes[best]
    return worth, slope


@njit_inline(nrt=False)
def _roll_placing(board, desk, mask, count, opened, bust):
    usable = opened & ~_note_gains(board, desk, opened)
    for place in range(len(board.pairs)):
        low, high = board.pairs[place, 0], board.pairs[place, 1]
        low_too, high_too = usable >> low & 1, usable >> high & 1
        desk.offered[place] = NEVER
        if low_too or high_too:
            _offer(desk, place, _reached(board, desk, mask, count, low, high, low_too, high_too))
    desk.offered[len(board.pairs)] = NEVER
    return _best_menus(board, desk, bust)


@njit_inline(nrt=False)
def _note_gains(board, desk, opened):
    """Note how far an advance in each open column leads, and two; returns which are on top."""
    topped = 0
    for column in range(len(board.lengths)):
        if opened >> column & 1:
            advance = desk.advances[column]
            desk.once[column] = desk.single[column, advance] - advance
            desk.twice[column] = desk.double[column, advance] - advance
            if advance == desk.room[column]:
                topped |= 1 << column
    return topped


@njit_inline(nrt=False)
def _best_menus(board, desk, bust):
    worth = slope = 0.0
    for menu in range(len(board.menus)):
        offers = board.menus[menu]
        best = _best_of(desk, offers[0], offers[1], offers[2])
        bad = desk.offered[best] == NEVER
        worth += board.menu_chances[menu] * (bust if bad else desk.offered[best])
        slope += board.menu_chances[menu] * (1.0 if bad else desk.offered_slopes[best])
    return worth, slope


@njit_inline(nrt=False)
def _reached(board, desk, mask, count, low, high, low_too, high_too):
    """The best state that a pairing leads to, of which one half or both are usable."""
    if low == high:
        return _advanced(desk, mask, count, low, desk.twice[low])
    if low_too and high_too:
        both = mask | 1 << low | 1 << high
        if count_columns(both) <= board.runners:
            gain = desk.once[low] * desk.strides[both, low]
            return _onwards(desk, both, count) + gain + desk.once[high] * desk.strides[both, high]
        one = _advanced(desk, mask, count, low, desk.once[low])
        other = _advanced(desk, mask, count, high, desk.once[high])
        return one if desk.worths[one] >= desk.worths[other] else other
    column = low if low_too else high
    return _advanced(desk, mask, count, column, desk.once[column])


@njit_inline(nrt=False)
def _onwards(desk, mask, count):
    """Where a set of columns stands with the runners as they are, and none in the others."""
    state = desk.first[mask]
    for place in range(count):
        column = desk.climbed[place]
        state += desk.advances[column] * desk.strides[mask, column]
    return state


@njit_inline(nrt=False)
def _advanced(desk, mask, count, column, gain):
    """The state after an advance by so many spaces in one column."""
    wider = mask | 1 << column
    return _onwards(desk, wider, count) + gain * desk.strides[wider, column]


# All of it ------------------------------------------------------------------------------------


@njit_entry(nrt=False)
def solve_turn_of(board, desk, worths, position):
    """Solve the turn of a position, given the worths of all positions, its own included."""
    turned = enter(board, desk, position)
    weigh_stops(board, desk, worths, turned)
    bust = 1.0 - worths[turned] if board.players == 2 else -worths[position]
    solve_turn(board, desk, bust)
