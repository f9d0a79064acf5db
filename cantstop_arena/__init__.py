"""Can't Stop Arena. For the files of bots:

from cantstop_arena import hookimpl            # marks the two functions of a bot
from cantstop_arena import compiled            # ... and has them compiled
from cantstop_arena import Bot, Player         # families of bots, with register_bots
from cantstop_arena import Turn, Batch         # the types of a bot's view, and of many at once

For programs and notebooks (docs/reference/python.md):

import cantstop_arena as ca
ca.run("evening.yaml").show()
ca.tournament(["rule28", "glenn-aloi"], games=1000).run().standings.to_pandas()
"""

from importlib import import_module
from typing import Any

__version__ = "0.2.0"
_MODULES = {
    "api.bot_arguments": ["bot"],
    "api.comparisons": ["ComparisonResults", "compare"],
    "api.folders": ["open", "rate"],
    "api.histories": ["BotHistory", "history"],
    "api.matches": ["MatchResults", "match"],
    "api.results": ["Results"],
    "api.schemas": ["schema"],
    "api.tournaments": ["gauntlet", "run", "tournament"],
    "api.tuning": ["tune"],
    "errors": [
        *("ArenaError", "BotError", "ConfigError", "FaultError", "GameError", "Interrupted"),
        *("LedgerError", "PageError", "RulesError", "UsageError", "WorkerPoolError"),
    ],
    "game_api.batches": ["Batch"],
    "games.cantstop.hooks": ["Player"],
    "games.cantstop.turn": ["Turn"],
    "hookspecs": ["Bot", "compiled", "hookimpl"],
}
_MODULE_OF = {name: f"{__name__}.{module}" for module, names in _MODULES.items() for name in names}


def _all_modules() -> dict[str, str]:
    """The module of each public name, with those of extensions."""
    from cantstop_arena.extension_registry import modules_of_names

    return {**modules_of_names(), **_MODULE_OF}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, since some import NumPy and more."""
    if name == "__all__":
        return sorted(_all_modules())
    module = _MODULE_OF.get(name)
    if module is None and not name.startswith("_"):
        module = _all_modules().get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(module), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_all_modules()})
