"""Where machine code comes from: numba, told once how this project wants it.

numba's own disk cache watches one source file for each function, and believes whatever its files
hold. Here what is kept goes by a fingerprint of all that it was compiled from, and is checked
before it is loaded (`machinecode`).
"""

import os
from collections.abc import Callable
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba.core import config
from platformdirs import user_cache_path

from cantstop_arena.runtime.machinecode.fingerprint import fingerprint
from cantstop_arena.runtime.machinecode.store import SUFFIX, Store, private_folder, toolchain

ENGINE = (
    *("calling", "dice", "kernel", "luck", "moves"),
    *("native_attributes", "native_sequences", "native_types"),
)
"""The modules of this folder that are compiled, or teach numba what to compile."""


@cache
def engine_fingerprint() -> str:
    """What the engine is compiled from, the versions that turn it into machine code included."""
    modules = (import_module(f"{__package__}.{name}") for name in ENGINE)
    return fingerprint(toolchain(), *modules)


def cache_root() -> Path:
    """The folder of compiled code: $CANTSTOP_ARENA_CACHE, or the user's cache folder."""
    chosen = os.environ.get("CANTSTOP_ARENA_CACHE")
    return Path(chosen) if chosen else user_cache_path("cantstop-arena")


def cache_folder(part: str) -> Path | None:
    """A folder for the engine's (or a bot's) machine code; None where nothing is compiled.

    Raises ArenaError where it cannot be made, or is not the user's alone.
    """
    if config.DISABLE_JIT:
        return None
    return private_folder(cache_root(), engine_fingerprint(), part)


def is_cached(part: str) -> bool:
    """Whether machine code of the engine, or of the bot with this digest, is kept on disk."""
    folder = cache_root() / engine_fingerprint() / part
    return any(folder.glob(f"*{SUFFIX}"))


@cache
def _engine_folder() -> Path:
    return private_folder(cache_root(), engine_fingerprint(), "engine")


def entry(function: Callable[..., Any]) -> Any:
    """Compile a function that Python calls, and keep its machine code on disk."""
    if config.DISABLE_JIT:
        return np.errstate(over="ignore")(function)  # the dice count on numbers that wrap around
    dispatcher = numba.njit(nogil=True, error_model="numpy")(function)
    dispatcher._cache = Store(function.__name__, engine_fingerprint, _engine_folder)
    return dispatcher


def part(function: Callable[..., Any]) -> Any:
    """Compile a function that only other compiled functions call."""
    return numba.njit(forceinline=True, error_model="numpy")(function)


_UNWRAPPED = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}  # Python cannot call it


def bare(function: Callable[..., Any]) -> Any:
    """Like `part`, for functions that keep no array: references are not counted, which is slow."""
    return numba.njit(forceinline=True, error_model="numpy", _nrt=False, **_UNWRAPPED)(function)


def bare_call(function: Callable[..., Any]) -> Any:
    """Like `bare`, for functions that are so large that they are called, and compiled once."""
    return numba.njit(error_model="numpy", _nrt=False, **_UNWRAPPED)(function)


def bare_entry(function: Callable[..., Any]) -> Any:
    """Like `entry`, for functions that keep no array and do not belong to the engine.

    Their machine code goes by what they are compiled from, wherever that stands.
    """
    if config.DISABLE_JIT:
        return function
    dispatcher = numba.njit(nogil=True, error_model="numpy", _nrt=False)(function)
    stamp = partial(fingerprint, toolchain(), function)
    dispatcher._cache = Store(function.__name__, stamp, _engine_folder)
    return dispatcher


def late_entry(function: Callable[..., Any]) -> Any:
    """Like `entry`, for functions beside the engine: kept by what they are compiled from."""
    if config.DISABLE_JIT:
        return entry(function)
    dispatcher = numba.njit(nogil=True, error_model="numpy")(function)
    stamp = partial(fingerprint, toolchain(), function)
    dispatcher._cache = Store(function.__name__, stamp, _engine_folder)
    return dispatcher
