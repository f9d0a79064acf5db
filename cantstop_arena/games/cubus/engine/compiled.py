"""The decorators of Cubus' compiled functions, and the folder of its machine code and tables.

Machine code is stored under a fingerprint of all sources and versions that it depends on, and
checked before it is loaded. numba's own cache checks one source file for each function, and
compiles again where its folder is read-only, as in the sandbox of isolated bots.
"""

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from cantstop_arena.native import decorators as native_decorators
from cantstop_arena.native.code_files import cache_root, private_folder
from cantstop_arena.native.decorators import decorators
from cantstop_arena.native.fingerprint import toolchain

ENGINE = Path(__file__).parent


@cache
def fingerprint() -> str:
    """Hash of the engine's sources and of the versions of the toolchain, 16 hex digits."""
    digest = hashlib.sha256(toolchain().encode())
    rules, options = ENGINE.parent / "rules.py", Path(native_decorators.__file__)
    for source in (*sorted(ENGINE.glob("*.py")), rules, options):
        digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


def cache_folder(*parts: str) -> Path:
    """A private folder of the user for stored files. Raises ArenaError when there is none."""
    return private_folder(cache_root(), "cubus", *parts)


@cache
def _code_folder(*parts: str) -> Path:
    return cache_folder("code", fingerprint(), *parts)


def _stamp_of(function: Callable[..., Any]) -> Callable[[], str]:
    return fingerprint


njit_entry, _, njit_call, _ = decorators(_stamp_of, _code_folder)


@njit_call(nrt=False)
def copy_numbers(target: Any, source: Any) -> None:
    """`target[:len(source)] = source`; numba takes 0.3 s to compile each slice assignment."""
    for index in range(len(source)):
        target[index] = source[index]


@njit_call(nrt=False)
def copy_rows(target: Any, source: Any) -> None:
    """`target[:len(source)] = source` for arrays of rows of numbers."""
    for row in range(source.shape[0]):
        for index in range(source.shape[1]):
            target[row, index] = source[row, index]
