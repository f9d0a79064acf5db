"""Games. All that the author of one needs can be imported from here: see docs/games.md."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cantstop_arena.deals.counting import COUNT, SHARE, Counts, Highlight, Measure, Rate
    from cantstop_arena.deals.seatings import (
        Orders,
        all_orders,
        balanced_orders,
        rotations,
        standard_orders,
    )
    from cantstop_arena.game_api.codec import Codec
    from cantstop_arena.game_api.decisions import decision
    from cantstop_arena.game_api.game import (
        CheckGame,
        Deal,
        Event,
        Game,
        Question,
        Result,
        State,
        View,
    )
    from cantstop_arena.game_api.rulebook import Named, RuleBook, choice, flag, whole, wholes
    from cantstop_arena.game_api.streams import Stream

__all__ = [
    "COUNT",
    "SHARE",
    "CheckGame",
    "Codec",
    "Counts",
    "Deal",
    "Event",
    "Game",
    "Highlight",
    "Measure",
    "Named",
    "Orders",
    "Question",
    "Rate",
    "Result",
    "RuleBook",
    "State",
    "Stream",
    "View",
    "all_orders",
    "balanced_orders",
    "choice",
    "decision",
    "flag",
    "rotations",
    "standard_orders",
    "whole",
    "wholes",
]

_PLACES = (
    "deals.counting",
    "deals.seatings",
    "game_api.codec",
    "game_api.decisions",
    "game_api.game",
    "game_api.rulebook",
    "game_api.streams",
)


def __getattr__(name: str) -> Any:
    """Import what is asked for: it brings NumPy with it, which a list of commands does without."""
    if name in __all__:
        modules = (import_module(f"cantstop_arena.{place}") for place in _PLACES)
        return next(getattr(module, name) for module in modules if hasattr(module, name))
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
