"""Games in lockstep: one step of each of many games at a time, for an agent that learns."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from cantstop_arena.deals.seeds import Seed


class LockstepSetting(msgspec.Struct, frozen=True):
    """What games in lockstep are: `count` of them, with these rules and number of players.

    Game i has in all seats but the agent's the bot i % k of k `bots`, which are
    `table.seated_bot.SeatedBot`s; without bots all seats are the agent's. `seat` is the agent's;
    None: game i has it in all seats in turn, beginning with seat i. With `same_step` the next deal
    begins in the step in which a game ends, else in the next step.
    """

    rules: Any
    players: int
    count: int
    bots: Sequence[Any]
    seat: int | None
    same_step: bool

    def agent_seat(self, game: int, round_number: int) -> int:
        """The seat of the agent in a game's deal number `round_number`."""
        return (game + round_number) % self.players if self.seat is None else self.seat


class LockstepGames(ABC):
    """Many games, and the results of the last step as arrays with a row for each game.

    Game i plays the deals i, i + n, i + 2n, … of n games; deals in which the agent has no decision
    are skipped. `legal` marks the actions of the seat in `seats`, and all of them at an end without
    `same_step`: the action of the next step is ignored. `rewards` are the agent's, in self-play
    those of the seat that acted last; `returns` are those of all seats at ends. `illegal` marks
    games that have ended by an illegal action, which is a loss. `last_observations` are those at
    ends with `same_step`.
    """

    def __init__(self, setting: LockstepSetting, observation_size: int, actions: int) -> None:
        count = setting.count
        self.setting = setting
        self.observations = np.zeros((count, observation_size), np.float32)
        self.last_observations = np.zeros((count, observation_size), np.float32)
        self.legal = np.zeros((count, actions), np.bool_)
        self.rewards = np.zeros(count)
        self.terminations = np.zeros(count, np.bool_)
        self.truncations = np.zeros(count, np.bool_)
        self.seats = np.zeros(count, np.int64)
        self.deals = np.zeros(count, np.int64)
        self.returns = np.zeros((count, setting.players))
        self.illegal = np.zeros(count, np.bool_)

    @abstractmethod
    def begin(self, seeds: Sequence[Seed]) -> None:
        """Use the deals of each game's seed from the first on; `begin_deals` begins them."""

    @abstractmethod
    def begin_deals(self) -> None:
        """Begin the next deal of each game, whether the present one has ended or not."""

    @abstractmethod
    def step(self, actions: NDArray[np.int64]) -> None:
        """Take an action in each game, and play on to the agent's next decision."""
