"""The procedure that Rule of 28 and Glenn and Aloi's champions share, given its numbers.

Source: Glenn and Aloi, "A Generalized Heuristic for Can't Stop", FLAIRS 2009. Numbers of columns
are given from the middle column outwards; on boards with more than eleven columns those farther
out count as the outermost. An advance weighs the same whether or not it jumps over a rival.
"""

from collections.abc import Callable
from typing import Literal, TypeAlias

import msgspec
import numpy as np
from msgspec.structs import replace

from cantstop_arena.games.cantstop.hooks import Player
from cantstop_arena.games.cantstop.rules import SIDES
from cantstop_arena.hookspecs import compiled

Ties = Literal["first", "random"]
_ByColumn: TypeAlias = np.ndarray[tuple[int, int], np.dtype[np.int64]]
_FARTHEST = 8  # the outermost columns of the largest board are 7 from the middle


class Numbers(msgspec.Struct, frozen=True):
    """What tells one bot of the family from another.

    `values` and the weight of moving onto space j of a column of length l,
    floor(slopes * j / l + intercepts), run from the middle column outwards. `odd`, `even`, `low`
    and `high` are added to the score of a turn with all runners placed when every runner is in
    an odd column, an even one, none above the middle, none below it.
    """

    values: tuple[int, ...]
    slopes: tuple[int, ...]
    intercepts: tuple[int, ...]
    odd: int
    even: int
    low: int
    high: int
    placed: int
    threshold: int

    def with_threshold(self, threshold: int | None) -> "Numbers":
        """The same numbers with another threshold, unless that is None."""
        return self if threshold is None else replace(self, threshold=threshold)


def outwards(numbers: tuple[int, ...]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Numbers for every distance from the middle column of the largest board."""
    return np.array([*numbers, *[numbers[-1]] * (_FARTHEST - len(numbers))], np.int64)


def by_column(numbers: tuple[int, ...]) -> _ByColumn:
    """Numbers for every board: by the sides of its dice, and by column."""
    listed = outwards(numbers)
    return _for_boards(lambda sides, column: listed[abs(column - sides - 1)])


def _for_boards(number: Callable[[int, int], int]) -> _ByColumn:
    found = np.zeros((SIDES.stop, 2 * SIDES.stop - 1), np.int64)
    for sides in SIDES:
        for column in range(2, 2 * sides + 1):
            found[sides, column] = number(sides, column)
    return found


# Where a column is, as flags. What all of several are is told by the flag that none of them has.
IS_ODD, IS_EVEN, IS_ABOVE, IS_BELOW = 1, 2, 4, 8


def _flags(sides: int, column: int) -> int:
    parity, middle = (IS_ODD if column % 2 else IS_EVEN), sides + 1
    return parity | IS_ABOVE * (column > middle) | IS_BELOW * (column < middle)


FLAGS = _for_boards(_flags).astype(np.uint8)
"""The flags of each column, for every board: by the sides of its dice, and by column."""


def _bonuses(numbers: Numbers) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """What is added to the score of a turn, by the flags that its columns have."""
    lacking = {
        IS_EVEN: numbers.odd,
        IS_ODD: numbers.even,
        IS_ABOVE: numbers.low,
        IS_BELOW: numbers.high,
    }
    every = range(16)
    return np.array([sum(lacking[flag] for flag in lacking if not flags & flag) for flags in every])


def heuristic_player(numbers: Numbers, ties: Ties) -> Player:
    """The compiled bot with these numbers."""
    values = by_column(numbers.values)
    slopes, intercepts = by_column(numbers.slopes), by_column(numbers.intercepts)
    sloped, at_random = any(numbers.slopes), ties == "random"
    bonuses, placed, threshold = _bonuses(numbers), numbers.placed, numbers.threshold

    @compiled(boundscheck=False)
    def move_score(turn, move):
        sides = turn.rules.sides
        score = before = space = 0
        for column in move:
            score += intercepts[sides, column]
            if sloped:
                space = turn.next_space(
                    column, space if column == before else turn.position(column)
                )
                score += slopes[sides, column] * space // turn.rules.lengths[column]
            if column != before and column not in turn.placed:
                score += placed
            before = column
        return score

    @compiled(boundscheck=False)
    def choose_move(turn, moves):
        best, best_score, equals = 0, move_score(turn, moves[0]), 1
        for index in range(1, len(moves)):
            score = move_score(turn, moves[index])
            if score > best_score:
                best, best_score, equals = index, score, 1
            elif at_random and score == best_score:
                equals += 1
                if turn.random() * equals < 1:
                    best = index
        return best

    @compiled(boundscheck=False)
    def roll_again(turn):
        if turn.free and len(turn.usable) > len(turn.placed):
            return True
        if len(turn.usable) == 0:
            return False
        sides, runners, markers = turn.rules.sides, turn.runners, turn.markers
        score = flags = 0
        for column in turn.placed:
            score += (runners[column] - markers[column] + 1) * values[sides, column]
            flags |= FLAGS[sides, column]
        if not turn.free:
            score += bonuses[flags]
        return score < threshold

    return Player(choose_move, roll_again)
