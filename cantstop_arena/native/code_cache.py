"""Where the machine code of games and of bots is stored; reading it does not import numba.

Files are deleted when they are damaged or when another user could write to them.

Whoever can write such a file can run any code in this process. So folders must belong to the user,
and every file begins with a hash of its key and its content: a file that was truncated, changed or
renamed is deleted, and its code is compiled again.
"""

import errno
import hashlib
import os
import shutil
import stat
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cache, cached_property, partial
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from platformdirs import user_cache_path

from cantstop_arena.atomic_files import draft_of
from cantstop_arena.errors import ArenaError
from cantstop_arena.native.fingerprint import compiles, sources_fingerprint

SUFFIX = ".code"
_MAGIC = b"machine code\n"
_DIGEST_SIZE = hashlib.sha256().digest_size
_ROOT_USER = 0
_READABLE = 0o555  # for a folder: also to be entered
_WRITABLE_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH


def cache_root() -> Path:
    """The folder of compiled code: $CANTSTOP_ARENA_CACHE, or the user's cache folder."""
    folder = os.environ.get("CANTSTOP_ARENA_CACHE")
    return Path(folder) if folder else user_cache_path("cantstop-arena")


def key_of(*inputs: object) -> bytes:
    """A hash of all inputs of a file's content."""
    return hashlib.sha256(repr(inputs).encode()).digest()


def path_of(folder: Path, name: str, key: bytes) -> Path:
    """The path of the file with a key."""
    return folder / f"{name}-{key.hex()[:16]}{SUFFIX}"


def write_checked(path: Path, key: bytes, payload: bytes) -> None:
    """Write a file atomically: complete or not at all, also when other processes write it.

    A failure is printed to stderr, once.
    """
    try:
        with draft_of(path) as draft:
            draft.write_bytes(b"".join((_MAGIC, _digest_of(key, payload), payload)))
    except OSError as error:
        _print_once(f"compiled code cannot be kept in {path.parent}: {error.strerror or error}")


def read_checked(path: Path, key: bytes) -> bytes | None:
    """The content of a file written with this key; None when there is none.

    A file with another key, damaged or of another owner is deleted.
    """
    try:
        data = _read(path)
    except FileNotFoundError:
        return None
    except OSError:
        data = b""
    digest, payload = data[len(_MAGIC) :][:_DIGEST_SIZE], data[len(_MAGIC) + _DIGEST_SIZE :]
    if data.startswith(_MAGIC) and digest == _digest_of(key, payload):
        return payload
    discard(path)
    return None


def _digest_of(key: bytes, payload: bytes) -> bytes:
    return hashlib.sha256(key + payload).digest()


def _read(path: Path) -> bytes:
    """The bytes of a regular file that only its owner can write to, else b""."""
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0)
    with os.fdopen(os.open(path, flags | getattr(os, "O_BINARY", 0)), "rb") as file:
        status = os.fstat(file.fileno())
        return b"" if not stat.S_ISREG(status.st_mode) or others_in(status) else file.read()


def discard(path: Path) -> None:
    """Delete a file or folder, so that its content is compiled again; ignores errors."""
    with suppress(OSError):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()


@cache
def _print_once(message: str) -> None:
    print(f"arena: {message}. It is compiled again next time.", file=sys.stderr)


# Folders --------------------------------------------------------------------------------------


def private_folder(root: Path, *parts: str) -> Path:
    """The folder root/parts that only its owner can write to, created if missing.

    It stays missing where nobody can write. Raises ArenaError when it cannot be created, or when
    others could write to it or its parents up to `root`.
    """
    folder = root
    for path in (root, *(root.joinpath(*parts[: n + 1]) for n in range(len(parts)))):
        folder = path
        if not _make(folder):
            return root.joinpath(*parts)
        _check_private(folder, folder.stat())
    return folder


def _make(folder: Path) -> bool:
    """Create a folder if it is missing; whether it is there. Raises ArenaError."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir(mode=0o755, exist_ok=True)
        return True
    except OSError as error:
        if error.errno == errno.EROFS:
            return False
        raise _unusable(folder, error.strerror or str(error), "Change its permissions") from error


def readable_folder(root: Path, name: str) -> Path | None:
    """The folder root/name if there is one, readable for all if this process is root.

    In a sandbox of root's another user reads it.
    """
    folder = root / name
    if not folder.is_dir():
        return None
    if hasattr(os, "getuid") and os.getuid() == _ROOT_USER:
        with suppress(OSError):  # then it is compiled again inside
            for parent, _, _ in os.walk(folder):
                Path(parent).chmod(Path(parent).stat().st_mode | _READABLE)
    return folder


def _check_private(folder: Path, status: os.stat_result) -> None:
    if others_in(status):
        reason = "others could put code of theirs into it"
        raise _unusable(folder, reason, "Make it yours alone (chmod go-w)")


def others_in(status: os.stat_result) -> bool:
    """Whether another user owns a file or folder or can write to it.

    A folder with the sticky bit is safe, as only owners can replace what lies in it.
    """
    if not hasattr(os, "getuid"):
        return False
    shared = status.st_mode & _WRITABLE_BY_OTHERS and not status.st_mode & stat.S_ISVTX
    return bool(shared) or status.st_uid not in (os.getuid(), _ROOT_USER)


def _unusable(folder: Path, reason: str, remedy: str) -> ArenaError:
    return ArenaError(
        f"{folder}, where compiled code is kept, cannot be used: {reason}. {remedy}, or"
        " set CANTSTOP_ARENA_CACHE to another folder."
    )


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
