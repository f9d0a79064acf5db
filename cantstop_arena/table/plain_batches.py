"""The games of a block in step at a plain table: for bots that decide for many games at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cantstop_arena.deals.outcomes import Block
from cantstop_arena.deals.seatings import Group, lineups
from cantstop_arena.game_api.batches import (
    Batch,
    NumberedDecision,
    empty_batch,
    encoding_or_error,
    numbered_decision,
    row_of,
)
from cantstop_arena.table.batch_loop import LostGame
from cantstop_arena.table.batched_bot import BatchedBot
from cantstop_arena.table.bot_faults import BotFault
from cantstop_arena.table.conversation import PendingDecision, WaitingSeat

if TYPE_CHECKING:
    from cantstop_arena.table.block_tally import PlainTally
    from cantstop_arena.table.plain_table import PlainTable

_PLANES = 4  # games of a row that have begun, where several bots wait for each other
_AHEAD = 16  # games of a row may have begun after the first of a block that has not ended


class _GameInStep:
    """A game in step, at a table of its own, and the decision that it waits for."""

    def __init__(self, number: int, table: PlainTable, lineup: Group, group: Group) -> None:
        self.number, self.table = number, table
        self.positions = tuple(group.index(bot) for bot in table.by_seat(lineup))
        self.stops = table.stops()
        self.pending: PendingDecision | None = None

    @property
    def position(self) -> int:
        """The position in the group of the bot that it waits for; -1 for none."""
        return -1 if self.pending is None else self.positions[self.pending.seat]

    def play(self) -> None:
        """Play until the game waits for a batched bot, or has ended. Raises BotFault."""
        self.pending = None
        for stop in self.stops:
            if isinstance(stop, PendingDecision):
                self.pending = stop
                return

    def answer(self, answer: Any) -> None:
        """Answer what it waits for."""
        assert self.pending is not None
        seat = self.table.sitting[self.pending.seat]
        assert isinstance(seat, WaitingSeat)
        seat.set_answer(answer)


class _Row(NamedTuple):
    """The game in a row of a batch, and its decision as numbers."""

    game: _GameInStep
    decision: NumberedDecision


class PlainBatches:
    """Implements `batch_loop.BatchGames` with a table for each game that has begun.

    Games are counted in the order of their numbers, as fingerprints depend on it.
    """

    def __init__(self, table: PlainTable, block: Block, tally: PlainTally) -> None:
        self._table, self._tally, self._group = table, tally, block.group
        self._lineups = tuple(lineups(block.group, table.orders))
        players = {p: table.seated_bots[bot].player for p, bot in enumerate(block.group)}
        self._batches = {
            position: self._empty_batch(bot)
            for position, bot in players.items()
            if isinstance(bot, BatchedBot)
        }
        self._columns = max(batch.rows for batch in self._batches.values())
        planes = _PLANES if len(self._batches) > 1 else 1
        self._games: list[_GameInStep | None] = [None] * (self._columns * planes)
        orders = len(table.orders)
        self._first, self._stop = block.first * orders, block.end * orders
        first = self._first
        self._upcoming = [
            first + (column - first) % self._columns for column in range(self._columns)
        ]
        self._ended: dict[int, PlainTable] = {}  # those that are not counted yet
        self._counted = self._first  # all games before this one are
        self._rows: dict[int, _Row] = {}

    def _empty_batch(self, bot: BatchedBot) -> Batch:
        table, players = self._table, len(self._table.side_by_seat)
        encoding = encoding_or_error(table.game, table.rules, players)
        return empty_batch(bot.rows, encoding, table.rules, players)

    def begin(self) -> Iterator[LostGame]:
        for index in range(len(self._games)):
            column = index % self._columns
            while self._games[index] is None and self._may_begin(self._upcoming[column]):
                game = self._new_game(self._upcoming[column])
                self._upcoming[column] += self._columns
                self._games[index] = game
                yield from self._play(index, game)

    def _may_begin(self, number: int) -> bool:
        return number < min(self._stop, self._counted + _AHEAD * self._columns)

    def _new_game(self, number: int) -> _GameInStep:
        table, orders = self._table, len(self._lineups)
        lineup = self._lineups[number % orders]
        own = table.table_in_step(number - self._first)
        players = [
            WaitingSeat(seat, table.game) if isinstance(player, BatchedBot) else player
            for seat, player in enumerate(
                table.seated_bots[bot].player for bot in table.by_seat(lineup)
            )
        ]
        own.waiting_seats = tuple(seat for seat in players if isinstance(seat, WaitingSeat))
        own.start_with(players, lineup, number // orders)
        return _GameInStep(number, own, lineup, self._group)

    def _play(self, index: int, game: _GameInStep) -> Iterator[LostGame]:
        """Play a game on; if it ends, count it, and yield it if it was lost by a fault."""
        self._table.mark_game(game.number - self._first, game.positions)
        try:
            game.play()
        except BotFault as fault:
            yield self._lost(index, game, game.table.seat, fault)
            return
        if game.pending is None:
            self._end(index, game)

    def _lost(self, index: int, game: _GameInStep, seat: int, fault: BotFault) -> LostGame:
        game.table.forfeit(seat)
        self._end(index, game)
        return LostGame(game.number, seat, fault)

    def _end(self, index: int, game: _GameInStep) -> None:
        """Count the game when all before it have ended."""
        self._games[index] = None
        self._ended[game.number] = game.table
        while (table := self._ended.pop(self._counted, None)) is not None:
            deal, order = divmod(self._counted - self._first, len(self._lineups))
            self._tally.enter_from(table, deal, order)
            self._counted += 1

    def waiting(self) -> int | None:
        counts = Counter(game.position for game in self._games if game and game.pending)
        return min(counts, key=lambda position: (-counts[position], position), default=None)

    def observe(self, position: int) -> tuple[Batch, NDArray[np.int64]]:
        batch = self._batches[position]
        for array in batch.arrays().values():
            array[:] = 0
        numbers = np.full(batch.rows, -1, np.int64)
        games = [game for game in self._games if game and game.position == position]
        self._rows = {}
        for game in sorted(games, key=lambda game: game.number):
            row = row_of(game.number, batch.rows)
            if row not in self._rows:
                self._rows[row] = self._observe_row(batch, row, game)
                numbers[row] = game.number
        return batch, numbers

    def _observe_row(self, batch: Batch, row: int, game: _GameInStep) -> _Row:
        pending = game.pending
        assert pending is not None
        with game.table.game_at_work():
            decision = numbered_decision(
                self._table.game, pending.decision.name, pending.view, pending.moves
            )
            batch.random[row] = pending.view.random()
        batch.observations[row], batch.legal[row] = decision.observation
        batch.live[row], batch.seats[row] = True, pending.seat
        return _Row(game, decision)

    def action_name(self, action: int) -> str:
        return next(iter(self._rows.values())).decision.name_of(action)

    def answer(
        self, actions: NDArray[np.int64], faults: Mapping[int, BotFault]
    ) -> Iterator[LostGame]:
        for row, (game, decision) in self._rows.items():
            index = self._games.index(game)
            if (fault := faults.get(row)) is not None:
                assert game.pending is not None
                yield self._lost(index, game, game.pending.seat, fault)
                continue
            game.answer(decision.answer_for(int(actions[row])))
            yield from self._play(index, game)
        yield from self.begin()
