"""The ledger: every block played below one name, in one SQLite file that survives whatever stops a
run.

A row is some deals of one group of versions under one setting, so that nothing in it depends on the
tournament for which it was played. The file also has the query of the last run, or of each part of
the last comparison (see `open_ledger`). Rows are never deleted by a run.
"""

import json
import sqlite3
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from cantstop_arena.deals.seatings import Group
from cantstop_arena.errors import LedgerError
from cantstop_arena.processes import shutdown
from cantstop_arena.tournaments.ledger.ledger_query import (
    BotVersion,
    GameSetting,
    LedgerQuery,
    query_in,
)
from cantstop_arena.tournaments.ledger.row_codec import LedgerRow, row_checksum, text

VERSION = 7
LEDGER = "ledger.sqlite"
SUFFIXES = ("", "-wal", "-shm", "-journal")
"""Of the files of a database: SQLite has the last rows, or the ones before, beside the first."""

_APPLICATION = 0x41524E41  # "ARNA"
_TABLES = {
    "about": ("key TEXT PRIMARY KEY, value TEXT NOT NULL", "key"),
    "settings": ("id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE", "id"),
    "versions": (
        "id INTEGER PRIMARY KEY, digest TEXT NOT NULL UNIQUE, key TEXT NOT NULL",
        "id",
    ),
    "names": ("version INTEGER, name TEXT, PRIMARY KEY (version, name)", "version, name"),
    "disturbances": (
        "setting INTEGER, version INTEGER, what TEXT NOT NULL, PRIMARY KEY (setting, version)",
        "setting, version",
    ),
    "groups": (
        "id INTEGER PRIMARY KEY, setting INTEGER NOT NULL, bots TEXT NOT NULL,"
        " UNIQUE (setting, bots)",
        "id",
    ),
    "blocks": (
        "grp INTEGER NOT NULL, first INTEGER NOT NULL, deals INTEGER NOT NULL,"
        " detail INTEGER NOT NULL, tallies BLOB NOT NULL, winners BLOB NOT NULL,"
        " measures BLOB NOT NULL, payoffs BLOB NOT NULL, fingerprints BLOB NOT NULL,"
        " faults TEXT NOT NULL, irreproducible TEXT NOT NULL, device TEXT NOT NULL,"
        " seal BLOB NOT NULL, UNIQUE (grp, first, deals, detail)",
        "grp, first, deals, detail",
    ),
    "seals": (
        "grp INTEGER, first INTEGER, deals INTEGER, detail INTEGER,"
        " PRIMARY KEY (grp, first, deals, detail)",
        "grp, first, deals, detail",
    ),
}
"""The columns of each table, and the order of its rows in a tidy file.

`disturbances` are the results of trials, with an empty text for bots that disturb nothing; the row
of a block whose key is in `seals` must exist.
"""
# Rows of 1 kB would spill in a table without rowid: 12.1 MB for 7.2 MB.
_WITH_ROWID = ("settings", "versions", "groups", "blocks")
_ADDED_ROW = f"INSERT OR IGNORE INTO blocks VALUES ({', '.join('?' * 13)})"
_UNEXPECTED = (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError)
UNREADABLE = (sqlite3.Error, UnicodeDecodeError)
"""Errors that SQLite raises for a damaged file, also when its message cannot be decoded."""


class RowKey(NamedTuple):
    """The deals of a row, of which a group can have several, and their detail."""

    first: int
    deals: int
    detail: int

    @property
    def end(self) -> int:
        """The deal after the last one."""
        return self.first + self.deals


