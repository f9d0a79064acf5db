"""Which ledger has the games of a folder, and how it is opened, locked and protected.

A ledger is opened for writing by one run at a time. The games of a folder of results are in its own
ledger, or in that of a comparison.

A comparison is played as several tournaments, its parts. Each has a folder, two levels below that
of the comparison, and a query in the comparison's ledger.

Bots whose games are recorded could reach the ledger: `protected_ledger` restores it.
"""

import errno
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from cantstop_arena.atomic_files import draft_of, open_unlinked, remove_all_drafts
from cantstop_arena.deals.seeds import Seed
from cantstop_arena.errors import EarlierLedgerError, LedgerError
from cantstop_arena.tournaments.ledger.ledger import (
    LEDGER,
    SUFFIXES,
    UNREADABLE,
    VERSION,
    Ledger,
    connect,
    damage_message,
)


@contextmanager
def open_ledger(path: Path, fresh: bool = False) -> Iterator[Ledger]:
    """Open a ledger; create it if there is none. With `fresh`, what is there is set aside.

    Drafts of result files that killed runs have left are deleted. Raises LedgerError when the file
    cannot be used.
    """
    with locked_folder(path.parent):
        remove_all_drafts(path.parent)
        yield from _opened(path, fresh)


@contextmanager
def locked_folder(folder: Path) -> Iterator[None]:
    """Lock a folder against other runs. The lock ends with its process, however that ends.

    It is a record lock, which worker processes do not inherit: they could outlive this process.
    """
    try:
        import fcntl
    except ImportError:  # no such locks on this system
        yield
        return
    try:
        lock = os.fdopen(open_unlinked(folder / ".lock", _LOCK_FLAGS), "wb")
    except OSError as error:
        raise LedgerError(
            f"{folder} cannot be written: {error.strerror}. Change its permissions, or choose"
            " another folder with --results."
        ) from error
    with lock as file:
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno in (errno.EACCES, errno.EAGAIN):
                message = f"another run is writing to {folder}; wait until it is done"
            else:
                message = (
                    f"{folder} cannot be locked ({error.strerror}), as on some network file"
                    " systems; choose a folder on a local disk with --results"
                )
            raise LedgerError(message) from None
        yield


# A bot may have put a pipe there, which would block.
_LOCK_FLAGS = os.O_RDWR | os.O_CREAT | getattr(os, "O_NONBLOCK", 0)


def _opened(path: Path, fresh: bool) -> Iterator[Ledger]:
    if fresh:
        set_aside(path)
    try:
        ledger = Ledger(path, connect(path))
        try:
            if ledger.version() is None:
                ledger.create()
            check_version(ledger)
            yield ledger
        finally:
            ledger.close()
    except UNREADABLE as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # without the extended part
        if code in _UNWRITTEN:
            raise LedgerError(
                f"{path} cannot be written: {error}. Nothing that was finished is lost: make room,"
                " or mend the folder's rights, and run the same command again."
            ) from error
        raise LedgerError(damage_message(path, error)) from error


_UNWRITTEN = {
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_PERM,
}


def set_aside(path: Path) -> None:
    """Rename a ledger to `ledger.old.sqlite`, of which there is one generation."""
    old = path.with_suffix(".old.sqlite")
    if path.exists():
        for suffix in SUFFIXES:
            Path(f"{old}{suffix}").unlink(missing_ok=True)
    for suffix in SUFFIXES:
        with suppress(FileNotFoundError):
            Path(f"{path}{suffix}").replace(f"{old}{suffix}")


def check_version(ledger: Ledger) -> None:
    """Raise LedgerError for a ledger of another version than this program writes."""
    stored = ledger.version()
    if stored == VERSION:
        return
    if type(stored) is int and stored > VERSION:
        raise LedgerError(
            f"{ledger.path} was written by a newer arena (ledger {stored}); use that one, or start"
            " over with --fresh"
        )
    raise EarlierLedgerError(
        f"{ledger.path} was written by an earlier version of this program, with other dice; leave"
        " it and choose another folder with --results, or replace it with --fresh"
    )


def stored_seed(path: Path) -> Seed | None:
    """The seed of the last run in a ledger; None when it cannot be read."""
    if not path.exists():
        return None
    damage = (sqlite3.Error, ValueError, LookupError, TypeError, AttributeError, LedgerError)
    for open_database in (sqlite3.connect, connect):  # which reads more, but may have to write
        with suppress(*damage), closing(open_database(path)) as connection:
            ledger = Ledger(path, connection)
            query = ledger.query()
            return query.setting.deal_seed if query else None
    return None


_PARTS = "*-players/*"  # the folders of a comparison's parts, below its own


class LedgerPart(NamedTuple):
    """A ledger, and which part of a comparison it is read for; none for a run."""

    path: Path
    part: str = ""


def part_name(players: int, rules: str) -> str:
    """The name of a part of a comparison: the path of its folder, `rules` in that of `players`."""
    return f"{players}-players/{rules}"


def part_folders(folder: Path) -> Iterator[Path]:
    """The folders of the parts of the comparison in a folder, by name."""
    yield from sorted(path for path in folder.glob(_PARTS) if path.is_dir())


def ledger_part(folder: Path) -> LedgerPart:
    """Where the games of a folder are, if there are any."""
    own = LedgerPart(folder / LEDGER)
    above = folder if len(folder.parts) > 2 else folder.absolute()
    if own.path.is_file() or not above.match(_PARTS):
        return own
    shared = above.parent.parent / LEDGER
    return LedgerPart(shared, "/".join(above.parts[-2:])) if shared.is_file() else own


_AT_ONCE = 1 << 20  # bytes that are compared at once
_MAX_BYTES = 1 << 28  # bytes that are remembered: a ledger of some hundred million games


@contextmanager
def protected_ledger(folder: Path) -> Iterator[None]:
    """Lock a ledger meanwhile, and restore it at the end if bots have changed it.

    A ledger of more than 256 MiB is not restored. Raises LedgerError.
    """
    path = ledger_part(folder).path
    with locked_folder(path.parent):
        before = _content(path)
        try:
            yield
        finally:
            if before is not None:
                _restore(path, before)


def _content(path: Path) -> bytes | None:
    """The content of a file that is not too large, else None."""
    with suppress(OSError):
        if path.is_file() and path.stat().st_size <= _MAX_BYTES:
            return path.read_bytes()
    return None


def _has(path: Path, content: bytes) -> bool:
    """Whether a file has this content, compared in parts to save memory."""
    if not path.is_file() or path.stat().st_size != len(content):
        return False
    with path.open("rb") as file:
        parts = iter(lambda: file.read(_AT_ONCE), b"")
        starts = range(0, len(content), _AT_ONCE)
        pairs = zip(starts, parts, strict=False)
        return all(part == content[start : start + _AT_ONCE] for start, part in pairs)


def _restore(path: Path, before: bytes) -> None:
    """Restore the ledger, and delete the files from which SQLite would add to it."""
    try:
        for suffix in SUFFIXES[1:]:
            Path(f"{path}{suffix}").unlink(missing_ok=True)
        if path.is_symlink() or not _has(path, before):
            path.parent.mkdir(parents=True, exist_ok=True)
            with draft_of(path) as draft:
                draft.write_bytes(before)
    except OSError as error:
        raise LedgerError(
            damage_message(path, f"a bot has changed it: {error.strerror}")
        ) from error
