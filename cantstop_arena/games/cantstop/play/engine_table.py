"""The table of Can't Stop: the engine plays, compiled bots in machine code, plain ones as asked."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np

from cantstop_arena.deals.outcomes import ILLEGAL, Block, Snapshot
from cantstop_arena.deals.seatings import Group, lineups
from cantstop_arena.game_api.decisions import GAME_OVER
from cantstop_arena.game_api.game import LEFT, Event, Game
from cantstop_arena.games.cantstop.engine.code_cache import CompiledBot, cache_folder, is_compiled
from cantstop_arena.games.cantstop.engine.entry_points import (
    array_arguments,
    engine,
    handle_of,
    native_player,
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
    slot,
)
from cantstop_arena.games.cantstop.play.engine_tally import EngineTally, LuckTally
from cantstop_arena.games.cantstop.play.plain_bots import PlainBotCaller
from cantstop_arena.games.cantstop.records import RecordWriter
from cantstop_arena.games.cantstop.rules import RuleSet
from cantstop_arena.table.bot_faults import BotFault, fault_of
from cantstop_arena.table.seated_bot import SeatedBot
from cantstop_arena.table.table import NO_ANSWER, GameTable

NO_MOVE = "choose_move returned an index that is no move"


class EngineTable(GameTable):
    """Contestants around one game record.

    Raises BotError where a contestant marked `@compiled` does not compile.
    """

    over = OVER

    def __init__(
        self,
        game: Game,
        rules: RuleSet,
        seated_bots: Sequence[SeatedBot],
        players: int,
        seed: Any,
    ) -> None:
        super().__init__(game, rules, seated_bots, players, seed)
        native = {seated_bot.digest: seated_bot for seated_bot in seated_bots}
        compiled = {digest: _compiled(seated_bot) for digest, seated_bot in native.items()}
        self.native = tuple(compiled[seated_bot.digest] for seated_bot in seated_bots)
        stored = max((native.memory for native in self.native if native), default=0)
        self._memories = np.zeros((MAX_SEATS, stored))
        self.lucks = np.zeros(players, np.int64)  # of the game that is played, by seat
        self._start_game(new_game(rules, players, seed))

    def _start_game(self, games: Any) -> None:
        self.games = games
        self._record: Any = games.view(GAME)[0]  # its fields are read in a tenth of the time
        games[0].memory_at = [memory.ctypes.data for memory in self._memories]
        self.handle = handle_of(games)
        self.asker = PlainBotCaller(self.rules, games, self._interpreter_state)
        self.asker.on_turn = lambda seat: self.on_speaker(self.seats[seat])

    def attach_memory(self, memory: Any) -> None:
        self._write_game(memory, self.games)

    def _write_game(self, memory: Any, games: Any) -> None:
        there = np.frombuffer(memory, GAME, 1).view(np.recarray)
        there[:] = games
        self._start_game(there)

    def change_rules(self, rules: RuleSet, players: int, memory: Any) -> None:
        self.rules = rules
        self.orders = self.game.orders(players)
        self.lucks = np.zeros(players, np.int64)
        self._write_game(memory, new_game(rules, players, self.seed))

    def is_compiled(self, bots: Iterable[int]) -> bool:
        return all(self.native[bot] for bot in bots)

    def warm_up(self) -> None:
        """Have the engine compiled, or loaded, without asking any bot."""
        self._start_game(self.games)  # a table may have been made before its process was forked
        engine()
        if self.scores_luck:
            self._warm_up_luck()

    def _warm_up_luck(self) -> None:
        """Have what scores luck compiled, or loaded: it plays no game, and scores an empty turn."""
        from cantstop_arena.games.cantstop.engine import luck

        tally = LuckTally(self.handle, self.orders, 1, self.lucks)
        self.play_compiled(Block((0,) * len(self.orders[0]), 0, 1), 0, 0, tally)
        luck.score_roll(self.handle, self.lucks)
        tally.note_luck(0, 0)

    # One game

    @property
    def seat(self) -> int:
        return self.asker.seat

    @property
    def turn(self) -> int:
        return int(self._record["turn"])

    @property
    def speaker(self) -> int:
        game = self._record
        return self.group[int(game["bots"][int(game["seat"])]) % len(self.group)]

    def begin(self, deal: int) -> None:
        game = self._record
        self.lucks[:] = 0
        for seat, bot in enumerate(self.seats):
            native = self.native[bot]
            game["turn_at"][seat] = native.address if native else 0
            game["memory_sizes"][seat] = native.memory if native else 0
        engine().start_game(self.handle, deal)
        self.asker.begin()

    def begin_again(self, deal: int) -> None:
        engine().start_game(self.handle, deal)

    def key_of_bot(self, seat: int) -> int:
        return int(engine().bot_key(self.handle, seat))

    def mark_as_deciding(self, seat: int) -> None:
        game = self._record
        game["seat"], game["turn"], game["waiting"] = seat, 0, AGAIN

    def last_view(self, seat: int) -> Any:
        return self.asker.view.get(seat)

    @contextmanager
    def marking_game_over(self, seat: int) -> Iterator[None]:
        """The record is as it was afterwards, unless the bot fails."""
        game = self._record
        last, game["seat"], game["waiting"] = int(game["seat"]), seat, HEARING
        yield
        game["seat"], game["waiting"] = last, OVER

    def clear_decision(self) -> None:
        self._record["waiting"] = OVER

    def mark_game(self, cursor: int, positions: Group) -> None:
        game = self._record
        game["cursor"] = cursor
        game["bots"][: len(positions)] = positions

    def step_functions(self) -> tuple[Callable[[Any], Any], Callable[[Any], Any]]:
        ask = self.asker.asking(self.sitting)
        return partial(engine().advance, self.handle), self._advance_function(
            ask
        ) if self._is_watched else ask

    @property
    def _is_watched(self) -> bool:
        return bool(self._record["watched"])

    def _advance_function(self, ask: Callable[[int], int]) -> Callable[[int], int]:
        """A watched game also stops where nothing is asked."""
        return lambda stop: ask(stop) if stop in (MOVE, AGAIN) else NO_ANSWER

    def look_at_end(self) -> None:
        if self._record["ending"] == FAULT:
            raise BotFault(ILLEGAL, NO_MOVE)

    def forfeit(self, seat: int) -> None:
        if self._record["ending"] != FAULT:
            engine().forfeit(self.handle, seat)

    def stops(self) -> Iterator[int]:
        if self._is_watched or not self.scores_luck:
            yield from super().stops()
            return
        from cantstop_arena.games.cantstop.engine import luck

        for stop in self.watched_stops():
            if stop == ROLL:
                luck.score_roll(self.handle, self.lucks)
            yield stop

    def play_out(self) -> None:
        if not self.scores_luck:
            return super().play_out()
        for _ in self.stops():
            pass

    # Watched, step by step

    def watched_stops(self) -> Iterator[int]:
        """Like `stops`, with every roll and every move besides what is asked."""
        self.games[0].watched = 1
        try:
            yield from self.stops()
        finally:
            self.games[0].watched = 0

    def events(self) -> Iterator[Event]:
        return RecordWriter(self.games[0], self.rules, self.seats).events(self.watched_stops())

    def trace(self) -> Iterator[tuple[int, object]]:
        """A roll follows from the answer of whoever moved last, as its absence does."""
        game, last = self.games[0], 0
        for now in self.watched_stops():
            if now == ROLL:
                yield last, ("roll", int(game.turn), int(game.rolls))
            elif now == MOVED:
                last = int(game.seat)
                yield last, ("move", int(game.chosen))

    def ending(self) -> Event:
        return RecordWriter(self.games[0], self.rules, self.seats).ending()

    def abandoned_event(self) -> Event:
        turns = max(self.turn, 1)  # who leaves at once leaves in the first
        return {"event": "end", "turns": turns, "winners": [], "reason": LEFT}

    # Blocks

    def new_tally(self, deals: int) -> EngineTally:
        if self.scores_luck:
            return LuckTally(self.handle, self.orders, deals, self.lucks)
        return EngineTally(self.handle, self.orders, deals, self.keeps_counts)

    def play_compiled(
        self, block: Block, start: int, stop: int, tally: Any
    ) -> tuple[int, BotFault | None]:
        natives = [self.native[bot] for bot in block.group]
        texts = [(native.address, native.memory) for native in natives if native]
        addresses = np.array(texts, np.int64).reshape(-1, 2)
        positions = tuple(range(len(block.group)))
        index = np.array([*lineups(positions, self.orders)], np.int64)
        played = block.first, start, stop
        try:
            if self.scores_luck:
                from cantstop_arena.games.cantstop.engine import luck

                cursor = luck.play_scored(self.handle, addresses, index, *played, *tally.records)
            else:
                arrays, records = (
                    array_arguments(addresses, index),
                    array_arguments(*tally.records),
                )
                cursor = engine().play_native(self.handle, *arrays, *played, *records)
        except Exception as error:
            return int(self._record["cursor"]), fault_of(error)
        finally:
            self._record["watched"] = 0
        return cursor, BotFault(ILLEGAL, NO_MOVE) if cursor < stop else None


def _compiled(seated_bot: SeatedBot) -> CompiledBot | None:
    if not is_compiled(seated_bot.player):
        return None
    folder = cache_folder(seated_bot.digest)
    return native_player(seated_bot.player, seated_bot.name, folder)


SIZE = GAME.itemsize
_OBSERVED = ("cursor", "seat", "turn", "rolls", "waiting")
_SLOTS = [slot(name) for name in _OBSERVED]
_BOTS = slot("bots")
HEARING = -1  # what a game waits for that is over, while a bot hears of it
_ASKED = {MOVE: "choose_move", AGAIN: "roll_again", HEARING: GAME_OVER}


def snapshot_reader(memory: Any) -> Callable[[], Snapshot]:
    """A function that looks at the game in this memory, which others may be writing to."""
    numbers = np.frombuffer(memory, np.int64, SIZE // 8)

    def look() -> Snapshot:
        step = numbers[_SLOTS].tolist()
        cursor, seat, _, _, waiting = step
        question = _ASKED.get(waiting)
        index = int(numbers[_BOTS + seat % MAX_SEATS])  # whatever a bot may have written there
        return Snapshot(cursor, index, question or "", question is not None, (*step, index))

    return look
