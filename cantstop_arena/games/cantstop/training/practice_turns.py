"""Practice games: what positions were left to the next player, and what they turned out worth."""

from cantstop_arena.games.cantstop.engine.engine_decorators import njit_entry, njit_inline
from cantstop_arena.games.cantstop.exact.turn_board import MAX_COLUMNS
from cantstop_arena.games.cantstop.training.practice_games import (
    MAX_TURNS,
    below,
    note_left,
    start_game,
)
from cantstop_arena.games.cantstop.training.practice_players import exact_turn, heuristic_turn

MAX_SAMPLES = 160  # that are kept of one game
_STRAYING = 10  # one turn in so many


@njit_inline(nrt=False)
def _keep(table, seat, value, positions, values, count, first):
    """Keep a position that a seat left, with its worth; returns the count."""
    if count - first < MAX_SAMPLES and table.has_left[seat]:
        for step in range(table.players):
            for column in range(MAX_COLUMNS):
                positions[count, step, column] = table.left[seat, step, column]
        values[count] = value
        count += 1
    return count


@njit_entry(nrt=False)
def heuristic_games(board, table, family, players, key, start, end, positions, values):
    """Play games of heuristics, numbered `start` to `end`, each with a threshold of its own.

    Fills in the positions that were left and what became of them: 1 where who left it won, 0
    where not, or alone the turns that were still to come. Returns how many there are.
    """
    count = 0
    for game in range(start, end):
        start_game(table, players, key, game)
        members, more = below(table, 1 << 30), below(table, 1 << 30)
        first, won = count, False
        while not won and table.turns < MAX_TURNS:
            seat = (table.seat + 1) % players
            numbers = family[(members >> 6 * seat) % 64 % len(family)]
            won = heuristic_turn(board, table, numbers, (more >> 6 * seat) % 64 % 9 - 4)
            if not won:
                note_left(board, table)
                value = seat if players > 1 else table.turns
                count = _keep(table, seat, value, positions, values, count, first)
        for sample in range(first, count):
            if players > 1:
                values[sample] = won and values[sample] == table.seat
            else:
                values[sample] = table.turns - values[sample]
    return count


@njit_inline(nrt=False)
def _is_exact(game, players, seat):
    """Whether a seat is the exact turn's: alone and of two all are, of more in every second game
    only one, that it knows weaker players as well."""
    return players <= 2 or game % 2 == 0 or game // 2 % players == seat


@njit_entry(nrt=False)
def exact_games(board, net, workspace, table, family, key, start, end, positions, values):
    """Play games of the exact turn with itself, and with heuristics, numbered `start` to `end`.

    Fills in the positions that it left, with what its next turn says of them after the first roll.
    Returns how many there are.
    """
    players, count = net.players, 0
    for game in range(start, end):
        start_game(table, players, key, game)
        first, won = count, False
        while not won and table.turns < MAX_TURNS:
            if not _is_exact(game, players, (table.seat + 1) % players):
                won = heuristic_turn(board, table, family[below(table, len(family))], 0)
                continue
            won = exact_turn(board, net, workspace, table, below(table, _STRAYING) == 0)
            seat, value = table.seat, table.first_value
            if players <= 2:
                whose = (seat + 1) % players
                count = _keep(table, whose, 1 - value, positions, values, count, first)
            else:
                count = _keep(table, seat, value, positions, values, count, first)
            if not won:
                note_left(board, table)
        if won and players > 2:
            for other in range(players):
                if other != table.seat:
                    count = _keep(table, other, 0.0, positions, values, count, first)
    return count
