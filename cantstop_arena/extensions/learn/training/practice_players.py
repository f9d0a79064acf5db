"""The players of practice games: heuristics, the exact turn, and the lookahead of one roll."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from cantstop_arena.extensions.learn.compiled import njit_call, njit_inline
from cantstop_arena.extensions.learn.training.practice_games import random_below, turn_of
from cantstop_arena.extensions.strength.exact.three_runner_turn import enter, look_up
from cantstop_arena.extensions.strength.exact.turn_board import RUNNERS
from cantstop_arena.extensions.strength.nets.lookahead import begin, best, choice
from cantstop_arena.games.cantstop.bots.heuristic import Weights, outwards
from cantstop_arena.games.cantstop.engine.column_sets import count_columns, lowest_column
from cantstop_arena.games.cantstop.engine.game_array import TWICE
from cantstop_arena.games.cantstop.engine.moves import usable_columns

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


class Heuristic(NamedTuple):
    """A heuristic with its threshold raised by `more`."""

    numbers: Any
    more: int


@njit_inline
def _from_middle(game, column):
    return abs(column - game.sides - 1)


@njit_inline
def _advance_weight(game, numbers, column):
    """The weight of an advance in a column; a new runner counts."""
    weight = numbers.weights[_from_middle(game, column)]
    return weight if game.placed >> column & 1 else weight + numbers.placed


@njit_call
def _heuristic_choice(game, practice, player):
    chosen, highest, numbers = 0, -1e9, player.numbers
    for index in range(game.move_count):
        lower, upper, twice = _halves(game.moves[practice.order[index]])
        weight = _advance_weight(game, numbers, lower)
        if upper:
            weight += _advance_weight(game, numbers, upper)
        if twice:
            weight += numbers.weights[_from_middle(game, lower)]
        if weight > highest:
            chosen, highest = index, weight
    return chosen


@njit_inline
def _halves(move):
    """The lower column of a move, its upper one or 0, and whether the lower advances twice."""
    columns = move & ((1 << TWICE) - 1)
    upper = columns & (columns - 1)
    return lowest_column(columns), lowest_column(upper) if upper else 0, move >> TWICE != 0


@njit_call
def _heuristic_rolls(game, practice, player):
    numbers, placed = player.numbers, count_columns(game.placed)
    usable = count_columns(usable_columns(game))
    score = odd = low = high = 0.0
    middle, columns = game.sides + 1, game.placed
    while columns:
        column = lowest_column(columns)
        columns &= columns - 1
        score += (_climbed(game, column) + 1) * numbers.values[_from_middle(game, column)]
        odd += column & 1
        low += column <= middle
        high += column >= middle
    if usable == 0:
        return False
    if placed < RUNNERS:
        return usable > placed or score < numbers.threshold + player.more
    score += numbers.odd * (odd == RUNNERS) + numbers.even * (odd == 0)
    score += numbers.low * (low == RUNNERS) + numbers.high * (high == RUNNERS)
    return score < numbers.threshold + player.more


heuristic_turn = turn_of(_heuristic_choice, _heuristic_rolls)
"""Plays a turn of a `Heuristic`."""


# Positions and runners for solvers --------------------------------------------------------------


@njit_inline
def _climbed(game, column):
    """The spaces that the runner in a column has climbed this turn."""
    return game.runners[column] - game.markers[game.seat, column]


@njit_inline
def copy_markers(game, workspace):
    """Copy the markers of all seats, the player on turn first."""
    for step in range(game.players):
        whose = (game.seat + step) % game.players
        for column in range(2 * game.sides - 1):
            workspace.markers[step, column] = game.markers[whose, column + 2]


@njit_inline
def copy_climbs(game, workspace):
    """Copy the spaces climbed this turn."""
    for column in range(2, 2 * game.sides + 1):
        is_placed = game.placed >> column & 1
        workspace.climbs[column - 2] = _climbed(game, column) if is_placed else 0


@njit_inline
def copy_climbs_after(game, practice, workspace, index):
    """Copy the spaces climbed this turn after one of the moves."""
    copy_climbs(game, workspace)
    lower, upper, twice = _halves(game.moves[practice.order[index]])
    workspace.climbs[lower - 2] += 2 if twice else 1
    if upper:
        workspace.climbs[upper - 2] += 1


# The exact turn ---------------------------------------------------------------------------------


_STOPPING = 4  # a straying turn may end at every fourth roll


class ExactTurn(NamedTuple):
    """A player who solves turns exactly.

    With `stray` half of the moves are random, and it stops in between: a net that never stops at a
    position never learns what stopping there is worth.
    """

    board: Any
    net: Any
    workspace: Any
    stray: bool


@njit_call
def begin_exact_turn(game, player):
    """Begin a turn in the workspace at the game's position."""
    copy_markers(game, player.workspace)
    enter(player.board, player.net, player.workspace)


@njit_inline
def strayed(game, practice, player, index):
    """The index of the move that is made: the best one, or at random if the player strays."""
    if player.stray and random_below(practice, 2):
        return random_below(practice, game.move_count)
    return index


@njit_call
def _exact_choice(game, practice, player):
    chosen, highest, is_first = 0, -1e9, game.rolls == 1
    if game.move_count > 1 or is_first:
        for index in range(game.move_count):
            copy_climbs_after(game, practice, player.workspace, index)
            value = look_up(player.board, player.net, player.workspace)[0]
            if value > highest:
                chosen, highest = index, value
        if is_first:
            practice.first_value = highest
    return strayed(game, practice, player, chosen)


@njit_call
def _exact_rolls(game, practice, player):
    if player.stray and random_below(practice, _STOPPING) == 0:
        return False
    copy_climbs(game, player.workspace)
    value, roll = look_up(player.board, player.net, player.workspace)
    return roll >= value


_play_exact_turn = turn_of(_exact_choice, _exact_rolls)


@njit_call
def exact_turn(game, practice, player):
    """Play a turn of an `ExactTurn`.

    Sets `practice.first_value` to the value of the turn after the first roll.
    """
    begin_exact_turn(game, player)
    practice.first_value = player.workspace.bust_value[0]
    _play_exact_turn(game, practice, player)


# The lookahead of one roll ----------------------------------------------------------------------


@njit_call
def _lookahead_choice(game, practice, player):
    chosen, highest = 0, -1e9
    for index in range(game.move_count):
        copy_climbs_after(game, practice, player.stopping, index)
        value = best(*player)
        if value > highest:
            chosen, highest = index, value
    return chosen


@njit_call
def _lookahead_rolls(game, practice, player):
    copy_climbs(game, player.stopping)
    stop, roll = choice(*player)
    return roll > stop


_play_lookahead_turn = turn_of(_lookahead_choice, _lookahead_rolls)


@njit_call
def lookahead_turn(game, practice, player):
    """Play a turn of a `Lookahead`, like the champion."""
    copy_markers(game, player.stopping)
    begin(*player)
    _play_lookahead_turn(game, practice, player)
