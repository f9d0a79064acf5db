"""What the exact turn teaches of rolling on: states within turns, and a roll's worth there."""

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
    below,
    has_won,
    list_moves,
    must_roll,
    start_game,
    start_turn,
    stop,
)
from cantstop_arena.games.cantstop.training.practice_players import (
    fill_workspace,
    place_advances,
    place_move,
)

MAX_SAMPLES = 1500  # that are kept of one game
_STRAYING = 7  # one turn in so many
_ELSEWHERE = 8  # states that are looked up after a turn, wherever they are


@njit_inline(nrt=False)
def _keep(net, workspace, roll, positions, values, count, end):
    """Keep the state of `desk.climbs` and what rolling on is worth there; returns the count."""
    if count == end or roll == NEVER:
        return count
    players = net.players
    for column in range(MAX_COLUMNS):
        up = workspace.climbs[column]
        tops = up > 0 and up == workspace.room[column]
        positions[count, 0, column] = workspace.markers[0, column] + up
        positions[count, players, column] = up
        for seat in range(1, players):
            positions[count, seat, column] = 0 if tops else workspace.markers[seat, column]
    values[count] = -roll if net.turns else roll
    return count + 1


@njit_call(nrt=False)
def _taught_turn(board, net, workspace, table, stray, positions, values, count, end):
    """Play a turn, solved exactly, and keep the states that its moves could lead to.

    With `stray` half of the moves are any, and two stops in five are none. Returns whether the
    turn wins, and the count.
    """
    start_turn(table)
    fill_workspace(board, net, workspace, table)
    while True:
        moves = list_moves(board, table)
        if moves == 0:
            return False, count
        index, maximum = 0, NEVER
        for move in range(moves):
            place_move(board, workspace, table, move)
            value, roll = look_up(board, net, workspace)
            count = _keep(net, workspace, roll, positions, values, count, end)
            if value > maximum:
                index, maximum = move, value
        if stray and below(table, 2):
            index = below(table, moves)
        advance(table, index)
        if has_won(board, table):
            return True, count
        place_advances(board, workspace, table)
        best, roll = look_up(board, net, workspace)
        goes_on = roll >= best
        if stray and roll != NEVER and below(table, 5) < 2:
            goes_on = not goes_on
        if not goes_on and not must_roll(board, table):
            stop(board, table)
            return False, count


@njit_call(nrt=False)
def _look_elsewhere(board, net, workspace, table, positions, values, count, end):
    """Keep some states with three runners, of those that were solved; returns the count."""
    for _ in range(_ELSEWHERE):
        workspace.climbs[:] = 0
        for _ in range(RUNNERS):
            column = below(table, board.columns)
            up = int(workspace.room[column] > 0)
            while up and up < workspace.room[column] and below(table, 5) < 3:
                up += 1
            workspace.climbs[column] = up
        if _is_solved(board, workspace):
            roll = look_up(board, net, workspace)[1]
            count = _keep(net, workspace, roll, positions, values, count, end)
    return count


@njit_inline(nrt=False)
def _is_solved(board, workspace):
    """Whether three runners stand in columns whose states are known."""
    a = b = c = -1
    for column in range(board.columns):
        if workspace.climbs[column]:
            a, b, c = b, c, column
    return a >= 0 and workspace.starts[a, b, c] != NOT_SOLVED


@njit_entry(nrt=False)
def rolling_games(board, net, workspace, table, key, start, end, positions, values):
    """Play games of the exact turn with itself, numbered `start` to `end`.

    Fills in states within turns, blocks of a ROLLING_NET by column, and what rolling on is worth
    there: a chance to win, or alone the turns that are still to come. Returns how many there are.
    """
    count = 0
    for game in range(start, end):
        start_game(table, net.players, key, game)
        last, won = count + MAX_SAMPLES, False
        while not won and table.turns < MAX_TURNS:
            stray = below(table, _STRAYING) == 0
            visible = (positions, values)
            won, count = _taught_turn(board, net, workspace, table, stray, *visible, count, last)
            count = _look_elsewhere(board, net, workspace, table, *visible, count, last)
    return count
