"""Simulated tournaments whose truth is known, put into the structures of real ones.

The winner of a game is the seat with the largest sum of strength, effect of the seat and noise.
With Gumbel's noise, each seat's by itself, it wins with the probability that Luce's model says. The
noise belongs to circle, deal and seat, as dice do: with probability `shared` a game takes it from
there, else it has its own, so that the games of a deal depend on each other as much as one likes,
and single games still are Luce's.

Of a `lucky` tournament the noise is known in part: with probability `lucky` it is measured, less
its mean, as the luck of a seat in a game. That luck has mean 0 whoever plays, and it explains as
little of the wins of a bot that hardly ever wins as dice do.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from cantstop_arena.deals.control_variate import correction
from cantstop_arena.deals.counting import Counts
from cantstop_arena.deals.outcomes import WIN_UNITS, Tally, TournamentTotals
from cantstop_arena.deals.sampling import Bytes, gather_deals
from cantstop_arena.deals.seatings import Group, lineups, standard_orders

LUCK_UNITS = 100_000  # of measured luck: the program's luck is whole numbers
Run = Mapping[Group, Bytes]  # of each group: masks of winning seats, deals by seatings


class Truth(msgspec.Struct, frozen=True):
    """What a simulated tournament is made of.

    `cycles` adds to the strength of the first of two bots where both sit at a table of two, so that
    the model does not hold. `lineups` are the groups that meet; None: all. With `by_bot` the shared
    noise belongs to deal and bot.
    """

    strengths: Sequence[float]
    seats: Sequence[float]
    shared: float = 0.0
    unfinished: float = 0.0
    lineups: Sequence[Group] | None = None
    cycles: Mapping[Group, float] = msgspec.field(default_factory=dict)
    lucky: float = 0.0
    by_bot: bool = False

    @property
    def players(self) -> int:
        return len(self.seats)

    def groups(self) -> list[Group]:
        every = combinations(range(len(self.strengths)), self.players)
        return list(self.lineups if self.lineups is not None else every)

    def played(self, deals: int, rng: np.random.Generator, **changes: Any) -> TournamentTotals:
        """A tournament's results, with luck removed if some of it is measured."""
        luck: dict[Group, NDArray[Any]] = {}
        run = self.run(deals, rng, luck)
        return results(len(self.strengths), self.players, [run], luck, **changes)

    def run(
        self, deals: int, rng: np.random.Generator, luck: "dict[Group, NDArray[Any]] | None" = None
    ) -> Run:
        """Every deal's winners in every seating; if it is measured, its `luck` is added there."""
        width = len(self.strengths) if self.by_bot else self.players
        run = {}
        for group in self.groups():
            common = {circle: rng.gumbel(size=(deals, width)) for circle in circles(group)}
            measured = np.zeros((deals, 2 * self.players))
            orders = standard_orders(self.players)
            winners = []
            for order, seating in zip(orders, seatings_of(group), strict=True):
                of_circle = common[circle_of(seating)]
                of_seats = of_circle[:, seating] if self.by_bot else of_circle
                masks, noise = self._winners(seating, of_seats, rng)
                winners.append(masks)
                if self.lucky:
                    seat_luck = self._measured(noise, rng)
                    measured[:, order] += seat_luck
                    measured[:, self.players :] += seat_luck
            run[group] = np.stack(winners, axis=1)
            if self.lucky and luck is not None:
                luck[group] = np.rint(LUCK_UNITS * measured).astype(np.int64)
        return run

    def _measured(self, noise: NDArray[Any], rng: np.random.Generator) -> NDArray[Any]:
        """The luck of seats in games: some of the noise, less its mean, and less that of others."""
        known = rng.random(noise.shape) < self.lucky
        luck = np.where(known, noise - np.euler_gamma, 0.0)
        relative: NDArray[Any] = luck - luck.mean(axis=1, keepdims=True)
        return relative

    def _winners(
        self, seating: Group, common: NDArray[Any], rng: np.random.Generator
    ) -> tuple[Bytes, NDArray[Any]]:
        """The winners of one seating in every deal, and the noise of its seats."""
        noise = common
        if self.shared < 1:
            own = rng.gumbel(size=common.shape)
            noise = np.where(rng.random(common.shape) < self.shared, common, own)
        strengths = [self.strengths[bot] for bot in seating]
        if self.players == 2:
            strengths[0] += self.cycles.get(seating, 0) - self.cycles.get(seating[::-1], 0)
        best = (noise + strengths + np.array(self.seats)).argmax(axis=1)
        masks: Bytes = np.left_shift(1, best).astype(np.uint8)
        if self.unfinished:
            masks[rng.random(len(masks)) < self.unfinished] = (1 << self.players) - 1
        return masks, noise


def circle_of(seating: Group) -> Group:
    """The bots of a seating in their order, from the lowest number on."""
    first = seating.index(min(seating))
    return seating[first:] + seating[:first]


def circles(group: Group) -> list[Group]:
    """The circles in which a group plays."""
    return sorted({*map(circle_of, seatings_of(group))})


def seatings_of(group: Group) -> Iterator[Group]:
    """The lineups in which a group plays each deal."""
    return lineups(group, standard_orders(len(group)))


def results(
    bots: int,
    players: int,
    runs: Iterable[Run],
    luck: Mapping[Group, NDArray[Any]] | None = None,
    **changes: Any,
) -> TournamentTotals:
    """Runs, each with deals of its own, as the results of one tournament.

    With the `luck` of the deals of a single run it is removed.
    """
    blocks = list(_blocks(runs))
    orders = standard_orders(players)
    tallies: dict[Group, Tally] = {}
    spans: dict[Group, list[tuple[int, int]]] = {}
    for group, first, winners, _ in blocks:
        spans.setdefault(group, []).append((first, len(winners)))
        for seating, masks in zip(seatings_of(group), winners.T, strict=True):
            tally = _tally(masks, players)
            tallies[seating] = tallies[seating] + tally if seating in tallies else tally

    def read(start: int, count: int) -> Iterator[Block]:
        return blocks_at(blocks, start, count)

    deals = gather_deals(orders, spans, read)
    with_luck = None
    if luck:
        with_luck = deals
        blocks = [(group, first, winners, luck[group]) for group, first, winners, _ in blocks]
        deals = gather_deals(orders, spans, read, correction(orders, blocks))
    options: dict[str, Any] = {
        "name": "simulated",
        "game": "game",
        "rules": {},
        "players": players,
        "seed": 1,
        "bots": tuple(f"bot{number}" for number in range(bots)),
        "tallies": tallies,
        "deals": deals,
        "with_luck": with_luck,
        "counts": Counts(),
    }
    return TournamentTotals(**{**options, **changes})


Block = tuple[Group, int, Bytes, NDArray[Any]]


def blocks_at(blocks: Sequence[Block], start: int, count: int) -> Iterator[Block]:
    """What a ledger gives: the blocks that have some of these deals."""
    for block in blocks:
        if block[1] < start + count and block[1] + len(block[2]) > start:
            yield block


def _blocks(runs: Iterable[Run]) -> Iterator[Block]:
    first = 0
    for run in runs:
        for group, winners in run.items():
            yield group, first, winners, winners[:, :0]
        first += max(map(len, run.values()), default=0)


def _tally(masks: Bytes, players: int) -> Tally:
    games = np.bincount(masks, minlength=1 << players).tolist()
    wins = tuple(
        sum(WIN_UNITS // mask.bit_count() * n for mask, n in enumerate(games) if mask >> seat & 1)
        for seat in range(players)
    )
    return Tally(len(masks), wins, games[-1] if players > 1 else 0, 0, {}, {})
