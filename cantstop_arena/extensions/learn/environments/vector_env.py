"""Many games at once as a vector environment of Gymnasium."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from cantstop_arena.deals.seeds import Seed, checked_seed, random_seed
from cantstop_arena.errors import UsageError
from cantstop_arena.extensions.learn.environments.extras import extra
from cantstop_arena.extensions.learn.environments.opponents import opponent
from cantstop_arena.extensions.learn.environments.setting import (
    checked_seat,
    gymnasium_seed,
    setting_for,
)
from cantstop_arena.extensions.learn.environments.spaces import actions_of, observations_of
from cantstop_arena.extensions.learn.lockstep.lockstep import LockstepGames, LockstepSetting
from cantstop_arena.game_api.game import Game
from cantstop_arena.games.registry import DEFAULT

with extra("Gymnasium", "gymnasium"):
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space

AUTORESET_MODES = {"next_step": AutoresetMode.NEXT_STEP, "same_step": AutoresetMode.SAME_STEP}
"""When the next deal begins after the end of a game: see docs/reference/positions.md."""

Results = tuple[
    NDArray[np.float32], NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]
]
"""What a step returns: observations, rewards, terminations, truncations and infos."""


class VectorGames(VectorEnv[NDArray[np.float32], NDArray[np.int64], NDArray[Any]]):
    """An agent in one seat of each of many games, or in all seats; see `vector_env`."""

    def __init__(self, games: LockstepGames, spaces: tuple[Any, Any], copy: bool) -> None:
        self.num_envs = count = games.setting.count
        same_step = games.setting.same_step
        self.autoreset_mode = AUTORESET_MODES["same_step" if same_step else "next_step"]
        self.metadata = {"autoreset_mode": self.autoreset_mode, "render_modes": []}
        self.render_mode = None
        self.single_observation_space, self.single_action_space = spaces
        self.observation_space = batch_space(self.single_observation_space, count)
        self.action_space = batch_space(self.single_action_space, count)
        self._games, self._copies = games, copy
        self._is_started = False
        self._everywhere = np.ones(count, np.bool_)

    def reset(
        self,
        *,
        seed: Seed | Sequence[Seed | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Begin the first deals of a seed; without one, every environment's next deal.

        A list has a seed for each environment, None for a random one. Environment i plays the deals
        i, i + n, i + 2n, … of its seed. Raises UsageError.
        """
        if options and "reset_mask" in options:
            raise UsageError(
                "reset_mask is for environments that are reset by their user; these begin the next"
                " deal themselves"
            )
        if seed is not None or not self._is_started:
            seeds = self._seeds_of(seed)
            super().reset(seed=gymnasium_seed(seeds[0]))
            self._games.begin(seeds)
            self._is_started = True
        self._games.begin_deals()
        return self._shared(self._games.observations), self._infos()

    def _seeds_of(self, seed: Any) -> list[Seed]:
        """The seed of each environment. Raises UsageError."""
        if not np.ndim(seed):
            return [random_seed() if seed is None else checked_seed(seed)] * self.num_envs
        if len(seed) != self.num_envs:
            raise UsageError(f"{self.num_envs} environments need as many seeds, not {len(seed)}")
        return [random_seed() if each is None else checked_seed(each) for each in seed]

    def __reduce__(self) -> NoReturn:
        raise UsageError("a vector environment cannot be copied or stored: make another")

    def step(self, actions: Any) -> Results:
        """Take an action in each environment, and let the bots play until the agent decides."""
        numbers = np.ascontiguousarray(actions, np.int64)
        if numbers.shape != (self.num_envs,):
            raise UsageError(f"{self.num_envs} actions are needed, not an array {numbers.shape}")
        if not self._is_started:
            raise UsageError("no game has begun: call reset() first")
        games = self._games
        games.step(numbers)
        return (
            self._shared(games.observations),
            self._shared(games.rewards),
            self._shared(games.terminations),
            self._shared(games.truncations),
            self._infos(),
        )

    def action_masks(self) -> NDArray[np.bool_]:
        """The actions that are legal now, (environments, actions)."""
        return self._games.legal

    def _shared(self, array: NDArray[Any]) -> NDArray[Any]:
        """An array as the user gets it."""
        return array.copy() if self._copies else array

    def _infos(self) -> dict[str, Any]:
        games = self._games
        infos: dict[str, Any] = {}
        for name, array in (
            ("action_mask", games.legal),
            ("seat", games.seats),
            ("deal", games.deals),
        ):
            infos[name], infos[f"_{name}"] = self._shared(array), self._everywhere
        is_over = games.terminations | games.truncations
        if is_over.any():
            infos["returns"], infos["_returns"] = self._shared(games.returns), is_over
            if games.setting.same_step:
                infos["final_obs"] = self._shared(games.last_observations)
                infos["_final_obs"] = is_over
            if games.illegal.any():
                infos["illegal_action"] = self._shared(games.illegal)
                infos["_illegal_action"] = infos["illegal_action"]
        return infos


def vector_env(
    opponents: Any,
    n: int,
    *,
    rules: Any = None,
    players: int = 2,
    game: str = DEFAULT,
    seat: int | None = None,
    autoreset: str = "next_step",
    copy: bool = True,
) -> VectorGames:
    """A vector environment of `n` games, in each of which an agent plays against bots.

    `opponents` is a bot or a list of k bots, see `opponents.opponent`; environment i has the bot
    i % k in all other seats. None: the agent has all seats, and decides for each in turn. The agent
    changes its seat from deal to deal unless `seat` fixes one. For `rules` see
    `setting.setting_for`. `autoreset` is "next_step" or "same_step". Without `copy` the arrays that
    `step` returns are overwritten by the next step. Raises UsageError, BotError.
    """
    setting = setting_for(rules, players, game)
    if not isinstance(n, Integral) or isinstance(n, bool) or n < 1:
        raise UsageError(f"the number of environments must be 1 or greater, not {n!r:.40}")
    seat = checked_seat(seat, setting.players)
    if autoreset not in AUTORESET_MODES:
        names = " or ".join(map(repr, AUTORESET_MODES))
        raise UsageError(f"autoreset must be {names}, not {autoreset!r:.40}")
    position = setting.start(seed=0)
    spaces = observations_of(position), actions_of(position)
    several = [*opponents] if isinstance(opponents, list | tuple | np.ndarray) else [opponents]
    bots = [] if opponents is None else [opponent(each, setting.game) for each in several]
    lockstep = LockstepSetting(
        setting.rules, setting.players, int(n), bots, seat, same_step=autoreset == "same_step"
    )
    return VectorGames(_games_in_step(setting.game, lockstep), spaces, copy)


def _games_in_step(game: Game, setting: LockstepSetting) -> LockstepGames:
    """The games: in machine code those of Can't Stop whose bots allow it."""
    if game.name == DEFAULT:
        from cantstop_arena.extensions.learn.lockstep.lockstep_games import (
            CantStopLockstep,
            plays_in_lockstep,
        )

        if plays_in_lockstep(setting.bots):
            encoding = game.encoding(setting.rules, setting.players)
            assert encoding  # the game has one for all rules
            return CantStopLockstep(setting, encoding)
    from cantstop_arena.extensions.learn.lockstep.lockstep_positions import LockstepPositions

    return LockstepPositions(game, setting)
