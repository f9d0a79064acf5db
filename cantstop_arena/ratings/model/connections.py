"""Which bots the games connect, and which they bound on one side only.

Strengths can be compared within a *field*: bots connected by games. A maximum of the likelihood
exists if and only if the graph "i won something in a game against j" is strongly connected within
each field (Ford 1957; Hunter 2004 for more than two seats), given the seats' effects.
"""

from typing import TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

from cantstop_arena.ratings.model.evidence import Evidence, Ints

Truths: TypeAlias = NDArray[np.bool_]


class Connections(msgspec.Struct, frozen=True):
    """Which bots are in one field, `together[i, j]`, and which ratings the games leave unbounded.

    At the bound are the bots outside the largest set of bots of their field that all won, directly
    or through others, against each other. The games set no upper bound on the ratings of those in
    `open_above`, and no lower bound on those in `open_below`.
    """

    together: Truths
    open_above: Truths
    open_below: Truths

    @property
    def at_bound(self) -> Truths:
        """The bots that the games bound on one side only."""
        return self.open_above | self.open_below


def connections(evidence: Evidence) -> Connections:
    """The connections between the bots of the evidence."""
    won = _won_against(evidence)
    met: Truths = won | won.T
    together = _closure(met)
    reach = _closure(won)
    core = _core(reach, together)
    has_core = (together & core).any(axis=1, keepdims=True)
    # Where a field has no largest set, every bot is measured against all others.
    opponents: Truths = together & (core | ~has_core)
    open_above: Truths = ~core & (opponents & ~reach.T).any(axis=1)
    open_below: Truths = ~core & (opponents & ~reach).any(axis=1)
    return Connections(together, open_above, open_below)


def fields_of(together: Truths) -> Ints:
    """For each bot the lowest number of its field."""
    return together.argmax(axis=1) if len(together) else np.zeros(0, np.int64)


def _won_against(evidence: Evidence) -> Truths:
    """Whether the row's bot won anything in a game against the column's: bots by bots."""
    won = np.zeros((evidence.bots, evidence.bots), np.bool_)
    for seat in range(evidence.seats):
        lineups = evidence.lineups[:, evidence.wins[seat] > 0]
        won[lineups[seat], lineups] = True
    return won


def _closure(edges: Truths) -> Truths:
    """The reflexive transitive closure of a relation: squared until nothing is added."""
    reach = edges | np.eye(len(edges), dtype=np.bool_)
    reached = 0
    while (count := int(np.count_nonzero(reach))) > reached:
        hops = reach.astype(np.float32)
        reach, reached = hops @ hops > 0, count
        if count == reach.size:
            break
    return reach


def _core(reach: Truths, together: Truths) -> Truths:
    """A mask of the bots in their field's largest strongly connected part; none if two tie."""
    size = (reach & reach.T).sum(axis=1)
    largest = (together * size).max(axis=1, initial=0)
    members = (together & (size == largest)).sum(axis=1)
    core: Truths = (size == largest) & (members == size)
    return core
