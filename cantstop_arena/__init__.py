"""Can't Stop Arena: what the author of a bot imports.

from cantstop_arena import hookimpl            # marks the two functions of a bot
from cantstop_arena import compiled            # ... and has them compiled
from cantstop_arena import Bot, Player         # families of bots, with register_bots
from cantstop_arena import Turn                # the type of what a bot is shown
"""

from typing import TYPE_CHECKING, Any

from cantstop_arena.hookspecs import Bot, Player, compiled, hookimpl

if TYPE_CHECKING:
    from cantstop_arena.games.cantstop.turn import Turn

__version__ = "0.1.0"
__all__ = ["Bot", "Player", "Turn", "compiled", "hookimpl"]


def __getattr__(name: str) -> Any:
    """Import `Turn` when it is asked for: it brings NumPy with it."""
    if name == "Turn":
        from cantstop_arena.games.cantstop.turn import Turn

        return Turn
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
