"""The solver of all positions of a board, from the end of the game back to its beginning.

A bust leaves the position unchanged with the other player on turn. This is a cycle between a
position and the same position seen by the other player (or, with one player, itself). Both turns
are solved for estimates of the two values, which gives each value as a linear function of the
other; the solution of the two equations is the next estimate (Newton's method). The value of a
turn is convex in the value of a bust, so the iteration converges.
"""

from cantstop_arena.extensions.strength.compiled import njit_entry, njit_inline
from cantstop_arena.extensions.strength.exact.turn_solver import evaluate_stops, solve_turn
from cantstop_arena.extensions.strength.exact.workspace import enter, open_columns

_CLOSE = 1e-7  # the next step is smaller than this times the change of a slope
_MAX_STEPS = 100
_UNDECIDED = 0.5  # the value if neither player ever ends the game, which is a draw


@njit_entry(nrt=False)
def solve_down(board, workspace, rival_workspace, values, start, turns):
    """Solve positions from `start` downwards until about `turns` turns have been solved.

    Returns the next position to solve, -1 if all are solved. `values` is filled in by position:
    the probability that the player on turn wins, or with one player the expected number of turns.
    """
    solved = 0
    for position in range(start, -1, -1):
        if solved >= turns:
            return position
        turned = enter(board, workspace, position)
        mirrored, mirrored_turned = _mirrored(board, position), _mirrored(board, turned)
        if position < max(turned, mirrored, mirrored_turned):
            continue  # solved already, with a mirrored or turned position of a higher number
        if _is_over(board, workspace):
            here, there = _result(board, workspace)
        elif turned == position:
            here, steps = _solve_position(board, workspace, values, position)
            there, solved = here, solved + steps
        else:
            here, there, steps = _solve_position_pair(
                board, workspace, rival_workspace, values, position, turned
            )
            solved += 2 * steps
        values[turned] = values[mirrored_turned] = there
        values[position] = values[mirrored] = here
    return -1


@njit_inline(nrt=False)
def _mirrored(board, position):
    """The position on the mirrored board; the same position if the board is not symmetric."""
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
    """The values of a finished game for the player on turn and for the rival."""
    if board.players == 1:
        return 0.0, 0.0
    claims, rival_claims = workspace.claims[0], workspace.claims[1]
    share = 0.5 if claims == rival_claims else 1.0 if claims > rival_claims else 0.0
    return share, 1.0 - share


@njit_inline(nrt=False)
def _initial_value(board, workspace, values, position):
    """A first estimate of a position's value, extrapolated from the values after an own advance, a
    rival's advance, and both."""
    column = _first_open_column(board, workspace)
    if column < 0:
        return values[position + 1] if position + 1 < len(values) else 0.5
    unit = board.units[column]
    if board.players == 2:
        own_unit, rival_unit = unit, unit * board.lengths[column]
    else:
        own_unit, rival_unit = unit, unit
    return (
        values[position + own_unit]
        + values[position + rival_unit]
        - values[position + own_unit + rival_unit]
    )


@njit_inline(nrt=False)
def _first_open_column(board, workspace):
    """The first column with more than two spaces left for both players; -1 if there is none."""
    for column in range(len(board.lengths)):
        if workspace.remaining[column] > 2 and workspace.rival_remaining[column] > 2:
            return column
    return -1


@njit_inline(nrt=False)
def _solve_position(board, workspace, values, position):
    """Solve a position that is its own position after a bust; returns its value and the number of
    turns solved."""
    evaluate_stops(board, workspace, values, position)
    value = _initial_value(board, workspace, values, position)
    for step in range(_MAX_STEPS):
        before = value
        if board.players == 1:
            constant, slope = _linear_turn_value(board, workspace, -before)
            value = (1.0 - constant) / (1.0 - slope)
        else:
            constant, slope = _linear_turn_value(board, workspace, 1.0 - before)
            value = (constant + slope) / (1.0 + slope)
        if abs(value - before) < _CLOSE:
            return value, step + 1
    return value, _MAX_STEPS


@njit_inline(nrt=False)
def _linear_turn_value(board, workspace, bust):
    """The constant and the slope of a turn's value as a linear function of the value of a bust."""
    value, slope = solve_turn(board, workspace, bust)
    return value - slope * bust, slope


@njit_inline(nrt=False)
def _solve_position_pair(board, workspace, rival_workspace, values, position, turned):
    """Solve two positions that a bust exchanges; returns both values and the number of steps."""
    enter(board, rival_workspace, turned)
    evaluate_stops(board, workspace, values, turned)
    evaluate_stops(board, rival_workspace, values, position)
    here = _initial_value(board, workspace, values, position)
    there = _initial_value(board, rival_workspace, values, turned)
    for step in range(_MAX_STEPS):
        before, there_before = here, there
        constant, slope = _linear_turn_value(board, workspace, 1.0 - there)
        other_constant, other_slope = _linear_turn_value(board, rival_workspace, 1.0 - here)
        free = 1.0 - slope * other_slope
        if free == 0.0:
            return _UNDECIDED, _UNDECIDED, step + 1
        here = (constant + slope * (1.0 - other_constant - other_slope)) / free
        there = other_constant + other_slope * (1.0 - here)
        if abs(here - before) < _CLOSE and abs(there - there_before) < _CLOSE:
            return here, there, step + 1
    return here, there, _MAX_STEPS
