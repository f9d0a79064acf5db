"""Practice games for training: games of the engine, with random numbers of their own.

The players are compiled functions. `turn_of` plays a turn of one; the game is over when the record
waits for OVER.
"""

from typing import Any

import numpy as np

from cantstop_arena.extensions.learn.compiled import njit_call, njit_inline
from cantstop_arena.extensions.strength.exact.turn_board import MAX_COLUMNS
from cantstop_arena.games.cantstop.engine import game_flow
from cantstop_arena.games.cantstop.engine.dice import number_at
from cantstop_arena.games.cantstop.engine.game_array import (
    AGAIN,
    BUST,
    COLUMNS_WON,
    MAX_MOVES,
    MAX_SEATS,
    ROLL,
    STOPPED,
    new_game,
)
from cantstop_arena.games.cantstop.engine.kernel import end_turn
from cantstop_arena.games.cantstop.engine.moves import make_move, offer_of_roll
from cantstop_arena.games.cantstop.engine.steps import use_roll
from cantstop_arena.games.cantstop.engine.turns import after_move
from cantstop_arena.games.cantstop.rules import RuleSet

MAX_TURNS = 400  # of all seats together, after which a game ends without a winner

PRACTICE = np.dtype(
    [
        ("key", np.uint64),
        ("draws", np.uint64),
        ("order", np.int64, MAX_MOVES),
        ("first_value", np.float64),
        ("samples", np.int64),
        ("max_samples", np.int64),
        ("left", np.int8, (MAX_SEATS, MAX_SEATS, MAX_COLUMNS)),
        ("has_left", np.int64, MAX_SEATS),
    ],
    align=True,
)
"""What a practice game has beside the engine's record.

`draws` counts the random numbers of the game. `order` has the indexes of the moves, ordered by
pairing. `first_value` is the value of the turn after its first roll, if an exact player plays it.
`samples` counts those of all games, and no more than `max_samples` are stored in this one.
`left[seat]` is the position that a seat left at the end of its last turn, its own markers first.
"""

_32 = np.uint64(32)
_INCREMENT = np.uint64(1)


def practice_game(rules: RuleSet, players: int) -> tuple[Any, Any]:
    """The engine's record of practice games, and the PRACTICE beside it."""
    game = new_game(rules._replace(turn_limit=MAX_TURNS), players, 0)[0]
    return game, np.zeros(1, PRACTICE).view(np.recarray)[0]


@njit_inline
def random_below(practice, count):
    """A random number from 0 to count - 1."""
    practice.draws += _INCREMENT
    number = number_at(practice.key, practice.draws) >> _32
    return np.int64((number * np.uint64(count)) >> _32)


@njit_call
def start_game(game, practice, key, number):
    """Set up an empty board, with random numbers that depend on the key and the game's number."""
    practice.key, practice.draws = number_at(key, np.uint64(number + 1)), np.uint64(0)
    practice.has_left[:] = 0
    game_flow.start_game(game, 0)


@njit_inline
def has_won(game):
    """Whether the seat on turn has won the game."""
    return game.ending == COLUMNS_WON


def turn_of(choose_move: Any, roll_again: Any) -> Any:
    """A compiled function that plays the turn of a player, given its decisions.

    Both take the game, its PRACTICE and the player; `choose_move` returns an index of `order`.
    """

    @njit_call
    def play_turn(game, practice, player):
        while True:
            _roll(game, practice)
            if game.waiting == BUST:
                break
            make_move(game, practice.order[choose_move(game, practice, player)])
            game.waiting = after_move(game)
            if game.waiting == AGAIN:
                game.waiting = ROLL if roll_again(game, practice, player) else STOPPED
            if game.waiting != ROLL:
                break
        end_turn(game)

    return play_turn


@njit_inline
def _roll(game, practice):
    game.rolls += 1
    use_roll(game, random_below(practice, game.roll_total))
    count = 0
    for pairing in offer_of_roll(game).pairings:
        for index in range(game.move_count):
            if not game.moves[index] & ~pairing:
                practice.order[count] = index
                count += 1


@njit_call
def store_left_position(game, practice, seat):
    """Store the position that a seat leaves."""
    practice.has_left[seat] = 1
    for step in range(game.players):
        whose = (seat + step) % game.players
        for column in range(2 * game.sides - 1):
            practice.left[seat, step, column] = game.markers[whose, column + 2]
