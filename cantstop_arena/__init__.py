"""Can't Stop Arena: what the author of a bot imports.

from cantstop_arena import hookimpl            # marks the two functions of a bot
from cantstop_arena import compiled            # ... and has them compiled
from cantstop_arena import Bot, Player         # families of bots, with register_bots
from cantstop_arena import Turn                # the type of what a bot is shown
"""

from typing import TYPE_CHECKING, Any

from cantstop_arena.hookspecs import Bot, compiled, hookimpl

if TYPE_CHECKING:
    from cantstop_arena.games.cantstop.hooks import Player
    from cantstop_arena.games.cantstop.turn import Turn

__version__ = "0.1.0"
__all__ = ["Bot", "Player", "Turn", "compiled", "hookimpl"]

_OF_CANTSTOP = {
    "Player": "cantstop_arena.games.cantstop.hooks:Player",
    "Turn": "cantstop_arena.games.cantstop.turn:Turn",
}


def __getattr__(name: str) -> Any:
    """Import what belongs to Can't Stop when it is asked for: it brings NumPy with it."""
    if name in _OF_CANTSTOP:
        from pkgutil import resolve_name

        return resolve_name(_OF_CANTSTOP[name])
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
