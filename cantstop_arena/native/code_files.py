"""Files of machine code: whole and their owner's alone, or thrown away.

Whoever can write such a file can run anything here. So folders must be the user's own, and every
file begins with a hash of what it is wanted for and of all it holds: one that was cut off,
changed, or put in another's place is thrown away, and what it held is made again.
"""

import hashlib
import os
import shutil
import stat
import sys
from contextlib import suppress
from functools import cache
from pathlib import Path

from platformdirs import user_cache_path

from cantstop_arena.atomic_files import draft_of
from cantstop_arena.errors import ArenaError

SUFFIX = ".code"
_MARK = b"machine code\n"
_HASH = hashlib.sha256().digest_size
_ROOT_USER = 0
_WRITABLE_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH


def cache_root() -> Path:
    """The folder of compiled code: $CANTSTOP_ARENA_CACHE, or the user's cache folder."""
    chosen = os.environ.get("CANTSTOP_ARENA_CACHE")
    return Path(chosen) if chosen else user_cache_path("cantstop-arena")


def key_of(*expected: object) -> bytes:
    """What stands for all that a file is made from."""
    return hashlib.sha256(repr(expected).encode()).digest()


def path_of(folder: Path, name: str, key: bytes) -> Path:
    """Where what a key stands for is kept."""
    return folder / f"{name}-{key.hex()[:16]}{SUFFIX}"


def write_checked(path: Path, key: bytes, packed: bytes) -> None:
    """Write a file that is there as a whole or not at all, whoever else writes it."""
    try:
        with draft_of(path) as draft:
            draft.write_bytes(b"".join((_MARK, _seal_of(key, packed), packed)))
    except OSError as error:
        _print_once(f"compiled code cannot be kept in {path.parent}: {error.strerror or error}")


def read_checked(path: Path, key: bytes) -> bytes | None:
    """What a file holds for this key. Anything else that stands there is thrown away."""
    try:
        data = _read(path)
    except FileNotFoundError:
        return None
    except OSError:
        data = b""
    content, packed = data[len(_MARK) :][:_HASH], data[len(_MARK) + _HASH :]
    if data.startswith(_MARK) and content == _seal_of(key, packed):
        return packed
    discard(path)
    return None


def _seal_of(key: bytes, packed: bytes) -> bytes:
    return hashlib.sha256(key + packed).digest()


def _read(path: Path) -> bytes:
    """A regular file of one's own; nothing else, and without waiting for a pipe."""
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0)
    with os.fdopen(os.open(path, flags | getattr(os, "O_BINARY", 0)), "rb") as file:
        status = os.fstat(file.fileno())
        return b"" if not stat.S_ISREG(status.st_mode) or others_in(status) else file.read()


def discard(path: Path) -> None:
    """Have it made again next time."""
    with suppress(OSError):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()


@cache
def _print_once(what: str) -> None:
    print(f"arena: {what}. It is compiled again next time.", file=sys.stderr)


# Folders --------------------------------------------------------------------------------------


def private_folder(root: Path, *parts: str) -> Path:
    """A folder under `root` that only its owner can write to, made where it is missing.

    Raises ArenaError where it cannot be made, or where others could put machine code into it.
    """
    folder = root
    for inner in (root, *(root.joinpath(*parts[: n + 1]) for n in range(len(parts)))):
        folder = inner
        _make(folder)
        _check_private(folder, folder.stat())
    return folder


def _make(folder: Path) -> None:
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise _unusable(folder, error.strerror or str(error), "Mend its rights") from error


def _check_private(folder: Path, status: os.stat_result) -> None:
    if others_in(status):
        reason = "others could put code of theirs into it"
        raise _unusable(folder, reason, "Make it yours alone (chmod go-w)")


def others_in(status: os.stat_result) -> bool:
    """Whether another user owns this, or can write to it (in shared folders: to what is there)."""
    if not hasattr(os, "getuid"):
        return False
    shared = status.st_mode & _WRITABLE_BY_OTHERS and not status.st_mode & stat.S_ISVTX
    return bool(shared) or status.st_uid not in (os.getuid(), _ROOT_USER)


def _unusable(folder: Path, reason: str, mend: str) -> ArenaError:
    return ArenaError(
        f"{folder}, where compiled code is kept, cannot be used: {reason}. {mend}, or"
        " set CANTSTOP_ARENA_CACHE to another folder."
    )
