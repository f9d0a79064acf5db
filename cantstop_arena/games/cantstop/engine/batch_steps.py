"""Many games in step: those of a block, which wait for bots that decide for all of them at once.

A game that waits is its head: see `waiting_games`. Swings of the lead, which the tally reads, are
stored apart, and only where the lead has changed.

Slots hold the games that have begun: slot s those whose number, modulo the number of columns of
slots, is s modulo that number. `waiting` has the position in the group of the bot that the game of
a slot waits for, or one of the constants below.
"""

import numpy as np

from cantstop_arena.games.cantstop.engine.bot_calls import game_at
from cantstop_arena.games.cantstop.engine.engine_decorators import njit_entry, njit_inline
from cantstop_arena.games.cantstop.engine.game_array import (
    FAULT,
    IDLE,
    MAX_SWINGS,
    NEXT,
    OVER,
    slot,
)
from cantstop_arena.games.cantstop.engine.game_tally import tally_game
from cantstop_arena.games.cantstop.engine.kernel import advance, forfeit, start_game
from cantstop_arena.games.cantstop.engine.moves import draw
from cantstop_arena.games.cantstop.engine.steps import (
    ILLEGAL,
    answer_to,
    mark_legal,
    write_observation,
)
from cantstop_arena.games.cantstop.engine.waiting_games import place_head

_SWINGS, _SWING_TURNS, _SWING_SEATS = slot("swings"), slot("swing_turns"), slot("swing_seats")
_DRAWS, _BOT_KEYS, _BOTS, _SEAT = slot("draws"), slot("bot_keys"), slot("bots"), slot("seat")
_NO_ANSWER = np.int64(-1)


@njit_inline
def advance_game(handle, record, head, swings, answer, players):
    """Play a game on whose head is in the record; returns what it waits for.

    `head` still is as before, so that its swings are known that are stored already.
    """
    stored = head[_SWINGS]
    stop = advance(handle, answer)
    for swing in range(stored, min(record[_SWINGS], MAX_SWINGS)):
        swings[0, swing] = record[_SWING_TURNS + swing]
        swings[1, swing] = record[_SWING_SEATS + swing]
    place_head(record, head, players)
    return stop


@njit_inline
def observe_row(game, observation, legal):
    """Fill in what the seat on turn sees, and its legal actions; both arrays may be in use."""
    observation[:] = 0
    legal[:] = False
    write_observation(game, game.waiting, game.seat, observation)
    mark_legal(game, game.waiting, legal)


# The games of a block ----------------------------------------------------------------------------


