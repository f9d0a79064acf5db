"""The rules of the climb: which moves a roll allows, where they lead, and who may stop when.

Written, like the whole engine, in the part of Python that numba compiles; it runs as ordinary
Python with NUMBA_DISABLE_JIT=1. Rule numbers are those of docs/rules.md.
"""

from cantstop_arena.games.cantstop.engine import dice
from cantstop_arena.games.cantstop.engine.compiler import part
from cantstop_arena.games.cantstop.engine.state import AFTER_ALL_RUNNERS, JUMP, LEAVE

_MASK = 31  # one column of a packed move
_PAIRING = 1023  # one pairing of a roll


@part
def usable_columns(game):
    """The columns a sum may advance now (rule 2)."""
    usable = game.board & ~(game.claimed | game.topped)
    return usable if game.free else usable & game.placed


@part
def next_space(game, column, space):
    """Where an advance from `space` ends: one higher, past rivals' markers under `jump`."""
    space += 1
    if game.landing == JUMP:
        while space < game.lengths[column] and rival_at(game, column, space):
            space += 1
    return space


@part
def rival_at(game, column, space):
    """Whether a rival's marker stands on the space."""
    for seat in range(game.players):
        if seat != game.seat and game.markers[seat, column] == space:
            return True
    return False


@part
def position(game, column):
    """The space a climb in the column goes on from: the runner's, else the own marker's."""
    runner = game.runners[column]
    return runner if runner else game.markers[game.seat, column]


@part
def _double(game, column):
    """A double as a move: the column twice, or once where one advance reaches the top."""
    first = next_space(game, column, position(game, column))
    return (column << 5 | column) if first < game.lengths[column] else column << 5


@part
def _together(usable, one_new, pairing):
    """1 where both halves of a pairing advance, else 0; `one_new`: see list_moves."""
    low, high = pairing >> 5, pairing & _MASK
    return usable >> low & usable >> high & ~(one_new >> low & one_new >> high) & 1


@part
def _list_lower(game, count, usable, pairing, together):
    """List the move that begins with the lower half, if that is usable; returns the count."""
    low, high = pairing >> 5, pairing & _MASK
    if low == high:
        game.moves[count] = _double(game, low)
    else:
        game.moves[count] = low << 5 | high * together
    return count + (usable >> low & 1)


@part
def _list_upper(game, count, usable, pairing, together):
    """List the upper half alone, where it is usable and the lower half does not go with it."""
    low, high = pairing >> 5, pairing & _MASK
    game.moves[count] = high << 5
    return count + (usable >> high & ~together & (low != high) & 1)


@part
def list_moves(game):
    """Fill `moves` with what the roll allows, in canonical order; returns how many (rules 2-6).

    The halves of a roll's pairings add up to the same total, so with the lower halves ascending
    the upper ones descend and no column stands in two pairings: moves that begin with a lower
    half come in order, then upper halves alone, last pairing first, and none repeats. Every roll
    takes the same steps, for which half lapses is a toss-up that no processor can predict: moves
    are written first and counted after, and a missing pairing is one that is never usable.
    """
    usable = usable_columns(game)
    one_new = usable & ~game.placed if game.free == 1 else 0  # room for one, not for two
    pairings = game.pairings[game.roll]
    first, second, third = pairings & _PAIRING, pairings >> 10 & _PAIRING, pairings >> 20
    both_1 = _together(usable, one_new, first)
    both_2 = _together(usable, one_new, second)
    both_3 = _together(usable, one_new, third)
    count = _list_lower(game, 0, usable, first, both_1)
    count = _list_lower(game, count, usable, second, both_2)
    count = _list_lower(game, count, usable, third, both_3)
    count = _list_upper(game, count, usable, third, both_3)
    count = _list_upper(game, count, usable, second, both_2)
    count = _list_upper(game, count, usable, first, both_1)
    game.move_count = count
    return count


@part
def _advance_runner(game, column):
    space = next_space(game, column, position(game, column))
    if not game.runners[column]:
        game.order[game.runner_count - game.free] = column
        game.placed |= 1 << column
        game.free -= 1
    game.runners[column] = space
    if space == game.lengths[column]:
        game.topped |= 1 << column


@part
def make_move(game, index):
    """Advance the runners by one of the listed moves."""
    move = game.moves[index]
    _advance_runner(game, move >> 5)
    if move & _MASK:
        _advance_runner(game, move & _MASK)


@part
def may_stop(game):
    """Whether the player may end the turn now (rule 7, and `leave`)."""
    placeable = game.board & ~(game.claimed | game.placed)
    if game.stop == AFTER_ALL_RUNNERS and game.free and placeable:
        return False
    if game.landing == LEAVE:
        for index in range(game.runner_count - game.free):
            if rival_at(game, game.order[index], game.runners[game.order[index]]):
                return False
    return True


@part
def count_columns(columns):
    """How many columns a bit mask holds (numba turns the loop into one instruction)."""
    count = 0
    while columns:
        columns &= columns - 1
        count += 1
    return count


@part
def lowest_column(columns):
    """The lowest column of a bit mask that is not empty."""
    return count_columns((columns & -columns) - 1)


@part
def _most_rival_claims(game):
    most = 0
    for seat in range(game.players):
        if seat != game.seat:
            most = max(most, game.claims[seat])
    return most


@part
def stop_wins(game):
    """Whether stopping now wins the game, alone or shared (rule 11)."""
    if not game.topped:
        return False
    claims = game.claims[game.seat] + count_columns(game.topped)
    if claims >= game.columns_to_win:
        return True
    return game.claimed | game.topped == game.board and claims >= _most_rival_claims(game)


@part
def draw(game):
    """The next random number of the bot on turn, from a stream that has no part in the dice."""
    seat = game.seat
    if game.draws[seat] == 0:
        game.bot_keys[seat] = dice.stream_key(game.secret, game.deal, seat, dice.BOT)
    game.draws[seat] += 1
    return dice.fraction_at(game.bot_keys[seat], game.draws[seat])
