"""Samples for the net of rolling on: states within turns, with exact values of rolling on."""

from typing import Any, NamedTuple

from cantstop_arena.extensions.learn.compiled import (
    njit_call,
    njit_entry,
    njit_inline,
)
from cantstop_arena.extensions.learn.training.practice_games import (
    random_below,
    start_game,
    turn_of,
)
from cantstop_arena.extensions.learn.training.practice_players import (
    begin_exact_turn,
    copy_climbs,
    copy_climbs_after,
    strayed,
)
from cantstop_arena.extensions.strength.exact.three_runner_turn import look_up
from cantstop_arena.extensions.strength.exact.turn_board import MAX_COLUMNS, RUNNERS
from cantstop_arena.extensions.strength.exact.workspace import NOT_SOLVED
from cantstop_arena.extensions.strength.nets.net_inputs import NEVER
from cantstop_arena.games.cantstop.engine.game_array import OVER

MAX_SAMPLES = 1500  # per game
_STRAYING = 7  # one turn in 7 has random moves
_ELSEWHERE = 8  # random states that are looked up after each turn


class SampledTurn(NamedTuple):
    """A player who solves turns exactly, and stores the states after all legal moves as samples.

    With `stray` half of the moves are random, and two in five decisions to stop or to roll are
    reversed.
    """

    board: Any
    net: Any
    workspace: Any
    stray: bool
    positions: Any
    values: Any


@njit_inline
def _store_sample(practice, player, roll):
    """Store the state of `workspace.climbs` as a sample with the value of rolling on."""
    count, net, workspace = practice.samples, player.net, player.workspace
    if count == practice.max_samples or roll == NEVER:
        return
    players = net.players
    for column in range(MAX_COLUMNS):
        up = workspace.climbs[column]
        tops = up > 0 and up == workspace.remaining[column]
        player.positions[count, 0, column] = workspace.markers[0, column] + up
        player.positions[count, players, column] = up
        for seat in range(1, players):
            space = 0 if tops else workspace.markers[seat, column]
            player.positions[count, seat, column] = space
    player.values[count] = -roll if net.turns else roll
    practice.samples += 1


@njit_call
def _choose_move(game, practice, player):
    chosen, highest = 0, NEVER
    for index in range(game.move_count):
        copy_climbs_after(game, practice, player.workspace, index)
        value, roll = look_up(player.board, player.net, player.workspace)
        _store_sample(practice, player, roll)
        if value > highest:
            chosen, highest = index, value
    return strayed(game, practice, player, chosen)


@njit_call
def _roll_again(game, practice, player):
    copy_climbs(game, player.workspace)
    value, roll = look_up(player.board, player.net, player.workspace)
    is_reversed = player.stray and roll != NEVER and random_below(practice, 5) < 2
    return (roll >= value) != is_reversed


_play_sampled_turn = turn_of(_choose_move, _roll_again)


@njit_call
def _sample_other_states(practice, player):
    """Store random states with three runners that have been solved."""
    board, workspace = player.board, player.workspace
    for _ in range(_ELSEWHERE):
        workspace.climbs[:] = 0
        for _ in range(RUNNERS):
            column = random_below(practice, board.columns)
            up = int(workspace.remaining[column] > 0)
            while up and up < workspace.remaining[column] and random_below(practice, 5) < 3:
                up += 1
            workspace.climbs[column] = up
        if _is_solved(board, workspace):
            _store_sample(practice, player, look_up(board, player.net, workspace)[1])


@njit_inline
def _is_solved(board, workspace):
    """Whether there are three runners, in columns whose states have been solved."""
    a = b = c = -1
    for column in range(board.columns):
        if workspace.climbs[column]:
            a, b, c = b, c, column
    return a >= 0 and workspace.starts[a, b, c] != NOT_SOLVED


@njit_entry
def rolling_games(board, net, workspace, game, practice, key, start, end, positions, values):
    """Play games `start` to `end` (exclusive) of the exact turn against itself.

    Fills in samples: states within turns, by block of a ROLLING_NET and column, with the value of
    rolling on, as a probability of winning, or with one player the turns still to come. Returns the
    number of samples.
    """
    practice.samples = 0
    for number in range(start, end):
        start_game(game, practice, key, number)
        practice.max_samples = practice.samples + MAX_SAMPLES
        while game.waiting != OVER:
            stray = random_below(practice, _STRAYING) == 0
            player = SampledTurn(board, net, workspace, stray, positions, values)
            begin_exact_turn(game, player)
            _play_sampled_turn(game, practice, player)
            _sample_other_states(practice, player)
    return practice.samples
