"""Samples for the net of stopping: positions left to the next player, and their values."""

from cantstop_arena.extensions.learn.compiled import njit_entry, njit_inline
from cantstop_arena.extensions.learn.training.practice_games import (
    has_won,
    random_below,
    start_game,
    store_left_position,
)
from cantstop_arena.extensions.learn.training.practice_players import (
    ExactTurn,
    Heuristic,
    exact_turn,
    heuristic_turn,
)
from cantstop_arena.extensions.strength.exact.turn_board import MAX_COLUMNS
from cantstop_arena.games.cantstop.engine.game_array import OVER

MAX_SAMPLES = 160  # per game
_STRAYING = 10  # one turn in 10 has random moves


@njit_inline
def _store_sample(game, practice, seat, value, positions, values):
    """Store the position that a seat left as a sample with this value."""
    count = practice.samples
    if count < practice.max_samples and practice.has_left[seat]:
        for step in range(game.players):
            for column in range(MAX_COLUMNS):
                positions[count, step, column] = practice.left[seat, step, column]
        values[count] = value
        practice.samples += 1


@njit_entry
def heuristic_games(game, practice, family, key, start, end, positions, values):
    """Play games `start` to `end` (exclusive) of heuristics with random thresholds.

    Fills in samples: positions that a seat left, with value 1 if the seat won and 0 if not, or with
    one player the turns that followed. Returns the number of samples.
    """
    players, practice.samples = game.players, 0
    for number in range(start, end):
        start_game(game, practice, key, number)
        members, more = random_below(practice, 1 << 30), random_below(practice, 1 << 30)
        first = practice.samples
        practice.max_samples = first + MAX_SAMPLES
        while game.waiting != OVER:
            seat, turn = game.seat, game.turn
            numbers = family[(members >> 6 * seat) % 64 % len(family)]
            heuristic_turn(game, practice, Heuristic(numbers, (more >> 6 * seat) % 64 % 9 - 4))
            if not has_won(game):
                store_left_position(game, practice, seat)
                value = seat if players > 1 else turn
                _store_sample(game, practice, seat, value, positions, values)
        for sample in range(first, practice.samples):
            if players > 1:
                values[sample] = has_won(game) and values[sample] == game.seat
            else:
                values[sample] = game.turn - values[sample]
    return practice.samples


@njit_inline
def _is_exact(number, players, seat):
    """Whether a seat plays the exact turn: all seats do with one or two players, and in every
    second game with more. In the others only one does, so that it meets weaker players as well."""
    return players <= 2 or number % 2 == 0 or number // 2 % players == seat


@njit_entry
def exact_games(board, net, workspace, game, practice, family, key, start, end, positions, values):
    """Play games `start` to `end` (exclusive) of the exact turn against itself and heuristics.

    Fills in samples: positions that the exact turn left, with the value of the next turn after its
    first roll. Returns the number of samples.
    """
    players, practice.samples = game.players, 0
    for number in range(start, end):
        start_game(game, practice, key, number)
        practice.max_samples = practice.samples + MAX_SAMPLES
        while game.waiting != OVER:
            seat = game.seat
            if not _is_exact(number, players, seat):
                numbers = family[random_below(practice, len(family))]
                heuristic_turn(game, practice, Heuristic(numbers, 0))
                continue
            stray = random_below(practice, _STRAYING) == 0
            exact_turn(game, practice, ExactTurn(board, net, workspace, stray))
            whose, value = seat, practice.first_value
            if players <= 2:
                whose, value = (seat + 1) % players, 1 - value
            _store_sample(game, practice, whose, value, positions, values)
            if not has_won(game):
                store_left_position(game, practice, seat)
        if has_won(game) and players > 2:
            for other in range(players):
                if other != game.seat:
                    _store_sample(game, practice, other, 0.0, positions, values)
    return practice.samples
