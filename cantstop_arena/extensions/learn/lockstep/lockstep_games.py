"""Games of Can't Stop in lockstep, in machine code; see `lockstep`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cantstop_arena.deals.seeds import Seed, bits_of
from cantstop_arena.extensions.learn.lockstep.environment_steps import (
    NEXT_DEAL,
    RIVAL,
    step_environments,
)
from cantstop_arena.extensions.learn.lockstep.lockstep import LockstepGames, LockstepSetting
from cantstop_arena.game_api.answers import IllegalAnswer
from cantstop_arena.game_api.batches import (
    FINE,
    Batch,
    Encoding,
    actions_in,
    complaint,
    empty_batch,
)
from cantstop_arena.games.cantstop.engine.batch_steps import observe_rows
from cantstop_arena.games.cantstop.engine.entry_points import handle_of
from cantstop_arena.games.cantstop.engine.game_array import (
    FIELDS,
    HEAD_WORDS,
    MAX_SEATS,
    new_game,
    secret,
    slot,
)
from cantstop_arena.games.cantstop.play.actions import actions_under
from cantstop_arena.games.cantstop.play.step_opponents import native_code
from cantstop_arena.table.batched_bot import BatchedBot

_RECORD_WORDS = int(FIELDS["roll_total"][1]) // 8


class CantStopLockstep(LockstepGames):
    """Games whose other seats have compiled or batched bots, or all seats are the agent's."""

    def __init__(self, setting: LockstepSetting, encoding: Encoding) -> None:
        rules, players, count = setting.rules, setting.players, setting.count
        super().__init__(setting, encoding.size, encoding.actions)
        self._games = new_game(rules, players, 0)
        self._handle = handle_of(self._games)
        self._record = np.frombuffer(self._games.data, np.int64, _RECORD_WORDS)
        self._heads = np.tile(self._record[:HEAD_WORDS], (count, 1))
        self._native = [native_code(bot) for bot in setting.bots]  # holds the code in memory
        codes = [(code.address, code.memory) if code else (0, 0) for code in self._native]
        codes = codes or [(0, 0)]
        self._memories = np.zeros((count, MAX_SEATS, max(size for _, size in codes)))
        self._set_memories()
        self._rivals = {
            number: _Rival(bot.player, empty_batch(bot.player.rows, encoding, rules, players))
            for number, bot in enumerate(setting.bots)
            if isinstance(bot.player, BatchedBot)
        }
        self._stages = np.full(count, NEXT_DEAL, np.int64)
        self._is_new = np.zeros(count, np.bool_)
        self._agents = np.zeros(count, np.int64)
        self._actions = np.zeros(count, np.int64)
        self._before = (
            *(self._handle, self._record, self._heads),
            -1 if setting.seat is None else setting.seat,
            *np.array(codes, np.int64).T.copy(),
            *(not setting.bots, setting.same_step),
        )
        self._state = (self._stages, self._is_new, self.deals, self._agents, self._actions)
        self._results = (
            *(self.observations, self.legal, self.rewards, self.terminations, self.truncations),
            *(self.seats, self.returns, self.illegal, self.last_observations),
        )

    def begin(self, seeds: Sequence[Seed]) -> None:
        secrets = np.array([secret(bits_of(seed)) for seed in seeds], np.uint64)
        self._heads.view(np.uint64)[:, slot("secret") : slot("secret") + 2] = secrets
        self.deals[:] = np.arange(len(self.deals)) - len(self.deals)

    def begin_deals(self) -> None:
        self._stages[:] = NEXT_DEAL
        self.step(self._actions)

    def step(self, actions: NDArray[np.int64]) -> None:
        self._actions[:] = actions
        step_environments(*self._before, False, *self._state, *self._results)
        while self._rivals and (waiting := np.flatnonzero(self._stages == RIVAL)).size:
            for number, rival in self._rivals.items():
                self._ask(rival, waiting[waiting % len(self.setting.bots) == number])
            step_environments(*self._before, True, *self._state, *self._results)

    def _ask(self, rival: _Rival, waiting: NDArray[np.int64]) -> None:
        """Set the actions of a batched bot in the environments that wait for it.

        Raises IllegalAnswer.
        """
        rows = rival.bot.rows
        for group in np.split(waiting, np.flatnonzero(np.diff(waiting // rows)) + 1):
            if not group.size:
                continue
            slot_numbers = group % rows
            rival.slots[:] = -1
            rival.slots[slot_numbers] = group
            batch = rival.batch
            arrays = batch.observations, batch.legal, batch.live, batch.seats, batch.random
            observe_rows(self._handle, self._record, self._heads, rival.slots, *arrays)
            actions, faults = actions_in(rival.bot.decide(batch), batch, rival.bot.temperature)
            if (faults != FINE).any():
                row = int(np.flatnonzero(faults != FINE)[0])
                numbering = actions_under(self.setting.rules)
                raise IllegalAnswer(
                    complaint(int(faults[row]), int(actions[row]), numbering.name, numbering.count)
                )
            self._actions[group] = actions[slot_numbers]

    def _set_memories(self) -> None:
        at = slot("memory_at")
        for head, memories in zip(self._heads, self._memories, strict=True):
            head[at : at + MAX_SEATS] = [memory.ctypes.data for memory in memories]


class _Rival:
    """A batched bot with its batch, and the environment of each row."""

    def __init__(self, bot: BatchedBot, batch: Batch) -> None:
        self.bot, self.batch = bot, batch
        self.slots = np.zeros(batch.rows, np.int64)


def plays_in_lockstep(bots: Sequence[Any]) -> bool:
    """Whether the engine can play with these bots, compiled ones and batched ones."""
    return all(isinstance(bot.player, BatchedBot) or native_code(bot) for bot in bots)
