"""The rules of moves: which moves a roll allows, where they lead, and when a player may stop.

Written, like the whole engine, in the part of Python that numba compiles; it runs as ordinary
Python with NUMBA_DISABLE_JIT=1. Rule numbers are those of docs/reference/rules-cantstop.md.
"""

import numpy as np

from cantstop_arena.games.cantstop.engine import dice
from cantstop_arena.games.cantstop.engine.column_sets import count_columns, lowest_column
from cantstop_arena.games.cantstop.engine.engine_decorators import njit_inline
from cantstop_arena.games.cantstop.engine.game_array import (
    AFTER_ALL_RUNNERS,
    JUMP,
    LEAVE,
    MAX_SEATS,
    TWICE,
)

_COLUMNS = (1 << TWICE) - 1

at = np.uint64
"""Makes an index unsigned, so that machine code need not test for a negative one."""


@njit_inline
def usable_columns(game):
    """The columns a sum may advance now (rule 2)."""
    usable = game.board & ~(game.claimed | game.topped)
    return usable if game.free else usable & game.placed


@njit_inline
def next_space(game, column, space):
    """Where an advance from `space` ends: one higher, past rivals' markers under `jump`."""
    space += 1
    if game.landing == JUMP:
        while space < game.lengths[at(column)] and rival_at(game, column, space):
            space += 1
    return space


@njit_inline
def rival_at(game, column, space):
    """Whether a rival's marker stands on the space."""
    for seat in range(game.players):
        if seat != game.seat and game.markers[at(seat), at(column)] == space:
            return True
    return False


@njit_inline
def position(game, column):
    """The space from which the column is climbed: the runner's, else the own marker's."""
    # A runner is always above the marker, so that no test for a runner is needed.
    return max(game.runners[at(column)], game.markers[at(game.seat), at(column)])


@njit_inline
def offer_of_roll(game):
    """The pairings that the roll offers."""
    return game.offers[at(game.offer)]


@njit_inline
def _on_brink(game, double):
    """The columns without room for a second advance; under `jump`, at most that of the double."""
    if game.landing != JUMP or double == 0:
        return game.brink
    column = lowest_column(double)
    space = next_space(game, column, position(game, column))
    return double if space >= game.lengths[column] else 0


@njit_inline
def _list_complete(game, count, move, lower):
    """List a pairing if its lower half is usable; returns the count of moves."""
    game.moves[at(count)] = move
    return count + np.int64(move & lower != 0)


@njit_inline
def _list_remaining(game, count, move, lower):
    """List a pairing if only its upper half is usable; returns the count of moves."""
    game.moves[at(count)] = move
    return count + np.int64((move != 0) & (move & lower == 0))


@njit_inline
def _needs_two_runners(move, new):
    """-1 (all bits) when both halves of a pairing need a new runner, else 0."""
    needed = move & new
    return -np.int64(needed & (needed - 1) != 0)


@njit_inline
def _list_lower(game, count, move, lower, split):
    """List the move with the lower half, alone if `split`, if that is usable; returns the count."""
    return _list_complete(game, count, move & (lower | ~split), lower)


@njit_inline
def _list_upper(game, count, move, lower, split):
    """List the upper half alone, if it is usable and the lower half is `split` off or unusable."""
    game.moves[at(count)] = move & ~lower
    return count + (split & 1 | np.int64((move != 0) & (move & lower == 0)))


