"""Games, and the names that the author of a game needs (docs/reference/game-api.md)."""

from importlib import import_module
from typing import Any

_MODULES = {
    "deals.counting": ["COUNT", "SHARE", "Counts", "Highlight", "Measure", "Rate"],
    "deals.payoff": ["Payoff"],
    "deals.seatings": ["Orders", "all_orders", "balanced_orders", "rotations", "standard_orders"],
    "game_api.bot_options": ["FilePath", "Search"],
    "game_api.codec": ["Codec"],
    "game_api.decisions": ["decision"],
    "game_api.game": ["CheckGame", "Game"],
    "game_api.kernel_spec": ["Kernel"],
    "game_api.rulebook": ["Named", "RuleBook", "choice", "flag", "whole", "wholes"],
    "game_api.state": ["Chance", "Deal", "Event", "Question", "Result", "State"],
    "game_api.streams": ["Stream"],
    "game_api.view": ["View"],
    "table.recording": ["record"],
    "views.default_view": ["GameView", "Scene"],
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}

__all__ = sorted(_MODULE_OF)


def __getattr__(name: str) -> Any:
    """Import a name on first use: it imports NumPy, which the list of commands does not need."""
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"cantstop_arena.{_MODULE_OF[name]}"), name)
    globals()[name] = value
    return value
