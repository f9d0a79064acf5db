"""Where the machine code of games and of bots is stored; reading it does not import numba."""

from collections.abc import Callable, Iterable
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from cantstop_arena.native.code_files import SUFFIX, cache_root, private_folder
from cantstop_arena.native.fingerprint import compiles, sources_fingerprint

_NATIVE = Path(__file__).parent
_BOTS = "bot-code"  # beside the games, as a bot in the sandbox sees its game's folder


class CodeCache:
    """Where the machine code of a game, and of its bots, is stored.

    `sources` are the files of all that is compiled, and of all that they import; a folder stands
    for the files in it. When one of them changes, everything is compiled again.
    """

    def __init__(self, game: str, sources: Iterable[Path]) -> None:
        self.game = game
        self.sources = (_NATIVE, *sources)

    @cached_property
    def fingerprint(self) -> str:
        """A hash of the sources and of the toolchain."""
        return sources_fingerprint(*self.sources)

    def covers(self, function: Callable[..., Any]) -> bool:
        """Whether a function is defined in the sources, and not inside another function.

        Then its name and the fingerprint identify its machine code.
        """
        file = Path(function.__code__.co_filename)
        is_source = file in self.sources or file.parent in self.sources
        return is_source and function.__qualname__.isidentifier()

    def folder(self, *parts: str) -> Path:
        """The folder of the game's machine code, or a folder inside.

        Raises ArenaError when it cannot be created, or when other users can write to it.
        """
        return private_folder(cache_root(), self.game, "code", self.fingerprint, *parts)

    def bot_folder(self, digest: str) -> Path | None:
        """The folder of the machine code of the bot with this digest; None if nothing is compiled.

        Raises ArenaError as `folder` does.
        """
        if not compiles():
            return None
        return private_folder(cache_root(), _BOTS, self.fingerprint, digest)

    def has_code(self, part: str) -> bool:
        """Whether a part of the game is stored."""
        return _has_code(cache_root() / self.game / "code" / self.fingerprint / part)

    def has_bot(self, digest: str) -> bool:
        """Whether the bot with this digest is stored."""
        return _has_code(cache_root() / _BOTS / self.fingerprint / digest)


def _has_code(folder: Path) -> bool:
    return any(folder.glob(f"*{SUFFIX}"))


class CompiledBot(msgspec.Struct, frozen=True):
    """A bot's machine code: its address, the size of the bot's memory during a game (numbers), and
    the owner, which holds the code in memory."""

    address: int
    memory: int
    owner: Any


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
