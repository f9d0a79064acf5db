"""Where machine code comes from: numba, told once how this project wants it.

What is compiled is kept by `kept` and by `machinecode`, and loaded without coming here.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numba
import numpy as np
from numba import types
from numba.core import config

from cantstop_arena.games.cantstop.engine.compiling.kept import (
    code_folder,
    engine_fingerprint,
    is_of_engine,
)
from cantstop_arena.runtime.machinecode.fingerprint import fingerprint
from cantstop_arena.runtime.machinecode.linked import LINKED, LinkedStore
from cantstop_arena.runtime.machinecode.store import Store
from cantstop_arena.runtime.machinecode.toolchain import toolchain
from cantstop_arena.runtime.machinecode.uncollected import collect_nothing_meanwhile

collect_nothing_meanwhile()

UNWRAPPED = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
"""Of functions that nobody calls by way of numba."""


def entry(function: Callable[..., Any]) -> Any:
    """Compile a function that Python calls, and keep its machine code on disk.

    What a start needs is not called by way of numba, but by `machine`.
    """
    if config.DISABLE_JIT:
        return np.errstate(over="ignore")(function)  # the dice count on numbers that wrap around
    dispatcher = numba.njit(nogil=True, error_model="numpy")(function)
    dispatcher._cache = Store(function.__name__, engine_fingerprint, code_folder)
    return dispatcher


def compiled_for(function: Any, kinds: Sequence[tuple[Any, int]]) -> Any:
    """An entry as numba compiles it for arguments of these types of numbers and dimensions."""
    wanted = tuple(
        types.Array(numba.from_dtype(kind), dimensions, "C")
        if dimensions
        else numba.from_dtype(kind)
        for kind, dimensions in kinds
    )
    dispatcher = numba.njit(error_model="numpy", **UNWRAPPED)(function.py_func)
    dispatcher.compile(wanted)
    return dispatcher.overloads[wanted]


def part(function: Callable[..., Any]) -> Any:
    """Compile a function that only other compiled functions call.

    Those of the engine are kept, as each bot is compiled together with what it calls of them.
    """
    dispatcher = numba.njit(forceinline=True, error_model="numpy", **LINKED)(function)
    if is_of_engine(function) and not config.DISABLE_JIT:
        name = f"{function.__module__}.{function.__name__}"
        dispatcher._cache = LinkedStore(name, engine_fingerprint, partial(code_folder, "parts"))
    return dispatcher


def own_code(function: Callable[..., Any]) -> Any:
    """Like `part`, for a bot's own code, in which a division by zero is an error."""
    return numba.njit(forceinline=True, error_model="python", **LINKED)(function)


def bare(function: Callable[..., Any]) -> Any:
    """Like `part`, for functions that keep no array: references are not counted, which is slow."""
    return numba.njit(forceinline=True, error_model="numpy", _nrt=False, **LINKED)(function)


def bare_call(function: Callable[..., Any]) -> Any:
    """Like `bare`, for functions that are so large that they are called, and compiled once."""
    return numba.njit(error_model="numpy", _nrt=False, **LINKED)(function)


def bare_entry(function: Callable[..., Any]) -> Any:
    """Like `entry`, for functions that keep no array and do not belong to the engine.

    Their machine code goes by what they are compiled from, wherever that stands.
    """
    if config.DISABLE_JIT:
        return function
    dispatcher = numba.njit(nogil=True, error_model="numpy", _nrt=False)(function)
    stamp = partial(fingerprint, toolchain(), function)
    dispatcher._cache = Store(function.__name__, stamp, code_folder)
    return dispatcher


def late_entry(function: Callable[..., Any]) -> Any:
    """Like `entry`, for functions beside the engine: kept by what they are compiled from."""
    if config.DISABLE_JIT:
        return entry(function)
    dispatcher = numba.njit(nogil=True, error_model="numpy")(function)
    stamp = partial(fingerprint, toolchain(), function)
    dispatcher._cache = Store(function.__name__, stamp, code_folder)
    return dispatcher
