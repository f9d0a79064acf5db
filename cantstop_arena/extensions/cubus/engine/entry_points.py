"""The kernel, champion and the searches: loaded from the cache, or compiled on first use.

numba is imported only to compile. The functions of kernel and champion get the address of a row
(`bot_row`), those that plain Python calls arrays as `object_files.array_arguments`.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import numpy as np

from cantstop_arena.extensions.cubus.engine.engine_cache import ENGINE_CACHE
from cantstop_arena.extensions.cubus.nets.net_records import AFTERSTATE, CUBUS_NET
from cantstop_arena.native.code_cache import compiles
from cantstop_arena.native.object_files import Kind, PythonCalls, argument_count, load

_NUMBER = (np.dtype(np.int64), 0)
_ADDRESS = (_NUMBER,)
_NUMBERS, _CELLS, _VALUES = ((np.dtype(np.int64), dimensions) for dimensions in (1, 2, 3))
_BITS, _RANKS = (np.dtype(np.uint64), 1), (np.dtype(np.uint32), 1)
_LIBRARY: tuple[Kind, ...] = (_BITS, _BITS, _RANKS, _RANKS, _CELLS, _NUMBERS)
_QUERY: tuple[Kind, ...] = (_NUMBERS, _BITS, _BITS, _BITS)
_SEARCH = (*_LIBRARY, *_QUERY)
_ORDERED = (*_SEARCH, *[_NUMBERS] * 4)  # with the order of texts
_SHARES: Kind = (np.dtype(np.float64), 1)
_STATES: Kind = (AFTERSTATE, 1)
_NETS: Kind = (CUBUS_NET, 1)
_RULES = (_NUMBERS, _NUMBERS)
_WORKSPACE = (
    _STATES,
    *_QUERY,
    *_QUERY,
    *(_NUMBERS, _NUMBERS, _SHARES, _NUMBERS, _CELLS, _NUMBERS),
    (np.dtype(np.int32), 1),
    *(_SHARES, _SHARES, (np.dtype(np.uint64), 2), _NUMBERS),
)
_MODULES = "cantstop_arena.extensions.cubus"
KERNEL = {
    "play": ("engine.kernel", _ADDRESS),
    "next_option": ("engine.options", _ADDRESS),
    "choose": ("engine.options", _ADDRESS),
    "choose_nearby": ("engine.options", _ADDRESS),
}
"""The functions that games of compiled bots need: their modules, and the kinds of arguments."""
CHAMPION: Mapping[str, tuple[str, Sequence[Kind]]] = {
    "champion": ("engine.champion_build", _ADDRESS),
    "plan_build_of_arrays": (
        "nets.two_ply_search",
        (*_LIBRARY, _VALUES, _NETS, *_RULES, _CELLS, _NUMBER, _CELLS, *_WORKSPACE),
    ),
}
"""Its search, compiled and for plain Python, is stored by itself, as most runs do not need it."""
SEARCHES: Mapping[str, tuple[str, Sequence[Kind]]] = {
    name: ("engine.searches", kinds)
    for name, kinds in {
        "aim": (*_QUERY, _VALUES, _CELLS, _NUMBERS, *[_NUMBER] * 4),
        "first_group": _SEARCH,
        "is_buildable": (*_SEARCH, _NUMBER),
        "next_level": (*_ORDERED, _NUMBER, _NUMBERS, _NUMBERS),
        "level_of": (*_ORDERED, _NUMBER, _NUMBERS),
        "keys_of": (*_ORDERED, _NUMBERS, _NUMBERS),
        "open_room": (*_ORDERED, _NUMBERS, _CELLS),
        "list_candidates": (*_QUERY, _CELLS, _NUMBER, _NUMBER, *[_CELLS] * 3),
        "apply_candidate": (_CELLS, _NUMBERS, _CELLS),
    }.items()
}
"""Those that views in plain Python need, also in recorded games of compiled bots."""


@cache
def kernel() -> Any:
    """The functions of KERNEL, as attributes, and their `addresses` by name."""
    return _entries("kernel", KERNEL)


@cache
def champion() -> Any:
    """The functions of CHAMPION, likewise."""
    return _entries("champion", CHAMPION)


@cache
def searches() -> Any:
    """The functions of SEARCHES, as attributes."""
    return _entries("searches", SEARCHES)


def _entries(part: str, entries: Mapping[str, tuple[str, Sequence[Kind]]]) -> Any:
    if not compiles():
        return SimpleNamespace(**_functions(entries))

    def compile_all() -> list[Any]:
        from cantstop_arena.native.decorators import compiled_for

        functions = _functions(entries)
        return [compiled_for(functions[name], kinds) for name, (_, kinds) in entries.items()]

    folder = ENGINE_CACHE.folder(part)
    loaded = load(folder, part, ENGINE_CACHE.fingerprint, compile_all)
    arity = {name: sum(map(argument_count, kinds)) for name, (_, kinds) in entries.items()}
    calls = PythonCalls(loaded, arity, folder)
    addresses = dict(zip(entries, loaded.addresses, strict=True))
    return SimpleNamespace(calls=calls, addresses=addresses, **calls.functions)


def _functions(entries: Mapping[str, tuple[str, Sequence[Kind]]]) -> dict[str, Any]:
    return {
        name: getattr(import_module(f"{_MODULES}.{module}"), name)
        for name, (module, _) in entries.items()
    }
