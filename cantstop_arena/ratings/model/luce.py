"""Strengths by maximum likelihood: winner-only choice with an effect of the seat.

A seat wins with probability exp(b + s) / Σ exp(b + s) over the seats of the lineup, b being the
strength of the bot that sits there and s the effect of the seat. For two seats that is the model of
Bradley and Terry (1952) with the home advantage of Davidson and Beaver (1977); for more the choice
model of Luce (1959). A shared win counts in parts for those who share it. Strengths are natural
logarithms; in Elo points they are 400 / ln 10 times as large, so that ten times the odds are 400
points. The seats' effects add up to 0.

Where a bot won or lost everything the maximum would be infinitely far away. Its field is then given
virtual games: one for each bot on average, spread evenly over the field's lineups and won by all
their seats alike. For two bots that is the half win for each that Anscombe adds.

Newton's method on the choice model's likelihood.

The log-likelihood is concave; its maximum is unique up to a constant within each field of bots that
met. The steps start from weighted means of the logarithms of the odds, in which half of the least
that was won anywhere is added to each cell (after Haldane 1956 and Anscombe 1956). Near a maximum
they shrink as squares do; where there is none the parameters run away in steps of one.

The choice model's probabilities, and the derivatives of its likelihood.

Parameters are the strengths of the bots, then the effects of the seats. With N games of a lineup
and its probabilities p the score is Σ (wins - N p), by bot and by seat, and Fisher's information is
Σ N (diag(p) - p pᵀ), likewise (McFadden 1974).
"""

from contextlib import suppress
from math import log

import msgspec
import numpy as np
from msgspec.structs import replace

from cantstop_arena.errors import ConvergenceError, steps_to
from cantstop_arena.ratings.model.evidence import (
    Connections,
    Evidence,
    Floats,
    Ints,
    Truths,
    connections,
    fields_of,
)

ELO = 400 / log(10)  # points for each unit of strength
TIE = 1e-10  # in strength: a smaller difference is rounding
MAX_CORRECTION = 3.0  # of a strength, by removing luck: larger ones are runaways
MIN_INFORMATION = 1e-9  # of a seat's games: less than that is rounding


class Luce(msgspec.Struct, frozen=True):
    """The model at its maximum.

    `strengths` have mean 0 in each field, `seats` in all. `curvature` is Fisher's information of
    both, `inverse` its inverse for all differences that the games determine. `evidence` includes
    the virtual games, of which `virtual` has the number for each lineup.
    """

    evidence: Evidence
    virtual: Floats
    strengths: Floats
    seats: Floats
    curvature: Floats
    inverse: Floats
    links: Connections
    seats_separable: bool
    seats_at_bound: bool

    @property
    def parameters(self) -> Floats:
        """Strengths and seats' effects in one array."""
        return np.concatenate([self.strengths, self.seats])


def fit(evidence: Evidence, start: Floats | None = None) -> Luce:
    """The strengths and seat effects that make the wins most likely; never infinite.

    Newton's method begins at the parameters `start`, if they are given.

    With luck removed, wins may be such that no strengths make them most likely. The strengths are
    then those of the games as played, and one step of Newton's method from there: to first order
    the same, so that this choice biases nothing.
    """
    if isinstance(evidence.luck_correction, float):
        return _maximum(evidence, start)
    played = _maximum(replace(evidence, luck_correction=0.0), start)
    if _is_attainable(evidence) and not played.links.at_bound.any():
        with suppress(ConvergenceError):
            corrected = _maximum(evidence, start)
            distance = np.abs(corrected.parameters - played.parameters).max()
            if not corrected.seats_at_bound and distance < MAX_CORRECTION:
                return corrected
    bots = evidence.bots
    parameters = played.parameters + played.inverse @ evidence.luck_correction
    together = played.links.together
    strengths, seats = parameters[:bots], parameters[bots:]
    return replace(
        played,
        strengths=equalise_ties(strengths - together @ strengths / together.sum(axis=1)),
        seats=equalise_ties(seats - seats.mean()),
    )


def _is_attainable(evidence: Evidence) -> bool:
    """Whether wins with luck removed are possible: of bots, up to their games, and of seats."""
    bots, wins = evidence.bots, evidence.wins
    won = add_by_seat(evidence.lineups, bots, wins) + evidence.luck_correction
    games = np.bincount(
        evidence.lineups.ravel(), np.tile(wins.sum(axis=0), evidence.seats), minlength=bots
    )
    played = games > 0
    return bool(
        (won[:bots][played] > 0).all()
        and (won[:bots] < games)[played].all()
        and (won[bots:] > 0).all()
    )


