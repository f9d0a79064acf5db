"""The engine: Can't Stop, played to the next decision that somebody outside has to take.

`advance` plays one game, `play_native` whole deals of compiled bots. Both run the same turns.
Games come in by handle (see `native.handle_of`), since passing a record from Python is slow.
"""

import numpy as np

from cantstop_arena.deals.lengths import length_class
from cantstop_arena.deals.shares import WHOLE
from cantstop_arena.games.cantstop.counts import COUNTS
from cantstop_arena.games.cantstop.engine import dice
from cantstop_arena.games.cantstop.engine.calling import ask_choose_move, ask_roll_again, game_at
from cantstop_arena.games.cantstop.engine.compiler import entry, part
from cantstop_arena.games.cantstop.engine.moves import (
    count_columns,
    list_moves,
    make_move,
    may_stop,
    stop_wins,
)
from cantstop_arena.games.cantstop.engine.native_types import memory_of
from cantstop_arena.games.cantstop.engine.state import (
    AGAIN,
    ALL_CLAIMED,
    BUST,
    CLAIM,
    COLUMNS_WON,
    FAULT,
    MOST_AHEAD,
    MOST_SWINGS,
    MOVE,
    MOVED,
    NOBODY,
    OVER,
    PLAYING,
    ROLL,
    STOPPED,
    TURN_LIMIT,
)

_COUNTS = len(COUNTS)
_LONGEST, _CLOSEST, _COMEBACK = range(3)  # in the order of TELLING
_NO_ANSWER = np.int64(-1)  # of the type of an answer, so that numba compiles for one type only


_length_class = part(length_class)


@part
def end(game, reason, winners):
    """End the game for a reason, with the winning seats as a bit mask."""
    game.ending = reason
    game.winners = winners
    game.waiting = OVER


@part
def _all_but(game):
    return ((1 << game.players) - 1) & ~(1 << game.seat)


@part
def _claim(game, column):
    game.claimed |= 1 << column
    game.claims[game.seat] += 1
    game.standings[game.seat] += CLAIM
    for seat in range(game.players):
        if seat != game.seat:
            game.standings[seat] -= game.markers[seat, column] * game.space_parts[column]
            game.markers[seat, column] = 0


@part
def _leaders(game):
    """The seats with the most claimed columns, as a bit mask."""
    most = 0
    for seat in range(game.players):
        most = max(most, game.claims[seat])
    leaders = 0
    for seat in range(game.players):
        if game.claims[seat] == most:
            leaders |= 1 << seat
    return leaders


@part
def _set_leader(game, leader):
    """Note who leads from this turn on, or that nobody does alone."""
    game.leader = leader
    if game.swings < MOST_SWINGS:
        game.swing_turns[game.swings] = game.turn
        game.swing_seats[game.swings] = leader
    game.swings += 1
    if leader != NOBODY and leader != game.led_last:
        game.lead_counts[leader] += game.led_last != NOBODY
        game.led_last = leader


@part
def _note_deficits(game):
    """See who is farther behind than ever, when the best standing has changed."""
    for seat in range(game.players):
        game.deficits[seat] = max(game.deficits[seat], game.top_standing - game.standings[seat])


@part
def _lead_after_claim(game):
    """See who leads when rivals have lost their markers in a column."""
    game.top_standing, leader = -1, NOBODY
    for seat in range(game.players):
        if game.standings[seat] >= game.top_standing:
            leader = seat if game.standings[seat] > game.top_standing else NOBODY
            game.top_standing = game.standings[seat]
    _note_deficits(game)
    if leader != game.leader:
        _set_leader(game, leader)


@part
def _lead_after_stop(game):
    """See who leads when only the seat on turn has gained."""
    standing = game.standings[game.seat]
    if standing >= game.top_standing:
        leader = game.seat if standing > game.top_standing else NOBODY
        game.top_standing = standing
        _note_deficits(game)
        if leader != game.leader:
            _set_leader(game, leader)


