"""The solver of all positions of a board, from the end of the game back to its beginning.

A bust leaves the position unchanged with the other player on turn. This is a cycle between a
position and the same position seen by the other player (or, with one player, itself). Both turns
are solved for estimates of the two values, which gives each value as a linear function of the
other; the solution of the two equations is the next estimate (Newton's method).

The value f of a turn is convex in the value of a bust, so one equation, x = f(1 - x) or that of one
player, always converges. Two, x = f(1 - y) and y = g(1 - x), need not. But the slopes of f and g
are chances of a bust, so that f(1 - g(1 - x)) - x falls with x: its sign tells on which side of x
the solution is, and Newton's steps alternate with halvings of a bracket (safeguarded Newton: Dennis
and Schnabel 1983, chapter 2). A player who rolls until the bust gives the turn away. Where both
would rather do so, a whole interval of x solves the equations. Turns given away for ever are a
draw, so the value is then the one that is nearest to a half.
"""

from math import isnan

from cantstop_arena.extensions.strength.compiled import njit_call, njit_entry, njit_inline
from cantstop_arena.extensions.strength.exact.turn_solver import evaluate_stops, solve_turn
from cantstop_arena.extensions.strength.exact.workspace import enter, open_columns

_CLOSE = 1e-7  # the next step is smaller than this times the change of a slope
_EXACT = 1e-10  # a step that confirms the estimate before, if that was close
_NARROW = 1e-14  # a bracket, or a difference of two sides of an equation, that is only rounding
_MIN_SLOPE = 1e-9  # of an equation whose solution rounding leaves determined
_NEWTON_STEPS = 20
MAX_STEPS = 100  # halvings are every second step, and 46 make a bracket narrow
_DRAW = 0.5
_NO_VALUE = float("nan")
NOT_CONVERGED = -2  # less the position, if its iteration has not converged


@njit_entry(nrt=False)
def solve_down(board, workspace, rival_workspace, values, start, turns):
    """Solve positions from `start` downwards until about `turns` turns have been solved.

    Returns the next position to solve, -1 if all are solved, and NOT_CONVERGED - position if this
    position's iteration has not converged. `values` is filled in by position: the probability that
    the player on turn wins, or with one player the expected number of turns.
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
        if isnan(here + there):
            return NOT_CONVERGED - position
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
    value, change = _initial_value(board, workspace, values, position), 1.0
    for step in range(MAX_STEPS):
        before = value
        if board.players == 1:
            constant, slope = _linear_turn_value(board, workspace, -before)
            if 1.0 - slope > _MIN_SLOPE:
                value = (1.0 - constant) / (1.0 - slope)
            else:  # so few turns to come that none seems worth stopping
                value = 1.0 + 2.0 * abs(before)
        else:
            constant, slope = _linear_turn_value(board, workspace, 1.0 - before)
            value = (constant + slope) / (1.0 + slope)
        was_close, change = change < _CLOSE, abs(value - before)
        if change < _EXACT * max(1.0, value):
            return before if was_close else value, step + 1
    return _NO_VALUE, MAX_STEPS


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
    change = 1.0
    for step in range(_NEWTON_STEPS):
        before, there_before = here, there
        constant, slope = _linear_turn_value(board, workspace, 1.0 - there)
        other_constant, other_slope = _linear_turn_value(board, rival_workspace, 1.0 - here)
        free = 1.0 - slope * other_slope
        if free < _MIN_SLOPE:
            break
        here = (constant + slope * (1.0 - other_constant - other_slope)) / free
        there = other_constant + other_slope * (1.0 - here)
        was_close, change = change < _CLOSE, max(abs(here - before), abs(there - there_before))
        if change < _EXACT:
            if _gives_away_more(here, slope) or _gives_away_more(there, other_slope):
                break
            if was_close:
                return before, there_before, step + 1
            return here, there, step + 1
    return _solve_in_bracket(board, workspace, rival_workspace)


@njit_inline(nrt=False)
def _gives_away_more(value, slope):
    """Whether a player gives the turn away with more than a draw, which the rival would not take:
    then the same equations have a solution nearer to a draw."""
    return value > _DRAW + _NARROW and 1.0 - slope < _MIN_SLOPE


@njit_call(nrt=False)
def _solve_in_bracket(board, workspace, rival_workspace):
    """Solve two entered positions that a bust exchanges; returns as `_solve_position_pair`."""
    low, high, here = 0.0, 1.0, _DRAW
    for step in range(MAX_STEPS):
        there, other_slope = solve_turn(board, rival_workspace, 1.0 - here)
        value, slope = solve_turn(board, workspace, 1.0 - there)
        residual, free = value - here, 1.0 - slope * other_slope
        is_root = abs(residual) < _NARROW * (free if free > _MIN_SLOPE else 1.0)
        if _gives_away_more(there, other_slope) if is_root else residual > 0.0:
            low = here
        elif not is_root or _gives_away_more(here, slope):
            high = here
        else:
            return value, there, step + 1
        if high - low < _NARROW:
            return value, there, step + 1
        newton = here + residual / max(free, _MIN_SLOPE)
        here = newton if step % 2 == 0 and low < newton < high else (low + high) / 2
    return _NO_VALUE, _NO_VALUE, MAX_STEPS
