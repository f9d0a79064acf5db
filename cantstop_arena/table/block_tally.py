"""Tallies of plain games: wins, the game's own counts, lengths and highlights."""

from __future__ import annotations

import zlib
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from operator import add
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from cantstop_arena.deals.counting import length_class, stored_measures
from cantstop_arena.deals.outcomes import Tally, win_units
from cantstop_arena.deals.payoff import STORED, VOID
from cantstop_arena.deals.seatings import pairs_of_positions, pairs_of_seats
from cantstop_arena.errors import GameError
from cantstop_arena.game_api.state import Result

if TYPE_CHECKING:
    from cantstop_arena.deals.counting import Counts
    from cantstop_arena.deals.payoff import Payoff
    from cantstop_arena.deals.seatings import Orders
    from cantstop_arena.game_api.game import Game

FINGERPRINT = np.dtype("<u4")
DECISIONS, POINTS, RANK = "decisions", "points", "rank"  # counts that every game has


class CountedTable(Protocol):
    """The attributes and methods of a table that counting its games needs."""

    game: Game
    orders: Orders
    side_by_seat: tuple[int, ...]
    keeps_counts: bool
    loser: int | None
    decision_counts: list[int]

    @property
    def deal(self) -> int: ...
    @property
    def payoff(self) -> Payoff | None: ...
    def result(self) -> Result: ...
    def fingerprint(self, result: Result) -> int | None: ...
    def winners(self, result: Result) -> tuple[int, ...]: ...
    def payoffs(self, result: Result) -> tuple[int, ...] | None: ...


@dataclass
class _SeatingTally:
    """The games of one seating so far."""

    players: int
    games: int = 0
    unfinished: int = 0
    forfeits: int = 0
    wins: list[int] = field(default_factory=list)
    counts: dict[str, list[int]] = field(default_factory=dict)
    squares: dict[str, int] = field(default_factory=dict)
    lengths: dict[int, tuple[int, int]] = field(default_factory=dict)
    highlights: dict[str, tuple[int, int]] = field(default_factory=dict)

    def tally(self) -> Tally:
        """The sums as an immutable tally."""
        return Tally(
            self.games,
            tuple(self.wins),
            self.unfinished,
            self.forfeits,
            {name: tuple(values) for name, values in self.counts.items()},
            self.squares,
            self.lengths,
            self.highlights,
        )


