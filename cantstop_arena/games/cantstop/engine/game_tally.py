"""What a finished game adds to its seating's tally, and to what is kept of its deal."""

from cantstop_arena.deals.counting import length_class
from cantstop_arena.deals.winners import WIN_UNITS
from cantstop_arena.games.cantstop.counts import COUNTS
from cantstop_arena.games.cantstop.engine.engine_decorators import njit_inline
from cantstop_arena.games.cantstop.engine.game_array import (
    FAULT,
    MAX_AHEAD,
    MAX_SWINGS,
    NOBODY,
    TURN_LIMIT,
)
from cantstop_arena.games.cantstop.engine.moves import count_columns

_COUNTS = len(COUNTS)
_MAX_LENGTH, _CLOSEST, _COMEBACK = range(3)  # in the order of TELLING

_length_class = njit_inline(length_class)


@njit_inline
def _margin(game, winner):
    """The columns by which a seat is ahead of the next."""
    maximum = 0
    for seat in range(game.players):
        if seat != winner:
            maximum = max(maximum, game.claims[seat])
    return game.claims[winner] - maximum


@njit_inline
def _half_time_leader(game):
    """The seat that led alone after half of the turns; nobody where it swung too often to tell."""
    if game.swings > MAX_SWINGS:
        return NOBODY
    half = game.turn // 2
    for swing in range(game.swings - 1, -1, -1):
        if game.swing_turns[swing] <= half:
            return game.swing_seats[swing]
    return NOBODY


@njit_inline
def _add(tally, sums, number, seat, count):
    tally.counts[number, seat] += count
    sums[number] += count


@njit_inline
def _count(game, seat, part_of_each, led, tally, sums):
    """Add what a seat has to show after a game, in the order of COUNTS."""
    has_won = game.ending != TURN_LIMIT and game.winners >> seat & 1 == 1
    _add(tally, sums, 0, seat, game.seat_turns[seat])
    _add(tally, sums, 1, seat, game.roll_counts[seat])
    _add(tally, sums, 2, seat, game.bust_counts[seat])
    _add(tally, sums, 3, seat, game.decision_counts[seat])
    _add(tally, sums, 4, seat, game.space_counts[seat])
    _add(tally, sums, 5, seat, game.claims[seat])
    _add(tally, sums, 8, seat, game.lead_counts[seat])
    if has_won:
        _add(tally, sums, 6, seat, 1)
        _add(tally, sums, 7, seat, game.seat_turns[seat])
        if game.winners == 1 << seat:
            _add(tally, sums, 11, seat, _margin(game, seat))
    if led:
        _add(tally, sums, 9, seat, 1)
        if game.winners >> seat & 1:
            _add(tally, sums, 10, seat, part_of_each)


@njit_inline
def _record_highlight(game, tally, kind, how_much):
    """Remember a game that is more telling than those before."""
    if how_much > tally.telling[kind]:
        tally.telling[kind] = how_much
        tally.telling_deals[kind] = game.deal


@njit_inline
def _record_highlights(game, tally):
    """Remember a game as the first of its length, or for what happened in it."""
    number = _length_class(game.turn)
    if tally.lengths[number] == 0:
        tally.length_deals[number] = game.deal
    tally.lengths[number] += 1
    if game.ending == TURN_LIMIT:
        return
    _record_highlight(game, tally, _MAX_LENGTH, game.turn)
    if game.players == 1:
        return
    ahead, winner = 0, NOBODY
    for seat in range(game.players):
        if game.winners == 1 << seat:
            ahead, winner = MAX_AHEAD, seat
    for seat in range(game.players):
        if winner != NOBODY and seat != winner:
            ahead = min(ahead, game.standings[winner] - game.standings[seat])
    _record_highlight(game, tally, _CLOSEST, MAX_AHEAD - ahead)
    if winner != NOBODY:
        _record_highlight(game, tally, _COMEBACK, game.deficits[winner])


@njit_inline
def tally_game(game, sums, tallies, winners, measures, order, index):
    """Add a finished game to its seating's tally, and to what is kept of its deal."""
    tally = tallies[order]
    if game.ending == TURN_LIMIT:
        tally.unfinished += 1
        game.winners = (1 << game.players) - 1
    winners[index, order] = game.winners
    part_of_each = WIN_UNITS // max(1, count_columns(game.winners))
    for seat in range(game.players):
        if game.winners >> seat & 1:
            tally.wins[seat] += part_of_each
    tally.games += 1
    if game.ending == FAULT:  # how long such a game was says nothing about the rules or the bots
        tally.forfeits += 1
        return
    _record_highlights(game, tally)
    sums[:] = 0
    led = _half_time_leader(game)
    for seat in range(game.players):
        _count(game, seat, part_of_each, led == seat, tally, sums)
    for number in range(_COUNTS):
        tally.squares[number] += sums[number] * sums[number]
    if len(measures):
        measures[index, 0] += 1
        measures[index, 1] += game.ending == TURN_LIMIT
        for number in range(_COUNTS):
            measures[index, 2 + number] += sums[number]
