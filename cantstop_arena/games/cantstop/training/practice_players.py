"""Who plays for practice: heuristics by their numbers, and the exact turn."""

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
    below,
    has_won,
    list_moves,
    must_roll,
    room_in,
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
"""The numbers of a member of the family of Rule of 28, from the middle column outwards."""


def family_of(members: Sequence[Weights]) -> Any:
    """Members with weights that do not slope, as a record array."""
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
    best, most = 0, -1e9
    for index in range(count):
        weight, before = 0.0, NO_COLUMN
        for half in range(2):
            column = table.moves[index, half]
            if column != NO_COLUMN:
                weight += numbers.weights[_from_middle(board, column)]
                if column != before and not table.advances[column]:
                    weight += numbers.placed
            before = column
        if weight > most:
            best, most = index, weight
    return best


@njit_call(nrt=False)
def _heuristic_rolls(board, table, numbers, more):
    usable = score = odd = low = high = 0.0
    middle = board.columns // 2
    for column in range(board.columns):
        if room_in(board, table, column) and (table.advances[column] or table.placed < RUNNERS):
            usable += 1
        if table.advances[column]:
            score += (table.advances[column] + 1) * numbers.values[_from_middle(board, column)]
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
    """Play a turn by numbers, the threshold raised by `more`; returns whether it wins."""
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
def place_markers(board, desk, table):
    """Lay the markers of all seats out, from the player on turn."""
    for step in range(table.players):
        whose = (table.seat + step) % table.players
        for column in range(board.columns):
            desk.markers[step, column] = table.markers[whose, column]


@njit_call(nrt=False)
def fill_workspace(board, net, desk, table):
    """Begin a turn on the desk where the table stands."""
    place_markers(board, desk, table)
    enter(board, net, desk)


@njit_inline(nrt=False)
def place_advances(board, desk, table):
    """Lay out how far the runners have advanced."""
    for column in range(board.columns):
        desk.advances[column] = table.advances[column]


@njit_inline(nrt=False)
def place_move(board, desk, table, index):
    """Lay out how far they will have with one of the moves."""
    place_advances(board, desk, table)
    for half in range(2):
        if table.moves[index, half] != NO_COLUMN:
            desk.advances[table.moves[index, half]] += 1


@njit_call(nrt=False)
def exact_choice(board, net, desk, table, count):
    """The index of the best move, and what it is worth."""
    best, most = 0, -1e9
    for index in range(count):
        place_move(board, desk, table, index)
        worth = look_up(board, net, desk)[0]
        if worth > most:
            best, most = index, worth
    return best, most


@njit_call(nrt=False)
def exact_turn(board, net, desk, table, stray):
    """Play a turn, solved exactly; returns whether it wins. With `stray` half of the moves are
    any. `table.first_worth` is what the turn was worth after the first roll."""
    start_turn(table)
    fill_workspace(board, net, desk, table)
    table.first_worth = desk.rest[0]
    is_first = True
    while True:
        count = list_moves(board, table)
        if count == 0:
            return False
        index = 0
        if count > 1 or is_first:
            index, most = exact_choice(board, net, desk, table, count)
            if is_first:
                table.first_worth = most
                is_first = False
        if stray and below(table, 2):
            index = below(table, count)
        advance(table, index)
        if has_won(board, table):
            return True
        place_advances(board, desk, table)
        best, roll = look_up(board, net, desk)
        if not must_roll(board, table) and roll < best:
            stop(board, table)
            return False
