"""Can't Stop for PettingZoo: `cantstop_v0.env(players=3, rules="jump")`."""

from typing import Any

from cantstop_arena.extensions.learn.environments import pettingzoo_env
from cantstop_arena.extensions.learn.environments.pettingzoo_env import TableEnv


def env(players: int = 2, rules: Any = "classic", render_mode: str | None = None) -> TableEnv:
    """An environment for one to four players; for `rules` see `setting.setting_for`.

    `render_mode` is "human" (printed), "ansi" (returned as text) or None. Raises UsageError.
    """
    return pettingzoo_env.env("cantstop", players, rules, render_mode)


raw_env = env  # TableEnv handles illegal actions and the end itself: no wrappers are needed
