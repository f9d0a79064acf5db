"""What a league remembers of submissions: when each was seen first, and whether it passed."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import msgspec

from cantstop_arena.atomic_files import refuse_link
from cantstop_arena.deals.seeds import Seed, random_seed, seed_of
from cantstop_arena.errors import LedgerError
from cantstop_arena.extensions.league.extension import LEAGUE_FILE

_VERSION = 1
_SCHEMA = """
CREATE TABLE IF NOT EXISTS about (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS submissions (
    participant TEXT NOT NULL, digest TEXT NOT NULL, first_seen TEXT NOT NULL,
    last_seen TEXT NOT NULL, conditions TEXT NOT NULL, verdict TEXT NOT NULL, reason TEXT NOT NULL,
    PRIMARY KEY (participant, digest)) WITHOUT ROWID;
"""
_COLUMNS = "participant, digest, first_seen, last_seen, conditions, verdict, reason"
PASSED, FAILED = "passed", "failed"


class StoredSubmission(msgspec.Struct, frozen=True):
    """A version of a participant's bot: its digest, its dates, and the verdict of its check.

    `conditions` are the digest of what it was checked under; `reason` is why it failed. Dates are
    ISO 8601 with the time of the day.
    """

    participant: str
    digest: str
    first_seen: str
    last_seen: str
    conditions: str
    verdict: str
    reason: str = ""

    @property
    def has_passed(self) -> bool:
        """Whether it may play."""
        return self.verdict == PASSED

    @property
    def day(self) -> str:
        """The date on which it was seen first."""
        return self.first_seen[:10]


class SubmissionStore:
    """The table of submissions, and the league's seed if its file names none."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def seed(self, named: Seed | None) -> Seed:
        """The seed that the file names, else the stored one, drawn at the first run."""
        if named is not None:
            return named
        row = self._connection.execute("SELECT value FROM about WHERE key = 'seed'").fetchone()
        stored = seed_of(row[0]) if row else None
        if stored is None:
            stored = random_seed()
            with self._connection:
                self._connection.execute(
                    "INSERT OR REPLACE INTO about VALUES ('seed', ?)", (str(stored),)
                )
        return stored

    def versions(self, participant: str) -> list[StoredSubmission]:
        """The versions of a participant, the one that was seen last first."""
        rows = self._connection.execute(
            f"SELECT {_COLUMNS} FROM submissions WHERE participant = ?"
            " ORDER BY last_seen DESC, first_seen DESC, digest",
            (participant,),
        )
        return [StoredSubmission(*row) for row in rows]

    def add(self, submission: StoredSubmission) -> None:
        """Store a version, or replace what is stored of it."""
        values = [getattr(submission, name) for name in StoredSubmission.__struct_fields__]
        with self._connection:
            self._connection.execute(
                f"INSERT OR REPLACE INTO submissions ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)",
                values,
            )


@contextmanager
def open_store(folder: Path) -> Iterator[SubmissionStore]:
    """The store in a folder of results, which is created if there is none.

    Raises LedgerError when the file is damaged or newer than this program.
    """
    path = folder / LEAGUE_FILE
    refuse_link(path)
    with _reporting_damage(path), closing(sqlite3.connect(path)) as connection:
        yield _store_in(connection, path)


@contextmanager
def copied_store(folder: Path) -> Iterator[SubmissionStore]:
    """A copy in memory of the store in a folder, an empty one if there is none.

    Raises LedgerError as `open_store` does.
    """
    path = folder / LEAGUE_FILE
    with _reporting_damage(path), closing(sqlite3.connect(":memory:")) as copy:
        if path.is_file():
            source = f"{path.resolve().as_uri()}?mode=ro"
            with closing(sqlite3.connect(source, uri=True)) as connection:
                connection.backup(copy)
        yield _store_in(copy, path)


@contextmanager
def _reporting_damage(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.DatabaseError as error:
        raise LedgerError(f"{path} cannot be read: {error}") from error


def _store_in(connection: sqlite3.Connection, path: Path) -> SubmissionStore:
    """The store in a database, with its table. Raises LedgerError for one of a newer program."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version > _VERSION:
        raise LedgerError(f"{path} was written by a newer arena; use that one")
    connection.executescript(_SCHEMA)
    connection.execute(f"PRAGMA user_version = {_VERSION}")
    return SubmissionStore(connection)
