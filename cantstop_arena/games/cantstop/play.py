"""A table at which bots play whole blocks of deals."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cantstop_arena.games.cantstop import kernel
from cantstop_arena.games.cantstop.asking import Misplay, misplay_of
from cantstop_arena.games.cantstop.counts import COUNTS, MEASURES, TELLING
from cantstop_arena.games.cantstop.state import FAULT, OVER, TALLY
from cantstop_arena.games.cantstop.table import Seating
from cantstop_arena.games.cantstop.twice import Sample
from cantstop_arena.outcomes import ILLEGAL, Block, BlockResult, Fault, Tally, seatings

_TRIES = 3  # of a game in which it is doubtful who stopped a bot from answering
NO_MOVE = "choose_move returned an index that is no move"


class Table(Seating):
    """Where contestants play Can't Stop under one rule set, `players` of them at a time."""

    def play(self, block: Block, condemned: Iterable[Fault] = ()) -> BlockResult:
        """Play a block: its deals, each in every seating of its group.

        The games of the `condemned` faults are lost unplayed by the bots that these name.
        """
        self.tidy_up()
        self.group = block.group
        sample = Sample(self, block, condemned)
        result = _Playing(self, block, condemned).result()
        return replace(result, irreproducible=sample.differing())

    def warm_up(self) -> None:
        """Have the engine compiled, or loaded, without asking any bot."""
        game, bots = self.games[0], len(self.contestants)
        group = tuple(seat % bots for seat in range(int(game.players)))
        nothing = _Playing(self, Block(group, 0, 0))
        if any(self.native):
            kernel.play_native(self.handle, *nothing.native_arguments(0, 0))
        if not all(self.native):
            kernel.start_game(self.handle, 0)
            game.watched = 1
            kernel.advance(self.handle, -1)
            game.watched = 0
        kernel.bot_key(self.handle, 0)
        kernel.start_game(self.handle, 0)
        kernel.forfeit(self.handle, 0)
        scratch = _Playing(self, Block(group, 0, 1))
        kernel.settle(self.handle, *scratch.records, 0, 0)


