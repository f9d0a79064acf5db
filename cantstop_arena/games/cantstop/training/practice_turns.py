"""Samples from practice games: positions left to the next player, and their values."""

from cantstop_arena.games.cantstop.engine.engine_decorators import njit_entry, njit_inline
from cantstop_arena.games.cantstop.exact.turn_board import MAX_COLUMNS
from cantstop_arena.games.cantstop.training.practice_games import (
    MAX_TURNS,
    random_below,
    start_game,
    store_left_position,
)
from cantstop_arena.games.cantstop.training.practice_players import exact_turn, heuristic_turn

MAX_SAMPLES = 160  # per game
_STRAYING = 10  # one turn in 10 has random moves


@njit_inline(nrt=False)
def _store_sample(table, seat, value, positions, values, count, first):
    """Store the position that a seat left as a sample with this value; returns the new count."""
    if count - first < MAX_SAMPLES and table.has_left[seat]:
        for step in range(table.players):
            for column in range(MAX_COLUMNS):
                positions[count, step, column] = table.left[seat, step, column]
        values[count] = value
        count += 1
    return count


@njit_entry(nrt=False)
def heuristic_games(board, table, family, players, key, start, end, positions, values):
    """Play games `start` to `end` (exclusive) of heuristics with random thresholds.

    Fills in samples: positions that a seat left, with value 1 if the seat won and 0 if not, or with
    one player the turns that followed. Returns the number of samples.
    """
    count = 0
    for game in range(start, end):
        start_game(table, players, key, game)
        members, more = random_below(table, 1 << 30), random_below(table, 1 << 30)
        first, won = count, False
        while not won and table.turns < MAX_TURNS:
            seat = (table.seat + 1) % players
            numbers = family[(members >> 6 * seat) % 64 % len(family)]
            won = heuristic_turn(board, table, numbers, (more >> 6 * seat) % 64 % 9 - 4)
            if not won:
                store_left_position(board, table)
                value = seat if players > 1 else table.turns
                count = _store_sample(table, seat, value, positions, values, count, first)
        for sample in range(first, count):
            if players > 1:
                values[sample] = won and values[sample] == table.seat
            else:
                values[sample] = table.turns - values[sample]
    return count


@njit_inline(nrt=False)
def _is_exact(game, players, seat):
    """Whether a seat plays the exact turn: all seats do with one or two players, and in every
    second game with more. In the others only one does, so that it meets weaker players as well."""
    return players <= 2 or game % 2 == 0 or game // 2 % players == seat


@njit_entry(nrt=False)
def exact_games(board, net, workspace, table, family, key, start, end, positions, values):
    """Play games `start` to `end` (exclusive) of the exact turn against itself and heuristics.

    Fills in samples: positions that the exact turn left, with the value of the next turn after its
    first roll. Returns the number of samples.
    """
    players, count = net.players, 0
    for game in range(start, end):
        start_game(table, players, key, game)
        first, won = count, False
        while not won and table.turns < MAX_TURNS:
            if not _is_exact(game, players, (table.seat + 1) % players):
                won = heuristic_turn(board, table, family[random_below(table, len(family))], 0)
                continue
            won = exact_turn(board, net, workspace, table, random_below(table, _STRAYING) == 0)
            seat, value = table.seat, table.first_value
            if players <= 2:
                whose = (seat + 1) % players
                count = _store_sample(table, whose, 1 - value, positions, values, count, first)
            else:
                count = _store_sample(table, seat, value, positions, values, count, first)
            if not won:
                store_left_position(board, table)
        if won and players > 2:
            for other in range(players):
                if other != table.seat:
                    count = _store_sample(table, other, 0.0, positions, values, count, first)
    return count
