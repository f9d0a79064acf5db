"""The games as other people's learning environments, and what was learnt there as a bot.

docs/environments.md shows how. Frameworks are extras, imported where they are used.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cantstop_arena.bots.file_imports import read_beside
    from cantstop_arena.environments.gymnasium_env import Duel
    from cantstop_arena.environments.policy_bot import PolicyBot

__all__ = ["Duel", "PolicyBot", "read_beside"]

_PLACES = {
    "Duel": "cantstop_arena.environments.gymnasium_env:Duel",
    "PolicyBot": "cantstop_arena.environments.policy_bot:PolicyBot",
    "read_beside": "cantstop_arena.bots.file_imports:read_beside",
}


def __getattr__(name: str) -> Any:
    """Import what is asked for: a bot does without the frameworks."""
    if name in _PLACES:
        from pkgutil import resolve_name

        return resolve_name(_PLACES[name])
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
