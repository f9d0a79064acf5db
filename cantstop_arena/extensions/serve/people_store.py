"""People's games on disk: a game is its seed and its answers, and all else follows from them."""

import json
import secrets
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Lock
from typing import Any

import msgspec

from cantstop_arena.atomic_files import create_below, refuse_link, write_result
from cantstop_arena.errors import UsageError
from cantstop_arena.game_api.state import Event
from cantstop_arena.tournaments.file.tournament_file import PEOPLE
from cantstop_arena.tournaments.ledger.ledger import connect

DATABASE = "people.sqlite"
RECORDS = "games"
PERSON = "person:"  # before a person's name in a record
RATED, HINTS, PRACTICE = "rated", "hints", "practice"
OPEN, OVER, LEFT = "open", "over", "left"
_VERSION = 1
_ID_BYTES = 8  # written as hex: an id never begins with "-", which commands take for an option
_SCHEMA = """
CREATE TABLE IF NOT EXISTS game (
    id TEXT PRIMARY KEY, made REAL NOT NULL, game TEXT NOT NULL, rules TEXT NOT NULL,
    seats TEXT NOT NULL, seed TEXT NOT NULL, deal INTEGER NOT NULL,
    mode TEXT NOT NULL CHECK (mode IN ('rated', 'hints', 'practice')),
    version TEXT NOT NULL, state TEXT NOT NULL, problem TEXT NOT NULL, winners TEXT, ended REAL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS answer (
    game TEXT NOT NULL, n INTEGER NOT NULL, seat INTEGER NOT NULL, decision TEXT NOT NULL,
    answer TEXT NOT NULL, events TEXT NOT NULL, seconds REAL NOT NULL, PRIMARY KEY (game, n)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS game_made ON game (made);
"""


class SeatRow(msgspec.Struct, frozen=True, omit_defaults=True):
    """A seat: a person, or a bot with its options, the digest of its source, and its version."""

    person: str = ""
    bot: str = ""
    options: dict[str, Any] = {}
    digest: str = ""
    version: str = ""

    @property
    def name(self) -> str:
        """The name of the person or the bot."""
        return self.person or self.bot


class PeopleGame(msgspec.Struct, frozen=True, kw_only=True):
    """A person's game as it is stored.

    `version` is the edition of the game's rules, `state` says whether it is open, over or left, and
    `problem` why it has ended otherwise than by its rules; `winners` are seats.
    """

    id: str
    made: float
    game: str
    rules: str
    seats: tuple[SeatRow, ...]
    seed: str
    deal: int
    mode: str
    version: str
    state: str = OPEN
    problem: str = ""
    winners: tuple[int, ...] = ()
    ended: float | None = None

    @property
    def me(self) -> int:
        """The seat of the person."""
        return next(number for number, seat in enumerate(self.seats) if seat.person)

    @property
    def title(self) -> str:
        """The names of the seats."""
        return ", ".join(seat.name for seat in self.seats)


class StoredAnswer(msgspec.Struct, frozen=True):
    """An answer as JSON, with the digest of all events before it."""

    seat: int
    decision: str
    answer: str
    events: str


