"""Where the engine's machine code is kept, and bots': found without importing what compiles it."""

from collections.abc import Callable
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from cantstop_arena.games.cantstop.hooks import Player
from cantstop_arena.hookspecs import compile_options
from cantstop_arena.native.code_files import (
    SUFFIX,
    cache_root,
    key_of,
    path_of,
    private_folder,
    read_checked,
    write_checked,
)
from cantstop_arena.native.fingerprint import (
    compiles,
    fingerprint,
    source_stats_hash,
    sources,
    toolchain,
)

ENGINE = (
    *(
        "bot_calls",
        "game_flow",
        "dice",
        "kernel",
        "luck",
        "moves",
        "game_tally",
        "leaders",
        "turns",
    ),
    *("bot_attributes", "bot_sequences", "bot_types"),
)
"""The modules of the engine that are compiled, or teach numba what to compile."""

_ENGINE = __name__.rsplit(".", 1)[0]  # the package that has them


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
    is_existing = function.__module__.removeprefix(f"{_ENGINE}.") in ENGINE
    return is_existing and function.__qualname__.isidentifier()  # not made within another


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
    text = _cached_text("sources", key_of(source_stats_hash(package)), lambda: sources(package))
    return _cached_text("engine", key_of(toolchain(), text), _engine_as_imported)


def _engine_as_imported() -> str:
    return fingerprint(toolchain(), *(import_module(f"{_ENGINE}.{name}") for name in ENGINE))


def _cached_text(name: str, key: bytes, find: Callable[[], str]) -> str:
    """What stands in a note with this key; where there is none, what is found, for next time."""
    path = path_of(private_folder(cache_root(), "engines"), name, key)
    if data := read_checked(path, key):
        return data.decode()
    match = find()
    write_checked(path, key, match.encode())
    return match


class CompiledBot(msgspec.Struct, frozen=True):
    """The address of a bot's machine code, how many numbers it keeps during a game, and what
    keeps that code in memory."""

    address: int
    memory: int
    owner: Any


def is_compiled(player: Player) -> bool:
    """Whether both decisions of a bot are marked `@compiled`."""
    functions = (unwrap_partial(player.choose_move)[0], unwrap_partial(player.roll_again)[0])
    return all(compile_options(function) is not None for function in functions)


def unwrap_partial(function: Callable[..., Any]) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """A function and the values of its options, which a partial holds by keyword."""
    if isinstance(function, partial):
        return function.func, tuple(function.keywords.values())
    return function, ()


def has_writable_array(options: tuple[Any, ...]) -> bool:
    """Whether a bot plays with numbers that may change while it does: an array open to writing.

    Its machine code reads them in memory, at an address that no other process would understand.
    """
    return any(isinstance(option, np.ndarray) and option.flags.writeable for option in options)
