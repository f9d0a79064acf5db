"""The heuristic family: the procedure that Rule of 28 and Glenn and Aloi's champions share.

Source: Glenn and Aloi, "A Generalized Heuristic for Can't Stop", FLAIRS 2009. Numbers of columns
are given from the middle column outwards; on boards with more than eleven columns those farther
out count as the outermost. An advance weighs the same whether or not it jumps over a rival.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, Literal, TypeAlias

import msgspec
import numpy as np
from msgspec.structs import replace

from cantstop_arena.games.cantstop.hooks import Player
from cantstop_arena.games.cantstop.rules import MAX_LENGTH, SIDES
from cantstop_arena.hookspecs import compiled

Ties = Literal["first", "random"]
_ByColumn: TypeAlias = np.ndarray[tuple[int, int], np.dtype[np.int64]]
_FARTHEST = 8  # the outermost columns of the largest board are 7 from the middle


class Weights(msgspec.Struct, frozen=True):
    """The numbers that define one bot of the family.

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

    def with_threshold(self, threshold: int | None) -> "Weights":
        """The same numbers with another threshold, unless that is None."""
        return self if threshold is None else replace(self, threshold=threshold)


def outwards(numbers: tuple[int, ...]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """One number for each distance from the middle column, the last repeated to the farthest."""
    return np.array([*numbers, *[numbers[-1]] * (_FARTHEST - len(numbers))], np.int64)


def by_column(numbers: tuple[int, ...]) -> _ByColumn:
    """The numbers as a table for all boards: a row for each number of sides, an entry by column."""
    by_distance = outwards(numbers)
    return _for_boards(lambda sides, column: by_distance[abs(column - sides - 1)])


def _for_boards(number: Callable[[int, int], int]) -> _ByColumn:
    table = np.zeros((SIDES.stop, 2 * SIDES.stop - 1), np.int64)
    for sides in SIDES:
        for column in range(2, 2 * sides + 1):
            table[sides, column] = number(sides, column)
    return table


# Parity and side of a column, as flags. Several columns are all odd if none of them is even, etc.
IS_ODD, IS_EVEN, IS_ABOVE, IS_BELOW = 1, 2, 4, 8


def _flags(sides: int, column: int) -> int:
    parity, middle = (IS_ODD if column % 2 else IS_EVEN), sides + 1
    return parity | IS_ABOVE * (column > middle) | IS_BELOW * (column < middle)


FLAGS = _for_boards(_flags).astype(np.uint8)
"""The flags of each column, for all boards: `FLAGS[sides, column]`."""


def _bonuses(numbers: Weights) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """The bonus of a turn with all runners placed, by the flags that its columns have together."""
    bonus_without = {
        IS_EVEN: numbers.odd,
        IS_ODD: numbers.even,
        IS_ABOVE: numbers.low,
        IS_BELOW: numbers.high,
    }
    return np.array(
        [
            sum(bonus_without[flag] for flag in bonus_without if not flags & flag)
            for flags in range(16)
        ]
    )


def heuristic_player(numbers: Weights, ties: Ties) -> Player:
    """The compiled bot with these numbers."""
    values = by_column(numbers.values)
    slopes, intercepts = by_column(numbers.slopes), by_column(numbers.intercepts)
    has_slopes, random_ties = any(numbers.slopes), ties == "random"
    bonuses, placed = _bonuses(numbers), numbers.placed

    @compiled(boundscheck=False)
    def move_score(turn, move):
        # Few branches, since no processor can predict how many columns a move has.
        sides, first, last, count = turn.rules.sides, move[0], move[-1], len(move)
        score = intercepts[sides, first] + (count - 1) * intercepts[sides, last]
        new_last = (last != first) & (last not in turn.placed)
        score += placed * ((first not in turn.placed) + new_last)
        if has_slopes:
            lengths = turn.rules.lengths
            space = turn.next_space(first, turn.position(first))
            score += slopes[sides, first] * space // lengths[first]
            if count == 2:
                space = turn.next_space(last, space if last == first else turn.position(last))
                score += slopes[sides, last] * space // lengths[last]
        return score

    @compiled(boundscheck=False)
    def choose_move(turn, moves):
        best, best_score, tie_count = 0, move_score(turn, moves[0]), 1
        for index in range(1, len(moves)):
            score = move_score(turn, moves[index])
            if score > best_score:
                best, best_score, tie_count = index, score, 1
            elif random_ties and score == best_score:
                tie_count += 1
                if turn.random() * tie_count < 1:
                    best = index
        return best

    @compiled(boundscheck=False)
    def roll_again(turn, threshold):
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

    return Player(choose_move, partial(roll_again, threshold=numbers.threshold))


# The index of the first number of each kind. The first three are six numbers each, from the middle
# column outwards; columns that are farther out count as the outermost.
VALUES, WEIGHTS, SLOPES = 0, 6, 12
ODD, EVEN, LOW, HIGH = 18, 19, 20, 21  # for all runners in odd columns, …, none below the middle
PLACED, THRESHOLD = 22, 23  # weight of placing a runner; the score at which to stop
OWN_CLAIMS, RIVAL_CLAIMS = 24, 25  # added to the threshold for each
TOPPED, REACHING = 26, 27  # score of a column on the top, weight of a move that reaches one
PLACING = 28  # added to the spaces that each runner has climbed
BEHIND = 29  # added to the threshold for each column's worth of progress that the best rival leads
COUNT = 30
_DISTANCES = by_column((0, 1, 2, 3, 4, 5)).astype(np.uint8)
_CLAIM = 1.5  # the progress of a claimed column, in columns
_SPACES = np.arange(MAX_LENGTH + 1)
# _SHARES[length, space] is space / length, and 0 where the length is 0.
_SHARES = _SPACES / np.where(_SPACES, _SPACES, np.inf)[:, np.newaxis]

GLENN_ALOI: tuple[float, ...] = (
    *(1, 2, 2, 3, 7, 7),
    *(3, 4, 0, 2, 0, 7),
    *(0, 0, 0, 0, 0, 0),
    *(7, 1, 5, 6, -6, 29),
    *(0, 0, 0, 0, 1, 0),
)
"""Glenn and Aloi's champion as a member of this family."""

STEPS: tuple[float, ...] = (
    *(1.5, 1.5, 1.5, 1.5, 1.5, 1.5),
    *(2, 2, 2, 2, 2, 2),
    *(4, 4, 4, 4, 4, 4),
    *(3, 3, 3, 3, 2, 4),
    *(3, 3, 4, 3, 0.7, 3),
)
"""A useful change of each number, for `arena tune`."""


@compiled(boundscheck=False)
def _distance(turn, column):
    return _DISTANCES[turn.rules.sides, column]


@compiled(boundscheck=False)
def _weight(turn, move, numbers):
    weight, previous, space = 0.0, 0, 0
    for column in move:
        distance, length = _distance(turn, column), turn.rules.lengths[column]
        if column != previous:
            space = turn.position(column)
            if column not in turn.placed:
                weight += numbers[PLACED]
        space = turn.next_space(column, space)
        weight += numbers[WEIGHTS + distance] + numbers[SLOPES + distance] * space / length
        if space == length:
            weight += numbers[REACHING]
        previous = column
    return weight


@compiled(boundscheck=False)
def choose_by_numbers(turn, moves, numbers):
    """The index of the move with the greatest weight, the first of equals."""
    best, best_weight = 0, _weight(turn, moves[0], numbers)
    for index in range(1, len(moves)):
        weight = _weight(turn, moves[index], numbers)
        if weight > best_weight:
            best, best_weight = index, weight
    return best


@compiled(boundscheck=False)
def _lead(turn, rival):
    """How far a rival is ahead, in columns: those claimed, at _CLAIM each, and in open columns the
    marker's space as a share of the length."""
    rival_progress, own_progress = _CLAIM * turn.rival_claims[rival], _CLAIM * turn.claims
    markers, own_markers, lengths = turn.rivals[rival], turn.markers, turn.rules.lengths
    for column in turn.rules.columns:
        # A table instead of divisions, which take as long as a roll. Length 0 for claimed columns
        # instead of a branch, since no processor can predict which are claimed.
        length = np.uint64(lengths[column] * (column not in turn.claimed))
        rival_progress += _SHARES[length, np.uint64(markers[column])]
        own_progress += _SHARES[length, np.uint64(own_markers[column])]
    return rival_progress - own_progress


@compiled(boundscheck=False)
def _threshold(turn, numbers):
    threshold = numbers[THRESHOLD] + numbers[OWN_CLAIMS] * turn.claims
    if len(turn.rivals) == 0:
        return threshold
    claims, lead = turn.rival_claims[0], _lead(turn, 0)
    for rival in range(1, len(turn.rivals)):
        claims, lead = max(claims, turn.rival_claims[rival]), max(lead, _lead(turn, rival))
    return threshold + numbers[RIVAL_CLAIMS] * claims + numbers[BEHIND] * lead


@compiled(boundscheck=False)
def _score(turn, numbers):
    score, flags, sides = 0.0, 0, turn.rules.sides
    runners, markers, lengths = turn.runners, turn.markers, turn.rules.lengths
    for column in turn.placed:
        advances = runners[column] - markers[column] + numbers[PLACING]
        score += advances * numbers[VALUES + _distance(turn, column)]
        if runners[column] == lengths[column]:
            score += numbers[TOPPED]
        flags |= FLAGS[sides, column]
    if turn.free:
        return score
    for opposite, bonus in ((IS_EVEN, ODD), (IS_ODD, EVEN), (IS_ABOVE, LOW), (IS_BELOW, HIGH)):
        if not flags & opposite:
            score += numbers[bonus]
    return score


@compiled(boundscheck=False)
def roll_by_numbers(turn, numbers):
    """Whether the turn's score is below the threshold, or another runner can still be placed."""
    if turn.free and len(turn.usable) > len(turn.placed):
        return True
    if len(turn.usable) == 0:
        return False
    return _score(turn, numbers) < _threshold(turn, numbers)


def family_player(numbers: Any) -> Player:
    """The member of the family with these numbers, an array of `COUNT` floats.

    If the array is writeable, the bot plays with its current content, and is not compiled again
    when that changes.
    """
    keywords = {"numbers": numbers}
    return Player(partial(choose_by_numbers, **keywords), partial(roll_by_numbers, **keywords))
