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

import sys
from functools import cache
from importlib import import_module
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from os.path import isfile
from types import ModuleType
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
    "bots.file_imports": ["read_beside"],
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


def all_modules() -> dict[str, str]:
    """The module of each public name, with those of extensions."""
    from cantstop_arena.extension_registry import modules_of_names

    return {**modules_of_names(), **_MODULE_OF}


class _PublicModules:
    """Finds the modules of extensions that have a public name, and those below them.

    It is asked before Python's own finders, which would take a folder of stubs for a package.
    """

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """The module of an extension under its public name; None for all other modules."""
        if not name.startswith(f"{__name__}."):
            return None
        below = name.removeprefix(f"{__name__}.")
        top = below.partition(".")[0]
        if _is_of_core(top):
            return None
        holder = all_modules().get(top)
        spec = find_spec(holder) if holder else None
        if spec is None or spec.submodule_search_locations is None:
            return None  # the name of a function or a class
        return ModuleSpec(name, _Alias(f"{holder}.{below}"))


class _Alias:
    """Loads a module under a second name: the same object, so that no class exists twice."""

    def __init__(self, module: str) -> None:
        self._module = module

    def create_module(self, spec: ModuleSpec) -> None:
        """Have Python make an empty module, which `exec_module` replaces."""

    def exec_module(self, module: ModuleType) -> None:
        """Put the extension's module in place."""
        sys.modules[module.__name__] = import_module(self._module)

    def get_code(self, name: str) -> Any:
        """The code of the module, for `python -m`."""
        return find_spec(self._module).loader.get_code(self._module)  # type: ignore[union-attr]


@cache
def _is_of_core(name: str) -> bool:
    path = f"{__path__[0]}/{name}"
    return isfile(f"{path}/__init__.py") or isfile(f"{path}.py")


sys.meta_path.insert(0, _PublicModules)  # type: ignore[arg-type]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, since some import NumPy and more."""
    if sys.platform == "win32":
        from cantstop_arena.errors import NOT_ON_WINDOWS

        raise ImportError(NOT_ON_WINDOWS)
    if name == "__all__":
        return sorted(all_modules())
    module = _MODULE_OF.get(name)
    if module is None and not name.startswith("_"):
        module = all_modules().get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    holder = import_module(module)
    value = getattr(holder, name, None) or import_module(f"{module}.{name}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *all_modules()})
