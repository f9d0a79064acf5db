"""Where the machine code and the tables of Cubus come from, and where they are kept.

Every cache folder is named after a fingerprint of the sources and versions it depends on, so
that nothing stale can run: numba alone watches one source file for each function.
"""

import hashlib
import os
import sys
from collections.abc import Callable
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba.core import config
from platformdirs import user_cache_path

ENGINE = Path(__file__).parent


@cache
def fingerprint() -> str:
    """Hash of the engine's sources and of the versions that turn them into machine code."""
    digest = hashlib.sha256()
    for part in (sys.version, *(metadata.version(name) for name in ("numba", "llvmlite", "numpy"))):
        digest.update(part.encode())
    for source in (*sorted(ENGINE.glob("*.py")), ENGINE.parent / "rules.py"):
        digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


def cache_folder(*parts: str) -> Path | None:
    """A folder for what is worth keeping; None where it cannot be written."""
    chosen = os.environ.get("CANTSTOP_ARENA_CACHE")
    root = Path(chosen) if chosen else user_cache_path("cantstop-arena")
    folder = root.joinpath("cubus", *parts)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return None
    return folder if os.access(folder, os.W_OK) else None


def exported(function: Callable[..., Any]) -> Any:
    """Compile a function that Python calls, and keep its machine code on disk."""
    if config.DISABLE_JIT:
        return np.errstate(over="ignore")(function)  # keyed numbers wrap around
    folder = cache_folder("code", fingerprint())
    before = config.CACHE_DIR
    try:
        config.CACHE_DIR = str(folder or "")
        return numba.njit(cache=folder is not None, nogil=True, error_model="numpy")(function)
    finally:
        config.CACHE_DIR = before


def inlined(function: Callable[..., Any]) -> Any:
    """Compile a function that only other compiled functions call: Python cannot."""
    return numba.njit(error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True)(function)
