"""Positions with bots in some of the seats, which make their own decisions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

import numpy as np

from cantstop_arena.deals.seeds import Seed
from cantstop_arena.errors import UsageError
from cantstop_arena.games.cantstop.engine.engine_cache import ENGINE_CACHE
from cantstop_arena.games.cantstop.engine.entry_points import is_compiled, native_player
from cantstop_arena.games.cantstop.engine.steps import ANSWER, BEGIN
from cantstop_arena.games.cantstop.play.step_board import Head, StepBoard, board_for, fields_of
from cantstop_arena.games.cantstop.play.step_position import CantStopPosition, blank_head
from cantstop_arena.games.cantstop.rules import RuleSet
from cantstop_arena.native.code_cache import CompiledBot
from cantstop_arena.table.seated_bot import GameStart, SeatedBot

Bots = Mapping[int, SeatedBot]
"""Bots by seat."""


class SeatedPosition(CantStopPosition):
    """A game that stops only for decisions of the seats without bots. It cannot be copied."""

    def __init__(self, board: StepBoard, head: Head, deal: int, bots: Bots) -> None:
        """Begin a deal with the dice of `head`. Raises BotError, and exceptions of the bots."""
        self._memories = _seat_compiled(fields_of(head), bots)
        super().__init__(board, head, board.step(head, BEGIN, deal))
        self._plain = {
            seat: _sat_down(bot, seat, board, deal)
            for seat, bot in bots.items()
            if not native_code(bot)
        }
        self._asker = board.asker(head) if self._plain else None
        self._play_bots()

    def step(self, action: int) -> None:
        super().step(action)
        self._play_bots()

    def _give(self, roll: int) -> None:
        super()._give(roll)
        self._play_bots()

    def clone(self) -> NoReturn:
        """Raises UsageError: bots cannot be copied."""
        raise UsageError("a position with seated bots cannot be copied: copy one without bots")

    def __reduce__(self) -> NoReturn:
        self.clone()

    def _play_bots(self) -> None:
        while self.seat in self._plain and not (self.is_over or self.is_chance):
            assert self._asker
            players = [self._plain.get(seat) for seat in range(self.players)]
            answer = self.board.ask(self._head, self._asker, players, self._now)
            self._status = self.board.step(self._head, ANSWER, answer)


def start_with_bots(
    rules: RuleSet, players: int, seed: Seed | None, deal: int, bots: Bots
) -> SeatedPosition:
    """The first position of a deal with seated bots; see `step_position.start`."""
    board = board_for(rules, players)
    return SeatedPosition(board, blank_head(board, seed), deal, bots)


def _seat_compiled(game: Any, bots: Bots) -> Any:
    """Enter the compiled bots in the game record; returns their memory, which the caller must
    keep alive."""
    natives = {seat: native for seat, bot in bots.items() if (native := native_code(bot))}
    memory_size = max((native.memory for native in natives.values()), default=0)
    memories = np.zeros((len(game.memory_at), memory_size))
    game.memory_at = [memory.ctypes.data for memory in memories]
    for seat, native in natives.items():
        game.turn_at[seat] = native.address
        game.memory_sizes[seat] = native.memory
    return memories


def native_code(bot: SeatedBot) -> CompiledBot | None:
    """The machine code of a bot, compiled once per digest; None for a plain Python bot."""
    if not is_compiled(bot.player):
        return None
    if bot.digest not in _NATIVE:
        folder = ENGINE_CACHE.bot_folder(bot.digest)
        _NATIVE[bot.digest] = native_player(bot.player, bot.name, folder)
    return _NATIVE[bot.digest]


_NATIVE: dict[str, CompiledBot | None] = {}


def _sat_down(bot: SeatedBot, seat: int, board: StepBoard, deal: int) -> Any:
    """A new instance of a plain Python bot for this game."""
    if bot.make_player is None:
        return bot.player
    everybody = tuple(range(board.players))
    return bot.make_player(GameStart(seat, board.players, board.rules, 0, True, everybody, deal))
