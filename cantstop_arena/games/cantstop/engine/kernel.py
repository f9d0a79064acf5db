"""The engine: Can't Stop, played to the next decision that somebody outside has to take.

`advance` plays one game, `play_native` whole deals of compiled bots. Both run the same turns.
Games come in by handle (see `compiled_bots.handle_of`), since passing a record from Python is slow.
"""

import numpy as np

from cantstop_arena.games.cantstop.engine import dice, game_flow
from cantstop_arena.games.cantstop.engine.bot_calls import game_at, play_turn_of_bot
from cantstop_arena.games.cantstop.engine.engine_decorators import njit_entry, njit_inline
from cantstop_arena.games.cantstop.engine.game_array import (
    BUST,
    FAULT,
    OVER,
    STOPPED,
)
from cantstop_arena.games.cantstop.engine.game_tally import tally_game
from cantstop_arena.games.cantstop.engine.turns import turn_player

_NO_ANSWER = np.int64(-1)  # of the type of an answer, so that numba compiles for one type only


@njit_inline
def _as_answered(game, answer):
    return answer


_play_turn_from_outside = njit_inline(turn_player(_as_answered, _as_answered, outside=True))


@njit_inline
def end_turn(game):
    """Count what a turn has come to, and go on to the next, or to the end of the game."""
    if game.waiting == STOPPED:
        game_flow.stop(game)
    elif game.waiting == BUST:
        game.bust_counts[game.seat] += 1
    game_flow.end_turn(game)


@njit_entry
def start_game(handle, deal):
    """Put the seats' markers back and begin turn 1 of a deal."""
    game_flow.start_game(game_at(handle), deal)


@njit_entry
def advance(handle, answer):
    """Play one game on; `answer` is -1, or the answer to the pending decision.

    Returns where it stops: at a decision that a plain bot has to take (MOVE, AGAIN), where a
    watched game rolls or moves (ROLL, MOVED), or at its end (OVER).
    """
    game = game_at(handle)
    while game.waiting != OVER:
        if game.turn_at[game.seat]:
            stop = play_turn_of_bot(game)
        else:
            stop = _play_turn_from_outside(game, answer)
            answer = _NO_ANSWER
        if stop < STOPPED:
            return stop
        end_turn(game)
    return OVER


@njit_entry
def forfeit(handle, seat):
    """End the game because the bot at a seat misbehaved; all others win."""
    game = game_at(handle)
    game.seat = seat
    game_flow.end_by_fault(game)
    game_flow.end_turn(game)


@njit_entry
def tally_finished_game(handle, sums, tallies, winners, measures, order, index):
    """Add the finished game to the tally of its seating, and to what is kept of its deal."""
    tally_game(game_at(handle), sums, tallies, winners, measures, order, index)


@njit_inline
def seat_bots(game, addresses, seating):
    """Let the compiled bots of a seating take their seats."""
    for seat in range(game.players):
        bot = seating[seat]
        game.bots[seat] = bot
        game.turn_at[seat] = addresses[bot, 0]
        game.memory_sizes[seat] = addresses[bot, 1]


@njit_entry
def play_native(handle, addresses, seatings, first, start, stop, sums, tallies, winners, measures):
    """Play the games of compiled bots, deal by deal in every seating, numbered `start` to `stop`.

    Returns `stop`, or stops early, before settling, at a game that ended in a fault. Where a bot
    raises, `cursor` says in which game.
    """
    game = game_at(handle)
    orders = len(seatings)
    for cursor in range(start, stop):
        game.cursor = cursor
        index, order = cursor // orders, cursor % orders
        seat_bots(game, addresses, seatings[order])
        game_flow.start_game(game, first + index)
        while game.waiting != OVER:
            play_turn_of_bot(game)
            end_turn(game)
        if game.ending == FAULT:
            return cursor
        tally_game(game, sums, tallies, winners, measures, order, index)
    return stop


@njit_entry
def bot_key(handle, seat):
    """The key of a seat's own random numbers in this deal, for a bot that is asked from Python."""
    game = game_at(handle)
    return dice.stream_key(game.secret, game.deal, seat, dice.BOT)
