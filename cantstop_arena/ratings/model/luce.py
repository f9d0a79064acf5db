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

from cantstop_arena.ratings.model.choice import information
from cantstop_arena.ratings.model.connections import Connections, Truths, connections, fields_of
from cantstop_arena.ratings.model.evidence import Evidence, Floats
from cantstop_arena.ratings.model.newton import maximise, regularised

ELO = 400 / log(10)  # points for each unit of strength
TIE = 1e-10  # in strength: a smaller difference is rounding, counts cannot tell it
UNTOLD = 1e-9  # of a seat's games: less than that is rounding


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
        """Strengths and seats' effects in one."""
        return np.concatenate([self.strengths, self.seats])


def maximum(evidence: Evidence) -> Luce:
    """The strengths and seat effects that make the wins most likely; never infinite."""
    links = connections(evidence)
    is_set = _are_seats_separable(evidence, links.together)
    loose = np.any(links.together & links.at_bound, axis=1)
    virtual = _virtual(evidence, links.together, loose)
    value, has_match = maximise(_with(evidence, virtual), links.together, is_set)
    if not has_match:
        virtual = _virtual(evidence, links.together, np.ones(evidence.bots, np.bool_))
        value, _ = maximise(_with(evidence, virtual), links.together, is_set)
    bots, evidence = evidence.bots, _with(evidence, virtual)
    curvature = regularised(information(evidence, value, is_set), links.together)
    return Luce(
        evidence=evidence,
        virtual=virtual,
        strengths=equalise_ties(value[:bots]),
        seats=equalise_ties(value[bots:]),
        curvature=information(evidence, value, is_set),
        inverse=np.linalg.inv(curvature),
        links=links,
        seats_separable=is_set,
        seats_at_bound=not has_match,
    )


def equalise_ties(numbers: Floats, minimum: float = TIE) -> Floats:
    """Numbers that differ by no more than rounding made equal to the last digit."""
    order = np.argsort(numbers, kind="stable")
    tie = np.cumsum(np.diff(numbers[order], prepend=-np.inf) > minimum) - 1
    means = np.bincount(tie, numbers[order]) / np.bincount(tie)
    equal = np.empty_like(numbers)
    equal[order] = means[tie]
    return equal


def _with(evidence: Evidence, virtual: Floats) -> Evidence:
    return replace(evidence, wins=evidence.wins + virtual / evidence.seats)


def _virtual(evidence: Evidence, together: Truths, loose: Truths) -> Floats:
    """How many virtual games each lineup is given: in loose fields, one for each bot on average."""
    field = fields_of(together)[evidence.lineups[0]]
    lineups = np.bincount(field, minlength=evidence.bots)[field]
    games = together.sum(axis=1)[field] / evidence.seats
    return np.where(loose[field], games / np.maximum(lineups, 1), 0.0)


def _are_seats_separable(evidence: Evidence, together: Truths) -> bool:
    """Whether the seatings tell the seats' effects from the bots' strengths."""
    bots, seats = evidence.bots, evidence.seats
    once = replace(evidence, wins=np.full(evidence.wins.shape, 1 / seats))
    design = regularised(information(once, np.zeros(bots + seats)), together)
    left = np.linalg.solve(design[:bots, :bots], design[:bots, bots:])
    remaining = design[bots:, bots:] - design[bots:, :bots] @ left
    minimum = float(np.linalg.eigvalsh(remaining).min())
    rows = evidence.lineups.shape[1]
    return seats > 1 and rows > 0 and minimum > UNTOLD * rows
