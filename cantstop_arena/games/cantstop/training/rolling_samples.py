"""Samples for the net of rolling on: states within turns, with exact values of rolling on."""

from cantstop_arena.games.cantstop.engine.engine_decorators import (
    njit_call,
    njit_entry,
    njit_inline,
)
from cantstop_arena.games.cantstop.exact.three_runner_turn import look_up
from cantstop_arena.games.cantstop.exact.turn_board import MAX_COLUMNS, RUNNERS
from cantstop_arena.games.cantstop.exact.workspace import NOT_SOLVED
from cantstop_arena.games.cantstop.nets.net_inputs import NEVER
from cantstop_arena.games.cantstop.training.practice_games import (
    MAX_TURNS,
    advance,
    has_won,
    list_moves,
    must_roll,
    random_below,
    start_game,
    start_turn,
    stop,
)
from cantstop_arena.games.cantstop.training.practice_players import (
    copy_climbs,
    copy_climbs_after,
    fill_workspace,
)

MAX_SAMPLES = 1500  # per game
_STRAYING = 7  # one turn in 7 has random moves
_ELSEWHERE = 8  # random states that are looked up after each turn


@njit_inline(nrt=False)
def _store_sample(net, workspace, roll, positions, values, count, end):
    """Store the state of `workspace.climbs` as a sample with the value of rolling on; returns the
    new count."""
    if count == end or roll == NEVER:
        return count
    players = net.players
    for column in range(MAX_COLUMNS):
        up = workspace.climbs[column]
        tops = up > 0 and up == workspace.remaining[column]
        positions[count, 0, column] = workspace.markers[0, column] + up
        positions[count, players, column] = up
        for seat in range(1, players):
            positions[count, seat, column] = 0 if tops else workspace.markers[seat, column]
    values[count] = -roll if net.turns else roll
    return count + 1


@njit_call(nrt=False)
def _sampled_turn(board, net, workspace, table, stray, positions, values, count, end):
    """Play an exactly solved turn, and store the states after all its legal moves as samples.

    With `stray` half of the moves are random, and two in five decisions to stop or to roll are
    reversed. Returns whether the turn wins, and the new count.
    """
    start_turn(table)
    fill_workspace(board, net, workspace, table)
    while True:
        moves = list_moves(board, table)
        if moves == 0:
            return False, count
        index, highest = 0, NEVER
        for move in range(moves):
            copy_climbs_after(board, workspace, table, move)
            value, roll = look_up(board, net, workspace)
            count = _store_sample(net, workspace, roll, positions, values, count, end)
            if value > highest:
                index, highest = move, value
        if stray and random_below(table, 2):
            index = random_below(table, moves)
        advance(table, index)
        if has_won(board, table):
            return True, count
        copy_climbs(board, workspace, table)
        best, roll = look_up(board, net, workspace)
        goes_on = roll >= best
        if stray and roll != NEVER and random_below(table, 5) < 2:
            goes_on = not goes_on
        if not goes_on and not must_roll(board, table):
            stop(board, table)
            return False, count


@njit_call(nrt=False)
def _sample_other_states(board, net, workspace, table, positions, values, count, end):
    """Store random states with three runners that have been solved; returns the new count."""
    for _ in range(_ELSEWHERE):
        workspace.climbs[:] = 0
        for _ in range(RUNNERS):
            column = random_below(table, board.columns)
            up = int(workspace.remaining[column] > 0)
            while up and up < workspace.remaining[column] and random_below(table, 5) < 3:
                up += 1
            workspace.climbs[column] = up
        if _is_solved(board, workspace):
            roll = look_up(board, net, workspace)[1]
            count = _store_sample(net, workspace, roll, positions, values, count, end)
    return count


@njit_inline(nrt=False)
def _is_solved(board, workspace):
    """Whether there are three runners, in columns whose states have been solved."""
    a = b = c = -1
    for column in range(board.columns):
        if workspace.climbs[column]:
            a, b, c = b, c, column
    return a >= 0 and workspace.starts[a, b, c] != NOT_SOLVED


@njit_entry(nrt=False)
def rolling_games(board, net, workspace, table, key, start, end, positions, values):
    """Play games `start` to `end` (exclusive) of the exact turn against itself.

    Fills in samples: states within turns, by block of a ROLLING_NET and column, with the value of
    rolling on, as a probability of winning, or with one player the turns still to come. Returns the
    number of samples.
    """
    count = 0
    for game in range(start, end):
        start_game(table, net.players, key, game)
        last, won = count + MAX_SAMPLES, False
        while not won and table.turns < MAX_TURNS:
            stray = random_below(table, _STRAYING) == 0
            samples = (positions, values)
            won, count = _sampled_turn(board, net, workspace, table, stray, *samples, count, last)
            count = _sample_other_states(board, net, workspace, table, *samples, count, last)
    return count
