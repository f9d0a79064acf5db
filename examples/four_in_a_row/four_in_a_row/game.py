"""Four in a row: drop discs into columns; four of a seat in a line win. A game without chance.

The board is smaller than that of Allis ("A Knowledge-Based Approach of Connect-Four", 1988).
"""

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

DISCS = "xo"


@dataclass(frozen=True)
class Rules:
    """The board, and how many discs in a line win."""

    name: str = "standard"
    columns: int = whole(6, 4, 9)
    rows: int = whole(5, 3, 8)
    line: int = whole(4, 3, 5)


class Board(View, frozen=True):
    """The discs of each column, the lowest first, as the seats that dropped them."""

    columns: tuple[tuple[int, ...], ...]

    def features(self) -> Sequence[float]:
        """Each cell twice: whether it has an own disc, and whether it has the other's."""
        cells = [
            column[row] if row < len(column) else None
            for column in self.columns
            for row in range(self.rules.rows)
        ]
        return [float(disc == seat) for seat in (self.seat, 1 - self.seat) for disc in cells]


@decision
def drop(view: Board, moves: tuple[int, ...]) -> int:  # type: ignore[empty-body]
    """Return the index of a column that is not full."""


class Position(State):
    """A game in progress."""

    def setup(self) -> None:
        self.columns: list[list[int]] = [[] for _ in range(self.rules.columns)]
        self.turn = 1
        self.winner: int | None = None

    @property
    def seat(self) -> int:
        return (self.turn - 1) % 2

    def question(self) -> Question | None:
        moves = [n for n, column in enumerate(self.columns) if len(column) < self.rules.rows]
        if self.winner is not None or not moves:
            return None
        return Question("drop", self.seat, moves)

    def answer(self, answers: Mapping[int, int]) -> Iterator[Event]:
        question = self.question()
        assert question is not None
        moves = question.moves_of(self.seat)
        assert moves is not None
        number = moves[answers[self.seat]]
        self.columns[number].append(self.seat)
        yield {"event": "drop", "turn": self.turn, "seat": self.seat, "column": number + 1}
        if has_line(self.columns, number, self.rules.line):
            self.winner = self.seat
        self.turn += 1

    def view(self, seat: int) -> Board:
        return Board(seat, self.players, self.rules, tuple(map(tuple, self.columns)))

    def result(self) -> Result:
        if self.winner is not None:
            return Result([self.winner])
        return Result([0, 1] if self.question() is None else [])

    def draw(self, seat: int | None = None) -> str:
        lines = [
            " ".join(DISCS[column[row]] if row < len(column) else "." for column in self.columns)
            for row in reversed(range(self.rules.rows))
        ]
        return "\n".join([*lines, " ".join(str(n + 1) for n in range(len(self.columns)))])


def has_line(columns: Sequence[Sequence[int]], number: int, length: int) -> bool:
    """Whether the last disc of a column makes a line of so many discs of its seat."""
    row, seat = len(columns[number]) - 1, columns[number][-1]

    def count(across: int, up: int) -> int:
        """The discs of the seat beyond the last one in a direction."""
        distance, x, y = 0, number + across, row + up
        while 0 <= x < len(columns) and 0 <= y < len(columns[x]) and columns[x][y] == seat:
            distance, x, y = distance + 1, x + across, y + up
        return distance

    directions = ((1, 0), (0, 1), (1, 1), (1, -1))
    return any(count(x, y) + count(-x, -y) + 1 >= length for x, y in directions)


class FourInARow(Game):
    """Four in a row."""

    name = "four-in-a-row"
    title = "Four in a row"
    players = range(2, 3)
    rules = RuleBook(Rules(), (Named(Rules("small", columns=5, rows=4, line=3), "a variant"),))
    hooks = (drop,)
    state = Position
    perfect_information = True

    def actions(self, rules: Rules, players: int) -> Mapping[str, Sequence[int]]:
        return {"drop": range(rules.columns)}

    def action_name(self, decision: str, value: int) -> str:
        return f"column {value + 1}"


@hookimpl
def register_games() -> list[Game]:
    """The game of this package."""
    return [FourInARow()]
