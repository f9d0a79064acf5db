"""A turn: dice are rolled, moves chosen and made, until it is stopped or lost.

Written once for whoever is asked: `turn_player` makes of two decisions a function that plays turns.
"""

from collections.abc import Callable
from typing import Any

from cantstop_arena.games.cantstop.engine import dice
from cantstop_arena.games.cantstop.engine.engine_decorators import njit_inline
from cantstop_arena.games.cantstop.engine.game_array import AGAIN, BUST, MOVE, MOVED, ROLL, STOPPED
from cantstop_arena.games.cantstop.engine.game_flow import end_by_fault, set_next_roll
from cantstop_arena.games.cantstop.engine.moves import (
    advance_runner,
    list_moves,
    lowest_column,
    make_move,
    may_stop,
    offer_of_roll,
    stop_wins,
    usable_columns,
)


@njit_inline
def _roll(game):
    """Roll the dice; returns the usable columns that they make."""
    game.roll = game.next_roll
    game.offer = game.next_offer
    game.rolls += 1
    return usable_columns(game) & offer_of_roll(game).columns


@njit_inline
def _prepare_roll(game):
    """Reckon the roll after this one, which the processor does while it waits for other things."""
    set_next_roll(game, dice.roll_at(game.turn_key, game.rolls + 1, game.roll_total))


@njit_inline
def _is_forced(game, hits):
    """Whether all runners are placed, and one of them advances by one space."""
    return game.free == 0 and hits & (hits - 1 | offer_of_roll(game).double) == 0


@njit_inline
def show_moves(game, hits):
    """List the moves that a roll allows, or none, as bots and records are to see them."""
    if hits:
        list_moves(game)
        game.waiting = MOVE
    else:
        game.move_count = 0
        game.waiting = BUST


@njit_inline
def _after_move(game):
    """Stop where that wins, roll where stopping is forbidden, else leave it to the bot."""
    if not may_stop(game):
        game.waiting = ROLL
    elif stop_wins(game):
        game.waiting = STOPPED
    else:
        game.waiting = AGAIN


def turn_player(choose_move: Any, roll_again: Any, outside: bool) -> Callable[..., Any]:
    """A function that plays the turn at hand on; given the game and an answer, or -1.

    The decisions are parts that take these too. It returns where it has stopped: at its end
    (STOPPED, BUST, or OVER after a fault), where a watched game rolls (ROLL) or moves (MOVED), or,
    where players are asked `outside`, at a decision (MOVE, AGAIN) for which there is no answer.
    """

    def play_turn(game, answer):
        while True:
            if game.waiting == ROLL:
                hits = _roll(game)
                if hits and not game.watched and _is_forced(game, hits):
                    advance_runner(game, lowest_column(hits), 0)
                    _prepare_roll(game)
                    _after_move(game)
                else:
                    show_moves(game, hits)
                    _prepare_roll(game)
                    if game.watched:
                        return ROLL
            if game.waiting == MOVE:
                if game.move_count == 1:
                    answer = 0
                else:
                    if outside and answer < 0:
                        return MOVE
                    answer = choose_move(game, answer)
                    game.decisions += 1
                    if not 0 <= answer < game.move_count:
                        end_by_fault(game)
                        break
                game.chosen = answer
                make_move(game, answer)
                answer = -1
                _after_move(game)
                if game.watched:
                    return MOVED
            if game.waiting == AGAIN:
                if outside and answer < 0:
                    return AGAIN
                game.waiting = ROLL if roll_again(game, answer) else STOPPED
                game.decisions += 1
                answer = -1
            if game.waiting != ROLL:
                break
        return game.waiting

    return play_turn
