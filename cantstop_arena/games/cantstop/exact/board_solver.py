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
def solve_down(board, workspace, other_workspace, value, start, turns):
    """Solve positions from `start` downwards, until about so many turns have been solved.

    Returns the position to go on from, -1 when all are done. `worths` are chances to win of the
    player on turn, or with one player expected turns.
    """
    solved = 0
    for position in range(start, -1, -1):
        if solved >= turns:
            return position
        turned = enter(board, workspace, position)
        mirrored, mirrored_turned = _mirrored(board, position), _mirrored(board, turned)
        if position < max(turned, mirrored, mirrored_turned):
            continue  # solved already, as what it is the image of
        if _is_over(board, workspace):
            here, there = _result(board, workspace)
        elif turned == position:
            here, steps = _solve_position(board, workspace, value, position)
            there, solved = here, solved + steps
        else:
            here, there, steps = _solve_two(
                board, workspace, other_workspace, value, position, turned
            )
            solved += 2 * steps
        value[turned] = value[mirrored_turned] = there
        value[position] = value[mirrored] = here
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
def _is_over(board, workspace):
    return max(workspace.claims[0], workspace.claims[1]) >= board.target or not open_columns(
        board, workspace
    )


@njit_inline(nrt=False)
def _result(board, workspace):
    """What a finished game is worth to the player on turn and to the other."""
    if board.players == 1:
        return 0.0, 0.0
    own, rival = workspace.claims[0], workspace.claims[1]
    share = 0.5 if own == rival else 1.0 if own > rival else 0.0
    return share, 1.0 - share


@njit_inline(nrt=False)
def _guess(board, workspace, value, position):
    """What a position is worth, to go by what two advances, and each alone, have changed."""
    column = _first_with_room(board, workspace)
    if column < 0:
        return value[position + 1] if position + 1 < len(value) else 0.5
    unit = board.units[column]
    if board.players == 2:
        item, other = unit, unit * board.lengths[column]
    else:
        item, other = unit, unit
    return value[position + item] + value[position + other] - value[position + item + other]


@njit_inline(nrt=False)
def _first_with_room(board, workspace):
    """The first column in which both players are two spaces from the top or farther; -1: none."""
    for column in range(len(board.lengths)):
        if workspace.room[column] > 2 and workspace.rival_room[column] > 2:
            return column
    return -1


@njit_inline(nrt=False)
def _solve_position(board, workspace, value, position):
    """A position that a bust leads back to; returns its worth and how many turns were solved."""
    weigh_stops(board, workspace, value, position)
    guess = _guess(board, workspace, value, position)
    for step in range(_MAX_STEPS):
        before = guess
        if board.players == 1:
            constant, slope = _line(board, workspace, -before)
            guess = (1.0 - constant) / (1.0 - slope)
        else:
            constant, slope = _line(board, workspace, 1.0 - before)
            guess = (constant + slope) / (1.0 + slope)
        if abs(guess - before) < _CLOSE:
            return guess, step + 1
    return guess, _MAX_STEPS


@njit_inline(nrt=False)
def _line(board, workspace, bust):
    """A turn's worth as a linear function of that of a bust: the constant and the slope."""
    value, slope = solve_turn(board, workspace, bust)
    return value - slope * bust, slope


@njit_inline(nrt=False)
def _solve_two(board, workspace, other_workspace, value, position, turned):
    """Two positions that busts lead to and fro between; returns both worths and the steps."""
    enter(board, other_workspace, turned)
    weigh_stops(board, workspace, value, turned)
    weigh_stops(board, other_workspace, value, position)
    here = _guess(board, workspace, value, position)
    there = _guess(board, other_workspace, value, turned)
    for step in range(_MAX_STEPS):
        before, there_before = here, there
        constant, slope = _line(board, workspace, 1.0 - there)
        other_constant, other_slope = _line(board, other_workspace, 1.0 - here)
        free = 1.0 - slope * other_slope
        if free == 0.0:
            return _UNDECIDED, _UNDECIDED, step + 1
        here = (constant + slope * (1.0 - other_constant - other_slope)) / free
        there = other_constant + other_slope * (1.0 - here)
        if abs(here - before) < _CLOSE and abs(there - there_before) < _CLOSE:
            return here, there, step + 1
    return here, there, _MAX_STEPS
