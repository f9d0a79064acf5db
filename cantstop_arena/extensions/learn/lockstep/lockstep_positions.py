"""Games in lockstep of any game that has positions, in plain Python; see `lockstep`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from cantstop_arena.deals.seeds import Seed
from cantstop_arena.extensions.learn.lockstep.lockstep import LockstepGames, LockstepSetting
from cantstop_arena.game_api.game import Game
from cantstop_arena.game_api.position import IllegalAction, Position

LOST = -1.0  # the reward for an illegal action, unless payoffs have bounds


class LockstepPositions(LockstepGames):
    """A position for each game; its bots decide one after the other."""

    def __init__(self, game: Game, setting: LockstepSetting) -> None:
        start = game.position(setting.rules, setting.players, 0, track=False)
        super().__init__(setting, start.observation_size, start.action_count)
        self._game = game
        self._seeds: Sequence[Seed] = ()
        self._positions: list[Position] = [start] * setting.count
        self._agents = [0] * setting.count
        self._is_over = np.ones(setting.count, np.bool_)

    def begin(self, seeds: Sequence[Seed]) -> None:
        self._seeds = seeds
        self.deals[:] = np.arange(len(self.deals)) - len(self.deals)

    def begin_deals(self) -> None:
        self._is_over[:] = True
        self.step(np.zeros(len(self.deals), np.int64))

    def step(self, actions: NDArray[np.int64]) -> None:
        self.rewards[:], self.returns[:] = 0, 0
        for results in (self.terminations, self.truncations, self.illegal):
            results[:] = False
        for index, action in enumerate(actions.tolist()):
            if self._is_over[index]:
                self._begin_next(index)
            else:
                self._take(index, action)
                if self._is_over[index] and self.setting.same_step:
                    self.last_observations[index] = self._observed(index)[0]
                    self._begin_next(index)
            self._observe(index)

    def _begin_next(self, index: int) -> None:
        """Begin deals until the agent decides."""
        setting, count = self.setting, len(self.deals)
        while True:
            self.deals[index] += count
            deal = int(self.deals[index])
            self._agents[index] = agent = setting.agent_seat(index, deal // count)
            bots = {}
            if setting.bots:
                bot = setting.bots[index % len(setting.bots)]
                bots = {seat: bot for seat in range(setting.players) if seat != agent}
            self._positions[index] = position = self._game.position(
                setting.rules, setting.players, self._seeds[index], deal, bots, track=False
            )
            if not position.is_over:
                self._is_over[index] = False
                return

    def _take(self, index: int, action: int) -> None:
        position = self._positions[index]
        actor = position.seat
        try:
            position.step(action)
        except IllegalAction:
            low, _ = position.return_range or (LOST, -LOST)
            self.rewards[index] = low
            self.returns[index] = position.returns_of_forfeit(actor)
            self._is_over[index] = self.illegal[index] = self.terminations[index] = True
            return
        if position.is_over:
            self._is_over[index] = True
            self.returns[index] = position.returns
            self.rewards[index] = position.returns[
                actor if self._is_self_play else self._agents[index]
            ]
            self.truncations[index] = position.is_cut_off
            self.terminations[index] = not position.is_cut_off

    @property
    def _is_self_play(self) -> bool:
        return not self.setting.bots

    def _observed(self, index: int) -> tuple[NDArray[np.float32], NDArray[np.int8]]:
        position = self._positions[index]
        seat = position.seat if self._is_self_play else self._agents[index]
        self.seats[index] = seat
        return position.observation(seat)

    def _observe(self, index: int) -> None:
        observation, mask = self._observed(index)
        self.observations[index] = observation
        self.legal[index] = True if self._is_over[index] else mask
