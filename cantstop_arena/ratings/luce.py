"""Strengths by maximum likelihood: winner-only choice with an effect of the seat.

Seat s with bot b wins with probability exp(θ_b + γ_s) / Σ exp(θ + γ) over the seats of the lineup.
For two seats that is the model of Bradley and Terry (1952) with the home advantage of Davidson and
Beaver (1977); for more the choice model of Luce (1959). A shared win counts in parts for those who
share it. Strengths are natural logarithms; in Elo points they are 400 / ln 10 times as large, so
that ten times the odds are 400 points. The γ add up to 0.

The log-likelihood is concave; its maximum is unique up to a constant within each field of bots that
met. Newton's method finds it in a few steps from weighted means of the logarithms of the odds, in
which half a win is added to each cell (Haldane 1956, Anscombe 1956).

Where a bot won or lost everything the maximum would be infinitely far away. Its field is then given
virtual games: one for each bot on average, spread evenly over the field's lineups and won by all
their seats alike. For two bots that is the half win for each that Anscombe adds.
"""

from dataclasses import dataclass, replace
from math import log

import numpy as np

from cantstop_arena.ratings.connections import Connections, Truths, connections
from cantstop_arena.ratings.evidence import Evidence, Floats, Ints

ELO = 400 / log(10)  # points for each unit of strength
MOST_STEPS = 100
MOST_HALVINGS = 60
ENOUGH = 1e-9  # a Newton step, in strength: the next one would be about its square
RUNAWAY = 0.1  # where there is no maximum, steps do not shrink faster
FAR = 8.0  # in strength: a lineup is not trusted to move further, and as far again as it is apart
DAMPING = 1e-12  # relative: keeps Newton's equations regular where rounding would not
TIE = 1e-10  # in strength: a smaller difference is rounding, counts cannot tell it
UNTOLD = 1e-9  # of a seat's games: less than that is rounding


@dataclass(frozen=True, slots=True)
class Luce:
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
    seats_told: bool
    seats_at_bound: bool


def maximum(evidence: Evidence) -> Luce:
    """The strengths and seat effects that make the wins most likely; never infinite."""
    links = connections(evidence)
    told = _seats_told(evidence, links.together)
    loose = np.any(links.together & links.at_bound, axis=1)
    virtual = _virtual(evidence, links.together, loose)
    found, settled = _newton(_with(evidence, virtual), links.together, told)
    if not settled:
        virtual = _virtual(evidence, links.together, np.ones(evidence.bots, np.bool_))
        found, _ = _newton(_with(evidence, virtual), links.together, told)
    bots, evidence = evidence.bots, _with(evidence, virtual)
    curvature = _pinned(information(evidence, found, told), links.together)
    return Luce(
        evidence=evidence,
        virtual=virtual,
        strengths=tied(found[:bots]),
        seats=tied(found[bots:]),
        curvature=information(evidence, found, told),
        inverse=np.linalg.inv(curvature),
        links=links,
        seats_told=told,
        seats_at_bound=not settled,
    )


def chances(lineups: Ints, parameters: Floats) -> Floats:
    """The probability of winning that the model gives each seat of each lineup."""
    seated = _seated(lineups, parameters)
    odds = np.exp(seated - seated.max(axis=0, initial=-np.inf))
    chance: Floats = odds / odds.sum(axis=0)
    return chance


def _seated(lineups: Ints, parameters: Floats) -> Floats:
    seats = len(lineups)
    seated: Floats = parameters[lineups] + parameters[-seats:, None]
    return seated


def summed(lineups: Ints, bots: int, amounts: Floats) -> Floats:
    """Amounts of each seat of each lineup added up by bot and then by seat."""
    by_bot = np.bincount(lineups.ravel(), amounts.ravel(), minlength=bots)
    return np.concatenate([by_bot, amounts.sum(axis=1)])


def gradient(evidence: Evidence, parameters: Floats) -> Floats:
    """The derivative of the log-likelihood: wins minus expected wins, by bot and by seat.

    Written as wins · P(not to win) - losses · P(to win), which stays exact where one always wins.
    """
    chance = chances(evidence.lineups, parameters)
    others = 1 - np.eye(evidence.seats)
    surplus = evidence.wins * (others @ chance) - (others @ evidence.wins) * chance
    return summed(evidence.lineups, evidence.bots, surplus)


def information(evidence: Evidence, parameters: Floats, seats_told: bool = True) -> Floats:
    """Fisher's information: the sum of games · (diag(p) - p pᵀ), by bots and seats."""
    games = evidence.wins.sum(axis=0)
    told = spread(evidence.lineups, evidence.bots, games, chances(evidence.lineups, parameters))
    if not seats_told:
        told[evidence.bots :] = 0
        told[:, evidence.bots :] = 0
    return told


def spread(lineups: Ints, bots: int, games: Floats, chance: Floats) -> Floats:
    """The covariance of the wins by bot and seat: the sum of games · (diag(p) - p pᵀ)."""
    seats, own = len(lineups), np.arange(len(lineups))
    crossed = -games * chance[:, None] * chance
    crossed[own, own] = 0
    crossed[own, own] = -crossed.sum(axis=1)
    pairs = lineups[:, None] * bots + lineups
    seated = lineups[:, None] * seats + own[:, None]
    size = bots + seats
    whole = np.empty((size, size))
    whole[:bots, :bots] = _counted(pairs, crossed, bots * bots).reshape(bots, bots)
    whole[:bots, bots:] = _counted(seated, crossed, bots * seats).reshape(bots, seats)
    whole[bots:, :bots] = whole[:bots, bots:].T
    whole[bots:, bots:] = crossed.sum(axis=2)
    return whole


