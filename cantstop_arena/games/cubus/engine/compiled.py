"""Where the machine code and the tables of Cubus come from, and where they are kept.

What is compiled goes by a fingerprint of all sources and versions that it depends on, and is
checked before it is loaded (`machinecode`): numba alone watches one source file for each function,
and compiles anew where the folder cannot be written, as in the sandbox of isolated bots.
"""

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba.core import config

from cantstop_arena.runtime.machinecode.files import cache_root, private_folder
from cantstop_arena.runtime.machinecode.linked import LINKED
from cantstop_arena.runtime.machinecode.store import Store
from cantstop_arena.runtime.machinecode.toolchain import toolchain
from cantstop_arena.runtime.machinecode.uncollected import collect_nothing_meanwhile

collect_nothing_meanwhile()

ENGINE = Path(__file__).parent


@cache
def fingerprint() -> str:
    """Hash of the engine's sources and of the versions that turn them into machine code."""
    digest = hashlib.sha256(toolchain().encode())
    for source in (*sorted(ENGINE.glob("*.py")), ENGINE.parent / "rules.py"):
        digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


def cache_folder(*parts: str) -> Path:
    """A folder of the user's alone for what is worth keeping. Raises ArenaError without one."""
    return private_folder(cache_root(), "cubus", *parts)


@cache
def _code_folder() -> Path:
    return cache_folder("code", fingerprint())


def exported(function: Callable[..., Any]) -> Any:
    """Compile a function that Python calls, and keep its machine code on disk."""
    if config.DISABLE_JIT:
        return np.errstate(over="ignore")(function)  # keyed numbers wrap around
    dispatcher = numba.njit(nogil=True, error_model="numpy")(function)
    dispatcher._cache = Store(function.__name__, fingerprint, _code_folder)
    return dispatcher


def inlined(function: Callable[..., Any]) -> Any:
    """Compile a function that only other compiled functions call: Python cannot."""
    return numba.njit(error_model="numpy", **LINKED)(function)


def bare(function: Callable[..., Any]) -> Any:
    """Like `inlined`, for functions that make no array: references are not counted.

    That is most of the time of small functions that look into arrays.
    """
    return numba.njit(error_model="numpy", _nrt=False, **LINKED)(function)


@bare
def copy_numbers(target: Any, source: Any) -> None:
    """`target[:len(source)] = source`, which numba compiles a third of a second, each time."""
    for place in range(len(source)):
        target[place] = source[place]


@bare
def copy_rows(target: Any, source: Any) -> None:
    """The same for rows of numbers."""
    for row in range(source.shape[0]):
        for place in range(source.shape[1]):
            target[row, place] = source[row, place]
