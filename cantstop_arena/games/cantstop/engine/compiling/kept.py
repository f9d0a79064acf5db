"""Where the engine's machine code is kept, and bots': found without importing what compiles it."""

from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from cantstop_arena.runtime.machinecode.files import (
    SUFFIX,
    cache_root,
    key_of,
    path_of,
    private_folder,
    seal,
    unsealed,
)
from cantstop_arena.runtime.machinecode.fingerprint import fingerprint
from cantstop_arena.runtime.machinecode.toolchain import (
    compiles,
    sources,
    sources_seen,
    toolchain,
)

ENGINE = (
    *("calling", "course", "dice", "kernel", "luck", "moves", "settling", "standings", "turns"),
    *("native.attributes", "native.fields", "native.sequences", "native.types"),
)
"""The modules of the engine that are compiled, or teach numba what to compile."""

_ENGINE = __name__.rsplit(".", 2)[0]  # the package that has them


def cache_folder(part: str) -> Path | None:
    """A folder for the engine's (or a bot's) machine code; None where nothing is compiled.

    Raises ArenaError where it cannot be made, or is not the user's alone.
    """
    return code_folder(part) if compiles() else None


def code_folder(part: str = "engine") -> Path:
    """The same, where things are compiled."""
    return private_folder(cache_root(), engine_fingerprint(), part)


def is_of_engine(function: Callable[..., Any]) -> bool:
    """Whether the engine's fingerprint and its name say all of a function."""
    is_known = function.__module__.removeprefix(f"{_ENGINE}.") in ENGINE
    return is_known and function.__qualname__.isidentifier()  # not made within another


def is_cached(part: str) -> bool:
    """Whether machine code of the engine, or of the bot with this digest, is kept on disk."""
    folder = cache_root() / engine_fingerprint() / part
    return any(folder.glob(f"*{SUFFIX}"))


@cache
def engine_fingerprint() -> str:
    """What the engine is compiled from, the versions that turn it into machine code included.

    To say so takes an import of all that. So it is noted for the arena's sources as they are; and
    these, which are five hundred files, for what the file system says of them.
    """
    package = __name__.partition(".")[0]
    told = _noted("sources", key_of(sources_seen(package)), lambda: sources(package))
    return _noted("engine", key_of(toolchain(), told), _engine_as_imported)


def _engine_as_imported() -> str:
    return fingerprint(toolchain(), *(import_module(f"{_ENGINE}.{name}") for name in ENGINE))


def _noted(name: str, key: bytes, find: Callable[[], str]) -> str:
    """What stands in a note with this key; where there is none, what is found, for next time."""
    path = path_of(private_folder(cache_root(), "engines"), name, key)
    if noted := unsealed(path, key):
        return noted.decode()
    found = find()
    seal(path, key, found.encode())
    return found
