"""A turn: dice are rolled, moves chosen and made, until it ends in a stop or a bust.

`turn_player` returns a function that plays turns with two given decisions.
"""

from collections.abc import Callable
from typing import Any

from cantstop_arena.games.cantstop.engine import dice
from cantstop_arena.games.cantstop.engine.column_sets import lowest_column
from cantstop_arena.games.cantstop.engine.engine_decorators import njit_inline
from cantstop_arena.games.cantstop.engine.game_array import (
    AGAIN,
    BUST,
    MOVE,
    MOVED,
    OVER,
    ROLL,
    STOPPED,
)
from cantstop_arena.games.cantstop.engine.game_flow import end_by_fault, set_next_roll
from cantstop_arena.games.cantstop.engine.moves import (
    advance_runner,
    list_moves,
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
    """List the moves of a roll, for bots and records; returns MOVE, or BUST if none is legal."""
    if hits:
        list_moves(game)
        return MOVE
    game.move_count = 0
    return BUST


@njit_inline
def after_move(game):
    """STOPPED if stopping wins, ROLL if stopping is forbidden, else AGAIN: the bot decides."""
    if not may_stop(game):
        return ROLL
    return STOPPED if stop_wins(game) else AGAIN


def turn_player(choose_move: Any, roll_again: Any, outside: bool) -> Callable[..., Any]:
    """A function that continues the turn, given the game and an answer or -1.

    Both decisions take the same arguments. The function returns where it stops: at the end of the
    turn (STOPPED, BUST, or OVER after a fault), where a watched game rolls (ROLL) or moves (MOVED),
    or, if the bot is called from `outside`, at a decision (MOVE, AGAIN) without an answer.
    """

    def play_turn(game, answer):
        # The record has `waiting` where something else reads it: before decisions, and at the end.
        waiting, watched = game.waiting, game.watched
        while True:
            if waiting == ROLL:
                hits = _roll(game)
                if hits and _is_forced(game, hits) and not watched:
                    advance_runner(game, lowest_column(hits), 0)
                    _prepare_roll(game)
                    waiting = after_move(game)
                else:
                    waiting = show_moves(game, hits)
                    _prepare_roll(game)
                    if watched:
                        game.waiting = waiting
                        return ROLL
            if waiting == MOVE:
                if game.move_count == 1:
                    answer = 0
                else:
                    game.waiting = MOVE
                    if outside and answer < 0:
                        return MOVE
                    answer = choose_move(game, answer)
                    game.decisions += 1
                    if not 0 <= answer < game.move_count:
                        end_by_fault(game)
                        return OVER
                game.chosen = answer
                make_move(game, answer)
                answer = -1
                waiting = after_move(game)
                if watched:
                    game.waiting = waiting
                    return MOVED
            if waiting == AGAIN:
                game.waiting = AGAIN
                if outside and answer < 0:
                    return AGAIN
                waiting = ROLL if roll_again(game, answer) else STOPPED
                game.decisions += 1
                answer = -1
            if waiting != ROLL:
                break
        game.waiting = waiting
        return waiting

    return play_turn