@part
def _stop(game):
    """Turn runners into markers, close finished columns, and see whether the game is won."""
    for index in range(game.runner_count - game.free):
        column = game.order[index]
        spaces = game.runners[column] - game.markers[game.seat, column]
        game.space_counts[game.seat] += spaces
        game.standings[game.seat] += spaces * game.space_parts[column]
        game.markers[game.seat, column] = game.runners[column]
        if game.topped >> column & 1:
            _claim(game, column)
    if game.topped:
        _lead_after_claim(game)
    else:
        _lead_after_stop(game)
    if game.claims[game.seat] >= game.columns_to_win:
        end(game, COLUMNS_WON, 1 << game.seat)
    elif game.claimed == game.board:
        end(game, ALL_CLAIMED, _leaders(game))


# Turns --------------------------------------------------------------------------------------


@part
def _start_turn(game, seat):
    game.seat = seat
    game.turn += 1
    game.rolls = 0
    game.decisions = 0
    game.free = game.runner_count
    game.placed = 0
    game.topped = 0
    game.seat_turns[seat] += 1
    game.turn_key = dice.number_at(game.dice_keys[seat], game.seat_turns[seat])
    game.next_roll = dice.roll_at(game.turn_key, 1, game.roll_total)
    game.waiting = ROLL


@part
def _end_turn(game):
    for index in range(game.runner_count - game.free):
        game.runners[game.order[index]] = 0
    game.roll_counts[game.seat] += game.rolls
    game.decision_counts[game.seat] += game.decisions
    if game.waiting == OVER:
        return
    if game.turn == game.turn_limit:
        end(game, TURN_LIMIT, 0)
    else:
        _start_turn(game, game.seat + 1 if game.seat + 1 < game.players else 0)


@part
def _start_game(game, deal):
    game.deal = deal
    game.turn = 0
    game.claimed = 0
    game.ending = PLAYING
    game.markers[:] = 0
    game.runners[:] = 0
    game.leader = game.led_last = NOBODY
    game.swings = 0
    game.top_standing = 0
    for seat in range(game.players):
        if game.memory_sizes[seat]:
            memory_of(game, seat)[:] = 0
        game.claims[seat] = 0
        game.seat_turns[seat] = 0
        game.roll_counts[seat] = 0
        game.bust_counts[seat] = 0
        game.decision_counts[seat] = 0
        game.space_counts[seat] = 0
        game.lead_counts[seat] = 0
        game.standings[seat] = 0
        game.deficits[seat] = 0
        game.draws[seat] = 0
        game.dice_keys[seat] = dice.stream_key(game.secret, deal, seat, dice.DICE)
    _start_turn(game, 0)


@part
def _roll(game):
    # The dice of the roll after this one are reckoned while the processor waits for other things.
    game.roll = game.next_roll
    game.rolls += 1
    game.next_roll = dice.roll_at(game.turn_key, game.rolls + 1, game.roll_total)
    game.waiting = MOVE if list_moves(game) else BUST


@part
def _after_move(game):
    """Stop where that wins, roll where stopping is forbidden, else leave it to the bot."""
    if not may_stop(game):
        game.waiting = ROLL
    elif stop_wins(game):
        game.waiting = STOPPED
    else:
        game.waiting = AGAIN


@part
def _advance(game, answer):
    """Play until the answer to a decision is wanted, or the game is over; returns which."""
    while game.waiting != OVER:
        if game.waiting == ROLL:
            _roll(game)
            if game.watched:
                return ROLL
        if game.waiting == MOVE:
            if game.move_count == 1:
                answer = np.int64(0)
            elif answer < 0:
                if not game.choose_at[game.seat]:
                    return MOVE
                answer = ask_choose_move(game)
            if game.move_count > 1:
                game.decisions += 1
            if not 0 <= answer < game.move_count:
                end(game, FAULT, _all_but(game))
                _end_turn(game)
                break
            game.chosen = answer
            make_move(game, answer)
            answer = _NO_ANSWER
            _after_move(game)
            if game.watched:
                return MOVED
        if game.waiting == AGAIN:
            if answer < 0:
                if not game.again_at[game.seat]:
                    return AGAIN
                answer = np.int64(ask_roll_again(game))
            game.decisions += 1
            game.waiting = ROLL if answer else STOPPED
            answer = _NO_ANSWER
        if game.waiting == STOPPED:
            _stop(game)
            _end_turn(game)
        elif game.waiting == BUST:
            game.bust_counts[game.seat] += 1
            _end_turn(game)
    return OVER