def _maximum(evidence: Evidence, start: Floats | None = None) -> Luce:
    """The maximum of the likelihood, with virtual games where there is none."""
    links = connections(evidence)
    separable = _are_seats_separable(evidence, links.together)
    unbounded = np.any(links.together & links.at_bound, axis=1)
    virtual = _virtual_games(evidence, links.together, unbounded)
    played = _with_virtual_games(evidence, virtual)
    try:
        parameters, at_bound = maximise(played, links.together, separable, start)
    except ConvergenceError:
        if start is not None:  # which may be too far off
            return _maximum(evidence)
        if played.wins.all():  # so there is a maximum
            raise
        at_bound = True
    if at_bound:
        virtual = _virtual_games(evidence, links.together, np.ones(evidence.bots, np.bool_))
        parameters, _ = maximise(_with_virtual_games(evidence, virtual), links.together, separable)
    bots, evidence = evidence.bots, _with_virtual_games(evidence, virtual)
    curvature = information(evidence, parameters, separable)
    return Luce(
        evidence=evidence,
        virtual=virtual,
        strengths=equalise_ties(parameters[:bots]),
        seats=equalise_ties(parameters[bots:]),
        curvature=curvature,
        inverse=np.linalg.inv(regularised(curvature, links.together)),
        links=links,
        seats_separable=separable,
        seats_at_bound=at_bound,
    )


def equalise_ties(numbers: Floats, tolerance: float = TIE) -> Floats:
    """The numbers, with those that differ by no more than rounding made exactly equal."""
    order = np.argsort(numbers, kind="stable")
    tie = np.cumsum(np.diff(numbers[order], prepend=-np.inf) > tolerance) - 1
    means = np.bincount(tie, numbers[order]) / np.bincount(tie)
    equal = np.empty_like(numbers)
    equal[order] = means[tie]
    return equal


def _with_virtual_games(evidence: Evidence, virtual: Floats) -> Evidence:
    return replace(evidence, wins=evidence.wins + virtual / evidence.seats)


def _virtual_games(evidence: Evidence, together: Truths, unbounded: Truths) -> Floats:
    """The number of virtual games of each lineup: in unbounded fields, one per bot on average."""
    field = fields_of(together)[evidence.lineups[0]]
    field_lineups = np.bincount(field, minlength=evidence.bots)[field]
    games = together.sum(axis=1)[field] / evidence.seats
    return np.where(unbounded[field], games / np.maximum(field_lineups, 1), 0.0)


def _are_seats_separable(evidence: Evidence, together: Truths) -> bool:
    """Whether the seatings separate the seats' effects from the bots' strengths."""
    bots, seats = evidence.bots, evidence.seats
    even = replace(evidence, wins=np.full(evidence.wins.shape, 1 / seats))
    design = regularised(information(even, np.zeros(bots + seats)), together)
    solution = np.linalg.solve(design[:bots, :bots], design[:bots, bots:])
    schur_complement = design[bots:, bots:] - design[bots:, :bots] @ solution
    min_eigenvalue = float(np.linalg.eigvalsh(schur_complement).min())
    lineups = evidence.lineups.shape[1]
    return seats > 1 and lineups > 0 and min_eigenvalue > MIN_INFORMATION * lineups


_RATINGS = "The maximum of the ratings' likelihood"
MAX_STEPS = 100
MAX_HALVINGS = 60
TOLERANCE = 1e-9  # of a Newton step, in strength: the next one would be about its square
ROUNDING = 1e-6  # twice what a step gains in log-likelihood: a thousandth of a standard error
RUNAWAY = 0.1  # where there is no maximum, steps do not shrink faster
MAX_DISTANCE = 8.0  # in strength: how far seats may move apart in a step, beyond how far they are
DAMPING = 1e-12  # relative: keeps Newton's equations regular where rounding would not


