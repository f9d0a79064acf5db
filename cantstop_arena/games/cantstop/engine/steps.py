"""Games played step by step: an action goes in, and what a learner or a search looks at comes out.

A position is the head of a game record: all that lies before the tables of the board. Each function
lays a head in a record that has these tables, goes on, and takes it back, so that positions are
small, and copied at once. `moves` has the move, as the record has it, that each action is; the
action after these stops, and the last one rolls.

What a position waits for comes back as one number: what it is (see `state`), from bit 3 on the seat
on turn, from bit 5 on why it ended, and from bit 8 on the winners.
"""

import numpy as np

from cantstop_arena.games.cantstop.engine import dice
from cantstop_arena.games.cantstop.engine.bot_calls import game_at
from cantstop_arena.games.cantstop.engine.engine_decorators import njit_entry, njit_inline
from cantstop_arena.games.cantstop.engine.game_array import AGAIN, MOVE, MOVED
from cantstop_arena.games.cantstop.engine.game_flow import prepare_turn, set_next_roll
from cantstop_arena.games.cantstop.engine.kernel import advance, start_game
from cantstop_arena.games.cantstop.engine.moves import offer_of_roll, usable_columns
from cantstop_arena.games.cantstop.engine.turns import show_moves

BEGIN, ACTION, ANSWER, USE, CHANGE = range(5)
ILLEGAL = -1
_NO_ANSWER = np.int64(-1)


@njit_inline
def _copy(source, target):
    for index in range(len(source)):
        target[index] = source[index]


@njit_inline
def _answer_to(game, moves, action):
    """The answer that an action is to the decision that is due; ILLEGAL where it is none."""
    if game.waiting == AGAIN:
        rolls = action - len(moves)
        return rolls if 0 <= rolls <= 1 else ILLEGAL
    if game.waiting == MOVE and 0 <= action < len(moves):
        for index in range(game.move_count):
            if game.moves[index] == moves[action]:
                return index
    return ILLEGAL


@njit_inline
def _use_roll(game, roll):
    game.roll = roll
    game.offer = game.offer_of[roll]
    show_moves(game, usable_columns(game) & offer_of_roll(game).columns)


@njit_inline
def _change_dice(game, is_due):
    """Let all dice to come follow from `secret`, a roll that is due as well; none are given."""
    game.watched = 0
    for seat in range(game.players):
        game.dice_keys[seat] = dice.stream_key(game.secret, game.deal, seat, dice.DICE)
        prepare_turn(game, seat)
    game.turn_key = dice.number_at(game.dice_keys[game.seat], game.seat_turns[game.seat])
    set_next_roll(game, dice.roll_at(game.turn_key, game.rolls + 1, game.roll_total))
    if is_due:
        _use_roll(game, dice.roll_at(game.turn_key, game.rolls, game.roll_total))


@njit_entry
def step(handle, placed, head, moves, kind, value):
    """Do something to a position, and play on to what it waits for.

    BEGIN a deal, take an ACTION, go on with an ANSWER of a bot that has been checked, USE a roll,
    or CHANGE the dice to those of the secret in the head, a roll that is due (1) as well. Returns
    ILLEGAL, having done nothing, where an action is none of the legal ones.
    """
    _copy(head, placed)
    game = game_at(handle)
    answer = _NO_ANSWER
    if kind == ACTION:
        answer = np.int64(_answer_to(game, moves, value))
        if answer == ILLEGAL:
            return answer
    elif kind == ANSWER:
        answer = np.int64(value)
    elif kind == BEGIN:
        start_game(handle, value)
    elif kind == USE:
        _use_roll(game, value)
    elif kind == CHANGE:
        _change_dice(game, value)
    now = advance(handle, answer)
    while now == MOVED:
        now = advance(handle, _NO_ANSWER)
    _copy(placed, head)
    return now | game.seat << 3 | game.ending << 5 | game.winners << 8


# What is looked at ------------------------------------------------------------------------------


@njit_inline
def _mark_legal(game, now, moves, mask):
    if now == MOVE:
        for index in range(game.move_count):
            for action in range(len(moves)):
                if moves[action] == game.moves[index]:
                    mask[action] = 1
    elif now == AGAIN:
        mask[len(moves)] = mask[len(moves) + 1] = 1


@njit_inline
def _see_board(game, seat, observed, position):
    """What stands on the board, everything as a share of its most; returns the next place."""
    columns = 2 * game.sides - 1
    for step in range(game.players):
        whose = (seat + step) % game.players
        for column in range(2, columns + 2):
            observed[position + column - 2] = game.markers[whose, column] / game.lengths[column]
        position += columns
    for column in range(2, columns + 2):
        observed[position + column - 2] = game.runners[column] / game.lengths[column]
        observed[position + columns + column - 2] = game.claimed >> column & 1
    return position + 2 * columns


@njit_inline
def _see_seats(game, seat, observed, position):
    """Claims, and who is on turn, from the seat that looks on; returns the next place."""
    for step in range(game.players):
        whose = (seat + step) % game.players
        observed[position + step] = min(1.0, game.claims[whose] / game.columns_to_win)
        observed[position + game.players + step] = whose == game.seat
    return position + 2 * game.players


@njit_inline
def _see_decision(game, now, observed, position):
    """The dice where a move is chosen, the free runners, what is decided, and the risk."""
    if now == MOVE:
        remaining = game.roll
        for _ in range(4):
            observed[position + remaining % game.sides] += 0.25
            remaining //= game.sides
    position += game.sides
    observed[position] = game.free / game.runner_count
    observed[position + 1] = now == MOVE
    observed[position + 2] = now == AGAIN
    observed[position + 3] = 1.0 - game.chances[usable_columns(game) >> 2]


@njit_entry
def observe(handle, placed, head, now, seat, moves, mask, observed):
    """Fill in, both being zero, which actions are legal for a seat, and what it sees."""
    _copy(head, placed)
    game = game_at(handle)
    if seat == game.seat:
        _mark_legal(game, now, moves, mask)
    position = _see_seats(game, seat, observed, _see_board(game, seat, observed, 0))
    _see_decision(game, now, observed, position)