@part
def _margin(game, winner):
    """The columns by which a seat is ahead of the next."""
    most = 0
    for seat in range(game.players):
        if seat != winner:
            most = max(most, game.claims[seat])
    return game.claims[winner] - most


@part
def _half_time_leader(game):
    """The seat that led alone after half of the turns; nobody where it swung too often to tell."""
    if game.swings > MOST_SWINGS:
        return NOBODY
    half = game.turn // 2
    for swing in range(game.swings - 1, -1, -1):
        if game.swing_turns[swing] <= half:
            return game.swing_seats[swing]
    return NOBODY


@part
def _add(tally, sums, number, seat, count):
    tally.counts[number, seat] += count
    sums[number] += count


@part
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


@part
def _tell(game, tally, kind, how_much):
    """Remember a game that is more telling than those before."""
    if how_much > tally.telling[kind]:
        tally.telling[kind] = how_much
        tally.telling_deals[kind] = game.deal


@part
def _note_story(game, tally):
    """Remember a game as the first of its length, or for what happened in it."""
    number = _length_class(game.turn)
    if tally.lengths[number] == 0:
        tally.length_deals[number] = game.deal
    tally.lengths[number] += 1
    if game.ending == TURN_LIMIT:
        return
    _tell(game, tally, _LONGEST, game.turn)
    if game.players == 1:
        return
    ahead, winner = 0, NOBODY
    for seat in range(game.players):
        if game.winners == 1 << seat:
            ahead, winner = MOST_AHEAD, seat
    for seat in range(game.players):
        if winner != NOBODY and seat != winner:
            ahead = min(ahead, game.standings[winner] - game.standings[seat])
    _tell(game, tally, _CLOSEST, MOST_AHEAD - ahead)
    if winner != NOBODY:
        _tell(game, tally, _COMEBACK, game.deficits[winner])


@part
def _settle(game, sums, tallies, winners, measures, order, index):
    """Add a finished game to its seating's tally, and to what is kept of its deal."""
    tally = tallies[order]
    if game.ending == TURN_LIMIT:
        tally.unfinished += 1
        game.winners = (1 << game.players) - 1
    winners[index, order] = game.winners
    part_of_each = WHOLE // max(1, count_columns(game.winners))
    for seat in range(game.players):
        if game.winners >> seat & 1:
            tally.wins[seat] += part_of_each
    tally.games += 1
    if game.ending == FAULT:  # how long such a game was says nothing about the rules or the bots
        tally.forfeits += 1
        return
    _note_story(game, tally)
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


@entry
def start_game(handle, deal):
    """Put the seats' markers back and begin turn 1 of a deal."""
    _start_game(game_at(handle), deal)


@entry
def advance(handle, answer):
    """Play one game on; see `_advance`. `answer` is -1, or the answer to the pending decision."""
    return _advance(game_at(handle), answer)


@entry
def forfeit(handle, seat):
    """End the game because the bot at a seat misbehaved; all others win."""
    game = game_at(handle)
    game.seat = seat
    end(game, FAULT, _all_but(game))
    _end_turn(game)


@entry
def settle(handle, sums, tallies, winners, measures, order, index):
    """Add the finished game to the tally of its seating, and to what is kept of its deal."""
    _settle(game_at(handle), sums, tallies, winners, measures, order, index)


@entry
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
        for seat in range(game.players):
            bot = seatings[order, seat]
            game.bots[seat] = bot
            game.choose_at[seat] = addresses[bot, 0]
            game.again_at[seat] = addresses[bot, 1]
            game.memory_sizes[seat] = addresses[bot, 2]
        _start_game(game, first + index)
        _advance(game, _NO_ANSWER)
        if game.ending == FAULT:
            return cursor
        _settle(game, sums, tallies, winners, measures, order, index)
    return stop


@entry
def bot_key(handle, seat):
    """The key of a seat's own random numbers in this deal, for a bot that is asked from Python."""
    game = game_at(handle)
    return dice.stream_key(game.secret, game.deal, seat, dice.BOT)
