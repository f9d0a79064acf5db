"""The games as environments for reinforcement learning, and learned policies as bots.

See docs/environments.md. The frameworks are optional dependencies, imported where they are used.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cantstop_arena.bots.file_imports import read_beside
    from cantstop_arena.environments.gymnasium_env import Duel
    from cantstop_arena.environments.policy_bot import PolicyBot

__all__ = ["Duel", "PolicyBot", "read_beside"]

_TARGETS = {
    "Duel": "cantstop_arena.environments.gymnasium_env:Duel",
    "PolicyBot": "cantstop_arena.environments.policy_bot:PolicyBot",
    "read_beside": "cantstop_arena.bots.file_imports:read_beside",
}


def __getattr__(name: str) -> Any:
    """Import an attribute on first use, so that a bot does not import the frameworks."""
    if name in _TARGETS:
        from pkgutil import resolve_name

        return resolve_name(_TARGETS[name])
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