def _counted(places: Ints, amounts: Floats, size: int) -> Floats:
    places = np.broadcast_to(places, amounts.shape)
    return np.bincount(places.ravel(), amounts.ravel(), minlength=size).astype(np.float64)


def tied(numbers: Floats, least: float = TIE) -> Floats:
    """Numbers that differ by no more than rounding made equal to the last digit."""
    order = np.argsort(numbers, kind="stable")
    tie = np.cumsum(np.diff(numbers[order], prepend=-np.inf) > least) - 1
    means = np.bincount(tie, numbers[order]) / np.bincount(tie)
    equal = np.empty_like(numbers)
    equal[order] = means[tie]
    return equal


def _with(evidence: Evidence, virtual: Floats) -> Evidence:
    return replace(evidence, wins=evidence.wins + virtual / evidence.seats)


def _virtual(evidence: Evidence, together: Truths, loose: Truths) -> Floats:
    """How many virtual games each lineup is given: in loose fields, one for each bot on average."""
    field = together.argmax(axis=1)[evidence.lineups[0]]
    lineups = np.bincount(field, minlength=evidence.bots)[field]
    games = together.sum(axis=1)[field] / evidence.seats
    return np.where(loose[field], games / np.maximum(lineups, 1), 0.0)


def _seats_told(evidence: Evidence, together: Truths) -> bool:
    """Whether the seatings tell the seats' effects from the bots' strengths."""
    bots, seats = evidence.bots, evidence.seats
    once = replace(evidence, wins=np.full(evidence.wins.shape, 1 / seats))
    design = _pinned(information(once, np.zeros(bots + seats)), together)
    left = np.linalg.solve(design[:bots, :bots], design[:bots, bots:])
    rest = design[bots:, bots:] - design[bots:, :bots] @ left
    least = float(np.linalg.eigvalsh(rest).min())
    rows = evidence.lineups.shape[1]
    return seats > 1 and rows > 0 and least > UNTOLD * rows


def _pinned(curvature: Floats, together: Truths) -> Floats:
    """The information made regular: the sums of each field and of the seats held.

    More than rounding is added; a weight larger than the least of the bots' would drown the rest.
    """
    bots = len(together)
    scale = curvature.diagonal()
    least = scale[:bots][scale[:bots] > 0]
    weight = least.min() if len(least) else 1.0
    held = np.zeros_like(curvature)
    held[:bots, :bots] = together * weight
    held[bots:, bots:] = weight
    if not curvature[bots:].any():
        held[bots:, bots:] = np.eye(len(curvature) - bots) * weight
    regular: Floats = curvature + held + np.diag(DAMPING * scale)
    return regular


def _newton(evidence: Evidence, together: Truths, seats_told: bool) -> tuple[Floats, bool]:
    """The maximum, centred, and whether the steps towards it shrank as they do if there is one."""
    bots = evidence.bots
    free = np.ones(bots + evidence.seats)
    free[bots:] = seats_told
    parameters = _start(evidence, together, seats_told)
    before, length = np.inf, np.inf
    for _ in range(MOST_STEPS):
        slope = gradient(evidence, parameters) * free
        step = np.linalg.solve(
            _pinned(information(evidence, parameters, seats_told), together), slope
        )
        step = _uphill(evidence, parameters, step, slope, free)
        parameters = parameters + step
        before, length = length, np.abs(step).max(initial=0.0)
        if length < ENOUGH:
            break
    settled = length < ENOUGH and (not np.isfinite(before) or length <= RUNAWAY * before)
    return _centred(parameters, together), bool(settled or evidence.wins.all())


def _centred(parameters: Floats, together: Truths) -> Floats:
    bots = len(together)
    centre = (together @ parameters[:bots]) / together.sum(axis=1)
    seats = parameters[bots:]
    return np.concatenate([parameters[:bots] - centre, seats - seats.mean()])


def _start(evidence: Evidence, together: Truths, seats_told: bool) -> Floats:
    """Least squares on the logarithms of the odds of each two seats of a lineup.

    A quotient of two counts weighs as much as its logarithm is exact: 1 / (1/won + 1/lost).
    """
    bots, seats = evidence.bots, evidence.seats
    won, own = evidence.wins + 0.5, np.arange(seats)
    weight = 1 / (1 / won[:, None] + 1 / won)
    odds = weight * (np.log(won)[:, None] - np.log(won))
    weight[own, own] = 0
    weight[own, own] = -weight.sum(axis=1)
    size = bots + seats
    seated = np.broadcast_to(bots + own[:, None], evidence.lineups.shape)
    rows = np.concatenate([evidence.lineups, seated])
    places = rows[:, None] * size + rows
    normal = _counted(places, np.tile(-weight, (2, 2, 1)), size * size).reshape(size, size)
    right = summed(evidence.lineups, bots, odds.sum(axis=1))
    if not seats_told:
        normal[bots:], normal[:, bots:], right[bots:] = 0, 0, 0
    start: Floats = np.linalg.solve(_pinned(normal, together), right)
    return start


def _uphill(
    evidence: Evidence, parameters: Floats, step: Floats, slope: Floats, free: Floats
) -> Floats:
    """The step, halved until it ends no steeper behind the ridge than it began before it.

    Slopes tell this more precisely than likelihoods, whose differences drown in rounding.
    """
    apart, further = (
        np.ptp(_seated(evidence.lineups, numbers), axis=0)
        for numbers in (parameters, step)
    )
    step = step / (further / (FAR + apart)).max(initial=1.0)
    for _ in range(MOST_HALVINGS):
        if (gradient(evidence, parameters + step) * free) @ step >= -slope @ step:
            break
        step = step / 2
    return step
