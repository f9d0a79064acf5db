"""Opening a ledger for writing: by one run at a time, and only for its own tournament."""

import json
import os
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from cantstop_arena.atomic_files import open_unlinked
from cantstop_arena.deals.seeds import Seed
from cantstop_arena.errors import LedgerError
from cantstop_arena.exit_codes import ExitCode
from cantstop_arena.tournaments.ledger.identity import differences, seed_in
from cantstop_arena.tournaments.ledger.ledger import (
    SCHEMA,
    UNREADABLE,
    VERSION,
    Ledger,
    connect,
    damage_message,
    read_about,
)
from cantstop_arena.tournaments.ledger.row_codec import text


class TournamentMismatch(LedgerError):
    """The ledger belongs to another tournament, whose identity is `stored`."""

    exit_code = ExitCode.WRONG_USE

    def __init__(self, stored: Mapping[str, Any], message: str) -> None:
        super().__init__(message)
        self.stored = stored


@contextmanager
def open_ledger(path: Path, identity: Mapping[str, Any], fresh: bool = False) -> Iterator[Ledger]:
    """Open the ledger of the tournament with this identity; create it if there is none.

    Raises LedgerError when the file belongs to another tournament or cannot be used.
    """
    with locked_folder(path.parent):
        yield from _opened(path, identity, fresh)


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


def _opened(path: Path, identity: Mapping[str, Any], fresh: bool) -> Iterator[Ledger]:
    if fresh:
        for suffix in ("", "-wal", "-shm"):
            Path(f"{path}{suffix}").unlink(missing_ok=True)
    try:
        ledger = Ledger(path, connect(path))
        _check_identity(ledger, identity)
        ledger.examine()
        try:
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


def _check_identity(ledger: Ledger, identity: Mapping[str, Any]) -> None:
    stored = read_about(ledger)
    requested = {"version": VERSION, "tournament": json.loads(json.dumps(identity))}
    if stored is None:
        with ledger._connection as connection:
            connection.execute("BEGIN IMMEDIATE")  # all of it, or nothing
            for statement in SCHEMA:
                connection.execute(statement)
            rows = [(key, text(value)) for key, value in requested.items()]
            connection.executemany("INSERT INTO about VALUES (?, ?)", rows)
        return
    if stored.get("version") != VERSION:
        raise LedgerError(
            f"{ledger.path} was written by another version of this program; leave it and choose"
            " another folder with --results, or replace it with --fresh"
        )
    if ledger.is_empty():  # its bots may have been corrected since that run failed to start
        with ledger._connection as connection:
            change = "UPDATE about SET value = ? WHERE key = 'tournament'"
            connection.execute(change, (text(requested["tournament"]),))
        return
    lines = [
        f"  {key_path}: stored {there}, requested {here}"
        for key_path, there, here in differences(stored["tournament"], requested["tournament"])
    ]
    if lines:
        raise TournamentMismatch(
            stored["tournament"],
            "\n".join(
                [
                    f"{ledger.path} holds another tournament of this name. What differs:",
                    *lines,
                    "Give the tournament another name, play it into another folder with --results,"
                    " or replace the results with --fresh.",
                ]
            ),
        )


def stored_seed(path: Path) -> Seed | None:
    """The seed of the ledger in a file; None when it cannot be read."""
    if not path.exists():
        return None
    damage = (sqlite3.Error, ValueError, LookupError, TypeError, AttributeError, LedgerError)
    with suppress(*damage), closing(sqlite3.connect(path)) as connection:
        stored = read_about(Ledger(path, connection))
        return seed_in(stored["tournament"]) if stored else None
    return None
