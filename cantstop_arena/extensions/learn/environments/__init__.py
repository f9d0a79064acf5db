"""The games as environments for reinforcement learning, and learned policies as bots.

See docs/reference/positions.md. The frameworks are optional dependencies, imported where they are
used; only Gymnasium, which finds environments by their ids, is imported with this package.
"""

from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cantstop_arena.bots.file_imports import read_beside
    from cantstop_arena.extensions.learn.environments.gymnasium_env import Duel
    from cantstop_arena.extensions.learn.environments.pettingzoo_env import env, parallel_env
    from cantstop_arena.extensions.learn.environments.policy_bot import PolicyBot
    from cantstop_arena.extensions.learn.environments.sb3 import sb3_env
    from cantstop_arena.game_api.policy_net import PolicyNet

__all__ = ["Duel", "PolicyBot", "PolicyNet", "env", "parallel_env", "read_beside", "sb3_env"]

_TARGETS = {
    "Duel": "cantstop_arena.extensions.learn.environments.gymnasium_env:Duel",
    "env": "cantstop_arena.extensions.learn.environments.pettingzoo_env:env",
    "parallel_env": "cantstop_arena.extensions.learn.environments.pettingzoo_env:parallel_env",
    "PolicyBot": "cantstop_arena.extensions.learn.environments.policy_bot:PolicyBot",
    "PolicyNet": "cantstop_arena.game_api.policy_net:PolicyNet",
    "sb3_env": "cantstop_arena.extensions.learn.environments.sb3:sb3_env",
    "read_beside": "cantstop_arena.bots.file_imports:read_beside",
}

_DUEL_ID = "cantstop_arena/Duel-v0"


def __getattr__(name: str) -> Any:
    """Import an attribute on first use, so that a bot does not import what it does not use."""
    if name in _TARGETS:
        from pkgutil import resolve_name

        return resolve_name(_TARGETS[name])
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _register() -> None:
    """Register Duel in Gymnasium, if that is installed: `gymnasium.make(ID, game=NAME)`."""
    with suppress(ImportError):
        import gymnasium

        if _DUEL_ID not in gymnasium.registry:
            gymnasium.register(_DUEL_ID, entry_point=_TARGETS["Duel"])


_register()
