"""The players of practice games: heuristics, and the exact turn."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from cantstop_arena.games.cantstop.bots.heuristic import Weights, outwards
from cantstop_arena.games.cantstop.engine.engine_decorators import njit_call, njit_inline
from cantstop_arena.games.cantstop.exact.three_runner_turn import enter, look_up
from cantstop_arena.games.cantstop.exact.turn_board import RUNNERS
from cantstop_arena.games.cantstop.training.practice_games import (
    NO_COLUMN,
    advance,
    has_won,
    list_moves,
    must_roll,
    random_below,
    spaces_left,
    start_turn,
    stop,
)

HEURISTIC = np.dtype(
    [
        ("values", np.float64, 8),
        ("weights", np.float64, 8),
        ("odd", np.float64),
        ("even", np.float64),
        ("low", np.float64),
        ("high", np.float64),
        ("placed", np.float64),
        ("threshold", np.float64),
    ]
)
"""The parameters of a heuristic of the Rule of 28 family, from the middle column outwards."""


def family_of(members: Sequence[Weights]) -> Any:
    """Heuristics as a record array of HEURISTIC; only the intercepts of the weights are used."""
    family = np.zeros(len(members), HEURISTIC).view(np.recarray)
    for record, numbers in zip(family, members, strict=True):
        record["values"], record["weights"] = outwards(numbers.values), outwards(numbers.intercepts)
        for name in ("odd", "even", "low", "high", "placed", "threshold"):
            record[name] = getattr(numbers, name)
    return family


# Heuristics -------------------------------------------------------------------------------------


@njit_inline(nrt=False)
def _from_middle(board, column):
    return abs(column - board.columns // 2)


@njit_call(nrt=False)
def _heuristic_choice(board, table, numbers, count):
    best, highest = 0, -1e9
    for index in range(count):
        weight, before = 0.0, NO_COLUMN
        for half in range(2):
            column = table.moves[index, half]
            if column != NO_COLUMN:
                weight += numbers.weights[_from_middle(board, column)]
                if column != before and not table.climbs[column]:
                    weight += numbers.placed
            before = column
        if weight > highest:
            best, highest = index, weight
    return best


@njit_call(nrt=False)
def _heuristic_rolls(board, table, numbers, more):
    usable = score = odd = low = high = 0.0
    middle = board.columns // 2
    for column in range(board.columns):
        if spaces_left(board, table, column) and (table.climbs[column] or table.placed < RUNNERS):
            usable += 1
        if table.climbs[column]:
            score += (table.climbs[column] + 1) * numbers.values[_from_middle(board, column)]
            odd += column & 1
            low += column <= middle
            high += column >= middle
    if usable == 0:
        return False
    if table.placed < RUNNERS:
        return usable > table.placed or score < numbers.threshold + more
    score += numbers.odd * (odd == RUNNERS) + numbers.even * (odd == 0)
    score += numbers.low * (low == RUNNERS) + numbers.high * (high == RUNNERS)
    return score < numbers.threshold + more


@njit_call(nrt=False)
def heuristic_turn(board, table, numbers, more):
    """Play a turn of a heuristic with its threshold raised by `more`; returns whether it wins."""
    start_turn(table)
    while True:
        count = list_moves(board, table)
        if count == 0:
            return False
        advance(table, _heuristic_choice(board, table, numbers, count))
        if has_won(board, table):
            return True
        if not must_roll(board, table) and not _heuristic_rolls(board, table, numbers, more):
            stop(board, table)
            return False


# The exact turn ---------------------------------------------------------------------------------


@njit_inline(nrt=False)
def copy_markers(board, workspace, table):
    """Copy the markers of all seats, the player on turn first."""
    for step in range(table.players):
        whose = (table.seat + step) % table.players
        for column in range(board.columns):
            workspace.markers[step, column] = table.markers[whose, column]


@njit_call(nrt=False)
def fill_workspace(board, net, workspace, table):
    """Begin a turn in the workspace at the table's position."""
    copy_markers(board, workspace, table)
    enter(board, net, workspace)


@njit_inline(nrt=False)
def copy_climbs(board, workspace, table):
    """Copy the spaces climbed this turn."""
    for column in range(board.columns):
        workspace.climbs[column] = table.climbs[column]


@njit_inline(nrt=False)
def copy_climbs_after(board, workspace, table, index):
    """Copy the spaces climbed this turn after one of the moves."""
    copy_climbs(board, workspace, table)
    for half in range(2):
        if table.moves[index, half] != NO_COLUMN:
            workspace.climbs[table.moves[index, half]] += 1


@njit_call(nrt=False)
def exact_choice(board, net, workspace, table, count):
    """The index and the value of the best move."""
    best, highest = 0, -1e9
    for index in range(count):
        copy_climbs_after(board, workspace, table, index)
        value = look_up(board, net, workspace)[0]
        if value > highest:
            best, highest = index, value
    return best, highest


@njit_call(nrt=False)
def exact_turn(board, net, workspace, table, stray):
    """Play an exactly solved turn; returns whether it wins.

    With `stray` half of the moves are random. Sets `table.first_value` to the value of the turn
    after the first roll.
    """
    start_turn(table)
    fill_workspace(board, net, workspace, table)
    table.first_value = workspace.bust_value[0]
    is_first = True
    while True:
        count = list_moves(board, table)
        if count == 0:
            return False
        index = 0
        if count > 1 or is_first:
            index, highest = exact_choice(board, net, workspace, table, count)
            if is_first:
                table.first_value = highest
                is_first = False
        if stray and random_below(table, 2):
            index = random_below(table, count)
        advance(table, index)
        if has_won(board, table):
            return True
        copy_climbs(board, workspace, table)
        best, roll = look_up(board, net, workspace)
        if not must_roll(board, table) and roll < best:
            stop(board, table)
            return False
