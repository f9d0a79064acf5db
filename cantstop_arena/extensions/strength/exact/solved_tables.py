"""Tables of exact values: solving, saving and loading them, resuming after an interruption."""

import hashlib
import json
import time
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path

import msgspec
import numpy as np
from msgspec.structs import asdict

from cantstop_arena.atomic_files import check_output_folder, remove_drafts, write_atomically
from cantstop_arena.errors import BotError, ConvergenceError, UsageError
from cantstop_arena.extensions.strength.exact.board import Floats, Size, board_of, size_of
from cantstop_arena.extensions.strength.exact.board_solver import (
    MAX_STEPS,
    NOT_CONVERGED,
    solve_down,
)
from cantstop_arena.extensions.strength.exact.evaluator import Choice, Evaluator
from cantstop_arena.extensions.strength.exact.turn_solver import solve_turn_of
from cantstop_arena.extensions.strength.exact.workspace import workspace_for
from cantstop_arena.games.cantstop.rules import RULES, RuleSet
from cantstop_arena.games.cantstop.turn import Turn
from cantstop_arena.processes import shutdown
from cantstop_arena.texts import how_many

NO_LIMIT = 100  # turns; a turn limit this high does not change the printed digits of a value
_MARK = b"exact values\n"
_HASH = hashlib.sha256().digest_size
_SECONDS_PER_STATE = 2.5e-7
_STATES_AT_ONCE = 1_000_000  # solved between two readings of the clock: some tenths of a second
_SAVE_EVERY = 10.0  # seconds


class SolvedTable(msgspec.Struct):
    """The exact values of a board's positions, in the numbering of `board`.

    A value is the probability that the player on turn wins (a shared win counts half), or with one
    player the expected turns still to come. Positions above `next` are solved; `next` is -1 when
    all are.
    """

    rules: RuleSet
    players: int
    values: Floats
    next: int

    @property
    def value(self) -> float:
        """The value of the first position of a game."""
        return float(self.values[0])

    @property
    def checksum(self) -> str:
        """SHA-256 of the values as little-endian doubles: whether two tables are the same."""
        return hashlib.sha256(_little_endian(self.values)).hexdigest()

    @property
    def headline(self) -> str:
        """The value of the board, in a sentence without its full stop."""
        if self.players == 1:
            return f"{self.value:.9f} turns to the end, with the best play"
        return f"Whoever begins wins {self.value:.9f}, with the best play of both"

    @property
    def progress(self) -> float:
        """The share of positions solved, from 0 to 1."""
        return 1.0 - (self.next + 1) / len(self.values)


class SolvingCost(msgspec.Struct, frozen=True):
    """The cost of solving a board: its size, memory in bytes, and a rough estimate of the seconds
    on one core."""

    size: Size
    memory: int
    seconds: float


def effort_of(rules: RuleSet, players: int) -> SolvingCost:
    """Estimate the cost of solving a board."""
    size = size_of(rules, players)
    images = 2 if rules.column_lengths == rules.column_lengths[::-1] else 1
    return SolvingCost(size, 8 * size.entries, size.turn_states / images * _SECONDS_PER_STATE)


def check_solvable(rules: RuleSet, players: int, memory: int) -> None:
    """Raise UsageError when a board's table takes more than `memory` bytes, or when its games have
    no exact values here."""
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


def table_path(rules: RuleSet, players: int, folder: Path) -> Path:
    """The file of a board's table. Its name is a hash of everything that the values depend on."""
    digest = hashlib.sha256(_description(rules, players).encode()).hexdigest()
    return folder / f"{digest[:16]}.table"


def _description(rules: RuleSet, players: int) -> str:
    board = {key: value for key, value in RULES.as_dict(rules).items() if key not in _IRRELEVANT}
    return json.dumps({**board, "players": players, "solver": _SOLVER})


_IRRELEVANT = ("name", "turn_limit")
_SOLVER = 2
"""Raised when the solver's values change, so that tables of an earlier one are not loaded."""


def solve(
    rules: RuleSet,
    players: int,
    folder: Path,
    on_progress: Callable[[SolvedTable], None] = lambda table: None,
) -> SolvedTable:
    """Solve a board, resuming an interrupted run, and save its table in `folder`.

    `on_progress` is called several times a second. Raises UsageError when the board's file is
    damaged or cannot be written, and ConvergenceError or Interrupted, after saving the table, when
    a position does not converge or the user ends the run.
    """
    path = table_path(rules, players, folder)
    table = load(rules, players, folder) if path.exists() else None
    if table and table.next < 0:
        return table
    check_output_folder(folder)
    table = table or _unsolved_table(rules, players)
    remove_drafts(path)
    with shutdown.defer_until_safe():
        try:
            _continue_solving(table, path, on_progress)
        finally:
            _save(table, path)
    return table


def _unsolved_table(rules: RuleSet, players: int) -> SolvedTable:
    entries = size_of(rules, players).entries
    return SolvedTable(rules, players, np.zeros(entries), entries - 1)