class PeopleStore:
    """The database of people's games, and the records of those that are over."""

    def __init__(self, results: Path) -> None:
        self.folder = results / PEOPLE
        path = self.folder / DATABASE
        create_below(results, self.folder / RECORDS)
        refuse_link(path)
        self._lock = Lock()  # one connection for all threads
        try:
            self._database = connect(path, check_same_thread=False, isolation_level=None)
            (version,) = self._database.execute("PRAGMA user_version").fetchone()
            if version > _VERSION:
                raise UsageError(f"{path} was written by a newer arena; use that one")
            self._database.executescript(_SCHEMA)
            self._database.execute(f"PRAGMA user_version={_VERSION}")
        except sqlite3.DatabaseError as error:
            raise UsageError(f"{path} cannot be used: {error}") from error

    def close(self) -> None:
        """Close the database."""
        self._database.close()

    @contextmanager
    def _connected(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            yield self._database

    def begin(self, game: PeopleGame) -> None:
        """Store a new game."""
        values = [*msgspec.to_builtins(game).values()]
        values[4], values[11] = msgspec.json.encode(game.seats).decode(), None
        with self._connected() as database:
            database.execute(f"INSERT INTO game VALUES ({', '.join('?' * len(values))})", values)

    def add_answer(self, game: str, n: int, answer: StoredAnswer, seconds: float) -> None:
        """Store an answer; it is on disk when this returns."""
        row = (game, n, answer.seat, answer.decision, answer.answer, answer.events, seconds)
        with self._connected() as database:
            database.execute("INSERT INTO answer VALUES (?, ?, ?, ?, ?, ?, ?)", row)

    def remove_answers(self, game: str, start: int) -> None:
        """Remove the answers of a game from number `start` on."""
        with self._connected() as database:
            database.execute("DELETE FROM answer WHERE game = ? AND n >= ?", (game, start))

    def finish(self, game: str, events: Sequence[Event], state: str, problem: str) -> None:
        """Store the record of a game, and then that it has ended."""
        lines = "".join(f"{json.dumps(event)}\n" for event in events)
        write_result(self.folder, f"{RECORDS}/{game}.jsonl", lines)
        winners = json.dumps(events[-1].get("winners", []))
        change = "UPDATE game SET state = ?, problem = ?, winners = ?, ended = ? WHERE id = ?"
        with self._connected() as database:
            database.execute(change, (state, problem, winners, time.time(), game))

    def game(self, key: str) -> PeopleGame | None:
        """A game by its id; None if there is none."""
        with self._connected() as database:
            row = database.execute("SELECT * FROM game WHERE id = ?", (key,)).fetchone()
        return _game_of(row) if row else None

    def games(self, limit: int = 50, state: str | None = None) -> list[PeopleGame]:
        """The last games, the newest first."""
        where, values = ("WHERE state = ?", [state]) if state else ("", [])
        query = f"SELECT * FROM game {where} ORDER BY made DESC LIMIT ?"
        with self._connected() as database:
            rows = database.execute(query, [*values, limit]).fetchall()
        return [_game_of(row) for row in rows]

    def count(self) -> int:
        """The number of games."""
        with self._connected() as database:
            (number,) = database.execute("SELECT count(*) FROM game").fetchone()
        return int(number)

    def answers(self, key: str) -> list[StoredAnswer]:
        """The answers of a game in their order."""
        query = "SELECT seat, decision, answer, events FROM answer WHERE game = ? ORDER BY n"
        with self._connected() as database:
            return [StoredAnswer(*row) for row in database.execute(query, (key,)).fetchall()]

    def record(self, key: str) -> Path:
        """The path of the record of a game that has ended."""
        return self.folder / RECORDS / f"{key}.jsonl"


def stored_games(results: Path) -> list[PeopleGame]:
    """All games of people in a folder of results, without changing anything; none if it has none.

    Raises UsageError when they cannot be read.
    """
    path = results / PEOPLE / DATABASE
    if not path.is_file():
        return []
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as database:
            rows = database.execute("SELECT * FROM game ORDER BY made").fetchall()
    except sqlite3.DatabaseError as error:
        raise UsageError(f"{path} cannot be read: {error}") from error
    return [_game_of(row) for row in rows]


def new_id() -> str:
    """A new id of a game."""
    return secrets.token_hex(_ID_BYTES)


def _game_of(row: Sequence[Any]) -> PeopleGame:
    fields = dict(zip(PeopleGame.__struct_fields__, row, strict=True))
    fields["seats"] = msgspec.json.decode(fields["seats"], type=tuple[SeatRow, ...])
    fields["winners"] = tuple(json.loads(fields["winners"] or "[]"))
    return PeopleGame(**fields)
