"""Many games at once for Stable-Baselines3, whose vector environments have their own interface."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cantstop_arena.errors import UsageError
from cantstop_arena.extensions.learn.environments.extras import extra
from cantstop_arena.extensions.learn.environments.vector_env import VectorGames

with extra("Stable-Baselines3", "learning"):
    from stable_baselines3.common.vec_env import VecEnv

_MASKS = "action_masks"  # the method that MaskablePPO calls


class SB3Games(VecEnv):  # type: ignore[misc]  # it is not typed here
    """A `vector_env` as Stable-Baselines3 steps it; see `sb3_env`."""

    def __init__(self, env: VectorGames) -> None:
        self._env = env
        self.render_mode = None
        self._actions = np.zeros(env.num_envs, np.int64)
        self._infos: list[dict[str, Any]] = [{} for _ in range(env.num_envs)]
        self._ended: Sequence[int] = ()
        super().__init__(env.num_envs, env.single_observation_space, env.single_action_space)

    def reset(self) -> NDArray[np.float32]:
        """Begin the deals of the seed that `seed` has set, or the next ones."""
        observations, _ = self._env.reset(seed=self._seeds[0])
        self._reset_seeds()
        return observations

    def step_async(self, actions: NDArray[np.int64]) -> None:
        self._actions = actions

    def step_wait(self) -> tuple[Any, ...]:
        observations, rewards, terminations, truncations, infos = self._env.step(self._actions)
        is_over = terminations | truncations
        for index in self._ended:
            self._infos[index] = {}
        self._ended = np.flatnonzero(is_over).tolist()
        for index in self._ended:
            self._infos[index] = {
                "terminal_observation": infos["final_obs"][index],
                "TimeLimit.truncated": bool(truncations[index]),
            }
        return observations, rewards.astype(np.float32), is_over, self._infos

    def close(self) -> None:
        self._env.close()

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """An attribute of the vector environment, once for each environment.

        Raises AttributeError.
        """
        return [getattr(self._env, attr_name)] * len(self._indices(indices))

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Set an attribute of the vector environment, which all environments share."""
        setattr(self._env, attr_name, value)

    def env_method(
        self, method_name: str, *arguments: Any, indices: Any = None, **keywords: Any
    ) -> list[Any]:
        """The masks of the environments. Raises AttributeError for other methods."""
        if method_name != _MASKS:
            raise AttributeError(f"these environments have no method {method_name} each")
        masks = self._env.action_masks()
        return [masks[index] for index in self._indices(indices)]

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        return [False] * len(self._indices(indices))

    def _indices(self, indices: int | Iterable[int] | None) -> list[int]:
        return [*self._get_indices(indices)]


def sb3_env(env: VectorGames) -> SB3Games:
    """The environments of `vector_env` for Stable-Baselines3 and sb3-contrib's MaskablePPO.

    Raises UsageError unless they begin the next deal in the step of an end, as SB3 expects.
    """
    if env.metadata["autoreset_mode"].value != "SameStep":
        raise UsageError('Stable-Baselines3 needs vector_env(…, autoreset="same_step")')
    return SB3Games(env)
