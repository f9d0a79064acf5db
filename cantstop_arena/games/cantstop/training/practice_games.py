"""Practice games for training: one record with the state of a game and its random numbers.

The players are compiled functions, and games leave no counts or records, so that thousands of
games are played per second.
"""

import numpy as np

from cantstop_arena.games.cantstop.engine.dice import number_at
from cantstop_arena.games.cantstop.engine.engine_decorators import njit_call, njit_inline
from cantstop_arena.games.cantstop.engine.game_array import MAX_SEATS
from cantstop_arena.games.cantstop.exact.turn_board import MAX_COLUMNS, RUNNERS

MAX_TURNS = 400  # of all seats together, after which a game ends without a winner
BUST = -1
NO_COLUMN = -1

TABLE = np.dtype(
    [
        ("key", np.uint64),
        ("draws", np.uint64),
        ("players", np.int64),
        ("seat", np.int64),
        ("turns", np.int64),
        ("placed", np.int64),
        ("first_value", np.float64),
        ("markers", np.int64, (MAX_SEATS, MAX_COLUMNS)),
        ("claimed", np.int64, MAX_COLUMNS),
        ("claims", np.int64, MAX_SEATS),
        ("climbs", np.int64, MAX_COLUMNS),
        ("moves", np.int64, (8, 2)),
        ("left", np.int8, (MAX_SEATS, MAX_SEATS, MAX_COLUMNS)),
        ("has_left", np.int64, MAX_SEATS),
    ],
    align=True,
)
"""The state of a practice game.

`left[seat]` is the position that a seat left at the end of its last turn, its own markers first,
and `first_value` the value of the turn after its first roll, if an exact player plays it. `draws`
counts the random numbers of the game.
"""

_32 = np.uint64(32)
_INCREMENT = np.uint64(1)


@njit_inline(nrt=False)
def random_below(table, count):
    """A random number from 0 to count - 1."""
    table.draws += _INCREMENT
    return np.int64(((number_at(table.key, table.draws) >> _32) * np.uint64(count)) >> _32)


@njit_call(nrt=False)
def start_game(table, players, key, game):
    """Set up an empty board, with random numbers that depend on the key and the game."""
    table.key, table.draws = number_at(key, np.uint64(game + 1)), np.uint64(0)
    table.players, table.turns, table.seat = players, 0, players - 1
    table.markers[:] = 0
    table.claimed[:] = 0
    table.claims[:] = 0
    table.has_left[:] = 0


@njit_call(nrt=False)
def start_turn(table):
    """Begin the next seat's turn."""
    table.seat = (table.seat + 1) % table.players
    table.turns += 1
    table.placed = 0
    table.climbs[:] = 0


@njit_inline(nrt=False)
def spaces_left(board, table, column):
    """The spaces left to climb in a column, 0 if it is claimed."""
    if table.claimed[column]:
        return 0
    return board.lengths[column] - table.markers[table.seat, column] - table.climbs[column]


@njit_inline(nrt=False)
def _may_advance(board, table, column):
    has_runner = table.climbs[column] > 0 or table.placed < RUNNERS
    return has_runner and spaces_left(board, table, column) > 0


@njit_call(nrt=False)
def list_moves(board, table):
    """Roll, and fill in `moves`; returns their number. A move of one column ends in NO_COLUMN."""
    menu, count = board.menu_of[random_below(table, board.roll_count)], 0
    for number in range(board.sizes[menu]):
        x, y = board.menus[menu, number, 0], board.menus[menu, number, 1]
        may_x, may_y = _may_advance(board, table, x), _may_advance(board, table, y)
        if x == y:
            twice = spaces_left(board, table, x) > 1
            count += _list(table, count, x, x if twice else NO_COLUMN) if may_x else 0
            continue
        new = int(table.climbs[x] == 0) + int(table.climbs[y] == 0)
        if may_x and may_y and table.placed + new <= RUNNERS:
            count += _list(table, count, x, y)
            continue
        count += _list(table, count, x, NO_COLUMN) if may_x else 0
        count += _list(table, count, y, NO_COLUMN) if may_y else 0
    return count


@njit_inline(nrt=False)
def _list(table, count, x, y):
    table.moves[count, 0], table.moves[count, 1] = x, y
    return 1


@njit_inline(nrt=False)
def advance(table, index):
    """Make one of the moves."""
    for half in range(2):
        column = table.moves[index, half]
        if column != NO_COLUMN:
            table.placed += table.climbs[column] == 0
            table.climbs[column] += 1


@njit_call(nrt=False)
def has_won(board, table):
    """Whether stopping wins."""
    claims = table.claims[table.seat]
    for column in range(board.columns):
        claims += table.climbs[column] > 0 and spaces_left(board, table, column) == 0
    return claims >= board.columns_to_win


@njit_call(nrt=False)
def must_roll(board, table):
    """Whether stopping is illegal because a runner can still be placed."""
    if not board.stops_after_all_runners or table.placed == RUNNERS:
        return False
    for column in range(board.columns):
        if not table.climbs[column] and not table.claimed[column]:
            return True
    return False


@njit_call(nrt=False)
def stop(board, table):
    """End the turn: markers move to the runners, and columns on top are claimed."""
    for column in range(board.columns):
        if table.climbs[column]:
            table.markers[table.seat, column] += table.climbs[column]
            if table.markers[table.seat, column] == board.lengths[column]:
                _claim(table, column)


@njit_inline(nrt=False)
def _claim(table, column):
    table.claimed[column] = 1
    table.claims[table.seat] += 1
    for seat in range(table.players):
        if seat != table.seat:
            table.markers[seat, column] = 0


@njit_call(nrt=False)
def store_left_position(board, table):
    """Store the position that the seat on turn leaves."""
    table.has_left[table.seat] = 1
    for step in range(table.players):
        whose = (table.seat + step) % table.players
        for column in range(board.columns):
            table.left[table.seat, step, column] = table.markers[whose, column]
