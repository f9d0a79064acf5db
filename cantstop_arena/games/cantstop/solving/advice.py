"""What a solved table says about decisions: the worth of each move, of rolling and of stopping."""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from cantstop_arena.errors import BotError
from cantstop_arena.games.cantstop.rules import RuleSet
from cantstop_arena.games.cantstop.solving import tables
from cantstop_arena.games.cantstop.solving.board import board_of
from cantstop_arena.games.cantstop.solving.desk import desk_for
from cantstop_arena.games.cantstop.solving.evaluator import Choice
from cantstop_arena.games.cantstop.solving.turns import solve_turn_of
from cantstop_arena.games.cantstop.turn import Move, Turn

AT_ONCE = 1.0  # seconds: a board that takes no longer is solved when it is first played


class Adviser:
    """Answers questions about positions of a solved board: an `Evaluator` that is exact."""

    name = "optimal"

    def __init__(self, table: tables.Table) -> None:
        self.table = table
        self._board = board_of(table.rules, table.players)
        self._desk = desk_for(self._board)
        self._solved = -1

    @property
    def rules(self) -> RuleSet:
        """The rules of the board."""
        return self.table.rules

    @property
    def players(self) -> int:
        """The number of players."""
        return self.table.players

    @property
    def value(self) -> float:
        """The value of the beginning of the game."""
        return self.table.value

    def warm_up(self) -> None:
        """Solve the first turn."""
        self._solve(0)

    def worths(self, turn: Turn, moves: Sequence[Move]) -> list[float]:
        """What each of the moves is worth."""
        self._solve(self._position(turn))
        return [float(self._desk.worths[self._after(turn, move)]) for move in moves]

    def choice(self, turn: Turn) -> Choice:
        """What rolling on is worth where stopping is allowed, and what stopping is."""
        self._solve(self._position(turn))
        state = self._state({column: turn.runners[column] for column in turn.placed}, turn)
        return Choice(float(self._desk.rolls[state]), float(self._desk.stops[state]))

    def _solve(self, position: int) -> None:
        if position == self._solved:
            return
        solve_turn_of(self._board, self._desk, self.table.worths, position)
        self._solved = position

    def _position(self, turn: Turn) -> int:
        digits = (self._digit(turn, column) for column in turn.rules.columns)
        return sum(digit * int(unit) for digit, unit in zip(digits, self._board.units, strict=True))

    def _digit(self, turn: Turn, column: int) -> int:
        length, own = turn.rules.lengths[column], turn.markers[column]
        if self.table.players == 1:
            return own
        if column in turn.claimed:
            return length * length + (own != length)
        return length * own + turn.rivals[0][column]

    def _after(self, turn: Turn, move: Move) -> int:
        """The state after a move."""
        runners = {column: turn.runners[column] for column in turn.placed}
        for column in move:
            start = runners.get(column) or turn.markers[column]
            runners[column] = turn.next_space(column, start)
        return self._state(runners, turn)

    def _state(self, runners: dict[int, int], turn: Turn) -> int:
        mask = sum(1 << column - 2 for column in runners)
        advances = {column: space - turn.markers[column] for column, space in runners.items()}
        strides = self._desk.strides[mask]
        climbed = sum(advance * int(strides[column - 2]) for column, advance in advances.items())
        return int(self._desk.first[mask]) + climbed


@lru_cache(maxsize=4)
def adviser_for(rules: RuleSet, players: int, folder: Path) -> Adviser:
    """An adviser by the table of a folder; very small boards are solved on the spot.

    Raises BotError where the board has not been solved, UsageError where its table is damaged.
    """
    table = tables.load(rules, players, folder) if players <= 2 else None
    if (table is None or table.next >= 0) and _is_small(rules, players):
        table = tables.solve(rules, players, folder)
    if table is None or table.next >= 0:
        raise BotError(
            f"{rules.name} has not been solved for {players} (see `arena solve`), so nobody knows"
            " how to play it optimally"
        )
    return Adviser(table)


def _is_small(rules: RuleSet, players: int) -> bool:
    return players <= 2 and tables.effort_of(rules, players).seconds < AT_ONCE
