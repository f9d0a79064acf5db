"""Machine code kept on disk: a file for each function and signature, checked before it is loaded.

Whoever can write such a file can run anything here. So folders must be the user's own, and every
file begins with a hash of what it is wanted for and of all it holds: one that was cut off,
changed, or put in another's place is thrown away, and the function compiled again.
"""

import hashlib
import os
import pickle
import shutil
import stat
import sys
import uuid
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from numba.core import config
from numba.core.caching import _Cache
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps

from cantstop_arena.errors import ArenaError

SUFFIX = ".code"
_MARK = b"machine code\n"
_HASH = hashlib.sha256().digest_size
_ROOT_USER = 0
_WRITABLE_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH


@cache
def toolchain() -> str:
    """What turns functions into machine code: Python, numba with what it needs, its settings."""
    versions = [metadata.version(name) for name in ("numba", "llvmlite", "numpy")]
    settings = [config.OPT, config.LOOP_VECTORIZE, config.SLP_VECTORIZE, config.BOUNDSCHECK]
    return repr((sys.version, versions, settings))


class Store(_Cache):  # type: ignore[misc]  # numba is not typed
    """The machine code of one function, as numba's dispatchers ask for it.

    `stamp` stands for all that the function is compiled from, and `folder` is where it is kept,
    if it is; both are asked for when it is compiled. `vet` is shown what was compiled before it
    is kept, and may raise.
    """

    def __init__(
        self,
        name: str,
        stamp: Callable[[], str],
        folder: Callable[[], Path | None],
        vet: Callable[[Any], None] = lambda compiled: None,
    ) -> None:
        self._name, self._stamp, self._folder, self._vet = name, stamp, folder, vet

    @property
    def cache_path(self) -> str:
        """The folder."""
        return str(self._folder())

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """What was compiled for a signature; None where it is not there, or not to be trusted."""
        target_context.refresh()
        if (folder := self._folder()) is None:
            return None
        key = self._key(sig, target_context.codegen())
        path = self._path(folder, key)
        packed = _unsealed(path, key)
        if packed is None:
            return None
        try:
            return CompileResult._rebuild(target_context, *pickle.loads(packed))
        except Exception:  # whole, and still of no use to this process
            _throw_away(path)
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what was compiled, if it can be kept."""
        self._vet(data)
        folder = self._folder()
        if folder is not None and not data.library.has_dynamic_globals and not data.lifted:
            key = self._key(sig, data.codegen)
            _seal(self._path(folder, key), key, dumps(data._reduce()))

    def _key(self, sig: Any, codegen: Any) -> bytes:
        wanted = (toolchain(), codegen.magic_tuple(), self._stamp(), self._name, str(sig))
        return hashlib.sha256(repr(wanted).encode()).digest()

    def _path(self, folder: Path, key: bytes) -> Path:
        return folder / f"{self._name}-{key.hex()[:16]}{SUFFIX}"

    def enable(self) -> None:
        """Always so."""

    def disable(self) -> None:
        """Never so."""

    def flush(self) -> None:
        """Forget nothing: what is stale has another name."""


# Files ----------------------------------------------------------------------------------------


def _seal(path: Path, key: bytes, packed: bytes) -> None:
    """Write a file that is there as a whole or not at all, whoever else writes it."""
    draft = path.with_name(f".{uuid.uuid4().hex}")
    try:
        draft.write_bytes(b"".join((_MARK, _seal_of(key, packed), packed)))
        draft.replace(path)
    except OSError as error:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
        _say_once(f"compiled code cannot be kept in {path.parent}: {error.strerror or error}")


def _unsealed(path: Path, key: bytes) -> bytes | None:
    """What a file holds for this key. Anything else that stands there is thrown away."""
    try:
        written = _read(path)
    except FileNotFoundError:
        return None
    except OSError:
        written = b""
    seal, packed = written[len(_MARK) :][:_HASH], written[len(_MARK) + _HASH :]
    if written.startswith(_MARK) and seal == _seal_of(key, packed):
        return packed
    _throw_away(path)
    return None


def _seal_of(key: bytes, packed: bytes) -> bytes:
    return hashlib.sha256(key + packed).digest()


def _read(path: Path) -> bytes:
    """A regular file of one's own; nothing else, and without waiting for a pipe."""
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0)
    with os.fdopen(os.open(path, flags | getattr(os, "O_BINARY", 0)), "rb") as file:
        status = os.fstat(file.fileno())
        return b"" if not stat.S_ISREG(status.st_mode) or others_in(status) else file.read()


def _throw_away(path: Path) -> None:
    with suppress(OSError):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()


@cache
def _say_once(what: str) -> None:
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
