"""Three players of four in a row: by chance, one turn ahead, and by search."""

from collections.abc import Sequence

from cantstop_arena import Bot, hookimpl
from four_in_a_row.game import Board, has_line

game = "four-in-a-row"
_WIN = 1000


class Anywhere:
    """Drops its discs anywhere."""

    def drop(self, view: Board, moves: tuple[int, ...]) -> int:
        return int(view.random() * len(moves))


class Watchful:
    """Wins or prevents a loss where one disc does it, else plays near the middle."""

    def drop(self, view: Board, moves: tuple[int, ...]) -> int:
        for seat in (view.seat, 1 - view.seat):
            for index, column in enumerate(moves):
                if has_line(_with_disc(view.columns, column, seat), column, view.rules.line):
                    return index
        return min(range(len(moves)), key=lambda index: _distance(view, moves[index]))


class Ahead:
    """Searches some turns ahead; of equal columns it takes any of those nearest to the middle."""

    def __init__(self, turns: int = 4) -> None:
        self.turns = turns

    def drop(self, view: Board, moves: tuple[int, ...]) -> int:
        values = [
            (self._value_of(view, view.columns, column), -_distance(view, column))
            for column in moves
        ]
        best = [index for index, value in enumerate(values) if value == max(values)]
        return best[int(view.random() * len(best))]

    def _value_of(self, view: Board, columns: Sequence[Sequence[int]], column: int) -> int:
        line, rows = view.rules.line, view.rules.rows
        return -_value(
            _with_disc(columns, column, view.seat),
            column,
            1 - view.seat,
            self.turns - 1,
            -_WIN,
            _WIN,
            line,
            rows,
        )


def _value(
    columns: Sequence[Sequence[int]],
    last: int,
    seat: int,
    turns: int,
    low: int,
    high: int,
    line: int,
    rows: int,
) -> int:
    """The value for the seat on turn, by alpha-beta search; an early win is worth more."""
    if has_line(columns, last, line):
        return -_WIN + 10 - turns
    if turns == 0:
        return 0
    value = -_WIN
    for column in (number for number, discs in enumerate(columns) if len(discs) < rows):
        after = _with_disc(columns, column, seat)
        value = max(value, -_value(after, column, 1 - seat, turns - 1, -high, -low, line, rows))
        low = max(low, value)
        if low >= high:
            return value
    return 0 if value == -_WIN else value  # a full board


def _distance(view: Board, column: int) -> float:
    """How far a column is from the middle."""
    return abs(column - (len(view.columns) - 1) / 2)


def _with_disc(columns: Sequence[Sequence[int]], column: int, seat: int) -> list[Sequence[int]]:
    """The columns with one more disc."""
    copy = list(columns)
    copy[column] = (*columns[column], seat)
    return copy


@hookimpl
def register_bots() -> list[Bot]:
    """The players."""
    return [Bot("ahead", Ahead), Bot("watchful", Watchful), Bot("anywhere", Anywhere)]
