"""A turn: dice are rolled, moves chosen and made, until it ends in a stop or a bust.

`turn_player` returns a function that plays turns with two given decisions.
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
    """Roll the dice; returns the usable columns among their sums."""
    game.roll = game.next_roll
    game.offer = game.next_offer
    game.rolls += 1
    return usable_columns(game) & offer_of_roll(game).columns


@njit_inline
def _prepare_roll(game):
    """Compute the roll after this one ahead of use, while the processor waits for memory."""
    set_next_roll(game, dice.roll_at(game.turn_key, game.rolls + 1, game.roll_total))


@njit_inline
def _is_forced(game, hits):
    """Whether the only move advances one placed runner once, with no runner free."""
    return game.free == 0 and hits & (hits - 1 | offer_of_roll(game).double) == 0


@njit_inline
def show_moves(game, hits):
    """List the moves of a roll, for bots and records; a bust if none is legal."""
    if hits:
        list_moves(game)
        game.waiting = MOVE
    else:
        game.move_count = 0
        game.waiting = BUST


@njit_inline
def after_move(game):
    """Stop if that wins, roll if stopping is forbidden, else wait for the bot's decision."""
    if not may_stop(game):
        game.waiting = ROLL
    elif stop_wins(game):
        game.waiting = STOPPED
    else:
        game.waiting = AGAIN


def turn_player(choose_move: Any, roll_again: Any, outside: bool) -> Callable[..., Any]:
    """A function that continues the turn, given the game and an answer or -1.

    Both decisions take the same arguments. The function returns where it stops: at the end of the
    turn (STOPPED, BUST, or OVER after a fault), where a watched game rolls (ROLL) or moves (MOVED),
    or, if the bot is called from `outside`, at a decision (MOVE, AGAIN) without an answer.
    """

    def play_turn(game, answer):
        while True:
            if game.waiting == ROLL:
                hits = _roll(game)
                if hits and not game.watched and _is_forced(game, hits):
                    advance_runner(game, lowest_column(hits), 0)
                    _prepare_roll(game)
                    after_move(game)
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
                after_move(game)
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
