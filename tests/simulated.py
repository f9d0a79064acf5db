"""Simulated tournaments whose truth is known, put into the structures of real ones.

The winner of a game is the seat with the largest θ + γ + noise. With Gumbel's noise, each seat's
by itself, it wins with the probability that Luce's model says. The noise belongs to deal and seat,
as dice do: with probability `shared` a game takes it from there, else it has its own, so that the
games of a deal depend on each other as much as one likes, and single games still are Luce's.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cantstop_arena.outcomes import WHOLE, Group, Results, Tally, seatings
from cantstop_arena.sampling import Deals, Pairs, Stretch

Ints = NDArray[np.int64]
Wins = Mapping[Group, NDArray[Any]]  # of each seating: parts of WHOLE by deal and seat


@dataclass(frozen=True)
class Truth:
    """What a simulated tournament is made of.

    `cycles` adds to the strength of the first of two bots where both sit at a table of two, so that
    the model does not hold. `lineups` are the groups that meet; None: all.
    """

    strengths: Sequence[float]
    seats: Sequence[float]
    shared: float = 0.0
    unfinished: float = 0.0
    lineups: Sequence[Group] | None = None
    cycles: Mapping[Group, float] = field(default_factory=dict)

    @property
    def players(self) -> int:
        return len(self.seats)

    def groups(self) -> list[Group]:
        every = combinations(range(len(self.strengths)), self.players)
        return list(self.lineups if self.lineups is not None else every)

    def played(self, deals: int, rng: np.random.Generator) -> Results:
        return results(len(self.strengths), self.players, [self.wins(deals, rng)])

    def wins(self, deals: int, rng: np.random.Generator) -> dict[Group, Ints]:
        """Every deal's wins in every seating."""
        common = rng.gumbel(size=(deals, self.players))
        return {
            seating: self._wins(seating, common, rng)
            for group in self.groups()
            for seating in seatings(group)
        }

    def _wins(self, seating: Group, common: NDArray[Any], rng: np.random.Generator) -> Ints:
        noise = common
        if self.shared < 1:
            own = rng.gumbel(size=common.shape)
            noise = np.where(rng.random(common.shape) < self.shared, common, own)
        strengths = [self.strengths[bot] for bot in seating]
        if self.players == 2:
            strengths[0] += self.cycles.get(seating, 0) - self.cycles.get(seating[::-1], 0)
        best = (noise + strengths + np.array(self.seats)).argmax(axis=1)
        won = WHOLE * np.eye(self.players, dtype=np.int64)[best]
        if self.unfinished:
            won[rng.random(len(won)) < self.unfinished] = WHOLE // self.players
        return won


def results(bots: int, players: int, runs: Iterable[Wins], **changes: Any) -> Results:
    """Runs, each with deals of its own, as the results of one tournament."""
    runs = list(runs)
    tallies: dict[Group, Tally] = {}
    for seating, won in (pair for run in runs for pair in run.items()):
        tally = Tally(len(won), tuple(won.sum(axis=0).tolist()), 0, 0, {}, {})
        tallies[seating] = tallies[seating] + tally if seating in tallies else tally
    options: dict[str, Any] = {
        "name": "simulated",
        "game": "game",
        "rules": {},
        "players": players,
        "seed": 1,
        "bots": tuple(f"bot{number}" for number in range(bots)),
        "tallies": tallies,
        "deals": deals_of(bots, players, runs),
        "rates": {},
    }
    return Results(**{**options, **changes})


def deals_of(bots: int, players: int, runs: Sequence[Wins]) -> Deals:
    """The statistics of deals, straight from their definition."""
    won, squares, crossed = (np.zeros((bots, bots), np.int64) for _ in range(3))
    stretches = []
    for run in runs:
        if not run:
            continue
        deals = len(next(iter(run.values())))
        vectors = np.zeros((deals, bots + players), np.int64)
        pairs: dict[Group, Ints] = {}
        for seating, parts in run.items():
            vectors[:, bots:] += parts
            for seat, bot in enumerate(seating):
                vectors[:, bot] += parts[:, seat]
            for one, other in product(range(players), repeat=2):
                if one != other:
                    key = seating[one], seating[other]
                    pairs[key] = pairs.get(key, 0) + parts[:, one]
        for (one, other), parts in pairs.items():
            won[one, other] += parts.sum()
            squares[one, other] += parts @ parts
            crossed[one, other] += parts @ pairs[other, one]
        groups = sorted({tuple(sorted(seating)) for seating in run})
        stretches.append(Stretch(tuple(groups), deals, vectors.sum(axis=0), vectors.T @ vectors))
    return Deals(tuple(stretches), Pairs(won, squares, crossed))