def _continue_solving(
    table: SolvedTable, path: Path, on_progress: Callable[[SolvedTable], None]
) -> None:
    board = board_of(table.rules, table.players)
    workspace, rival_workspace = workspace_for(board), workspace_for(board)
    turns = max(1, _STATES_AT_ONCE // len(workspace.values))
    saved = time.monotonic()
    while table.next >= 0:
        table.next = solve_down(board, workspace, rival_workspace, table.values, table.next, turns)
        if table.next < -1:
            table.next = NOT_CONVERGED - table.next
            players = how_many(table.players, "player")
            where = f"The value of position {table.next} of {table.rules.name} for {players}"
            raise ConvergenceError(where, MAX_STEPS)
        on_progress(table)
        shutdown.check()
        if time.monotonic() - saved > _SAVE_EVERY:
            _save(table, path)
            saved = time.monotonic()


class _TableHead(msgspec.Struct, frozen=True):
    """The line of JSON in a table's file: the board, and the first position that is not solved."""

    board: str
    next: int


def _save(table: SolvedTable, path: Path) -> None:
    """Write a table atomically."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, _packed(table))


def _packed(table: SolvedTable) -> bytes:
    """The content of a table's file: a mark, a hash of the rest, a line of JSON, the values."""
    head = asdict(_TableHead(_description(table.rules, table.players), table.next))
    content = b"".join((json.dumps(head).encode(), b"\n", _little_endian(table.values)))
    return b"".join((_MARK, hashlib.sha256(content).digest(), content))


def _little_endian(values: Floats) -> bytes:
    return values.astype("<f8").tobytes()


def load(rules: RuleSet, players: int, folder: Path) -> SolvedTable | None:
    """A board's table, complete or not; None if there is no file.

    Raises UsageError when the file is damaged or belongs to another board.
    """
    path = table_path(rules, players, folder)
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UsageError(_unusable(path, error.strerror or str(error))) from error
    head, values = _unpacked(data, path)
    is_ours = head.board == _description(rules, players)
    if not is_ours or len(values) != size_of(rules, players).entries:
        raise UsageError(_unusable(path, "it is the table of another board"))
    return SolvedTable(rules, players, values, head.next)


def solved_value(rules: RuleSet, players: int, folder: Path) -> float | None:
    """The value of a solved board; None if there is no complete and undamaged table."""
    try:
        table = load(rules, players, folder)
    except UsageError:
        return None
    return table.value if table and table.next < 0 else None


def _unpacked(data: bytes, path: Path) -> tuple[_TableHead, Floats]:
    start = len(_MARK) + _HASH
    content = memoryview(data)[start:]
    seal = _MARK + hashlib.sha256(content).digest()
    if not data.startswith(seal):
        raise UsageError(_unusable(path, "it is damaged"))
    line = data.index(b"\n", start)
    values = np.frombuffer(data, "<f8", offset=line + 1).astype(np.float64)
    return msgspec.json.decode(data[start:line], type=_TableHead), values


def _unusable(path: Path, why: str) -> str:
    return f"{path} cannot be used as a table ({why}): delete it, and solve the board again"


# The evaluator ----------------------------------------------------------------------------------

AT_ONCE = 1.0  # seconds: a board that takes no longer is solved when it is first played


class SolvedEvaluator(Evaluator):
    """An `Evaluator` with the exact values of a solved board."""

    def __init__(self, table: SolvedTable) -> None:
        super().__init__("optimal", table.rules, table.players)
        self.table = table
        self._board = board_of(table.rules, table.players)
        self._workspace = workspace_for(self._board)
        self._solved = -1

    @property
    def value(self) -> float:
        return self.table.value

    def warm_up(self) -> None:
        self._solve(0)

    def at_start(self, climbs: Mapping[int, int]) -> Choice:
        """The values of both actions in the first turn, after so many spaces climbed by column."""
        self._solve(0)
        return self._choice(climbs)

    def _enter(self, turn: Turn) -> None:
        self._solve(self._position(turn))

    def _solve(self, position: int) -> None:
        if position == self._solved:
            return
        solve_turn_of(self._board, self._workspace, self.table.values, position)
        self._solved = position

    def _position(self, turn: Turn) -> int:
        digits = (self._digit(turn, column) for column in turn.rules.columns)
        return sum(digit * int(unit) for digit, unit in zip(digits, self._board.units, strict=True))

    def _digit(self, turn: Turn, column: int) -> int:
        length, own = turn.rules.lengths[column], turn.markers[column]
        if self.players == 1:
            return own
        if column in turn.claimed:
            return length * length + (own != length)
        return length * own + turn.rivals[0][column]

    def _value(self, climbs: Mapping[int, int]) -> float:
        return float(self._workspace.values[self._state(climbs)])

    def _choice(self, climbs: Mapping[int, int]) -> Choice:
        state = self._state(climbs)
        return Choice(float(self._workspace.rolls[state]), float(self._workspace.stops[state]))

    def _state(self, climbs: Mapping[int, int]) -> int:
        mask = sum(1 << column - 2 for column in climbs)
        strides = self._workspace.strides[mask]
        offset = sum(climb * int(strides[column - 2]) for column, climb in climbs.items())
        return int(self._workspace.first[mask]) + offset


@lru_cache(maxsize=4)
def adviser_for(rules: RuleSet, players: int, folder: Path) -> SolvedEvaluator:
    """The evaluator with the board's table in `folder`; very small boards are solved first.

    Raises BotError when the board has not been solved, UsageError when its table is damaged.
    """
    table = load(rules, players, folder) if players <= 2 else None
    if (table is None or table.next >= 0) and _is_small(rules, players):
        table = solve(rules, players, folder)
    if table is None or table.next >= 0:
        raise BotError(
            f"{rules.name} has not been solved for {players} players (see `arena solve`),"
            " so its best decisions are not known"
        )
    return SolvedEvaluator(table)


def _is_small(rules: RuleSet, players: int) -> bool:
    return players <= 2 and effort_of(rules, players).seconds < AT_ONCE
