"""The games of a block in step, on the engine: for bots that decide for many games at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cantstop_arena.deals.outcomes import ILLEGAL, Block
from cantstop_arena.deals.seatings import lineups
from cantstop_arena.game_api.batches import Batch, empty_batch, encoding_or_error
from cantstop_arena.games.cantstop.engine.entry_points import step_engine
from cantstop_arena.games.cantstop.engine.game_array import (
    FIELDS,
    HEAD_WORDS,
    MAX_SEATS,
    MAX_SWINGS,
    NEXT,
    slot,
)
from cantstop_arena.games.cantstop.play.actions import actions_under
from cantstop_arena.native.object_files import array_arguments
from cantstop_arena.table.batch_loop import LostGame
from cantstop_arena.table.batched_bot import BatchedBot
from cantstop_arena.table.bot_faults import BotFault, fault_of

if TYPE_CHECKING:
    from cantstop_arena.games.cantstop.play.engine_table import EngineTable
    from cantstop_arena.games.cantstop.play.engine_tally import EngineTally

_PLANES = 4  # games of a row that have begun, where several bots wait for each other
_RECORD_WORDS = int(FIELDS["roll_total"][1]) // 8
NO_MOVE = "choose_move returned an index that is no move"


class EngineBatches:
    """Implements `table.batch_loop.BatchGames` with a head for each game that has begun."""

    def __init__(self, table: EngineTable, block: Block, tally: EngineTally) -> None:
        players = {p: table.seated_bots[bot].player for p, bot in enumerate(block.group)}
        self._bots = {p: bot for p, bot in players.items() if isinstance(bot, BatchedBot)}
        self._record_fields = table.games[0]
        record = np.frombuffer(table.games.data, np.int64, _RECORD_WORDS)
        columns = max(bot.rows for bot in self._bots.values())
        slots = columns * (_PLANES if len(self._bots) > 1 else 1)
        self._heads = np.tile(record[:HEAD_WORDS], (slots, 1))
        self._memories = self._give_memories(table.memory_size)
        swings = np.zeros((slots, 2, MAX_SWINGS), np.int64)
        orders = len(table.orders)
        self._first, stop = block.first * orders, block.end * orders
        self._waiting = np.full(slots, NEXT, np.int64)
        self._numbers = np.zeros(slots, np.int64)
        upcoming = self._first + (np.arange(columns) - self._first) % columns
        seatings = _seatings(table, block)
        self._actions = actions_under(table.rules)
        self._handle, self._stop = table.handle, stop
        at = record, self._heads, swings
        games = self._waiting, self._numbers, seatings, *tally.records
        self._owners = at, games, upcoming  # machine code gets their addresses
        self._begin = array_arguments(*at, upcoming, *games)
        self._forfeit = array_arguments(*at, *games)
        self._calls = {
            position: _Calls(self._empty_batch(table, bot), at, games)
            for position, bot in self._bots.items()
        }
        self._call = next(iter(self._calls.values()))

    def _give_memories(self, size: int) -> NDArray[np.float64]:
        """Give each head memory of its own for compiled bots."""
        memories = np.zeros((len(self._heads), MAX_SEATS, size))
        at = slot("memory_at")
        for head, memory in zip(self._heads, memories, strict=True):
            head[at : at + MAX_SEATS] = [seat.ctypes.data for seat in memory]
        return memories

    def _empty_batch(self, table: EngineTable, bot: BatchedBot) -> Batch:
        players = len(table.orders[0])
        encoding = encoding_or_error(table.game, table.rules, players)
        return empty_batch(bot.rows, encoding, table.rules, players)

    def action_name(self, action: int) -> str:
        return self._actions.name(action)

    def waiting(self) -> int | None:
        if len(self._calls) == 1:
            position = int(self._waiting.max())
            return None if position < 0 else position
        waiting = self._waiting[self._waiting >= 0]
        return int(np.bincount(waiting).argmax()) if len(waiting) else None

    def observe(self, position: int) -> tuple[Batch, NDArray[np.int64]]:
        call = self._call = self._calls[position]
        step_engine().choose_rows(position, *call.choose)
        step_engine().observe_rows(self._handle, *call.observe)
        numbers = self._numbers[call.slots]
        numbers[call.slots < 0] = -1
        return call.batch, numbers

    def begin(self) -> Iterator[LostGame]:
        begin_games, numbers = step_engine().begin_games, (self._first, self._stop)
        while True:
            try:
                index = begin_games(self._handle, *numbers, *self._begin)
            except Exception as error:
                yield self._lost(self._failed_slot(), None, fault_of(error))
                continue
            if index < 0:
                return
            yield self._lost(index, None, BotFault(ILLEGAL, NO_MOVE))

    def answer(
        self, actions: NDArray[np.int64], faults: Mapping[int, BotFault]
    ) -> Iterator[LostGame]:
        call = self._call
        slots = call.slots
        for row, fault in faults.items():
            yield self._lost(int(slots[row]), int(self._heads[slots[row], _SEAT]), fault)
            slots[row] = -1
        row, rows = 0, len(slots)
        call.actions[:] = actions
        answer_rows = step_engine().answer_rows
        while row < rows:
            try:
                row = answer_rows(self._handle, self._first, row, *call.answer)
            except Exception as error:
                index = self._failed_slot()
                row = int(np.flatnonzero(slots == index)[0])
                yield self._lost(index, None, fault_of(error))
            else:
                if row < rows:
                    yield self._lost(int(slots[row]), None, BotFault(ILLEGAL, NO_MOVE))
            row += 1
        yield from self.begin()

    def _failed_slot(self) -> int:
        """The slot of the game in the record, in which a compiled bot has raised an exception."""
        number = self._first + int(self._record_fields.cursor)
        return int(np.flatnonzero(self._numbers == number)[0])

    def _lost(self, index: int, seat: int | None, fault: BotFault) -> LostGame:
        """End the game of a slot as lost by a seat, or by the one on turn in the record."""
        loser = int(self._record_fields.seat) if seat is None else seat
        step_engine().forfeit_game(self._handle, self._first, index, loser, *self._forfeit)
        return LostGame(int(self._numbers[index]), loser, fault)


_SEAT = slot("seat")


class _Calls:
    """The arrays of one bot, and the arguments with which compiled functions work on them."""

    def __init__(self, batch: Batch, at: tuple[Any, ...], games: tuple[Any, ...]) -> None:
        self.batch = batch
        self.slots = np.zeros(batch.rows, np.int64)
        self.actions = np.zeros(batch.rows, np.int64)
        record, heads, _ = at
        waiting, numbers, *_ = games
        arrays = batch.observations, batch.legal, batch.live, batch.seats, batch.random
        self.choose = array_arguments(waiting, numbers, self.slots)
        self.observe = array_arguments(record, heads, self.slots, *arrays)
        self.answer = array_arguments(*at, self.slots, self.actions, *games)


def _seatings(table: EngineTable, block: Block) -> NDArray[np.int64]:
    """By seating and seat: the position of the bot, the address of its code, and its memory.

    After the seats of a seating comes the key of its dice.
    """
    positions = tuple(range(len(block.group)))
    rows = []
    for seating in lineups(positions, table.orders):
        natives = [table.native[block.group[position]] for position in seating]
        codes = [(native.address, native.memory) if native else (0, 0) for native in natives]
        seats = [(position, *code) for position, code in zip(seating, codes, strict=True)]
        dice = table.secret_of(tuple(block.group[position] for position in seating))
        rows.append([*seats, (*dice, 0)])
    return np.array(rows, np.int64)
