"""The flow of a game: its start, the start and end of turns, stops, claims, and the end."""

from cantstop_arena.games.cantstop.engine import dice
from cantstop_arena.games.cantstop.engine.bot_types import memory_of
from cantstop_arena.games.cantstop.engine.column_sets import lowest_column
from cantstop_arena.games.cantstop.engine.engine_decorators import njit_inline
from cantstop_arena.games.cantstop.engine.game_array import (
    ALL_CLAIMED,
    CLAIM,
    COLUMNS_WON,
    FAULT,
    NOBODY,
    OVER,
    PLAYING,
    ROLL,
    TURN_LIMIT,
)
from cantstop_arena.games.cantstop.engine.leaders import lead_after_claim, lead_after_stop
from cantstop_arena.games.cantstop.engine.moves import at


@njit_inline
def end(game, reason, winners):
    """End the game for a reason, with the winning seats as a bit mask."""
    game.ending = reason
    game.winners = winners
    game.waiting = OVER


@njit_inline
def end_by_fault(game):
    """End the game because the bot on turn misbehaved; all others win."""
    end(game, FAULT, ((1 << game.players) - 1) & ~(1 << game.seat))


@njit_inline
def _claim(game, column):
    game.claimed |= 1 << column
    game.claims[at(game.seat)] += 1
    game.standings[at(game.seat)] += CLAIM
    for seat in range(game.players):
        if seat != game.seat:
            game.standings[seat] -= game.markers[seat, column] * game.space_parts[column]
            game.markers[seat, column] = 0


@njit_inline
def _leaders(game):
    """The seats with the most claimed columns, as a bit mask."""
    maximum = 0
    for seat in range(game.players):
        maximum = max(maximum, game.claims[seat])
    leaders = 0
    for seat in range(game.players):
        if game.claims[seat] == maximum:
            leaders |= 1 << seat
    return leaders


@njit_inline
def stop(game):
    """Turn runners into markers, claim topped columns, and end the game if it is won."""
    seat, columns = at(game.seat), game.placed
    gained = progress = 0
    while columns:
        column = at(lowest_column(columns))
        columns &= columns - 1
        spaces = game.runners[column] - game.markers[seat, column]
        gained += spaces
        progress += spaces * game.space_parts[column]
        game.markers[seat, column] = game.runners[column]
    game.space_counts[seat] += gained
    game.standings[seat] += progress
    topped = game.topped
    while topped:
        _claim(game, lowest_column(topped))
        topped &= topped - 1
    game.brinks[seat] = game.brink
    if game.topped:
        lead_after_claim(game)
    else:
        lead_after_stop(game)
    if game.claims[seat] >= game.columns_to_win:
        end(game, COLUMNS_WON, 1 << game.seat)
    elif game.claimed == game.board:
        end(game, ALL_CLAIMED, _leaders(game))


@njit_inline
def set_next_roll(game, roll):
    """Set the next roll, and its offer."""
    game.next_roll = roll
    game.next_offer = game.offer_of[at(roll)]


@njit_inline
def prepare_turn(game, seat):
    """Compute the key and first roll of a seat's next turn ahead of use, so that nothing waits."""
    key = dice.number_at(game.dice_keys[seat], game.seat_turns[seat] + 1)
    game.next_keys[seat] = key
    game.first_rolls[seat] = dice.roll_at(key, 1, game.roll_total)


@njit_inline
def start_turn(game, seat):
    game.seat = seat
    game.turn += 1
    game.rolls = 0
    game.decisions = 0
    game.free = game.runner_count
    game.placed = 0
    game.topped = 0
    game.brink = game.brinks[at(seat)]
    seat_index = at(seat)
    game.seat_turns[seat_index] += 1
    game.turn_key = game.next_keys[seat_index]
    set_next_roll(game, game.first_rolls[seat_index])
    prepare_turn(game, seat_index)
    game.waiting = ROLL


@njit_inline
def end_turn(game):
    game.runners[:] = 0  # faster than to clear only the columns that have one
    game.roll_counts[at(game.seat)] += game.rolls
    game.decision_counts[at(game.seat)] += game.decisions
    if game.waiting == OVER:
        return
    if game.turn == game.turn_limit:
        end(game, TURN_LIMIT, 0)
    else:
        start_turn(game, game.seat + 1 if game.seat + 1 < game.players else 0)


@njit_inline
def start_game(game, deal):
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
        game.brinks[seat] = game.first_brink
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
        prepare_turn(game, seat)
    start_turn(game, 0)