class PlainTally:
    """The tally of a block at a plain table.

    What other parts of the arena take for seats are the sides of a game: a bot has one in each
    game, and gets what its seats have won, been paid, and counted together.
    """

    def __init__(self, table: CountedTable, deals: int) -> None:
        self._table = table
        self._counts: Counts = table.game.counts
        players = len(table.orders[0])
        self._sides = table.side_by_seat
        self._tallies = [self._empty_tally(players) for _ in table.orders]
        self.winners: NDArray[np.uint8] = np.zeros((deals, len(table.orders)), np.uint8)
        rows = deals if table.keeps_counts else 0
        width = len(stored_measures(self._counts, players))
        self.measures: NDArray[Any] = np.zeros((rows, width), "<i4")
        rows = 0 if table.payoff is None else deals
        self.payoffs: NDArray[Any] = np.zeros((rows, 2 * players), STORED)
        self.last_payoffs: list[Sequence[int] | None] = [None] * len(table.orders)
        self._pairs = pairs_of_positions(players) if self._counts.followed else ()
        self._fingerprints = np.zeros(deals, FINGERPRINT)
        self._has_draws = np.zeros(deals, bool)

    @property
    def fingerprints(self) -> NDArray[np.uint32]:
        """Those of all deals, 0 where something was drawn; none where it was in every deal."""
        if self._has_draws.all():
            return self._fingerprints[:0]
        return np.where(self._has_draws, self._fingerprints.dtype.type(0), self._fingerprints)

    def _mark(self, index: int, fingerprint: int | None) -> None:
        """Add the fingerprint of a game to that of its deal."""
        if fingerprint is None:
            self._has_draws[index] = True
            return
        earlier = int(self._fingerprints[index])
        self._fingerprints[index] = zlib.crc32(fingerprint.to_bytes(4, "little"), earlier) or 1

    def _empty_tally(self, players: int) -> _SeatingTally:
        names = self._counts.names
        none = {name: [0] * players for name in names}
        return _SeatingTally(
            players, wins=[0] * players, counts=none, squares=dict.fromkeys(names, 0)
        )

    def tallies(self) -> tuple[Tally, ...]:
        return tuple(tally.tally() for tally in self._tallies)

    def enter(self, index: int, order: int) -> None:
        tally, table = self._tallies[order], self._table
        tally.games += 1
        if table.loser is not None:
            self._win(tally, index, order, self._sides_of(table.winners(Result(()))))
            self._pay(index, order, Result(()))
            tally.forfeits += 1  # how long such a game was says nothing about the rules or the bots
            self._mark(index, None)
            return
        result = table.result()
        self._mark(index, table.fingerprint(result))
        winners = self._sides_of(table.winners(result))
        tally.unfinished += not winners
        self._win(tally, index, order, winners or range(tally.players))
        self._pay(index, order, result)
        counts = count_by_seat(table, result)
        if len(self._sides) > tally.players:
            counts = {name: self._by_side(name, values) for name, values in counts.items()}
        self._count(tally, counts)
        if len(self.measures):
            sums = [sum(counts[name]) for name in self._counts.names]
            self.measures[index] += [1, not winners, *sums, *self._after(order, counts)]
        self._count_length(tally, sum(counts[self._counts.length]))
        if winners:
            self._count_highlights(tally, result)

    def enter_from(self, table: CountedTable, index: int, order: int) -> None:
        """Enter the game that has ended at another table of the same rules."""
        own, self._table = self._table, table
        try:
            self.enter(index, order)
        finally:
            self._table = own

    def _win(self, tally: _SeatingTally, index: int, order: int, winners: Collection[int]) -> None:
        """Count a game as won by these sides."""
        self.winners[index, order] = sum(1 << side for side in winners)
        for side in winners:
            tally.wins[side] += win_units(tally.players) // len(winners)

    def _pay(self, index: int, order: int, result: Result) -> None:
        """Add the payoffs to those of the deal, by position in the group, then by seat."""
        if not len(self.payoffs):
            return
        payoffs = self._table.payoffs(result)
        if payoffs is None:
            self.payoffs[index], self.last_payoffs[order] = VOID, None
            return
        bots = self._table.orders[order]
        by_side = dict(zip(self._sides, payoffs, strict=True))  # partners get the same
        self.last_payoffs[order] = [by_side[side] for side in range(len(bots))]
        if self.payoffs[index, 0] == VOID:
            return
        for side, payoff in by_side.items():
            self.payoffs[index, [bots[side], len(bots) + side]] += payoff

    def _sides_of(self, seats: Iterable[int]) -> Collection[int]:
        """The sides of these seats."""
        return {self._sides[seat]: None for seat in seats}.keys()

    def _by_side(self, name: str, values: Sequence[int]) -> Sequence[int]:
        """A count by side: the sum of its seats' counts; of ranks the best."""
        if not len(values):
            return values
        seats: list[list[int]] = [[] for _ in self._table.orders[0]]
        for side, value in zip(self._sides, values, strict=True):
            seats[side].append(int(value))
        return [min(own) if name == RANK else sum(own) for own in seats]

    def _count(self, tally: _SeatingTally, counts: dict[str, Sequence[int]]) -> None:
        for name in self._counts.names:
            values = [*map(int, counts[name])]
            tally.counts[name] = [*map(add, tally.counts[name], values)]
            tally.squares[name] += sum(values) ** 2

    def _after(self, order: int, counts: dict[str, Sequence[int]]) -> list[int]:
        """The followed count by preceding bot, for every pair of positions in the group."""
        if not self._pairs:
            return []
        seats = pairs_of_seats(self._table.orders[order])
        points = dict(zip(seats, counts[self._counts.followed], strict=True))
        return [points.get(pair, 0) for pair in self._pairs]

    def _count_length(self, tally: _SeatingTally, length: int) -> None:
        number = length_class(length)
        games, first = tally.lengths.get(number, (0, self._table.deal))
        tally.lengths[number] = games + 1, first

    def _count_highlights(self, tally: _SeatingTally, result: Result) -> None:
        for highlight in self._counts.highlights:
            how_much = int(result.highlights.get(highlight.kind, 0))
            if how_much > tally.highlights.get(highlight.kind, (0, 0))[0]:
                tally.highlights[highlight.kind] = how_much, self._table.deal


def count_by_seat(table: CountedTable, result: Result) -> dict[str, Sequence[int]]:
    """Every count by seat, including decisions, points and ranks, which need not be in the result.

    Raises GameError when one is missing.
    """
    counts: dict[str, Sequence[int]] = {
        DECISIONS: table.decision_counts,
        POINTS: result.points,
        **result.counts,
    }
    names = table.game.counts.names
    if RANK in names and RANK not in counts:
        counts[RANK] = result.ranks or ranks_of(result.points)
    if not all(map(counts.get, names)):
        missing = ", ".join(name for name in names if not counts.get(name))
        raise GameError(f"{table.game.title} counts {missing}, but its result does not say it")
    return counts


def ranks_of(points: Sequence[int]) -> tuple[int, ...]:
    """Ranks from 1 for the most points; equal points have equal ranks."""
    return tuple(1 + sum(other > own for other in points) for own in points)


class BlockTally(Protocol):
    """The tally of one block.

    `winners` has a mask of the winning seats for each deal and order.
    """

    winners: NDArray[np.uint8]

    @property
    def last_payoffs(self) -> Sequence[Sequence[int] | None]:
        """What the last game of each order has paid by side; None where it has paid nothing."""

    @property
    def measures(self) -> NDArray[Any]:
        """A row for each deal, if counts are stored deal by deal; else no rows."""

    @property
    def payoffs(self) -> NDArray[Any]:
        """What each deal has paid, by position in the group, then by seat; no rows without."""

    @property
    def fingerprints(self) -> NDArray[np.uint32]:
        """The fingerprint of each deal, 0 where something was drawn; none where it always was."""

    def enter(self, index: int, order: int) -> None:
        """Count the game that has just ended; `index` is its deal, from the block's first."""

    def tallies(self) -> tuple[Tally, ...]:
        """The tallies of all orders."""
