"""The luck of rolls: the value of a roll less its mean over all rolls, by exact odds.

The stake of a roll is the progress of the turn, which a bust takes away: the spaces that the
runners have advanced, as shares of their columns. So the value of a roll is its stake, or 0 when
it busts, and its luck is that less the mean over all rolls of the dice,

    luck = stake · (rolls that bust - rolls if it busts, else 0)

in units of 1 / (COLUMN_UNITS · number of rolls of the dice) of a column: integers, whose sum over
all rolls is exactly 0 for every stake. At a table of two the value of a roll can be an estimate of
the winning chance instead, see `winning_chance`. As no decision before a roll depends on it, the
luck of a game has mean 0, whoever plays and whatever the value is. The luck of one seat is bad luck
for the others, in equal shares.
"""

from cantstop_arena.games.cantstop.engine import game_flow
from cantstop_arena.games.cantstop.engine.bot_calls import game_at, play_turn_of_bot
from cantstop_arena.games.cantstop.engine.column_sets import lowest_column
from cantstop_arena.games.cantstop.engine.engine_decorators import njit_entry, njit_inline
from cantstop_arena.games.cantstop.engine.game_array import BUST, FAULT, MOVED, OVER, ROLL
from cantstop_arena.games.cantstop.engine.game_tally import tally_game
from cantstop_arena.games.cantstop.engine.kernel import end_turn, seat_bots
from cantstop_arena.games.cantstop.engine.moves import usable_columns
from cantstop_arena.games.cantstop.engine.winning_chance import luck_of_roll


@njit_inline
def _stake(game):
    """The progress of the turn so far; COLUMN_UNITS is a whole column."""
    stake = 0
    columns = game.placed
    while columns:
        column = lowest_column(columns)
        columns &= columns - 1
        spaces = game.runners[column] - game.markers[game.seat, column]
        stake += spaces * game.space_parts[column]
    return stake


@njit_inline
def _bust_count(game):
    """How many of all rolls bust; right for the last roll too, as its move is not made yet."""
    return game.roll_total - game.hits[usable_columns(game) >> 2]


@njit_inline
def _luck_by_stake(game):
    bust_rolls = game.roll_total if game.waiting == BUST else 0
    return _stake(game) * (_bust_count(game) - bust_rolls)


@njit_inline
def _score_roll(game, chances, seat_luck):
    """Add the luck of the roll that was just made, by seat, times the number of seats."""
    luck = luck_of_roll(game, chances) if chances.is_used else _luck_by_stake(game)
    for seat in range(game.players):
        seat_luck[seat] -= luck
    seat_luck[game.seat] += luck * game.players


@njit_inline
def _add_to_deal(game, seating, seat_luck, deal_luck):
    """Add a game's luck to its deal's, by bot of the group and then by seat; reset it to 0."""
    for seat in range(game.players):
        deal_luck[seating[seat]] += seat_luck[seat]
        deal_luck[game.players + seat] += seat_luck[seat]
        seat_luck[seat] = 0


@njit_entry
def score_roll(handle, chances, seat_luck):
    """Add the luck of the roll that was just made, by seat."""
    _score_roll(game_at(handle), chances[0], seat_luck)


@njit_entry
def add_luck_to_deal(handle, seating, seat_luck, deal_luck):
    """Add a game's luck to its deal's, by bot of the group and then by seat; reset it to 0."""
    _add_to_deal(game_at(handle), seating, seat_luck, deal_luck)


@njit_inline
def _play(game, chances, seat_luck):
    seat_luck[:] = 0
    game.watched = 1
    while game.waiting != OVER:
        stop = play_turn_of_bot(game)
        if stop == ROLL:
            _score_roll(game, chances, seat_luck)
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
    chances,
    seat_luck,
    deal_luck,
):
    """Like `kernel.play_native`, and add the luck of each game to its deal's row of `deal_luck`.

    The luck of a game that ended in a fault is left in `seat_luck`.
    """
    game = game_at(handle)
    seating_count = len(seatings)
    for cursor in range(start, stop):
        game.cursor = cursor
        deal_index, seating_index = cursor // seating_count, cursor % seating_count
        seat_bots(game, addresses, seatings[seating_index])
        game_flow.start_game(game, first + deal_index)
        _play(game, chances[0], seat_luck)
        if game.ending == FAULT:
            return cursor
        _add_to_deal(game, seatings[seating_index], seat_luck, deal_luck[deal_index])
        tally_game(game, sums, tallies, winners, measures, seating_index, deal_index)
    return stop
