"""Where machine code comes from: numba, told once how this project wants it.

numba's own disk cache watches one source file per function, so a function would keep running
old code after another file it was compiled from had changed. Here every cache folder is named
after a fingerprint of all that the machine code depends on, and a change of any of it starts
an empty folder.
"""

import hashlib
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba.core import config
from platformdirs import user_cache_path

from cantstop_arena.errors import ArenaError

ENGINE = Path(__file__).parent


@cache
def engine_fingerprint() -> str:
    """Hash of the engine's sources and of the versions that turn them into machine code."""
    digest = hashlib.sha256()
    for part in (sys.version, *(metadata.version(name) for name in ("numba", "llvmlite", "numpy"))):
        digest.update(part.encode())
    for source in sorted(ENGINE.glob("*.py")):
        digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


def cache_root() -> Path:
    """The folder of compiled code: $CANTSTOP_ARENA_CACHE, or the user's cache folder."""
    chosen = os.environ.get("CANTSTOP_ARENA_CACHE")
    return Path(chosen) if chosen else user_cache_path("cantstop-arena")


def cache_folder(*parts: str) -> Path | None:
    """A folder for the engine's (or a bot's) machine code; None where nothing is compiled.

    Raises ArenaError where it cannot be written: compiling everything anew each time, in every
    process, is what nobody would wait for.
    """
    if config.DISABLE_JIT:
        return None
    folder = cache_root().joinpath(engine_fingerprint(), *parts)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        reason = "" if os.access(folder, os.W_OK) else "it cannot be written"
    except OSError as error:
        reason = error.strerror or str(error)
    if reason:
        raise ArenaError(
            f"{folder}, where compiled code is kept, cannot be used: {reason}. Mend its rights, or"
            " set CANTSTOP_ARENA_CACHE to another folder."
        )
    return folder


def is_cached(part: str) -> bool:
    """Whether machine code of the engine, or of the bot with this digest, is kept on disk."""
    folder = cache_root() / engine_fingerprint() / part
    return any(folder.glob("**/*.nbi"))


@contextmanager
def caching_in(folder: Path | None) -> Iterator[bool]:
    """Let numba put what is decorated inside the block into `folder`; yields whether it can."""
    before = config.CACHE_DIR
    if folder is not None:
        config.CACHE_DIR = str(folder)
    try:
        yield folder is not None
    finally:
        config.CACHE_DIR = before


def entry(function: Callable[..., Any]) -> Any:
    """Compile a function that Python calls, and keep its machine code on disk."""
    if config.DISABLE_JIT:
        return np.errstate(over="ignore")(function)  # the dice count on numbers that wrap around
    with caching_in(cache_folder("engine")) as cached:
        return numba.njit(cache=cached, nogil=True, error_model="numpy")(function)


def part(function: Callable[..., Any]) -> Any:
    """Compile a function that only other compiled functions call."""
    return numba.njit(forceinline=True, error_model="numpy")(function)