@njit_inline
def list_moves(game):
    """Fill `moves` with what the roll allows, in canonical order; returns how many (rules 2-6).

    The halves of a roll's pairings add up to the same total, so with the lower halves ascending
    the upper ones descend and no column stands in two pairings: moves that begin with a lower
    half come in order, then upper halves alone, last pairing first, and none repeats. Every roll
    takes the same steps, since no processor can predict which half is unusable: each move is
    written, then counted if legal, and a missing pairing is 0, which is never usable.
    """
    usable, offer = usable_columns(game), offer_of_roll(game)
    allowed = usable | (usable & ~_on_brink(game, offer.double)) << TWICE
    full_1, full_2, full_3 = offer.pairings[0], offer.pairings[1], offer.pairings[2]
    lower_1, lower_2, lower_3 = full_1 & -full_1, full_2 & -full_2, full_3 & -full_3
    move_1, move_2, move_3 = full_1 & allowed, full_2 & allowed, full_3 & allowed
    if game.free == 1:  # room for one new runner, and not for two
        new = usable & ~game.placed
        split_1, split_2, split_3 = (
            _needs_two_runners(move_1, new),
            _needs_two_runners(move_2, new),
            _needs_two_runners(move_3, new),
        )
        count = _list_lower(game, 0, move_1, lower_1, split_1)
        count = _list_lower(game, count, move_2, lower_2, split_2)
        count = _list_lower(game, count, move_3, lower_3, split_3)
        count = _list_upper(game, count, move_3, lower_3, split_3)
        count = _list_upper(game, count, move_2, lower_2, split_2)
        count = _list_upper(game, count, move_1, lower_1, split_1)
    else:
        count = _list_complete(game, 0, move_1, lower_1)
        count = _list_complete(game, count, move_2, lower_2)
        count = _list_complete(game, count, move_3, lower_3)
        count = _list_remaining(game, count, move_3, lower_3)
        count = _list_remaining(game, count, move_2, lower_2)
        count = _list_remaining(game, count, move_1, lower_1)
    game.move_count = count
    return count


@njit_inline
def advance_runner(game, column, twice):
    """Advance the runner in a column, once or twice, from the marker if there is none."""
    space = next_space(game, column, position(game, column))
    if twice:
        space = next_space(game, column, space)
    game.runners[at(column)] = space
    left = game.lengths[at(column)] - space
    if left <= 1:
        game.topped |= np.int64(left == 0) << column
        game.brink |= np.int64(left == 1) << column


@njit_inline
def make_move(game, index):
    """Advance the runners by one of the listed moves."""
    move = game.moves[at(index)]
    columns = move & _COLUMNS
    advance_runner(game, lowest_column(columns), move >> TWICE)
    upper = columns & (columns - 1)
    if upper:
        advance_runner(game, lowest_column(upper), 0)
    game.free -= count_columns(columns & ~game.placed)
    game.placed |= columns


@njit_inline
def may_stop(game):
    """Whether the player may end the turn now (rule 7, and `leave`)."""
    placeable = game.board & ~(game.claimed | game.placed)
    if game.stop == AFTER_ALL_RUNNERS and game.free and placeable:
        return False
    if game.landing == LEAVE:
        columns = game.placed
        while columns:
            column = lowest_column(columns)
            if rival_at(game, column, game.runners[at(column)]):
                return False
            columns &= columns - 1
    return True


@njit_inline
def _max_rival_claims(game):
    maximum = 0
    for seat in range(MAX_SEATS):  # empty seats have none; a fixed count is unrolled
        if seat != game.seat:
            maximum = max(maximum, game.claims[at(seat)])
    return maximum


@njit_inline
def stop_wins(game):
    """Whether stopping now wins the game, alone or shared (rule 11)."""
    if not game.topped:
        return False
    claims = game.claims[at(game.seat)] + count_columns(game.topped)
    if claims >= game.columns_to_win:
        return True
    return game.claimed | game.topped == game.board and claims >= _max_rival_claims(game)


@njit_inline
def draw(game):
    """The next random number in [0, 1) of the bot on turn, from a stream apart from the dice."""
    seat = at(game.seat)
    if game.draws[seat] == 0:
        game.bot_keys[seat] = dice.stream_key(game.secret, game.deal, game.seat, dice.BOT)
    game.draws[seat] += 1
    return dice.fraction_at(game.bot_keys[seat], game.draws[seat])
