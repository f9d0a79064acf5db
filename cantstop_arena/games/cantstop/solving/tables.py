"""Tables of exact values: solved, kept on disk, gone on with after an interruption, found again."""

import hashlib
import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from platformdirs import user_data_path

from cantstop_arena.errors import UsageError
from cantstop_arena.games.cantstop.rules import RuleSet
from cantstop_arena.games.cantstop.solving.board import Floats, Size, board_of, size_of
from cantstop_arena.games.cantstop.solving.desk import desk_for
from cantstop_arena.games.cantstop.solving.positions import solve_down
from cantstop_arena.runtime import shutdown
from cantstop_arena.runtime.whole_files import clear_up, write_whole

NO_LIMIT = 100  # a turn limit from which on it makes no difference to the digits shown
_MARK = b"exact values\n"
_HASH = hashlib.sha256().digest_size
_SECONDS_A_STATE = 2.5e-7
_STATES_AT_ONCE = 1_000_000  # solved between two looks at the clock: some tenths of a second
_SAVE_EVERY = 10.0  # seconds


class Table(msgspec.Struct):
    """The exact values of a board's positions, as `board` numbers them.

    For two players the chance that the player on turn wins (half of it where the win is shared),
    for one the turns still to come. Values above `next` are known; it is -1 when all are.
    """

    rules: RuleSet
    players: int
    worths: Floats
    next: int

    @property
    def value(self) -> float:
        """The value of the beginning of the game."""
        return float(self.worths[0])

    @property
    def done(self) -> float:
        """The share of positions behind us."""
        return 1.0 - (self.next + 1) / len(self.worths)


class Effort(msgspec.Struct, frozen=True):
    """What solving a board takes, told before it begins. Seconds are of one core, very roughly."""

    size: Size
    memory: int
    seconds: float


def effort_of(rules: RuleSet, players: int) -> Effort:
    """Reckon what solving a board takes."""
    size = size_of(rules, players)
    images = 2 if rules.column_lengths == rules.column_lengths[::-1] else 1
    return Effort(size, 8 * size.entries, size.turn_states / images * _SECONDS_A_STATE)


def check_solvable(rules: RuleSet, players: int, memory: int) -> None:
    """Raise UsageError for a board that takes more bytes, or that has no exact value here."""
    if players not in (1, 2):
        raise UsageError(f"boards are solved for one or two players, not for {players}")
    if rules.turn_limit < NO_LIMIT:
        raise UsageError(
            f"turn_limit: exact values are those of games without a limit, and one of"
            f" {rules.turn_limit} turns would matter; from {NO_LIMIT} on it does not"
        )
    needed = 8 * size_of(rules, players).entries
    if needed > memory:
        raise UsageError(
            f"{rules.name} is too large to be solved for {players}: its table takes"
            f" {needed / 1e6:,.0f} MB, and {memory / 1e6:,.0f} MB are allowed; take shorter or"
            " fewer columns, or allow more"
        )


def tables_folder() -> Path:
    """Where tables are kept: $CANTSTOP_ARENA_TABLES, or in the user's data folder."""
    chosen = os.environ.get("CANTSTOP_ARENA_TABLES")
    return Path(chosen) if chosen else user_data_path("cantstop-arena") / "tables"


def table_path(rules: RuleSet, players: int, folder: Path) -> Path:
    """The file of a board's table: named after all that its values depend on."""
    digest = hashlib.sha256(_description(rules, players).encode()).hexdigest()
    return folder / f"{digest[:16]}.table"


def _description(rules: RuleSet, players: int) -> str:
    told = {key: value for key, value in rules.as_dict().items() if key not in _OF_NO_MATTER}
    return json.dumps({**told, "players": players})


_OF_NO_MATTER = ("name", "turn_limit")


def solve(
    rules: RuleSet,
    players: int,
    folder: Path,
    tell: Callable[[Table], None] = lambda table: None,
) -> Table:
    """Solve a board, from where an earlier run was interrupted, and keep its table in a folder.

    `tell` is called some times a second. Raises UsageError where a file of the folder is damaged,
    Interrupted (with what is solved written down) where the user wants to end.
    """
    path = table_path(rules, players, folder)
    table = load(rules, players, folder) or _nothing_solved(rules, players)
    if table.next < 0:
        return table
    clear_up(path)
    with shutdown.in_order():
        try:
            _solve_on(table, path, tell)
        finally:
            _save(table, path)
    return table


def _nothing_solved(rules: RuleSet, players: int) -> Table:
    entries = size_of(rules, players).entries
    return Table(rules, players, np.zeros(entries), entries - 1)


def _solve_on(table: Table, path: Path, tell: Callable[[Table], None]) -> None:
    board = board_of(table.rules, table.players)
    desk, other = desk_for(board), desk_for(board)
    turns = max(1, _STATES_AT_ONCE // len(desk.worths))
    saved = time.monotonic()
    while table.next >= 0:
        table.next = solve_down(board, desk, other, table.worths, table.next, turns)
        tell(table)
        shutdown.check()
        if time.monotonic() - saved > _SAVE_EVERY:
            _save(table, path)
            saved = time.monotonic()


def _save(table: Table, path: Path) -> None:
    """Write a table; the file appears whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, _packed(table))


def _packed(table: Table) -> bytes:
    """A mark, a hash of all that follows, a line about the board, and the worths."""
    about = {"board": _description(table.rules, table.players), "next": table.next}
    content = b"".join((json.dumps(about).encode(), b"\n", table.worths.astype("<f8").tobytes()))
    return b"".join((_MARK, hashlib.sha256(content).digest(), content))


def load(rules: RuleSet, players: int, folder: Path) -> Table | None:
    """A board's table, finished or not; None where there is none.

    Raises UsageError where the file is damaged or belongs to another board.
    """
    path = table_path(rules, players, folder)
    try:
        written = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UsageError(_unusable(path, error.strerror or str(error))) from error
    about, worths = _unpacked(written, path)
    is_ours = about["board"] == _description(rules, players)
    if not is_ours or len(worths) != size_of(rules, players).entries:
        raise UsageError(_unusable(path, "it is the table of another board"))
    return Table(rules, players, worths, about["next"])


def known_value(rules: RuleSet, players: int, folder: Path) -> float | None:
    """The value of a board that has been solved; None where there is no whole and sound table."""
    try:
        table = load(rules, players, folder)
    except UsageError:
        return None
    return table.value if table and table.next < 0 else None


def _unpacked(written: bytes, path: Path) -> tuple[dict[str, Any], Floats]:
    start = len(_MARK) + _HASH
    content = memoryview(written)[start:]
    seal = _MARK + hashlib.sha256(content).digest()
    if not written.startswith(seal):
        raise UsageError(_unusable(path, "it is damaged"))
    line = written.index(b"\n", start)
    worths = np.frombuffer(written, "<f8", offset=line + 1).astype(np.float64)
    return json.loads(written[start:line]), worths


def _unusable(path: Path, why: str) -> str:
    return f"{path} is no table that can be used ({why}): delete it, and solve the board again"
