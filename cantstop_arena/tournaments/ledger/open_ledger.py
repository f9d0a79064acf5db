"""Opening a ledger for writing, by one run at a time."""

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from cantstop_arena.atomic_files import open_unlinked
from cantstop_arena.deals.seeds import Seed
from cantstop_arena.errors import LedgerError
from cantstop_arena.tournaments.ledger.ledger import (
    UNREADABLE,
    VERSION,
    Ledger,
    connect,
    damage_message,
)
from cantstop_arena.tournaments.ledger.ledger_query import QueryBot
from cantstop_arena.tournaments.ledger.old_ledger import OLD_VERSIONS, OldLedger

_SUFFIXES = ("", "-wal", "-shm")  # of the files of a database


@contextmanager
def open_ledger(
    path: Path, fresh: bool = False, known: Sequence[QueryBot] = ()
) -> Iterator[Ledger]:
    """Open a ledger; create it if there is none. With `fresh`, what is there is set aside.

    A ledger of release 0.2 is taken over, with the help of bots that are `known`. Raises
    LedgerError when the file cannot be used.
    """
    with locked_folder(path.parent):
        yield from _opened(path, fresh, known)


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
        except OSError:
            raise LedgerError(
                f"another run is writing to {folder}; wait until it is done"
            ) from None
        yield


# A bot may have put a pipe there, which would block.
_LOCK_FLAGS = os.O_RDWR | os.O_CREAT | getattr(os, "O_NONBLOCK", 0)


def _opened(path: Path, fresh: bool, known: Sequence[QueryBot]) -> Iterator[Ledger]:
    if fresh:
        set_aside(path)
    try:
        if _old_version(path):
            from cantstop_arena.tournaments.ledger.migration import take_over

            take_over(path, known)
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


def _old_version(path: Path) -> bool:
    """Whether a file is a ledger of release 0.2."""
    if not path.exists():
        return False
    with closing(sqlite3.connect(path)) as connection:
        return Ledger(path, connection).version() in OLD_VERSIONS


def set_aside(path: Path) -> None:
    """Rename a ledger to `ledger.old.sqlite`, of which there is one generation."""
    old = path.with_suffix(".old.sqlite")
    if path.exists():
        for suffix in _SUFFIXES:
            Path(f"{old}{suffix}").unlink(missing_ok=True)
    for suffix in _SUFFIXES:
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
    raise LedgerError(
        f"{ledger.path} was written by another version of this program; leave it and choose"
        " another folder with --results, or replace it with --fresh"
    )


def stored_seed(path: Path) -> Seed | None:
    """The seed of the last run in a ledger; None when it cannot be read."""
    if not path.exists():
        return None
    damage = (sqlite3.Error, ValueError, LookupError, TypeError, AttributeError, LedgerError)
    with suppress(*damage), closing(sqlite3.connect(path)) as connection:
        ledger = Ledger(path, connection)
        if ledger.version() in OLD_VERSIONS:
            return OldLedger(path, connection).query.setting.deal_seed
        query = ledger.query()
        return query.setting.deal_seed if query else None
    return None
