"""Positions with bots in some of the seats, which make their own decisions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

import numpy as np

from cantstop_arena.deals.seeds import Seed, bits_of
from cantstop_arena.errors import FaultError, UsageError
from cantstop_arena.game_api.position import Position
from cantstop_arena.games.cantstop.engine.engine_cache import ENGINE_CACHE
from cantstop_arena.games.cantstop.engine.entry_points import is_compiled, native_player
from cantstop_arena.games.cantstop.engine.game_array import FAULT, secret
from cantstop_arena.games.cantstop.engine.steps import ANSWER, BEGIN, CHANGE
from cantstop_arena.games.cantstop.play.step_board import Head, StepBoard, board_for, fields_of
from cantstop_arena.games.cantstop.play.step_position import CantStopPosition, blank_head
from cantstop_arena.games.cantstop.rules import RuleSet
from cantstop_arena.native.code_cache import CompiledBot
from cantstop_arena.table.bot_faults import BotFault, fault_of
from cantstop_arena.table.seated_bot import GameStart, SeatedBot

_NO_MOVE = "choose_move returned an index that is no move"

Bots = Mapping[int, SeatedBot]
"""Bots by seat."""


class SeatedPosition(CantStopPosition):
    """A game that stops only for decisions of the seats without bots. It cannot be copied."""

    def __init__(
        self, board: StepBoard, head: Head, deal: int, bots: Bots, first: tuple[int, int]
    ) -> None:
        """Take a `first` step, of a kind and with a value, from `head`: begin the deal, or go on.

        Raises BotError, and exceptions of the bots.
        """
        self._memories = _seat_compiled(fields_of(head), bots)
        super().__init__(board, head, board.step(head, *first))
        self._plain = {
            seat: _sat_down(bot, seat, board, deal)
            for seat, bot in bots.items()
            if not native_code(bot)
        }
        self._asker = board.asker(head) if self._plain else None
        self._play_bots()

    @property
    def is_fault(self) -> bool:
        """Whether the game has ended with an answer of a compiled bot that is no move."""
        return self._status >> 5 & 7 == FAULT

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
    return SeatedPosition(board, blank_head(board, seed), deal, bots, (BEGIN, deal))


def play_on(position: Position, seed: Seed, bots: Sequence[SeatedBot]) -> CantStopPosition:
    """The end of a game, see `Game.play_on`: compiled bots play in machine code."""
    assert isinstance(position, CantStopPosition)
    copy = position.clone()
    if copy.is_over:
        return copy
    fields = fields_of(copy._head)
    fields.secret = secret(bits_of(seed))
    first = CHANGE, int(copy.is_chance)
    try:
        ended = SeatedPosition(copy.board, copy._head, 0, dict(enumerate(bots)), first)
    except BotFault as fault:  # of a plain bot
        raise _cannot_play(copy.board, bots, fault) from fault
    except BaseException as error:  # of a compiled bot
        raise _cannot_play(copy.board, bots, fault_of(error)) from error
    if ended.is_fault:
        raise _cannot_play(copy.board, bots, _NO_MOVE)
    return ended


def _cannot_play(board: StepBoard, bots: Sequence[SeatedBot], what: object) -> FaultError:
    """The error for the bot on turn of the game that the board has played last."""
    return FaultError(f"{bots[int(board.games[0].seat)].name} cannot play: {what}")


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
