"""Adds a finished game to the tally of its seating, and to the measures of its deal."""

from cantstop_arena.deals.counting import length_class
from cantstop_arena.deals.outcomes import WIN_UNITS
from cantstop_arena.games.cantstop.counts import COUNTS
from cantstop_arena.games.cantstop.engine.column_sets import count_columns
from cantstop_arena.games.cantstop.engine.engine_decorators import njit_inline
from cantstop_arena.games.cantstop.engine.game_array import (
    FAULT,
    MAX_AHEAD,
    MAX_SWINGS,
    NOBODY,
    TURN_LIMIT,
)

_COUNTS = len(COUNTS)
_TURNS, _ROLLS, _BUSTS = map(COUNTS.index, ("turns", "rolls", "busts"))
_DECISIONS, _SPACES, _COLUMNS = map(COUNTS.index, ("decisions", "spaces", "columns"))
_WON, _WINNING_TURNS, _LEADS = map(COUNTS.index, ("won", "winning_turns", "leads"))
_HALF_LEADS, _HALF_WINS, _MARGIN = map(COUNTS.index, ("half_leads", "half_wins", "margin"))
_LONGEST, _CLOSEST, _COMEBACK = range(3)  # in the order of HIGHLIGHTS

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
    """The seat that led alone after half of the turns; NOBODY for a tie or too many swings."""
    if game.swings > MAX_SWINGS:
        return NOBODY
    half = game.turn // 2
    for swing in range(game.swings - 1, -1, -1):
        if game.swing_turns[swing] <= half:
            return game.swing_seats[swing]
    return NOBODY


@njit_inline
def _add(tally, sums, count_index, seat, count):
    tally.counts[count_index, seat] += count
    sums[count_index] += count


@njit_inline
def _tally_seat(game, seat, win_units, led, tally, sums):
    """Add a seat's counts of a game."""
    has_won = game.ending != TURN_LIMIT and game.winners >> seat & 1 == 1
    _add(tally, sums, _TURNS, seat, game.seat_turns[seat])
    _add(tally, sums, _ROLLS, seat, game.roll_counts[seat])
    _add(tally, sums, _BUSTS, seat, game.bust_counts[seat])
    _add(tally, sums, _DECISIONS, seat, game.decision_counts[seat])
    _add(tally, sums, _SPACES, seat, game.space_counts[seat])
    _add(tally, sums, _COLUMNS, seat, game.claims[seat])
    _add(tally, sums, _LEADS, seat, game.lead_counts[seat])
    if has_won:
        _add(tally, sums, _WON, seat, 1)
        _add(tally, sums, _WINNING_TURNS, seat, game.seat_turns[seat])
        if game.winners == 1 << seat:
            _add(tally, sums, _MARGIN, seat, _margin(game, seat))
    if led:
        _add(tally, sums, _HALF_LEADS, seat, 1)
        if game.winners >> seat & 1:
            _add(tally, sums, _HALF_WINS, seat, win_units)


@njit_inline
def _record_highlight(game, tally, kind, score):
    """Store the deal of the largest score of a kind; the lowest of equal ones, as the games of a
    batch end in any order. For most games one comparison is enough."""
    best = tally.telling[kind]
    if score >= best and (score > best or game.deal < tally.telling_deals[kind]):
        tally.telling[kind] = score
        tally.telling_deals[kind] = game.deal


@njit_inline
def _record_highlights(game, tally):
    """Count a game's length class; store its deal as the first of the class, or as a highlight."""
    length_index = _length_class(game.turn)
    if tally.lengths[length_index] == 0 or game.deal < tally.length_deals[length_index]:
        tally.length_deals[length_index] = game.deal
    tally.lengths[length_index] += 1
    if game.ending == TURN_LIMIT:
        return
    _record_highlight(game, tally, _LONGEST, game.turn)
    if game.players == 1:
        return
    lead, winner = 0, NOBODY
    for seat in range(game.players):
        if game.winners == 1 << seat:
            lead, winner = MAX_AHEAD, seat
    for seat in range(game.players):
        if winner != NOBODY and seat != winner:
            lead = min(lead, game.standings[winner] - game.standings[seat])
    _record_highlight(game, tally, _CLOSEST, MAX_AHEAD - lead)
    if winner != NOBODY:
        _record_highlight(game, tally, _COMEBACK, game.deficits[winner])


@njit_inline
def tally_game(game, sums, tallies, winners, measures, seating_index, deal_index):
    """Add a finished game to the tally of its seating, and to the measures of its deal."""
    tally = tallies[seating_index]
    if game.ending == TURN_LIMIT:
        tally.unfinished += 1
        game.winners = (1 << game.players) - 1
    winners[deal_index, seating_index] = game.winners
    win_units = WIN_UNITS // max(1, count_columns(game.winners))
    for seat in range(game.players):
        if game.winners >> seat & 1:
            tally.wins[seat] += win_units
    tally.games += 1
    if game.ending == FAULT:  # its length says nothing about the rules or the bots
        tally.forfeits += 1
        return
    _record_highlights(game, tally)
    sums[:] = 0
    led = _half_time_leader(game)
    for seat in range(game.players):
        _tally_seat(game, seat, win_units, led == seat, tally, sums)
    for count_index in range(_COUNTS):
        tally.squares[count_index] += sums[count_index] * sums[count_index]
    if len(measures):
        measures[deal_index, 0] += 1
        measures[deal_index, 1] += game.ending == TURN_LIMIT
        for count_index in range(_COUNTS):
            measures[deal_index, 2 + count_index] += sums[count_index]
