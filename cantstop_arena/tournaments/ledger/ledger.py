"""The ledger: every block played, in one SQLite file that survives whatever stops a run."""

import json
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cantstop_arena.deals.outcomes import BlockResult, Fault, Tally, sum_tallies
from cantstop_arena.deals.sampling import Bytes
from cantstop_arena.deals.seatings import Group, Orders, lineups
from cantstop_arena.deals.spans import Span
from cantstop_arena.errors import LedgerError
from cantstop_arena.processes import shutdown
from cantstop_arena.tournaments.ledger.identity import orders_of
from cantstop_arena.tournaments.ledger.ledger_check import LedgerCheck
from cantstop_arena.tournaments.ledger.row_codec import (
    MEASURED,
    LedgerRow,
    faults_in,
    faults_text,
    group_in,
    row_checksum,
    row_of,
    tallies_in,
    text,
    winners_in,
)

VERSION = 5
READABLE = (4, VERSION)
"""Versions of ledgers that can be read; version 4, of release 0.2, is never written to."""
LEDGER = "ledger.sqlite"
SCHEMA = (
    "CREATE TABLE about (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    """
    CREATE TABLE blocks (
        first INTEGER NOT NULL, bots TEXT NOT NULL, deals INTEGER NOT NULL,
        tallies BLOB NOT NULL, winners BLOB NOT NULL, measures BLOB NOT NULL,
        faults TEXT NOT NULL, irreproducible TEXT NOT NULL, PRIMARY KEY (first, bots)
    ) WITHOUT ROWID
    """,
    "CREATE TABLE disqualified (bot INTEGER PRIMARY KEY, faults TEXT NOT NULL)",
    """
    CREATE TABLE seals (
        first INTEGER NOT NULL, bots TEXT NOT NULL, seal BLOB NOT NULL, PRIMARY KEY (first, bots)
    ) WITHOUT ROWID
    """,
)
_UNEXPECTED = (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError)
UNREADABLE = (sqlite3.Error, UnicodeDecodeError)
"""Errors that SQLite raises for a damaged file, also when its message cannot be decoded."""
_ADDED_AT_ONCE = 256  # tallies of a seating; they take the memory of ten blocks' winners
_DISQUALIFICATION_SEALS = "SELECT -1 - first, seal FROM seals WHERE bots = ''"
_LOST_BLOCKS = (
    "SELECT first, bots FROM seals WHERE bots != '' AND NOT EXISTS"
    " (SELECT 1 FROM blocks WHERE blocks.first = seals.first AND blocks.bots = seals.bots)"
)
StoredDeals: TypeAlias = tuple[Group, int, Bytes, NDArray[np.uint32]]
"""A block: its group, its first deal, the winners of its games (deals by seatings, masks of seats),
and the measures of its deals, if they are stored."""


class Ledger:
    """The blocks of one tournament. Use `open_ledger` to get one."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._connection = connection

    def add(self, result: BlockResult) -> None:
        """Store a block. Once this returns, it survives the end of the process."""
        row = row_of(result)
        with self._writing():
            self._connection.execute("INSERT INTO blocks VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)
            self._seal(row.first, row.bots, row)

    def disqualify(self, bot: int, faults: Iterable[Fault]) -> None:
        """Store that a bot is disqualified, and its faults; delete its blocks, which are void."""
        void = [group for group in self.spans() if bot in group]
        with self._writing():
            row = (bot, faults_text(faults))
            self._connection.execute("INSERT INTO disqualified VALUES (?, ?)", row)
            self._seal(*_seal_key(bot), row)
            for group in void:
                for table in ("blocks", "seals") if self._has_seals() else ("blocks",):
                    self._connection.execute(f"DELETE FROM {table} WHERE bots = ?", (text(group),))

    def _seal(self, first: int, bots: str, row: tuple[object, ...]) -> None:
        if self._has_seals():
            seal = row_checksum(self._identity(), row)
            self._connection.execute("INSERT INTO seals VALUES (?, ?, ?)", (first, bots, seal))

    def _has_seals(self) -> bool:
        """Whether the ledger has seals; those of earlier releases continue without."""
        tables = self._select("SELECT name FROM sqlite_master WHERE name = 'seals'")
        return next(tables, None) is not None

    def _identity(self) -> str:
        (identity,) = next(self._select("SELECT value FROM about WHERE key = 'tournament'"))
        return str(identity)

    @cached_property
    def orders(self) -> Orders:
        """The orders in which bots take their seats in each deal."""
        with self._readable():
            return orders_of(json.loads(self._identity()))

    def set_disturbances(self, bots: Mapping[int, str]) -> None:
        """Store which bots play in processes of their own although the file lets them share one.

        Their values say what they do to a process that they share.
        """
        row = ("disturbances", text({str(bot): what for bot, what in bots.items()}))
        with self._writing():
            self._connection.execute("INSERT OR REPLACE INTO about VALUES (?, ?)", row)

    def disturbances(self) -> dict[int, str]:
        """The bots of `set_disturbances`."""
        with self._readable():
            stored = next(
                self._select("SELECT value FROM about WHERE key = 'disturbances'"), ("{}",)
            )
            return {int(bot): str(what) for bot, what in json.loads(stored[0]).items()}

    def disqualified(self) -> dict[int, list[Fault]]:
        """The disqualified bots, and their faults."""
        rows = self._select("SELECT bot, faults FROM disqualified ORDER BY bot")
        with self._readable():
            return {bot: faults_in(faults) for bot, faults in rows}

    def spans(self) -> dict[Group, list[Span]]:
        """The deals that each group has played."""
        spans: dict[Group, list[Span]] = {}
        with self._readable():
            for bots, first, deals in self._select("SELECT bots, first, deals FROM blocks"):
                spans.setdefault(group_in(bots), []).append((first, deals))
        return spans

    def tallies(self) -> dict[Group, Tally]:
        """The tally of every seating, in canonical order."""
        sums: dict[Group, list[Tally]] = {}
        with self._readable():
            for bots, rows in self._select("SELECT bots, tallies FROM blocks"):
                seatings = lineups(group_in(bots), self.orders)
                for order, tally in zip(seatings, tallies_in(rows), strict=True):
                    tallies = sums.setdefault(order, [])
                    tallies.append(tally)
                    if len(tallies) == _ADDED_AT_ONCE:
                        tallies[:] = [sum_tallies(tallies)]
        return {
            order: sum_tallies(sums[order]) for order in sorted(sums, key=lambda o: (sorted(o), o))
        }

    def deals(self, start: int, count: int) -> Iterator[StoredDeals]:
        """The blocks with some of the `count` deals from `start` on, complete."""
        (max_deals,) = next(self._select("SELECT COALESCE(MAX(deals), 0) FROM blocks"))
        # The first condition lets SQLite use the index, the last one is the exact one.
        query = (
            "SELECT bots, first, deals, winners, measures FROM blocks"
            " WHERE first > ? AND first < ? AND first + deals > ?"
        )
        with self._readable():
            for bots, first, deals, packed_winners, packed_measures in self._select(
                query, start - max_deals, start + count, start
            ):
                shutdown.check()  # reading all deals while others are played takes seconds
                winners = winners_in(packed_winners, deals * len(self.orders)).reshape(deals, -1)
                measures = np.frombuffer(zlib.decompress(packed_measures), MEASURED).reshape(
                    deals, -1
                )
                yield group_in(bots), first, winners, measures

    def faults(self) -> Iterator[Fault]:
        """All faults, in any order."""
        with self._readable():
            for (rows,) in self._select("SELECT faults FROM blocks WHERE faults != '[]'"):
                yield from faults_in(rows)

    def irreproducible(self) -> list[int]:
        """The bots whose answers differed when a game was played twice."""
        query = "SELECT DISTINCT irreproducible FROM blocks WHERE irreproducible != '[]'"
        with self._readable():
            return sorted({bot for (bots,) in self._select(query) for bot in group_in(bots)})

    # Checks

    def examine(self) -> None:
        """Check that every row is as it was written, or at least valid. Raises LedgerError.

        A row with a correct seal is as it was written; all columns of other rows are checked.
        """
        with self._readable():
            identity = self._identity()
            out = self._examine_disqualifications(identity)
            examiner = LedgerCheck(json.loads(identity), self.orders, out)
            for row, seal in self._sealed_rows():
                if seal != row_checksum(identity, row):
                    self._complain(f"the block {row.first!r} of {row.bots!r}", examiner.block(row))
            self._examine_completeness()

    def _sealed_rows(self) -> Iterator[tuple[LedgerRow, bytes | None]]:
        """The blocks, each with the seal of its key, or None."""
        rows = self._select("SELECT * FROM seals WHERE bots != ''") if self._has_seals() else ()
        seals = {(first, bots): seal for first, bots, seal in rows}
        for row in map(LedgerRow._make, self._select("SELECT * FROM blocks")):
            shutdown.check()
            yield row, seals.get((row.first, row.bots))

    def _complain(self, where: str, wrong: str) -> None:
        """Raise LedgerError for a row that is invalid, or whose seal is wrong or missing."""
        if wrong or self._has_seals():
            raise LedgerError(
                damage_message(self.path, f"{where}: {wrong or 'not as it was written'}")
            )

    def _examine_disqualifications(self, identity: str) -> list[int]:
        """Check the rows of disqualified bots, and return the bots."""
        rows = list(self._select("SELECT bot, faults FROM disqualified"))
        seals = dict(self._select(_DISQUALIFICATION_SEALS)) if self._has_seals() else {}
        for bot, faults in rows:
            if seals.get(bot) != row_checksum(identity, (bot, faults)):
                wrong = LedgerCheck(json.loads(identity), self.orders).disqualification_problem(
                    bot, faults
                )
                self._complain(f"the disqualified bot {bot!r}", wrong)
        for bot in seals.keys() - {bot for bot, _ in rows}:
            self._complain(f"the disqualified bot {bot!r}", "it is no longer there")
        return [bot for bot, _ in rows]

    def _examine_completeness(self) -> None:
        """Check by seals that no block is missing; without seals, that no two blocks overlap."""
        if self._has_seals():
            for first, bots in self._select(_LOST_BLOCKS):
                self._complain(f"the block {first!r} of {bots!r}", "it is no longer there")
            return
        for group, spans in self.spans().items():
            for (first, deals), (following, _) in pairwise(sorted(spans)):
                if first + deals > following:
                    self._complain(f"the block {following} of {text(group)}", "it overlaps another")

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """A transaction, which marks the file as no longer tidy."""
        with self._connection:
            self._connection.execute("BEGIN IMMEDIATE")
            if self._is_tidy():
                self._connection.execute("PRAGMA user_version = 0")
            yield

    def _is_tidy(self) -> bool:
        (marked,) = next(self._select("PRAGMA user_version"))
        return bool(marked)

    def tidy(self) -> None:
        """Rewrite the file in canonical order, so that equal contents are equal bytes.

        A tidy file is left unchanged, since SQLite counts rewrites in it. A mark in the file
        (`user_version`) shows that it is tidy: a run can be stopped when everything is played and
        the file is not rewritten yet.
        """
        if self._is_tidy():
            return
        fresh = self.path.with_suffix(".tidy")
        for suffix in ("", "-journal"):  # left by a run that was stopped here
            Path(f"{fresh}{suffix}").unlink(missing_ok=True)
        self._connection.execute("VACUUM INTO ?", (str(fresh),))
        self._connection.close()
        with closing(sqlite3.connect(fresh)) as rewritten:
            rewritten.execute("PRAGMA user_version = 1")
        for suffix in ("-wal", "-shm"):
            Path(f"{self.path}{suffix}").unlink(missing_ok=True)
        fresh.replace(self.path)
        self._connection = connect(self.path)

    @contextmanager
    def _readable(self) -> Iterator[None]:
        """Raise LedgerError for errors in decoding rows: SQLite does not detect all damage."""
        try:
            yield
        except (*_UNEXPECTED, zlib.error) as error:
            raise LedgerError(damage_message(self.path, error)) from error

    def _select(self, query: str, *values: object) -> Iterator[Any]:
        return iter(self._connection.execute(query, values))

    def is_empty(self) -> bool:
        """Whether no blocks and no disqualified bots are stored."""
        query = "SELECT 1 FROM blocks UNION ALL SELECT 1 FROM disqualified LIMIT 1"
        return next(self._select(query), None) is None

    def close(self) -> None:
        """Close the file."""
        self._connection.close()


def _seal_key(bot: int) -> tuple[int, str]:
    """The key of the seal of a disqualified bot, which no block has."""
    return -1 - bot, ""


def damage_message(path: Path, error: Exception | str) -> str:
    """The message about a file that cannot be read."""
    return f"{path}: {error}. If the file is damaged, move it away or start afresh with --fresh."


def read_about(ledger: Ledger) -> dict[str, Any] | None:
    """The version and the tournament stored in a ledger; None when it is empty."""
    tables = ledger._select("SELECT name FROM sqlite_master WHERE name = 'about'")
    if next(tables, None) is None:
        return None
    with ledger._readable():
        return {key: json.loads(value) for key, value in ledger._select("SELECT * FROM about")}


def connect(path: Path) -> sqlite3.Connection:
    """A connection to the database in a file; committed transactions survive a crash."""
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")
    return connection
