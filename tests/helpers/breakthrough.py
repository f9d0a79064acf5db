"""Breakthrough (Dan Troyka, 2000) on a small board: a game without chance, installed by tests."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from cantstop_arena import hookimpl
from cantstop_arena.games import (
    Event,
    Game,
    Named,
    Question,
    Result,
    RuleBook,
    State,
    View,
    decision,
    whole,
)


@dataclass(frozen=True)
class Rules:
    """The length of a side of the board; each seat begins with `rows` rows of pieces."""

    name: str = "standard"
    size: int = whole(5, 4, 8)
    rows: int = whole(2, 1, 2)


class Board(View, frozen=True):
    """The board from the first seat's home row on: 0 empty, 1 one's own, 2 another's."""

    cells: tuple[int, ...]


@decision
def move(view: Board, moves: tuple[int, ...]) -> int:  # type: ignore[empty-body]
    """Return the index of a move: the cell times 3, plus 0, 1 or 2 for the direction."""


class Race(State):
    """Pieces go ahead, or obliquely, where they capture; who reaches the last row wins."""

    def setup(self) -> None:
        size, rows = self.rules.size, self.rules.rows
        self.ahead: tuple[int, int] = (size, -size)
        self.cells = [0] * (size * rows) + [-1] * (size * (size - 2 * rows)) + [1] * (size * rows)
        self.turn = 0
        self.winner: int | None = None

    def question(self) -> Question | None:
        if self.winner is not None:
            return None
        return Question("move", self.turn % 2, [*self.moves(self.turn % 2)])

    def moves(self, seat: int) -> Iterator[int]:
        """The moves of a seat."""
        for cell, owner in enumerate(self.cells):
            for direction in range(3) if owner == seat else ():
                column = cell % self.rules.size + direction - 1
                if not 0 <= column < self.rules.size:
                    continue
                other = self.cells[self.target(seat, cell * 3 + direction)]
                if other == -1 or (other != seat and direction != 1):
                    yield cell * 3 + direction

    def target(self, seat: int, number: int) -> int:
        """The cell to which a move goes."""
        cell, direction = divmod(number, 3)
        return cell + self.ahead[seat] + direction - 1

    def answer(self, answers: Mapping[int, int]) -> list[Event]:
        ((seat, index),) = answers.items()
        number = [*self.moves(seat)][index]
        target = self.target(seat, number)
        self.cells[number // 3], self.cells[target] = -1, seat
        self.turn += 1
        last_row = self.rules.size - 1 if seat == 0 else 0
        if target // self.rules.size == last_row or 1 - seat not in self.cells:
            self.winner = seat
        return [{"event": "move", "turn": self.turn, "seat": seat, "move": number}]

    def view(self, seat: int) -> Board:
        kinds = {-1: 0, seat: 1, 1 - seat: 2}
        return Board(seat, 2, self.rules, tuple(kinds[cell] for cell in self.cells))

    def result(self) -> Result:
        return Result([] if self.winner is None else [self.winner])


class Breakthrough(Game):
    """Breakthrough."""

    name = "breakthrough"
    title = "Breakthrough"
    players = range(2, 3)
    rules = RuleBook(Rules(), (Named(Rules("large", size=6), "tests"),))
    hooks = (move,)
    state = Race
    perfect_information = True

    def actions(self, rules: Rules, players: int) -> Mapping[str, Sequence[int]]:
        return {"move": range(rules.size**2 * 3)}

    def openings(self, rules: Rules, players: int) -> Sequence[str | Sequence[str | int]] | None:
        return ["16, 47", ["move 19", 50]] if rules.size == 5 else None


@hookimpl
def register_games() -> list[Game]:
    """The game of this module."""
    return [Breakthrough()]
