"""The luck of rolls: what they bring, less what they bring on average by the exact odds.

What is at stake in a roll is the progress of the turn, which a bust takes away: the spaces that the
runners have advanced, as shares of their columns. So a roll is worth its stake, or nothing where
it busts, and its luck is that less the mean over all rolls of the dice,

    luck = stake · (rolls that bust - rolls if it busts, else 0)

in parts of WHOLE_COLUMN and of a roll: whole numbers, which add up to 0 over all rolls, to the last
digit, whatever is staked. As nothing that was decided before a roll depends on it, the luck of a
game has mean 0, whoever plays and however the stake is chosen. What is luck for one seat is that
much bad luck for the others, each of whom bears the same part of it.
"""

from cantstop_arena.games.cantstop.engine import game_flow
from cantstop_arena.games.cantstop.engine.bot_calls import game_at, play_turn_of_bot
from cantstop_arena.games.cantstop.engine.engine_decorators import njit_entry, njit_inline
from cantstop_arena.games.cantstop.engine.game_array import BUST, FAULT, MOVED, OVER, ROLL
from cantstop_arena.games.cantstop.engine.game_tally import tally_game
from cantstop_arena.games.cantstop.engine.kernel import end_turn, seat_bots
from cantstop_arena.games.cantstop.engine.moves import lowest_column, usable_columns


@njit_inline
def _stake(game):
    """The progress that the turn has made so far, in parts of WHOLE_COLUMN."""
    stake = 0
    climbed = game.placed
    while climbed:
        column = lowest_column(climbed)
        climbed &= climbed - 1
        spaces = game.runners[column] - game.markers[game.seat, column]
        stake += spaces * game.space_parts[column]
    return stake


@njit_inline
def _busts(game):
    """How many of all rolls would be busts now; what was rolled has moved nobody yet."""
    return game.roll_total - game.hits[usable_columns(game) >> 2]


@njit_inline
def _score_roll(game, lucks):
    """Add the luck of the roll that was just made, by seat, times the number of seats."""
    busted = game.roll_total if game.waiting == BUST else 0
    luck = _stake(game) * (_busts(game) - busted)
    for seat in range(game.players):
        lucks[seat] -= luck
    lucks[game.seat] += luck * game.players


@njit_inline
def _note(game, position, lucks, stored):
    """Add a game's luck to its deal's, by place in the group and then by seat; forget it."""
    for seat in range(game.players):
        stored[position[seat]] += lucks[seat]
        stored[game.players + seat] += lucks[seat]
        lucks[seat] = 0


@njit_entry
def score_roll(handle, lucks):
    """Add the luck of the roll that was just made, by seat."""
    _score_roll(game_at(handle), lucks)


@njit_entry
def note(handle, position, lucks, stored):
    """Add a game's luck to its deal's, by place in the group and then by seat; forget it."""
    _note(game_at(handle), position, lucks, stored)


@njit_inline
def _play(game, lucks):
    lucks[:] = 0
    game.watched = 1
    while game.waiting != OVER:
        stop = play_turn_of_bot(game)
        if stop == ROLL:
            _score_roll(game, lucks)
        elif stop != MOVED:
            end_turn(game)
    game.watched = 0


@njit_entry
def play_scored(
    handle,
    addresses,
    seatings,
    first,
    start,
    stop,
    sums,
    tallies,
    winners,
    measures,
    lucks,
    stored,
):
    """Like `kernel.play_native`, and add the luck of each game to what is `kept` of its deal.

    After a game that ended in a fault it stands in `lucks`.
    """
    game = game_at(handle)
    orders = len(seatings)
    for cursor in range(start, stop):
        game.cursor = cursor
        index, order = cursor // orders, cursor % orders
        seat_bots(game, addresses, seatings[order])
        game_flow.start_game(game, first + index)
        _play(game, lucks)
        if game.ending == FAULT:
            return cursor
        _note(game, seatings[order], lucks, stored[index])
        tally_game(game, sums, tallies, winners, measures, order, index)
    return stop
