"""The cache of machine code, of the engine and of bots; reading it does not import numba."""

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
    *("bot_attributes", "bot_compiler", "bot_generators", "bot_iterables"),
    *("bot_sequences", "bot_types"),
)
"""The modules of the engine that are compiled, or say what numba makes of bots and of types."""

_GAME = "cantstop"
_ENGINE = __name__.rsplit(".", 1)[0]  # their package


def code_folder(part: str = "engine") -> Path:
    """A folder for the machine code of the engine, which sandboxes see.

    Raises ArenaError when it cannot be created, or when other users can write to it.
    """
    return private_folder(cache_root(), _GAME, engine_fingerprint(), part)


def bot_folder(digest: str) -> Path | None:
    """A folder for the machine code of a bot; None where nothing is compiled.

    No other bot sees it. Raises ArenaError like `code_folder`.
    """
    return private_folder(cache_root(), *_bot_path(digest)) if compiles() else None


def _bot_path(digest: str) -> tuple[str, ...]:
    return engine_fingerprint(), digest


def is_engine_function(function: Callable[..., Any]) -> bool:
    """Whether a function is of the engine: its fingerprint and the name identify the code."""
    is_engine_module = function.__module__.removeprefix(f"{_ENGINE}.") in ENGINE
    return is_engine_module and function.__qualname__.isidentifier()  # not nested


def is_engine_cached() -> bool:
    """Whether machine code of the engine is in the cache."""
    return _holds_code(_GAME, engine_fingerprint(), "engine")


def is_bot_cached(digest: str) -> bool:
    """Whether machine code of the bot with this digest is in the cache."""
    return _holds_code(*_bot_path(digest))


def _holds_code(*parts: str) -> bool:
    return any(cache_root().joinpath(*parts).glob(f"*{SUFFIX}"))


@cache
def engine_fingerprint() -> str:
    """A hash of what the engine is compiled from: its code, and the versions of the toolchain.

    To compute it takes an import of numba and the engine. So it is cached under a digest of the
    arena's sources; and that digest, of five hundred files, under their file system stats.
    """
    package = __name__.partition(".")[0]
    source_digest = _cached_text(
        "sources", key_of(source_stats_hash(package)), lambda: sources(package)
    )
    return _cached_text("engine", key_of(toolchain(), source_digest), _engine_as_imported)


def _engine_as_imported() -> str:
    return fingerprint(toolchain(), *(import_module(f"{_ENGINE}.{name}") for name in ENGINE))


def _cached_text(name: str, key: bytes, compute: Callable[[], str]) -> str:
    """The text in the cache under this name and key; otherwise computed, and written there."""
    path = path_of(private_folder(cache_root(), _GAME, "engines"), name, key)
    if data := read_checked(path, key):
        return data.decode()
    text = compute()
    write_checked(path, key, text.encode())
    return text


class CompiledBot(msgspec.Struct, frozen=True):
    """A bot's machine code: its address, the size of the bot's memory during a game (numbers), and
    the owner, which holds the code in memory."""

    address: int
    memory: int
    owner: Any


def is_compiled(player: Player) -> bool:
    """Whether both decisions of a bot are marked `@compiled`."""
    functions = (unwrap_partial(player.choose_move)[0], unwrap_partial(player.roll_again)[0])
    return all(compile_options(function) is not None for function in functions)


def unwrap_partial(function: Callable[..., Any]) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """A function, and the values of its options, the keyword arguments of a partial."""
    if isinstance(function, partial):
        return function.func, tuple(function.keywords.values())
    return function, ()


def has_writable_array(options: tuple[Any, ...]) -> bool:
    """Whether one of a bot's options is a writable array, whose numbers may change as it plays.

    Machine code reads such an array at its address, which is valid in this process only.
    """
    return any(isinstance(option, np.ndarray) and option.flags.writeable for option in options)
