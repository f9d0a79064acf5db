"""The table of Can't Stop: the engine calls compiled bots itself, and stops for plain bots."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from operator import or_
from typing import Any

import numpy as np

from cantstop_arena.deals.outcomes import BY_VALUE, ILLEGAL, Block, Snapshot
from cantstop_arena.deals.seatings import Group, lineups
from cantstop_arena.errors import GameError
from cantstop_arena.game_api import watched
from cantstop_arena.game_api.decisions import GAME_OVER
from cantstop_arena.game_api.game import Game
from cantstop_arena.game_api.state import LEFT, Event
from cantstop_arena.games.cantstop.engine.engine_cache import ENGINE_CACHE
from cantstop_arena.games.cantstop.engine.entry_points import (
    engine,
    handle_of,
    is_compiled,
    native_player,
    step_engine,
)
from cantstop_arena.games.cantstop.engine.game_array import (
    AGAIN,
    FAULT,
    GAME,
    MAX_SEATS,
    MOVE,
    MOVED,
    OVER,
    ROLL,
    new_game,
    secret,
    slot,
)
from cantstop_arena.games.cantstop.play.engine_tally import EngineTally, LuckTally
from cantstop_arena.games.cantstop.play.plain_bots import PlainBotCaller
from cantstop_arena.games.cantstop.records import RecordWriter
from cantstop_arena.games.cantstop.rules import RuleSet
from cantstop_arena.hookspecs import BATCH_HOOK
from cantstop_arena.native.code_cache import CompiledBot
from cantstop_arena.native.object_files import array_arguments
from cantstop_arena.table.batch_loop import BatchGames
from cantstop_arena.table.batched_bot import BatchedBot
from cantstop_arena.table.bot_faults import BotFault, fault_of
from cantstop_arena.table.conversation import PendingDecision, Waiting
from cantstop_arena.table.determinism import TraceStep
from cantstop_arena.table.seated_bot import SeatedBot
from cantstop_arena.table.table import GameTable

NO_ANSWER = -1  # passed to the engine at the start, when there is no answer yet
NO_MOVE = "choose_move returned an index that is no move"


class EngineTable(GameTable):
    """A table of seated bots with one game record.

    Raises BotError when a bot marked `@compiled` does not compile.
    """

    def __init__(
        self,
        game: Game,
        rules: RuleSet,
        bots: Sequence[SeatedBot],
        players: int,
        seed: Any,
    ) -> None:
        super().__init__(game, rules, bots, players, seed)
        by_digest = {bot.digest: bot for bot in bots}
        compiled = {digest: _machine_code(bot) for digest, bot in by_digest.items()}
        self.native = tuple(compiled[bot.digest] for bot in bots)
        self.memory_size = max((code.memory for code in self.native if code), default=0)
        """The numbers that each seat has as the memory of a compiled bot."""
        self._memories = np.zeros((MAX_SEATS, self.memory_size))
        self._memory_at = np.array([memory.ctypes.data for memory in self._memories])
        self._calls = 0  # of batched bots
        self.seat_luck = np.zeros(players, np.int64)  # the luck in the present game, by seat
        self._chances_by_value: dict[bool, Any] = {}
        self._attach(new_game(rules, players, seed))

    def _attach(self, games: Any) -> None:
        self.games = games
        self._integers = np.frombuffer(games.data, np.int64, slot("roll_total"))
        self._record: Any = games.view(GAME)[0]  # ten times as fast to read as a recarray
        self._use_own_memories()
        self.handle = handle_of(games)
        self._plain_caller: PlainBotCaller | None = None

    @property
    def _caller(self) -> PlainBotCaller:
        """What calls plain bots; made when the first one sits down, as many tables have none."""
        if self._plain_caller is None:
            self._plain_caller = PlainBotCaller(self.rules, self.games, self._guard)
            self._plain_caller.on_turn = lambda seat: self.on_speaker(self.seats[seat])
        return self._plain_caller

    def _use_own_memories(self) -> None:
        """Give the seats their memory back: games in step leave in the record that of their own,
        which is freed with them.
        """
        self._integers[_MEMORY_AT] = self._memory_at

    def attach_memory(self, memory: Any) -> None:
        self._attach_copy(memory, self.games)

    def _attach_copy(self, memory: Any, games: Any) -> None:
        there = np.frombuffer(memory, GAME, 1).view(np.recarray)
        there[:] = games
        self._attach(there)

    def change_rules(self, rules: RuleSet, players: int, memory: Any) -> None:
        self.rules = rules
        self._set_orders(players)
        self.seat_luck = np.zeros(players, np.int64)
        self._chances_by_value = {}
        self._attach_copy(memory, new_game(rules, players, self.seed))

    def is_compiled(self, bots: Iterable[int]) -> bool:
        return all(self.native[bot] for bot in bots)

    def plays_in_step(self, bots: Iterable[int]) -> bool:
        is_compiled = [bool(self.native[bot]) for bot in bots]
        is_batched = [isinstance(self.seated_bots[bot].player, BatchedBot) for bot in bots]
        able = all(map(or_, is_compiled, is_batched))
        return able and any(is_batched) and not self.luck_measure

    def games_in_step(self, block: Block, tally: Any) -> BatchGames:
        from cantstop_arena.games.cantstop.play.engine_batches import EngineBatches

        return EngineBatches(self, block, tally)

    def warm_up(self) -> None:
        """Compile or load the engine, without calling any bot."""
        self._attach(self.games)  # the table may have been created before its process was forked
        engine()
        if self.batched_among(range(len(self.seated_bots))):
            self.warm_up_steps()
        if self.luck_measure:
            self._warm_up_luck()

    def warm_up_steps(self) -> None:
        step_engine()

    def _warm_up_luck(self) -> None:
        """Compile or load the scoring of luck: play no games, and score an empty turn."""
        from cantstop_arena.games.cantstop.engine import luck

        tally = LuckTally(self.handle, self.orders, 1, self._chances, self.seat_luck)
        self.play_compiled(Block((0,) * len(self.orders[0]), 0, 1), 0, 0, tally)
        luck.score_roll(self.handle, self._chances, self.seat_luck)
        tally.note_luck(0, 0)

    @property
    def _chances(self) -> Any:
        """What luck is measured by: winning chances, unless it is the stake."""
        from cantstop_arena.games.cantstop.engine.winning_chance import chances_of

        by_value = self.luck_measure == BY_VALUE
        if by_value not in self._chances_by_value:
            self._chances_by_value[by_value] = chances_of(self.games[0], by_value)
        return self._chances_by_value[by_value]

    # One game

    @property
    def seat(self) -> int:
        return int(self._integers[_SEAT])

    @property
    def turn(self) -> int:
        return int(self._record["turn"])

    @property
    def speaker(self) -> int:
        game = self._record
        return self.group[int(game["bots"][int(game["seat"])]) % len(self.group)]

    def begin(self, deal: int) -> None:
        game = self._record
        self._use_own_memories()
        self.seat_luck[:] = 0
        for seat, bot in enumerate(self.seats):
            native = self.native[bot]
            game["turn_at"][seat] = native.address if native else 0
            game["memory_sizes"][seat] = native.memory if native else 0
        game["secret"].view(np.int64)[:] = self.secret_of(self.seats)
        engine().start_game(self.handle, deal)
        if not self.is_compiled(self.seats):
            self._caller.begin()

    def secret_of(self, seats: Group) -> list[int]:
        """The key of the dice of bots by seat, as signed numbers, as machine code passes them."""
        key = np.array(secret(self.dice_of(seats).circle), np.uint64)
        return [int(half) for half in key.view(np.int64)]

    def begin_again(self, deal: int) -> None:
        engine().start_game(self.handle, deal)

    def key_of_bot(self, seat: int) -> int:
        return int(engine().bot_key(self.handle, seat))

    def mark_as_deciding(self, seat: int) -> None:
        game = self._record
        game["seat"], game["turn"], game["waiting"] = seat, 0, AGAIN

    def last_view(self, seat: int) -> Any:
        return None if self.native[self.seats[seat]] else self._caller.view.get(seat)

    @contextmanager
    def marking_game_over(self, seat: int) -> Iterator[None]:
        """The record is restored afterwards, unless the bot fails."""
        game = self._record
        last, game["seat"], game["waiting"] = int(game["seat"]), seat, HEARING
        yield
        game["seat"], game["waiting"] = last, OVER

    def clear_decision(self) -> None:
        self._record["waiting"] = OVER

    def mark_batch(self, cursor: int, position: int) -> None:
        self._calls += 1
        self._integers[_BATCH_SLOTS] = cursor, 0, self._calls, DECIDING, position

    def mark_game(self, cursor: int, positions: Group) -> None:
        game = self._record
        game["cursor"] = cursor
        game["bots"][: len(positions)] = positions

    def _step_functions(self) -> tuple[Callable[[int], int], Callable[[int], int]]:
        """A function that takes the last answer and returns the next stop, and one that takes a
        stop and returns the answer, or raises BotFault."""
        advance = partial(engine().advance, self.handle)
        if self.is_compiled(self.seats):
            return advance, lambda stop: NO_ANSWER
        ask = self._caller.asking(self.sitting)
        return advance, self._decisions_only(ask) if self._is_watched else ask

    @property
    def _is_watched(self) -> bool:
        return bool(self._record["watched"])

    def _decisions_only(self, ask: Callable[[int], int]) -> Callable[[int], int]:
        """`ask` for decisions; other stops of a watched game have no answer."""
        return lambda stop: ask(stop) if stop in (MOVE, AGAIN) else NO_ANSWER

    def _look_at_end(self) -> None:
        """Raise BotFault if machine code ended the game by a fault."""
        if self._record["ending"] == FAULT:
            raise BotFault(ILLEGAL, NO_MOVE)

    def forfeit(self, seat: int) -> None:
        if self._record["ending"] != FAULT:
            engine().forfeit(self.handle, seat)

    def stops(self) -> Iterator[int | PendingDecision]:
        if self._is_watched or not self.luck_measure:
            yield from self._unscored_stops()
            return
        from cantstop_arena.games.cantstop.engine import luck

        for stop in self.watched_stops():
            if stop == ROLL:
                luck.score_roll(self.handle, self._chances, self.seat_luck)
            yield stop

    def _unscored_stops(self) -> Iterator[int | PendingDecision]:
        advance, answer_to = self._step_functions()
        answer = NO_ANSWER
        with _bots_to_blame():
            while (stop := advance(answer)) != OVER:
                while True:
                    try:
                        answer = answer_to(stop)
                        break
                    except Waiting as waiting:
                        yield waiting.pending
                for person in self.people:
                    person.clear_answer()
                yield stop
        self._look_at_end()

    def play_out(self) -> None:
        """The loop of `stops` without yielding, which is faster."""
        if self.luck_measure:
            return super().play_out()
        advance, answer_to = self._step_functions()
        answer = NO_ANSWER
        with _bots_to_blame():
            while (stop := advance(answer)) != OVER:
                answer = answer_to(stop)
        self._look_at_end()

    # Step by step

    def watched_stops(self) -> Iterator[int | PendingDecision]:
        """Like `stops`, but also stops at every roll and after every move."""
        self._record["watched"] = 1
        try:
            yield from self.stops()
        finally:
            self._record["watched"] = 0

    def events(self) -> Iterator[Event | PendingDecision]:
        return RecordWriter(self._record, self.rules, self.seats).events(self.watched_stops())

    def trace(self) -> Iterator[TraceStep]:
        """A roll is attributed to the seat that moved last: its answer led to the roll."""
        game, last = self._integers, 0
        for now in self.watched_stops():
            if now == ROLL:
                yield TraceStep(last, ("roll", int(game[_TURN]), int(game[_ROLLS])))
            elif now == MOVED:
                last = int(game[_SEAT])
                yield TraceStep(last, ("move", int(game[_CHOSEN])))

    def ending(self) -> Event:
        return RecordWriter(self._record, self.rules, self.seats).ending()

    def abandoned_event(self) -> Event:
        turns = max(self.turn, 1)  # a game abandoned before its first turn counts that turn
        return {"event": "end", "turns": turns, "winners": [], "reason": LEFT}

    # Blocks

    def new_tally(self, deals: int) -> EngineTally:
        if self.luck_measure:
            return LuckTally(self.handle, self.orders, deals, self._chances, self.seat_luck)
        return EngineTally(self.handle, self.orders, deals, self.keeps_counts)

    def play_compiled(
        self, block: Block, start: int, stop: int, tally: Any
    ) -> tuple[int, BotFault | None]:
        natives = [self.native[bot] for bot in block.group]
        machine_codes = [(native.address, native.memory) for native in natives if native]
        addresses = np.array(machine_codes, np.int64).reshape(-1, 2)
        positions = tuple(range(len(block.group)))
        lineup_rows = np.array(
            [
                [*order, *self.secret_of(tuple(block.group[position] for position in order))]
                for order in lineups(positions, self.orders)
            ],
            np.int64,
        )
        played = block.first, start, stop
        self._use_own_memories()
        try:
            if self.luck_measure:
                from cantstop_arena.games.cantstop.engine import luck

                cursor = luck.play_scored(
                    self.handle, addresses, lineup_rows, *played, *tally.records
                )
            else:
                arrays, records = (
                    array_arguments(addresses, lineup_rows),
                    array_arguments(*tally.records),
                )
                cursor = engine().play_native(self.handle, *arrays, *played, *records)
        except Exception as error:
            return int(self._record["cursor"]), fault_of(error)
        finally:
            self._record["watched"] = 0
        return cursor, BotFault(ILLEGAL, NO_MOVE) if cursor < stop else None


def _machine_code(bot: SeatedBot) -> CompiledBot | None:
    if not is_compiled(bot.player):
        return None
    folder = ENGINE_CACHE.bot_folder(bot.digest)
    return native_player(bot.player, bot.name, folder)


SIZE = GAME.itemsize
_SNAPSHOT_FIELDS = ("cursor", "seat", "turn", "rolls", "waiting")
_SLOTS = [slot(name) for name in _SNAPSHOT_FIELDS]
_BOTS = slot("bots")
_SEAT, _TURN, _ROLLS, _CHOSEN = map(slot, ("seat", "turn", "rolls", "chosen"))
_MEMORY_AT = slice(slot("memory_at"), slot("memory_at") + MAX_SEATS)
_BATCH_SLOTS = [*(slot(name) for name in ("cursor", "seat", "turn", "waiting")), _BOTS]
HEARING = -1  # the value of `waiting` after the game, while a bot handles `game_over`
DECIDING = -2  # its value while a bot decides for the games of a batch
_DECISIONS = {
    MOVE: "choose_move",
    AGAIN: "roll_again",
    HEARING: GAME_OVER,
    DECIDING: BATCH_HOOK,
}


def snapshot_reader(memory: Any) -> Callable[[], Snapshot]:
    """A function that reads a snapshot of the game in this memory, which other processes write."""
    numbers = np.frombuffer(memory, np.int64, SIZE // 8)

    def read_snapshot() -> Snapshot:
        step = numbers[_SLOTS].tolist()
        cursor, seat, _, _, waiting = step
        decision = _DECISIONS.get(waiting)
        position = int(numbers[_BOTS + seat % MAX_SEATS])  # whatever a bot may have written there
        phase = watched.BOT if decision else watched.ARENA  # the game is compiled code of the arena
        return Snapshot(cursor, position, decision or "", phase, (*step, position))

    return read_snapshot


@contextmanager
def _bots_to_blame() -> Iterator[None]:
    """Raise BotFault for exceptions in machine code, where bots' functions are not wrapped."""
    try:
        yield
    except (BotFault, GameError):
        raise
    except Exception as error:
        raise fault_of(error) from error