class Ledger:
    """The rows of one file. Use `open_ledger` to get one."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self.connection = connection

    # The query, and what it names

    def create(self) -> None:
        """Create the tables of a new file."""
        with self.connection as connection:
            connection.execute(f"PRAGMA application_id = {_APPLICATION}")
            connection.execute("BEGIN IMMEDIATE")  # all of it, or nothing
            _create_tables(connection)
            connection.execute("INSERT INTO about VALUES ('version', ?)", (text(VERSION),))

    def about(self, key: str) -> str | None:
        """A text of the table `about`; None if there is none."""
        row = next(self.select("SELECT value FROM about WHERE key = ?", key), None)
        return None if row is None else str(row[0])

    def version(self) -> object:
        """The version of the file's format; None when nothing has been written."""
        tables = self.select("SELECT name FROM sqlite_master WHERE name = 'about'")
        if next(tables, None) is None:
            return None
        with self.readable():
            stored = self.about("version")
            return None if stored is None else json.loads(stored)

    def query(self, part: str = "") -> LedgerQuery | None:
        """The query of the last run, or of a part of a comparison; None before the first one."""
        with self.readable():
            stored, deals, seal = (self.about(key) for key in _about_keys(part))
            if stored is None:
                return None
            if seal != _about_seal(stored, deals):
                raise ValueError("the query of the last run is not as it was written")
            return query_in(stored)

    def parts(self) -> list[str]:
        """The parts of the last comparison, by name; none of a run."""
        with self.readable():
            keys = self.select("SELECT key FROM about WHERE key GLOB 'query *' ORDER BY key")
            return [key.removeprefix("query ") for (key,) in keys]

    def queries(self) -> list[LedgerQuery]:
        """The queries of the last run, and of the parts of the last comparison."""
        return [query for part in ("", *self.parts()) if (query := self.query(part)) is not None]

    def deals(self, part: str = "") -> int | None:
        """The number of deals of each group that the results of the last run, or part, cover."""
        _, key, _ = _about_keys(part)
        stored = self.about(key)
        return None if stored is None else int(stored)

    def set_deals(self, deals: int, part: str = "") -> None:
        """Store how many deals of each group the results cover."""
        if self.deals(part) != deals:
            key, *_ = _about_keys(part)
            with self.writing():
                self._store_query(self.about(key) or "", deals, part)

    def _store_query(self, query: str, deals: int, part: str) -> None:
        values = query, str(deals), _about_seal(query, str(deals))
        statement = "INSERT OR REPLACE INTO about VALUES (?, ?)"
        self.connection.executemany(statement, zip(_about_keys(part), values, strict=True))

    def forget_part(self, part: str) -> None:
        """Delete the query of a part of a comparison; its rows stay."""
        with self.writing() as connection:
            keys = [(key,) for key in _about_keys(part)]
            connection.executemany("DELETE FROM about WHERE key = ?", keys)

    def set_query(self, query: LedgerQuery, part: str = "") -> None:
        """Store a query, and all that it names, unless it is the stored one."""
        key, *_ = _about_keys(part)
        if self.about(key) == query.text:
            return
        with self.writing():
            self._store_query(query.text, query.deals, part)
            self._add_named(query)

    def add_query(self, query: LedgerQuery) -> None:
        """Store all that a query names, unless it is there; the query of the last run stays."""
        if len(self.group_ids(query)) < len(query.groups):
            with self.writing():
                self._add_named(query)

    def _add_named(self, query: LedgerQuery) -> None:
        setting = self._setting_id(query.setting)
        ids = self._version_ids(bot.version for bot in query.bots)
        names = [(ids[bot.version.id], bot.name) for bot in query.bots]
        self.connection.executemany("INSERT OR IGNORE INTO names VALUES (?, ?)", names)
        groups = [(setting, _bots_text(query, group, ids)) for group in query.groups]
        statement = "INSERT OR IGNORE INTO groups (setting, bots) VALUES (?, ?)"
        self.connection.executemany(statement, groups)

    def _setting_id(self, setting: GameSetting) -> int:
        """The number of a setting, which is added if it is new."""
        query = "SELECT id FROM settings WHERE key = ?"
        if (row := next(self.select(query, setting.key), None)) is None:
            self.connection.execute("INSERT INTO settings (key) VALUES (?)", (setting.key,))
            row = next(self.select(query, setting.key))
        return int(row[0])

    def _version_ids(self, versions: Iterable[BotVersion]) -> Mapping[str, int]:
        """The numbers of versions by digest; new ones are added, in the order of arrival."""
        statement = "INSERT OR IGNORE INTO versions (digest, key) VALUES (?, ?)"
        self.connection.executemany(statement, [(bot.id, bot.key) for bot in versions])
        return self._stored_version_ids()

    def _stored_version_ids(self) -> Mapping[str, int]:
        return dict(self.select("SELECT digest, id FROM versions"))

    def versions_named(self, name: str) -> list[BotVersion]:
        """All versions that have played under a name, in the order of arrival."""
        with self.readable():
            keys = self.select(
                "SELECT key FROM versions JOIN names ON names.version = versions.id"
                " WHERE name = ? ORDER BY id",
                name,
            )
            return [msgspec.json.decode(key, type=BotVersion) for (key,) in keys]

    def group_ids(self, query: LedgerQuery) -> dict[Group, int]:
        """The numbers of a query's groups, of those that are stored; twins share one."""
        with self.readable():
            stored = {
                bots: number
                for number, bots in self.select(
                    "SELECT id, bots FROM groups"
                    " WHERE setting = (SELECT id FROM settings WHERE key = ?)",
                    query.setting.key,
                )
            }
            ids = self._stored_version_ids()
            known = [bot.version.id in ids for bot in query.bots]
            texts = {
                group: _bots_text(query, group, ids)
                for group in query.groups
                if all(known[bot] for bot in group)
            }
            return {group: stored[bots] for group, bots in texts.items() if bots in stored}

    # Trials

    def disturbances(self, setting: GameSetting) -> dict[str, str]:
        """By digest of the versions tried under a setting, what they do to a shared process."""
        with self.readable():
            return dict(
                self.select(
                    "SELECT digest, what FROM disturbances"
                    " JOIN versions ON versions.id = disturbances.version"
                    " JOIN settings ON settings.id = disturbances.setting WHERE settings.key = ?",
                    setting.key,
                )
            )

    def add_disturbances(self, setting: GameSetting, what: Mapping[str, str]) -> None:
        """Store results of trials, by digest of stored versions; empty if nothing is disturbed."""
        with self.writing():
            number, ids = self._setting_id(setting), self._stored_version_ids()
            self.connection.executemany(
                "INSERT OR IGNORE INTO disturbances VALUES (?, ?, ?)",
                [(number, ids[digest], deals) for digest, deals in what.items()],
            )

    # Rows

    def has_rows(self) -> bool:
        """Whether any games are stored."""
        tables = self.select("SELECT 1 FROM sqlite_master WHERE name = 'blocks'")
        return any(tables) and any(self.select("SELECT 1 FROM blocks LIMIT 1"))

    def row_keys(self, group_ids: Iterable[int]) -> dict[int, list[RowKey]]:
        """The rows of groups, ascending."""
        keys: dict[int, list[RowKey]] = {number: [] for number in group_ids}
        if not keys:
            return keys
        query = (
            "SELECT grp, first, deals, detail FROM blocks WHERE grp BETWEEN ? AND ?"
            " ORDER BY grp, first, deals, detail"
        )
        with self.readable():
            for group, *key in self.select(query, min(keys), max(keys)):
                if group in keys:
                    keys[group].append(RowKey(*key))
        return keys

    def notes(self, group_ids: Collection[int]) -> dict[tuple[int, RowKey], tuple[str, str]]:
        """The faults of rows of groups, and the bots that are not reproducible, where any are."""
        if not group_ids:
            return {}
        query = (
            "SELECT grp, first, deals, detail, faults, irreproducible FROM blocks"
            " WHERE grp BETWEEN ? AND ? AND (faults != '[]' OR irreproducible != '[]')"
        )
        with self.readable():
            rows = self.select(query, min(group_ids), max(group_ids))
            return {(group, RowKey(*key)): (faults, bots) for group, *key, faults, bots in rows}

    def fingerprints(self, group_ids: Collection[int]) -> dict[tuple[int, RowKey], bytes]:
        """The packed fingerprints of rows of groups, where there are any."""
        if not group_ids:
            return {}
        query = (
            "SELECT grp, first, deals, detail, fingerprints FROM blocks"
            " WHERE grp BETWEEN ? AND ? AND fingerprints != x''"
        )
        with self.readable():
            rows = self.select(query, min(group_ids), max(group_ids))
            return {(group, RowKey(*key)): packed for group, *key, packed in rows}

    def devices(self, group_ids: Collection[int]) -> dict[tuple[int, RowKey], str]:
        """The devices of rows of groups, where there are any."""
        if not group_ids:
            return {}
        query = (
            "SELECT grp, first, deals, detail, device FROM blocks"
            " WHERE grp BETWEEN ? AND ? AND device != ''"
        )
        with self.readable():
            rows = self.select(query, min(group_ids), max(group_ids))
            return {(group, RowKey(*key)): device for group, *key, device in rows}

    def read(self, columns: str, group: int, key: RowKey) -> Any:
        """Columns of a row. Raises LedgerError when there is no such row."""
        query = (
            f"SELECT {columns} FROM blocks WHERE grp = ? AND first = ? AND deals = ? AND detail = ?"
        )
        if (row := next(self.select(query, group, *key), None)) is None:
            raise LedgerError(damage_message(self.path, f"{_row_name(key)} is no longer there"))
        return row

    def add(self, query: LedgerQuery, group: Group, number: int, row: LedgerRow) -> None:
        """Store a row of a query's group. Once this returns, it survives the end of the process."""
        with self.writing() as connection:
            connection.execute(_ADDED_ROW, (number, *row, _seal(query, group, row)))
            seal = (number, *row[:3])
            connection.execute("INSERT OR IGNORE INTO seals VALUES (?, ?, ?, ?)", seal)

    def check(self, query: LedgerQuery) -> None:
        """Check that a stored query has all its rows, as they were written. Raises LedgerError."""
        with self.readable():
            ids = self.group_ids(query)
            if len(ids) < len(query.groups):
                raise ValueError("the groups of its query are no longer there")
            self._check_groups(query, ids)

    def check_rows(self, query: LedgerQuery) -> None:
        """Check the rows that there are of a query that need not be stored. Raises LedgerError."""
        with self.readable():
            self._check_groups(query, self.group_ids(query))

    def _check_groups(self, query: LedgerQuery, ids: Mapping[Group, int]) -> None:
        for table in ("blocks", "seals"):
            if [*self.select(f"SELECT grp FROM {table} EXCEPT SELECT id FROM groups")]:
                raise ValueError(f"there are {table} of groups that are no longer there")
        groups = {number: group for group, number in reversed([*ids.items()])}
        for number, group in groups.items():
            self._check_group(query, number, group)

    def _check_group(self, query: LedgerQuery, number: int, group: Group) -> None:
        lost = set(self.select("SELECT * FROM seals WHERE grp = ?", number))
        names = ", ".join(query.names[bot] for bot in group)
        for _, *values, seal in self.select("SELECT * FROM blocks WHERE grp = ?", number):
            shutdown.check()
            row = LedgerRow._make(values)
            if seal != _seal(query, group, row):
                raise ValueError(f"{_row_name(row)} of {names}: not as it was written")
            lost.discard((number, *row[:3]))
        for _, *key in lost:
            raise ValueError(f"{_row_name(key)} of {names}: it is no longer there")

    # The file

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A transaction, which marks the file as no longer tidy."""
        with self.connection:
            self.connection.execute("BEGIN IMMEDIATE")
            if self._is_tidy():
                self.connection.execute("PRAGMA user_version = 0")
            yield self.connection

    def _is_tidy(self) -> bool:
        (marked,) = next(self.select("PRAGMA user_version"))
        return bool(marked)

    def tidy(self) -> None:
        """Rewrite the file in canonical order, so that equal contents are equal bytes.

        A tidy file is left unchanged. A mark in the file (`user_version`) shows that it is tidy: a
        run can be stopped when everything is played and the file is not rewritten yet.
        """
        if self._is_tidy():
            return
        tidy = self.path.with_suffix(".tidy")
        for suffix in ("", "-journal"):  # left by a run that was stopped here
            Path(f"{tidy}{suffix}").unlink(missing_ok=True)
        with closing(sqlite3.connect(tidy)) as rewritten:
            rewritten.execute(f"PRAGMA application_id = {_APPLICATION}")
            rewritten.execute("ATTACH DATABASE ? AS written", (str(self.path),))
            with rewritten:
                rewritten.execute("BEGIN")
                _create_tables(rewritten)
                for table, (_, order) in _TABLES.items():
                    rewritten.execute(
                        f"INSERT INTO {table} SELECT * FROM written.{table} ORDER BY {order}"
                    )
            rewritten.execute("PRAGMA user_version = 1")
        self.connection.close()
        for suffix in SUFFIXES[1:]:
            Path(f"{self.path}{suffix}").unlink(missing_ok=True)
        tidy.replace(self.path)
        self.connection = connect(self.path)

    @contextmanager
    def readable(self) -> Iterator[None]:
        """Raise LedgerError for errors in decoding rows: SQLite does not detect all damage."""
        try:
            yield
        except (*_UNEXPECTED, zlib.error) as error:
            raise LedgerError(damage_message(self.path, error)) from error

    def select(self, query: str, *values: object) -> Iterator[Any]:
        """The rows of a SELECT."""
        return iter(self.connection.execute(query, values))

    def close(self) -> None:
        """Close the file."""
        self.connection.close()


def _create_tables(connection: sqlite3.Connection) -> None:
    for table, (columns, _) in _TABLES.items():
        suffix = "" if table in _WITH_ROWID else " WITHOUT ROWID"
        connection.execute(f"CREATE TABLE {table} ({columns}){suffix}")


def _bots_text(query: LedgerQuery, group: Group, ids: Mapping[str, int]) -> str:
    return text([ids[version] for version in query.versions_of(group)])


def _seal(query: LedgerQuery, group: Group, row: LedgerRow) -> bytes:
    """The seal of a row: not by numbers, which another ledger has otherwise."""
    return row_seal(query.setting.key, query.versions_of(group), row)


def row_seal(setting: str, versions: Iterable[str], row: LedgerRow) -> bytes:
    """The seal of a row: of the key of its setting, the digests of its versions, and itself."""
    return row_checksum("\n".join((setting, *versions)), row)


def _about_keys(part: str) -> tuple[str, str, str]:
    """The keys of a query, of its deals, and of the seal of both in the table `about`."""
    suffix = f" {part}" if part else ""
    return f"query{suffix}", f"deals{suffix}", f"seal{suffix}"


def _about_seal(query: str, deals: str | None) -> str:
    return row_checksum(query, (deals,)).hex()


def _row_name(key: Iterable[Any]) -> str:
    first, *_ = key
    return f"the block from deal {first!r:.40} on"


def damage_message(path: Path, error: Exception | str) -> str:
    """The message about a file that cannot be read."""
    return f"{path}: {error}. If the file is damaged, move it away or start afresh with --fresh."


def connect(path: Path, **options: Any) -> sqlite3.Connection:
    """A connection to the database in a file; committed transactions survive a crash.

    A write-ahead log lets others read meanwhile. It needs memory that processes share, which some
    network file systems lack; there a rollback journal serves, which is slower. `options` are those
    of `sqlite3.connect`. Raises sqlite3.Error.
    """
    connection: sqlite3.Connection = sqlite3.connect(path, **options)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("SELECT COUNT(*) FROM sqlite_master")  # opens the memory
    except sqlite3.OperationalError:
        connection.close()
        connection = sqlite3.connect(path, **options)
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")  # needs none to leave a log's mode
        connection.execute("PRAGMA journal_mode = DELETE")
        connection.execute("PRAGMA locking_mode = NORMAL")
    connection.execute("PRAGMA synchronous = NORMAL")
    return connection
