"""Games played step by step, for training and search: apply an action, and observe the position.

A position is the head of a game record: all fields before the tables of the board. Each function
copies a head into a record that has these tables, and `step` copies the new head back, so that
positions are small and quickly copied. Actions are numbered as in `play.actions`.

The status of a position is one number: what it waits for (see `game_array`), from bit 3 on the seat
on turn, from bit 5 on the reason of its end, and from bit 8 on the winners as a bit mask.
"""

import numpy as np

from cantstop_arena.games.cantstop.engine import dice
from cantstop_arena.games.cantstop.engine.bot_calls import game_at
from cantstop_arena.games.cantstop.engine.column_sets import lowest_column
from cantstop_arena.games.cantstop.engine.engine_decorators import njit_entry, njit_inline
from cantstop_arena.games.cantstop.engine.game_array import AGAIN, MOVE, MOVED, TWICE
from cantstop_arena.games.cantstop.engine.game_flow import prepare_turn, set_next_roll
from cantstop_arena.games.cantstop.engine.kernel import advance, start_game
from cantstop_arena.games.cantstop.engine.moves import offer_of_roll, usable_columns
from cantstop_arena.games.cantstop.engine.turns import show_moves

BEGIN, ACTION, ANSWER, USE, CHANGE = range(5)
ILLEGAL = -1
_NO_ANSWER = np.int64(-1)
_COLUMNS = (1 << TWICE) - 1  # the bits of a move that are columns


@njit_inline
def _copy(source, target):
    for index in range(len(source)):
        target[index] = source[index]


@njit_inline
def _stop_action(game):
    """The number of the action that stops, which is that of moves; the next one rolls again."""
    columns = 2 * game.sides - 1
    return 2 * columns + columns * (columns - 1) // 2


@njit_inline
def action_of(game, move):
    """The number of the action that a move of the record is."""
    count = 2 * game.sides - 1
    columns = move & _COLUMNS
    low = lowest_column(columns) - 2
    upper = columns & (columns - 1)
    if upper == 0:
        return count + low if move >> TWICE else low
    earlier = low * (2 * count - low - 1) // 2  # pairs with a lower first column
    return 2 * count + earlier + lowest_column(upper) - 3 - low


@njit_inline
def answer_to(game, action):
    """The answer to the pending decision that an action stands for, or ILLEGAL."""
    if game.waiting == AGAIN:
        roll_again = action - _stop_action(game)
        return roll_again if 0 <= roll_again <= 1 else ILLEGAL
    if game.waiting == MOVE:
        for index in range(game.move_count):
            if action_of(game, game.moves[index]) == action:
                return index
    return ILLEGAL


@njit_inline
def use_roll(game, roll):
    """Set the roll that is due, and list its moves; a bust if none is legal."""
    game.roll = roll
    game.offer = game.offer_of[roll]
    game.waiting = show_moves(game, usable_columns(game) & offer_of_roll(game).columns)


@njit_inline
def _change_dice(game, is_due):
    """Derive all future rolls from the record's `secret`; the present roll too if `is_due`."""
    game.watched = 0
    for seat in range(game.players):
        game.dice_keys[seat] = dice.stream_key(game.secret, game.deal, seat, dice.DICE)
        prepare_turn(game, seat)
    game.turn_key = dice.number_at(game.dice_keys[game.seat], game.seat_turns[game.seat])
    set_next_roll(game, dice.roll_at(game.turn_key, game.rolls + 1, game.roll_total))
    if is_due:
        use_roll(game, dice.roll_at(game.turn_key, game.rolls, game.roll_total))


@njit_entry
def step(handle, game_head, head, kind, value):
    """Apply a step to a position, and play to the next decision, roll or end; returns the status.

    BEGIN a deal, take an ACTION, continue with a checked ANSWER of a bot, USE a roll, or CHANGE the
    dice to those of the secret in the head, with `value` 1 the present roll too. Returns ILLEGAL,
    with the position unchanged, for an illegal action.
    """
    _copy(head, game_head)
    game = game_at(handle)
    answer = _NO_ANSWER
    if kind == ACTION:
        answer = np.int64(answer_to(game, value))
        if answer == ILLEGAL:
            return answer
    elif kind == ANSWER:
        answer = np.int64(value)
    elif kind == BEGIN:
        start_game(handle, value)
    elif kind == USE:
        use_roll(game, value)
    elif kind == CHANGE:
        _change_dice(game, value)
    waiting = advance(handle, answer)
    while waiting == MOVED:
        waiting = advance(handle, _NO_ANSWER)
    _copy(game_head, head)
    return waiting | game.seat << 3 | game.ending << 5 | game.winners << 8


# Observations ------------------------------------------------------------------------------------


@njit_inline
def mark_legal(game, waiting, mask):
    """Mark the legal actions in a mask, which must be zero."""
    if waiting == MOVE:
        for index in range(game.move_count):
            mask[action_of(game, game.moves[index])] = 1
    elif waiting == AGAIN:
        stop = _stop_action(game)
        mask[stop] = mask[stop + 1] = 1


@njit_inline
def _observe_board(game, seat, observation, offset):
    """Fill in markers, runners and claims, spaces as shares of lengths; returns the next offset."""
    columns = 2 * game.sides - 1
    for step in range(game.players):
        player = (seat + step) % game.players
        for column in range(2, columns + 2):
            observation[offset + column - 2] = game.markers[player, column] / game.lengths[column]
        offset += columns
    for column in range(2, columns + 2):
        observation[offset + column - 2] = game.runners[column] / game.lengths[column]
        observation[offset + columns + column - 2] = game.claimed >> column & 1
    return offset + 2 * columns


@njit_inline
def _observe_seats(game, seat, observation, offset):
    """Fill in claims and who is on turn, from the observing seat on; returns the next offset."""
    for step in range(game.players):
        player = (seat + step) % game.players
        observation[offset + step] = min(1.0, game.claims[player] / game.columns_to_win)
        observation[offset + game.players + step] = player == game.seat
    return offset + 2 * game.players


@njit_inline
def _observe_decision(game, waiting, observation, offset):
    """Fill in the dice if a move is chosen, free runners, the decision, and the bust chance."""
    if waiting == MOVE:
        remaining = game.roll
        for _ in range(4):
            observation[offset + remaining % game.sides] += 0.25
            remaining //= game.sides
    offset += game.sides
    observation[offset] = game.free / game.runner_count
    observation[offset + 1] = waiting == MOVE
    observation[offset + 2] = waiting == AGAIN
    observation[offset + 3] = 1.0 - game.chances[usable_columns(game) >> 2]


@njit_inline
def write_observation(game, waiting, seat, observation):
    """Fill in what a seat sees; the array must be zero."""
    offset = _observe_seats(game, seat, observation, _observe_board(game, seat, observation, 0))
    _observe_decision(game, waiting, observation, offset)


@njit_entry
def observe(handle, game_head, head, waiting, seat, mask, observation):
    """Fill in a seat's mask of legal actions, and its observation; both arrays must be zero."""
    _copy(head, game_head)
    game = game_at(handle)
    if seat == game.seat:
        mark_legal(game, waiting, mask)
    write_observation(game, waiting, seat, observation)