@njit_inline
def _count(handle, record, swings, number, first, orders, sums, tallies, winners, measures):
    """Add the finished game in the record to the tally of its seating."""
    for swing in range(min(record[_SWINGS], MAX_SWINGS)):
        record[_SWING_TURNS + swing] = swings[0, swing]
        record[_SWING_SEATS + swing] = swings[1, swing]
    cursor = number - first
    tally_game(game_at(handle), sums, tallies, winners, measures, cursor % orders, cursor // orders)


@njit_inline
def _seat_bots(game, seatings, order):
    """Seat the bots of a seating: their positions, and addresses and memory of compiled ones.

    After the seats a seating has the key of its dice.
    """
    for half in range(2):
        game.secret[half] = np.uint64(seatings[order, game.players, half])
    for seat in range(game.players):
        game.bots[seat] = seatings[order, seat, 0]
        game.turn_at[seat] = seatings[order, seat, 1]
        game.memory_sizes[seat] = seatings[order, seat, 2]


@njit_entry
def begin_games(
    handle,
    first,
    stop,
    record,
    heads,
    swings,
    upcoming,
    waiting,
    numbers,
    seatings,
    sums,
    tallies,
    winners,
    measures,
):
    """Begin games in all slots whose next game has to begin, until each waits for a bot.

    `upcoming` has the number of the next game for each column of slots; games are numbered `first`
    to `stop - 1`, by deal and then by seating. Returns -1, or the slot whose game has ended in a
    fault, and is not counted.
    """
    game, orders, columns = game_at(handle), len(seatings), len(upcoming)
    for index in range(len(waiting)):
        column = index % columns
        while waiting[index] == NEXT:
            if upcoming[column] >= stop:
                waiting[index] = IDLE
                continue
            number = upcoming[column]
            upcoming[column] += columns
            numbers[index] = number
            head = heads[index]
            place_head(head, record, game.players)
            _seat_bots(game, seatings, number % orders)
            game.cursor = number - first
            head[_SWINGS] = 0
            start_game(handle, number // orders)
            now = advance_game(handle, record, head, swings[index], _NO_ANSWER, game.players)
            if now != OVER:
                waiting[index] = head[_BOTS + head[_SEAT]]
            elif game.ending == FAULT:
                return index
            else:
                _count(
                    handle,
                    record,
                    swings[index],
                    number,
                    first,
                    orders,
                    sums,
                    tallies,
                    winners,
                    measures,
                )
    return -1


@njit_entry
def choose_rows(bot, waiting, numbers, slots):
    """The slot of each row of a bot's batch, or -1; returns how many there are.

    Where several games of a row wait it is the one with the lowest number.
    """
    rows, count = len(slots), 0
    slots[:] = -1
    for index in range(len(waiting)):
        if waiting[index] == bot:
            row = numbers[index] % rows
            count += slots[row] < 0
            if slots[row] < 0 or numbers[index] < numbers[slots[row]]:
                slots[row] = index
    return count


@njit_entry
def observe_rows(handle, record, heads, slots, observations, legal, live, seats, random):
    """Fill in a batch; rows without a slot become zero. Draws the random number of each row."""
    game = game_at(handle)
    for row in range(len(slots)):
        index = slots[row]
        live[row] = index >= 0
        if index < 0:
            observations[row] = 0
            legal[row] = False
            seats[row] = 0
            random[row] = 0
            continue
        head = heads[index]
        place_head(head, record, game.players)
        observe_row(game, observations[row], legal[row])
        random[row] = draw(game)
        seat = game.seat
        seats[row] = seat
        head[_DRAWS + seat] = record[_DRAWS + seat]
        head[_BOT_KEYS + seat] = record[_BOT_KEYS + seat]


@njit_entry
def answer_rows(
    handle,
    first,
    start,
    record,
    heads,
    swings,
    slots,
    actions,
    waiting,
    numbers,
    seatings,
    sums,
    tallies,
    winners,
    measures,
):
    """Play the games of a batch on, from a row on; finished ones are counted.

    Returns the number of rows, or the row whose game has ended in a fault, and is not counted: then
    the seat that is to blame is on turn in the record.
    """
    game, orders = game_at(handle), len(seatings)
    for row in range(start, len(slots)):
        index = slots[row]
        if index < 0:
            continue
        head = heads[index]
        place_head(head, record, game.players)
        game.cursor = numbers[index] - first
        answer = np.int64(answer_to(game, actions[row]))
        if answer == ILLEGAL:
            return row
        now = advance_game(handle, record, head, swings[index], answer, game.players)
        if now != OVER:
            waiting[index] = head[_BOTS + head[_SEAT]]
            continue
        waiting[index] = NEXT
        if game.ending == FAULT:
            return row
        _count(
            handle,
            record,
            swings[index],
            numbers[index],
            first,
            orders,
            sums,
            tallies,
            winners,
            measures,
        )
    return len(slots)


@njit_entry
def forfeit_game(
    handle,
    first,
    index,
    seat,
    record,
    heads,
    swings,
    waiting,
    numbers,
    seatings,
    sums,
    tallies,
    winners,
    measures,
):
    """End the game of a slot as lost by a seat, and count it."""
    game = game_at(handle)
    place_head(heads[index], record, game.players)
    forfeit(handle, seat)
    _count(
        handle,
        record,
        swings[index],
        numbers[index],
        first,
        len(seatings),
        sums,
        tallies,
        winners,
        measures,
    )
    waiting[index] = NEXT