def maximise(
    evidence: Evidence, together: Truths, seats_separable: bool, start: Floats | None = None
) -> tuple[Floats, bool]:
    """The maximum, centred, and whether it is at infinity: then steps shrink more slowly.

    Raises ConvergenceError where steps do not shrink at all.
    """
    bots = evidence.bots
    free = np.ones(bots + evidence.seats)
    free[bots:] = seats_separable
    parameters = _start(evidence, together, seats_separable) if start is None else start
    slope: Floats = gradient(evidence, parameters) * free
    previous, length = np.inf, np.inf
    for _ in steps_to(_RATINGS, MAX_STEPS):
        step = np.linalg.solve(
            regularised(information(evidence, parameters, seats_separable), together), slope
        )
        gain = slope @ step
        step, slope = _uphill(evidence, parameters, step, slope, free)
        parameters = parameters + step
        previous, length = length, np.abs(step).max(initial=0.0)
        if length < TOLERANCE or (length >= previous and gain < ROUNDING):
            break
    at_bound = np.isfinite(previous) and length > RUNAWAY * previous and not evidence.wins.all()
    return _centred(parameters, together), bool(at_bound)


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
) -> tuple[Floats, Floats]:
    """The step, halved until the slope at its end is no steeper downhill than uphill at its start,
    and the slope at its end. Raises ConvergenceError where no halving is enough.

    Slopes are compared, as differences of likelihoods drown in rounding.
    """
    range_now, range_of_step = (
        np.ptp(seated_strengths(evidence.lineups, numbers), axis=0)
        for numbers in (parameters, step)
    )
    step = step / (range_of_step / (MAX_DISTANCE + range_now)).max(initial=1.0)
    gain = slope @ step
    slope_at_end = gradient(evidence, parameters + step) * free
    for _ in range(MAX_HALVINGS):
        if slope_at_end @ step >= -slope @ step:
            break
        step = step / 2
        slope_at_end = gradient(evidence, parameters + step) * free
    else:
        if gain > ROUNDING:
            raise ConvergenceError(_RATINGS, MAX_HALVINGS)
    return step, slope_at_end


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


def chances(lineups: Ints, parameters: Floats) -> Floats:
    """The model's probability that each seat wins: seats by lineups."""
    strengths = seated_strengths(lineups, parameters)
    odds = np.exp(strengths - strengths.max(axis=0, initial=-np.inf))
    chance: Floats = odds / odds.sum(axis=0)
    return chance


def seated_strengths(lineups: Ints, parameters: Floats) -> Floats:
    """The bot's strength plus the seat's effect: seats by lineups."""
    seats = len(lineups)
    strengths: Floats = parameters[lineups] + parameters[-seats:, None]
    return strengths


def add_by_seat(lineups: Ints, bots: int, amounts: Floats) -> Floats:
    """The sums of amounts (seats by lineups) for each bot, then for each seat: one array."""
    by_bot = np.bincount(lineups.ravel(), amounts.ravel(), minlength=bots)
    return np.concatenate([by_bot, amounts.sum(axis=1)])


def gradient(evidence: Evidence, parameters: Floats) -> Floats:
    """The derivative of the log-likelihood: wins minus expected wins, by bot and by seat.

    Computed as wins · P(no win) - losses · P(win), which stays exact where one seat always wins.
    """
    chance = chances(evidence.lineups, parameters)
    other_seats = 1 - np.eye(evidence.seats)
    surplus = evidence.wins * (other_seats @ chance) - (other_seats @ evidence.wins) * chance
    return add_by_seat(evidence.lineups, evidence.bots, surplus) + evidence.luck_correction


def information(evidence: Evidence, parameters: Floats, seats_separable: bool = True) -> Floats:
    """Fisher's information: the sum of games · (diag(p) - p pᵀ), by bots and seats."""
    games = evidence.wins.sum(axis=0)
    matrix = win_covariance(
        evidence.lineups, evidence.bots, games, chances(evidence.lineups, parameters)
    )
    if not seats_separable:
        matrix[evidence.bots :] = 0
        matrix[:, evidence.bots :] = 0
    return matrix


def win_covariance(lineups: Ints, bots: int, games: Floats, chance: Floats) -> Floats:
    """The covariance of the wins by bot and seat: the sum of games · (diag(p) - p pᵀ)."""
    seats, index = len(lineups), np.arange(len(lineups))
    products = -games * chance[:, None] * chance
    products[index, index] = 0
    products[index, index] = -products.sum(axis=1)
    bot_pairs = lineups[:, None] * bots + lineups
    bot_seats = lineups[:, None] * seats + index[:, None]
    size = bots + seats
    matrix = np.empty((size, size))
    matrix[:bots, :bots] = add_by_index(bot_pairs, products, bots * bots).reshape(bots, bots)
    matrix[:bots, bots:] = add_by_index(bot_seats, products, bots * seats).reshape(bots, seats)
    matrix[bots:, :bots] = matrix[:bots, bots:].T
    matrix[bots:, bots:] = products.sum(axis=2)
    return matrix


def add_by_index(indices: Ints, amounts: Floats, size: int) -> Floats:
    """The sums of the amounts that have the same index: an array of length `size`."""
    indices = np.broadcast_to(indices, amounts.shape)
    return np.bincount(indices.ravel(), amounts.ravel(), minlength=size).astype(np.float64)
