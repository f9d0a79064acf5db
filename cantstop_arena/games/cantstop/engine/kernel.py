"""The engine: Can't Stop, played to the next decision of a plain bot or other caller.

`advance` plays one game, `play_native` whole deals of compiled bots. Both run the same turns.
Games are passed by handle (see `entry_points.handle_of`): passing a record from Python is slow.
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
def _given_answer(game, answer):
    return answer


_play_turn_from_outside = njit_inline(turn_player(_given_answer, _given_answer, outside=True))


@njit_inline
def end_turn(game):
    """Bank a stop or count a bust, then start the next turn or end the game."""
    if game.waiting == STOPPED:
        game_flow.stop(game)
    elif game.waiting == BUST:
        game.bust_counts[game.seat] += 1
    game_flow.end_turn(game)


@njit_entry
def start_game(handle, deal):
    """Reset the game and start turn 1 of a deal."""
    game_flow.start_game(game_at(handle), deal)


@njit_entry
def advance(handle, answer):
    """Continue one game; `answer` is -1, or the answer to the pending decision.

    Returns where it stops: at a decision of a plain bot (MOVE, AGAIN), where a
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
def tally_finished_game(handle, sums, tallies, winners, measures, seating_index, deal_index):
    """Add the finished game to the tally of its seating, and to the measures of its deal."""
    tally_game(game_at(handle), sums, tallies, winners, measures, seating_index, deal_index)


@njit_inline
def seat_bots(game, addresses, seating):
    """Seat the compiled bots of a seating: set their indices, addresses and sizes of memory.

    After the indices a seating has the key of its dice: see `game_array.secret`.
    """
    for half in range(2):
        game.secret[half] = np.uint64(seating[game.players + half])
    for seat in range(game.players):
        bot = seating[seat]
        game.bots[seat] = bot
        game.turn_at[seat] = addresses[bot, 0]
        game.memory_sizes[seat] = addresses[bot, 1]


@njit_entry
def play_native(handle, addresses, seatings, first, start, stop, sums, tallies, winners, measures):
    """Play the games of compiled bots, deal by deal in every seating, numbered `start` to `stop`.

    Returns `stop`, or the number of a game that ended in a fault, which is not tallied. When a bot
    raises, the record's `cursor` is the number of the game.
    """
    game = game_at(handle)
    seating_count = len(seatings)
    for cursor in range(start, stop):
        game.cursor = cursor
        deal_index, seating_index = cursor // seating_count, cursor % seating_count
        seat_bots(game, addresses, seatings[seating_index])
        game_flow.start_game(game, first + deal_index)
        while game.waiting != OVER:
            play_turn_of_bot(game)
            end_turn(game)
        if game.ending == FAULT:
            return cursor
        tally_game(game, sums, tallies, winners, measures, seating_index, deal_index)
    return stop


@njit_entry
def bot_key(handle, seat):
    """The key of a seat's own random numbers in this deal, for a plain bot."""
    game = game_at(handle)
    return dice.stream_key(game.secret, game.deal, seat, dice.BOT)
