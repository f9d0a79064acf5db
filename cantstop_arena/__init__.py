"""Can't Stop Arena. What the author of a bot imports:

from cantstop_arena import hookimpl            # marks the two functions of a bot
from cantstop_arena import compiled            # ... and has them compiled
from cantstop_arena import Bot, Player         # families of bots, with register_bots
from cantstop_arena import Turn                # the type of what a bot is shown

What programs and notebooks do with it (docs/api.md):

import cantstop_arena as ca
ca.run("evening.yaml").show()
ca.tournament(["rule28", "glenn-aloi"], games=1000).run().standings.to_pandas()
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

__version__ = "0.2.0"
_PLACES = {
    "api.comparisons": ["ComparisonResults", "compare"],
    "api.entrants": ["bot"],
    "api.folders": ["open", "rate"],
    "api.gauntlets": ["gauntlet"],
    "api.matches": ["MatchResults", "match"],
    "api.results": ["Results"],
    "api.tournaments": ["run", "tournament"],
    "api.tuning": ["tune"],
    "errors": [
        *("ArenaError", "BotError", "ConfigError", "FaultError", "GameError", "Interrupted"),
        *("LedgerError", "PageError", "RulesError", "UsageError", "WorkerPoolError"),
    ],
    "games.cantstop.hooks": ["Player"],
    "games.cantstop.turn": ["Turn"],
    "hookspecs": ["Bot", "compiled", "hookimpl"],
    "schemas": ["schema"],
    "views.cantstop.commands.solving": ["solve"],
}
_PLACE_OF = {name: place for place, names in _PLACES.items() for name in names}
_ROOMS = ("compare", "tournament")  # of the package; each is called like the function of its name

__all__ = sorted(_PLACE_OF)


def __getattr__(name: str) -> Any:
    """Import what is asked for, and nothing before: it brings NumPy and more with it."""
    if name not in _PLACE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return import_module(f"{__name__}.{name}") if name in _ROOMS else _at_its_place(name)


def _at_its_place(name: str) -> Any:
    return getattr(import_module(f"{__name__}.{_PLACE_OF[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


class _Room(ModuleType):
    """A room that has the name of a function, and is called like it: `ca.tournament([...])`."""

    @property
    def __wrapped__(self) -> Any:
        return _at_its_place(self.__name__.rpartition(".")[2])

    def __call__(self, *words: Any, **more: Any) -> Any:
        return self.__wrapped__(*words, **more)


class _Face(ModuleType):
    """This package, of which every room becomes an attribute when it is imported."""

    def __setattr__(self, name: str, value: Any) -> None:
        if name in _ROOMS:
            value.__class__ = _Room
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Face
