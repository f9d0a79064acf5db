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
"""

from math import log

import msgspec
import numpy as np
from msgspec.structs import replace

from cantstop_arena.ratings.model.choice import add_by_seat, information
from cantstop_arena.ratings.model.connections import Connections, Truths, connections, fields_of
from cantstop_arena.ratings.model.evidence import Evidence, Floats
from cantstop_arena.ratings.model.newton import maximise, regularised

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


def fit(evidence: Evidence) -> Luce:
    """The strengths and seat effects that make the wins most likely; never infinite.

    With luck removed, wins may be such that no strengths make them most likely. The strengths are
    then those of the games as played, and one step of Newton's method from there: to first order
    the same, so that this choice biases nothing.
    """
    if isinstance(evidence.luck_correction, float):
        return _maximum(evidence)
    played = _maximum(replace(evidence, luck_correction=0.0))
    if _is_attainable(evidence) and not played.links.at_bound.any():
        corrected = _maximum(evidence)
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


def _maximum(evidence: Evidence) -> Luce:
    """The maximum of the likelihood, with virtual games where there is none."""
    links = connections(evidence)
    separable = _are_seats_separable(evidence, links.together)
    unbounded = np.any(links.together & links.at_bound, axis=1)
    virtual = _virtual_games(evidence, links.together, unbounded)
    parameters, converged = maximise(
        _with_virtual_games(evidence, virtual), links.together, separable
    )
    if not converged:
        virtual = _virtual_games(evidence, links.together, np.ones(evidence.bots, np.bool_))
        parameters, _ = maximise(_with_virtual_games(evidence, virtual), links.together, separable)
    bots, evidence = evidence.bots, _with_virtual_games(evidence, virtual)
    curvature = regularised(information(evidence, parameters, separable), links.together)
    return Luce(
        evidence=evidence,
        virtual=virtual,
        strengths=equalise_ties(parameters[:bots]),
        seats=equalise_ties(parameters[bots:]),
        curvature=information(evidence, parameters, separable),
        inverse=np.linalg.inv(curvature),
        links=links,
        seats_separable=separable,
        seats_at_bound=not converged,
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
