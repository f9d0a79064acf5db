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
    "api.designing": ["DesignResults", "ProfileResults", "design", "profile"],
    "api.folders": ["open", "rate"],
    "api.histories": ["BotHistory", "history"],
    "api.leagues": ["LeagueResults", "league"],
    "api.matches": ["MatchResults", "match"],
    "api.results": ["Results"],
    "api.schemas": ["schema"],
    "api.tournaments": ["gauntlet", "run", "tournament"],
    "api.tuning": ["tune"],
    "environments.onnx_export": ["to_onnx"],
    "environments.policy_bot": ["PolicyBot"],
    "environments.vector_env": ["vector_env"],
    "errors": [
        *("ArenaError", "BotError", "ConfigError", "FaultError", "GameError", "Interrupted"),
        *("LedgerError", "PageError", "RulesError", "UsageError", "WorkerPoolError"),
    ],
    "game_api.batches": ["Batch"],
    "games.cantstop.hooks": ["Player"],
    "games.cantstop.turn": ["Turn"],
    "hookspecs": ["Bot", "compiled", "hookimpl"],
    "views.cantstop.commands.judge_api": ["JudgedBots", "judge"],
    "views.cantstop.commands.solve_api": ["solve"],
    "views.train_api": ["train"],
    "views.training_run": ["TrainedNets"],
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}

__all__ = sorted(_MODULE_OF)


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, since some import NumPy and more."""
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
