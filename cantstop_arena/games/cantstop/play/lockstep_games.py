"""Games of Can't Stop in lockstep, in machine code; see `game_api.lockstep`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cantstop_arena.deals.seeds import Seed, bits_of
from cantstop_arena.game_api.lockstep import LockstepGames, LockstepSetting
from cantstop_arena.games.cantstop.engine.entry_points import handle_of
from cantstop_arena.games.cantstop.engine.environment_steps import NEXT_DEAL, step_environments
from cantstop_arena.games.cantstop.engine.game_array import (
    COLUMNS,
    HEAD_WORDS,
    MAX_SEATS,
    new_game,
    secret,
    slot,
)
from cantstop_arena.games.cantstop.play.actions import actions_under
from cantstop_arena.games.cantstop.play.step_board import board_for
from cantstop_arena.games.cantstop.play.step_opponents import native_code
from cantstop_arena.games.cantstop.rules import RuleSet


class BoardTables:
    """What all games under the same rules share, as `engine.waiting_games` takes it."""

    def __init__(self, rules: RuleSet, players: int, chances: NDArray[np.float64]) -> None:
        actions, columns = actions_under(rules), rules.columns
        self.numbers = np.full((COLUMNS, COLUMNS), -1, np.int64)
        for number, move in enumerate(actions.moves):
            row = 0 if len(move) == 1 else 1 if move[0] == move[1] else move[0]
            self.numbers[row, move[-1]] = number
        self.shares = np.zeros((COLUMNS, max(rules.column_lengths) + 1), np.float32)
        for column in columns:
            length = rules.lengths[column]
            self.shares[column, : length + 1] = np.arange(length + 1) / length
        self.chances = np.ascontiguousarray(chances)
        sizes = (columns[0], len(columns), rules.runners, rules.columns_to_win, actions.stop)
        self.board = (players, rules.sides, *sizes)


class CantStopLockstep(LockstepGames):
    """Games whose other seats have compiled bots, or none: then all seats are the agent's."""

    def __init__(self, setting: LockstepSetting) -> None:
        rules, players, count = setting.rules, setting.players, setting.count
        board = board_for(rules, players)
        super().__init__(setting, board.observation_size, board.actions.count)
        self._games = new_game(rules, players, 0)
        self._tables = BoardTables(rules, players, self._games[0].chances)
        record = np.frombuffer(self._games.data, np.int64, HEAD_WORDS)
        self._heads = np.tile(record, (count, 1))
        self._native = [native_code(bot) for bot in setting.bots]  # holds the code in memory
        codes = [(code.address, code.memory) for code in self._native if code] or [(0, 0)]
        self._memories = np.zeros((count, MAX_SEATS, max(size for _, size in codes)))
        self._set_memories()
        self._stages = np.full(count, NEXT_DEAL, np.int64)
        self._is_new = np.zeros(count, np.bool_)
        self._agents = np.zeros(count, np.int64)
        self._no_actions = np.zeros(count, np.int64)
        fixed_seat = -1 if setting.seat is None else setting.seat
        tables = self._tables
        self._before = (
            *(handle_of(self._games), record, self._heads),
            *(tables.board, tables.numbers, tables.shares, tables.chances),
            (players, fixed_seat),
            *np.array(codes, np.int64).T.copy(),
            *(not setting.bots, setting.same_step),
        )
        self._state = (self._stages, self._is_new, self.deals, self._agents)
        self._results = (
            *(self.observations, self.legal, self.rewards, self.terminations, self.truncations),
            *(self.seats, self.returns, self.illegal, self.last_observations),
        )

    def begin(self, seed: Seed) -> None:
        self._heads.view(np.uint64)[:, slot("secret") : slot("secret") + 2] = secret(bits_of(seed))
        self.deals[:] = np.arange(len(self.deals)) - len(self.deals)

    def begin_deals(self) -> None:
        self._stages[:] = NEXT_DEAL
        self._step(self._no_actions)

    def step(self, actions: NDArray[np.int64]) -> None:
        self._step(actions)

    def _step(self, actions: NDArray[np.int64]) -> None:
        step_environments(*self._before, False, *self._state, actions, *self._results)

    def _set_memories(self) -> None:
        at = slot("memory_at")
        for head, memories in zip(self._heads, self._memories, strict=True):
            head[at : at + MAX_SEATS] = [memory.ctypes.data for memory in memories]


def plays_in_lockstep(bots: Sequence[Any]) -> bool:
    """Whether the engine can play these bots itself."""
    return all(native_code(bot) for bot in bots)