class _Playing:
    """One block while it is played."""

    def __init__(self, table: Table, block: Block, condemned: Iterable[Fault] = ()) -> None:
        self.table = table
        self.block = block
        self.orders = tuple(seatings(block.group))
        self.total = block.deals * len(self.orders)
        self.tallies = np.zeros(len(self.orders), TALLY).view(np.recarray)
        self.winners: NDArray[np.uint8] = np.zeros((block.deals, len(self.orders)), np.uint8)
        kept = block.deals if table.measured else 0
        self.measures: NDArray[np.uint32] = np.zeros((kept, len(MEASURES)), np.uint32)
        self.sums: NDArray[np.int64] = np.zeros(len(COUNTS), np.int64)
        self.faults: dict[tuple[int, int, str], Fault] = {}
        self.condemned = {self._cursor_of(fault): fault for fault in condemned}

    def _cursor_of(self, fault: Fault) -> int:
        return (fault.deal - self.block.first) * len(self.orders) + self.orders.index(fault.seating)

    def result(self) -> BlockResult:
        """Play, and add up."""
        native = all(self.table.native[bot] for bot in self.block.group)
        start = 0
        for stop in [*sorted(self.condemned), self.total]:
            (self._play_native if native else self._play_asking)(start, stop)
            if stop < self.total:
                self._forfeit_unplayed(stop)
            start = stop + 1
        return BlockResult(
            self.block,
            tuple(map(_tally, self.tallies, (len(order) for order in self.orders))),
            self.winners.tobytes(),
            self.measures.astype("<u4").tobytes(),
            tuple(self.faults[key] for key in sorted(self.faults)),
        )

    def _forfeit_unplayed(self, cursor: int) -> None:
        fault = self.condemned[cursor]
        self._sit_down(cursor)
        kernel.start_game(self.table.handle, fault.deal)
        self._forfeit(cursor, fault.seating.index(fault.bot), Misplay(fault.kind, fault.message))
        self._settle(cursor)

    # Compiled bots only

    def _play_native(self, start: int, stop: int) -> None:
        handle, cursor = self.table.handle, start
        while cursor < stop:
            try:
                cursor = kernel.play_native(handle, *self.native_arguments(cursor, stop))
            except Exception as error:
                cursor = int(self.table.games[0].cursor)
                self._forfeit(cursor, self.table.asker.seat, misplay_of(error))
            else:
                if cursor < stop:
                    self._charge(cursor, self.table.asker.seat, Misplay(ILLEGAL, NO_MOVE))
            if cursor < stop:
                self._settle(cursor)
                cursor += 1

    def native_arguments(self, start: int, stop: int) -> tuple[Any, ...]:
        """What the engine needs to play the block's games numbered `start` to `stop`."""
        natives = [self.table.native[bot] for bot in self.block.group]
        addresses = np.array([native.addresses for native in natives if native], np.int64)
        addresses = addresses.reshape(-1, 2)
        places, first = self._places(), self.block.first
        return addresses, places, first, start, stop, *self.records

    @property
    def records(self) -> tuple[Any, ...]:
        """What the engine writes down."""
        return self.sums, self.tallies, self.winners, self.measures

    def _places(self) -> NDArray[np.int64]:
        """The seatings, with bots as positions in the group."""
        group = self.block.group
        return np.array([[group.index(bot) for bot in order] for order in self.orders], np.int64)

    # At least one bot that is asked from Python

    def _play_asking(self, start: int, stop: int) -> None:
        for cursor in range(start, stop):
            self._sit_down(cursor)
            self._play_game(cursor)
            self._settle(cursor)

    def _sit_down(self, cursor: int) -> None:
        """Tell whoever watches which game comes, and the engine who sits where."""
        game, seats = self.table.games[0], self.orders[cursor % len(self.orders)]
        game.cursor = cursor
        game.bots[: len(seats)] = [self.block.group.index(bot) for bot in seats]

    def _play_game(self, cursor: int) -> None:
        deal, order = divmod(cursor, len(self.orders))
        for tries in range(1, _TRIES + 1):
            try:
                self.table.start(self.orders[order], self.block.first + deal)
                self._play_on()
            except Misplay as misplay:
                if misplay.doubtful and tries < _TRIES:
                    continue
                self._forfeit(cursor, self.table.asker.seat, misplay)
            except Exception as error:
                self._forfeit(cursor, self.table.asker.seat, misplay_of(error))
            else:
                if self.table.games[0].ending == FAULT:
                    self._charge(cursor, self.table.asker.seat, Misplay(ILLEGAL, NO_MOVE))
            return

    def _play_on(self) -> None:
        handle, ask, players = self.table.handle, self.table.asker.ask, self.table.sitting
        answer = -1
        while (wanted := kernel.advance(handle, answer)) != OVER:
            answer = ask(players, wanted)

    # Both

    def _settle(self, cursor: int) -> None:
        deal, order = divmod(cursor, len(self.orders))
        kernel.settle(self.table.handle, *self.records, order, deal)

    def _forfeit(self, cursor: int, seat: int, misplay: Misplay) -> None:
        self._charge(cursor, seat, misplay)
        kernel.forfeit(self.table.handle, seat)

    def _charge(self, cursor: int, seat: int, misplay: Misplay) -> None:
        index, order = divmod(cursor, len(self.orders))
        seats, deal = self.orders[order], self.block.first + index
        key = (deal, seats[seat], misplay.kind)
        first = self.faults.get(key) or Fault(
            seats[seat], misplay.kind, str(misplay), seats, deal, 0
        )
        self.faults[key] = replace(first, count=first.count + 1)


def _tally(record: Any, players: int) -> Tally:
    counts = {
        name: tuple(record["counts"][number, :players].tolist())
        for number, name in enumerate(COUNTS)
    }
    found = np.flatnonzero(record["lengths"]).tolist()
    return Tally(
        games=int(record["games"]),
        wins=tuple(record["wins"][:players].tolist()),
        unfinished=int(record["unfinished"]),
        forfeits=int(record["forfeits"]),
        counts=counts,
        squares=dict(zip(COUNTS, record["squares"].tolist(), strict=True)),
        lengths={
            number: (int(record["lengths"][number]), int(record["length_deals"][number]))
            for number in found
        },
        telling={
            name: (how_much, deal)
            for name, how_much, deal in zip(
                TELLING, record["telling"].tolist(), record["telling_deals"].tolist(), strict=True
            )
            if how_much
        },
    )
