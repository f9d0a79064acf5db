"""All positions of a board, from the end of the game back to its beginning.

A bust leaves the position as it was, with the other player on turn: a cycle, of a position with
the same seen by the other player (or, with one player, with itself). Both turns are solved for a
guess of the two worths, which gives each as a linear function of the other; where these agree is
the next guess (Newton's method). The worth of a turn is convex in that of a bust, so this ends.
"""

from cantstop_arena.games.cantstop.engine.engine_decorators import njit_entry, njit_inline
from cantstop_arena.games.cantstop.exact.turn_solver import solve_turn, weigh_stops
from cantstop_arena.games.cantstop.exact.workspace import enter, open_columns

_CLOSE = 1e-7  # the next step is smaller than this times the change of a slope
_MAX_STEPS = 100
_UNDECIDED = 0.5  # where neither player ever ends the game it is drawn


@njit_entry(nrt=False)
def solve_down(board, desk, other_desk, worths, start, turns):
    """Solve positions from `start` downwards, until about so many turns have been solved.

    Returns the position to go on from, -1 when all are done. `worths` are chances to win of the
    player on turn, or with one player expected turns.
    """
    solved = 0
    for position in range(start, -1, -1):
        if solved >= turns:
            return position
        turned = enter(board, desk, position)
        mirrored, mirrored_turned = _mirrored(board, position), _mirrored(board, turned)
        if position < max(turned, mirrored, mirrored_turned):
            continue  # solved already, as what it is the image of
        if _is_over(board, desk):
            here, there = _result(board, desk)
        elif turned == position:
            here, steps = _solve_one(board, desk, worths, position)
            there, solved = here, solved + steps
        else:
            here, there, steps = _solve_two(board, desk, other_desk, worths, position, turned)
            solved += 2 * steps
        worths[turned] = worths[mirrored_turned] = there
        worths[position] = worths[mirrored] = here
    return -1


@njit_inline(nrt=False)
def _mirrored(board, position):
    """The position on the mirrored board; itself where the board is not symmetric."""
    columns, image = len(board.lengths), 0
    for column in range(columns):
        if board.lengths[column] != board.lengths[columns - 1 - column]:
            return position
        digit = position // board.units[column] % board.radices[column]
        image += digit * board.units[columns - 1 - column]
    return image


@njit_inline(nrt=False)
def _is_over(board, desk):
    return max(desk.claims[0], desk.claims[1]) >= board.target or not open_columns(board, desk)


@njit_inline(nrt=False)
def _result(board, desk):
    """What a finished game is worth to the player on turn and to the other."""
    if board.players == 1:
        return 0.0, 0.0
    mine, theirs = desk.claims[0], desk.claims[1]
    share = 0.5 if mine == theirs else 1.0 if mine > theirs else 0.0
    return share, 1.0 - share


@njit_inline(nrt=False)
def _guess(board, desk, worths, position):
    """What a position is worth, to go by what two advances, and each alone, have changed."""
    column = _first_with_room(board, desk)
    if column < 0:
        return worths[position + 1] if position + 1 < len(worths) else 0.5
    unit = board.units[column]
    if board.players == 2:
        one, other = unit, unit * board.lengths[column]
    else:
        one, other = unit, unit
    return worths[position + one] + worths[position + other] - worths[position + one + other]


@njit_inline(nrt=False)
def _first_with_room(board, desk):
    """The first column in which both players are two spaces from the top or farther; -1: none."""
    for column in range(len(board.lengths)):
        if desk.room[column] > 2 and desk.rival_room[column] > 2:
            return column
    return -1


@njit_inline(nrt=False)
def _solve_one(board, desk, worths, position):
    """A position that a bust leads back to; returns its worth and how many turns were solved."""
    weigh_stops(board, desk, worths, position)
    worth = _guess(board, desk, worths, position)
    for step in range(_MAX_STEPS):
        before = worth
        if board.players == 1:
            constant, slope = _line(board, desk, -before)
            worth = (1.0 - constant) / (1.0 - slope)
        else:
            constant, slope = _line(board, desk, 1.0 - before)
            worth = (constant + slope) / (1.0 + slope)
        if abs(worth - before) < _CLOSE:
            return worth, step + 1
    return worth, _MAX_STEPS


@njit_inline(nrt=False)
def _line(board, desk, bust):
    """A turn's worth as a linear function of that of a bust: the constant and the slope."""
    worth, slope = solve_turn(board, desk, bust)
    return worth - slope * bust, slope


@njit_inline(nrt=False)
def _solve_two(board, desk, other_desk, worths, position, turned):
    """Two positions that busts lead to and fro between; returns both worths and the steps."""
    enter(board, other_desk, turned)
    weigh_stops(board, desk, worths, turned)
    weigh_stops(board, other_desk, worths, position)
    here = _guess(board, desk, worths, position)
    there = _guess(board, other_desk, worths, turned)
    for step in range(_MAX_STEPS):
        before, there_before = here, there
        constant, slope = _line(board, desk, 1.0 - there)
        other_constant, other_slope = _line(board, other_desk, 1.0 - here)
        free = 1.0 - slope * other_slope
        if free == 0.0:
            return _UNDECIDED, _UNDECIDED, step + 1
        here = (constant + slope * (1.0 - other_constant - other_slope)) / free
        there = other_constant + other_slope * (1.0 - here)
        if abs(here - before) < _CLOSE and abs(there - there_before) < _CLOSE:
            return here, there, step + 1
    return here, there, _MAX_STEPS
