"""The kernel and champion's search: loaded from the cache, or compiled on first use.

numba is imported only to compile. Each function gets the address of a row (`bot_row`).
"""

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import numpy as np

from cantstop_arena.games.cubus.engine.engine_cache import ENGINE_CACHE
from cantstop_arena.native.object_files import PythonCalls, load

_ADDRESS = (np.dtype(np.int64), 0)
_MODULES = "cantstop_arena.games.cubus"
KERNEL = {
    "play": "engine.kernel",
    "next_option": "engine.options",
    "choose": "engine.options",
    "choose_nearby": "engine.options",
}
"""The functions that games of compiled bots need, and their modules."""
CHAMPION = {"champion": "engine.champion_build"}
"""Its search is stored by itself, as most runs do not need it."""


@cache
def kernel() -> Any:
    """The functions of KERNEL, as attributes, and their `addresses` by name."""
    return _entries("kernel", KERNEL)


@cache
def champion() -> Any:
    """The function of CHAMPION, likewise."""
    return _entries("champion", CHAMPION)


def _entries(part: str, entries: Mapping[str, str]) -> Any:
    def compile_all() -> list[Any]:
        from cantstop_arena.native.decorators import compiled_for

        modules = {name: import_module(f"{_MODULES}.{module}") for name, module in entries.items()}
        return [
            compiled_for(getattr(module, name), (_ADDRESS,)) for name, module in modules.items()
        ]

    folder = ENGINE_CACHE.folder(part)
    loaded = load(folder, part, ENGINE_CACHE.fingerprint, compile_all)
    calls = PythonCalls(loaded, dict.fromkeys(entries, 1), folder)
    addresses = dict(zip(entries, loaded.addresses, strict=True))
    return SimpleNamespace(calls=calls, addresses=addresses, **calls.functions)
