"""Newton's method on the choice model's likelihood.

The log-likelihood is concave; its maximum is unique up to a constant within each field of bots that
met. The steps start from weighted means of the logarithms of the odds, in which half of the least
that was won anywhere is added to each cell (after Haldane 1956 and Anscombe 1956). Near a maximum
they shrink as squares do; where there is none the parameters run away in steps of one.
"""

import numpy as np

from cantstop_arena.ratings.model.choice import (
    add_by_index,
    add_by_seat,
    gradient,
    information,
    seated_strengths,
)
from cantstop_arena.ratings.model.connections import Truths
from cantstop_arena.ratings.model.evidence import Evidence, Floats

MAX_STEPS = 100
MAX_HALVINGS = 60
TOLERANCE = 1e-9  # of a Newton step, in strength: the next one would be about its square
RUNAWAY = 0.1  # where there is no maximum, steps do not shrink faster
MAX_DISTANCE = 8.0  # in strength: how far seats may move apart in a step, beyond how far they are
DAMPING = 1e-12  # relative: keeps Newton's equations regular where rounding would not


def maximise(evidence: Evidence, together: Truths, seats_separable: bool) -> tuple[Floats, bool]:
    """The maximum, centred, and whether the steps converged as they do if there is one."""
    bots = evidence.bots
    free = np.ones(bots + evidence.seats)
    free[bots:] = seats_separable
    parameters = _start(evidence, together, seats_separable)
    previous, length = np.inf, np.inf
    for _ in range(MAX_STEPS):
        slope = gradient(evidence, parameters) * free
        step = np.linalg.solve(
            regularised(information(evidence, parameters, seats_separable), together), slope
        )
        step = _uphill(evidence, parameters, step, slope, free)
        parameters = parameters + step
        previous, length = length, np.abs(step).max(initial=0.0)
        if length < TOLERANCE:
            break
    converged = length < TOLERANCE and (not np.isfinite(previous) or length <= RUNAWAY * previous)
    return _centred(parameters, together), bool(converged or evidence.wins.all())


def _centred(parameters: Floats, together: Truths) -> Floats:
    bots = len(together)
    centre = (together @ parameters[:bots]) / together.sum(axis=1)
    seats = parameters[bots:]
    return np.concatenate([parameters[:bots] - centre, seats - seats.mean()])


def _start(evidence: Evidence, together: Truths, seats_separable: bool) -> Floats:
    """Least squares on the logarithms of the odds of each two seats of a lineup.

    A quotient of two counts weighs as much as its logarithm is exact: 1 / (1/won + 1/lost).
    """
    bots, seats = evidence.bots, evidence.seats
    minimum = evidence.wins.min(where=evidence.wins > 0, initial=evidence.wins.max(initial=0.0))
    won, index = evidence.wins + minimum / 2, np.arange(seats)
    weight = 1 / (1 / won[:, None] + 1 / won)
    log_odds = weight * np.log(won[:, None] / won)
    weight[index, index] = 0
    weight[index, index] = -weight.sum(axis=1)
    size = bots + seats
    seat_rows = np.broadcast_to(bots + index[:, None], evidence.lineups.shape)
    rows = np.concatenate([evidence.lineups, seat_rows])
    indices = rows[:, None] * size + rows
    normal = add_by_index(indices, np.tile(-weight, (2, 2, 1)), size * size).reshape(size, size)
    right_side = add_by_seat(evidence.lineups, bots, log_odds.sum(axis=1))
    if not seats_separable:
        normal[bots:], normal[:, bots:], right_side[bots:] = 0, 0, 0
    start: Floats = np.linalg.solve(regularised(normal, together), right_side)
    return start


def _uphill(
    evidence: Evidence, parameters: Floats, step: Floats, slope: Floats, free: Floats
) -> Floats:
    """The step, halved until the slope at its end is no steeper downhill than uphill at its start.

    Slopes are compared, as differences of likelihoods drown in rounding.
    """
    range_now, range_of_step = (
        np.ptp(seated_strengths(evidence.lineups, numbers), axis=0)
        for numbers in (parameters, step)
    )
    step = step / (range_of_step / (MAX_DISTANCE + range_now)).max(initial=1.0)
    for _ in range(MAX_HALVINGS):
        if (gradient(evidence, parameters + step) * free) @ step >= -slope @ step:
            break
        step = step / 2
    return step


def regularised(curvature: Floats, together: Truths) -> Floats:
    """The information made invertible: the sums over each field and over the seats are fixed.

    The weight of these constraints is the smallest of the bots' information: a larger one would
    drown the information in rounding.
    """
    bots = len(together)
    scale = curvature.diagonal()
    minimum = scale[:bots][scale[:bots] > 0]
    weight = minimum.min() if len(minimum) else 1.0
    constraints = np.zeros_like(curvature)
    constraints[:bots, :bots] = together * weight
    constraints[bots:, bots:] = weight
    if not curvature[bots:].any():
        constraints[bots:, bots:] = np.eye(len(curvature) - bots) * weight
    regular: Floats = curvature + constraints + np.diag(DAMPING * scale)
    return regular
