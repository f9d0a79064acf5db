"""Trial games that measure the strength of nets, without learning."""

import numpy as np

from cantstop_arena.extensions.learn.compiled import njit_entry, njit_inline
from cantstop_arena.extensions.learn.training.practice_games import has_won, start_game
from cantstop_arena.extensions.learn.training.practice_players import (
    ExactTurn,
    Heuristic,
    exact_turn,
    heuristic_turn,
    lookahead_turn,
)
from cantstop_arena.extensions.strength.nets.lookahead import Lookahead
from cantstop_arena.games.cantstop.engine.game_array import OVER


@njit_inline
def _begin(game, practice, key, number):
    """Start a game; each deal is played in every seat. Returns the seat of the nets."""
    start_game(game, practice, key, number // game.players)
    return number % game.players


@njit_inline
def _outcome(game, own):
    """Whether the seat has won; with one player, the turns of the game."""
    if game.players == 1:
        return game.turn
    return np.int64(has_won(game) and game.seat == own)


@njit_entry
def exact_trial(board, net, workspace, game, practice, numbers, key, start, end):
    """Play the exact turn against heuristics in all other seats; returns the games that it wins, or
    with one player the turns of all games."""
    total = 0
    for number in range(start, end):
        own = _begin(game, practice, key, number)
        while game.waiting != OVER:
            if game.seat == own:
                exact_turn(game, practice, ExactTurn(board, net, workspace, False))
            else:
                heuristic_turn(game, practice, Heuristic(numbers, 0))
        total += _outcome(game, own)
    return total


@njit_entry
def lookahead_trial(board, ends, rolls, sheets, game, practice, numbers, key, start, end):
    """Like `exact_trial` for a lookahead of one roll; `sheets` are two records of SHEET."""
    total = 0
    for number in range(start, end):
        own = _begin(game, practice, key, number)
        while game.waiting != OVER:
            if game.seat == own:
                player = Lookahead(board, ends, rolls, sheets[0], sheets[1])
                lookahead_turn(game, practice, player)
            else:
                heuristic_turn(game, practice, Heuristic(numbers, 0))
        total += _outcome(game, own)
    return total
