"""An estimate of winning chances at a table of two, by which the luck of a roll is measured.

It is an additive logistic: with S a player's sum over the columns that nobody has claimed, of a
number for its share of the column and one for the square of it, and of a number for its claimed
columns, the player whose rival has the turn wins with probability

    logistic(L),    L = S(player) - S(rival) - TEMPO.

In the middle of a turn, the chance after a move lies between that of a bust and that of a stop:

    logistic((1 - BANKED) · L(bust) + BANKED · L(stop) + GOING_ON).

No bot is called, and nothing depends on the games that are measured. The numbers were fitted once,
to 129,557 turns and 61,161 moves of rule28, glenn-aloi and tuned on the classic board. Other boards
are read by the relative position of a column and by shares of its length; there the estimate is
worse, so that removing luck helps less, and nothing else.
"""

from math import exp

import numpy as np

from cantstop_arena.games.cantstop.engine.column_sets import lowest_column
from cantstop_arena.games.cantstop.engine.engine_decorators import njit_inline
from cantstop_arena.games.cantstop.engine.game_array import (
    COLUMN_UNITS,
    COLUMNS,
    MAX_OFFERS,
    MAX_ROLLS,
    TWICE,
    GameArray,
)
from cantstop_arena.games.cantstop.engine.moves import (
    list_moves,
    offer_of_roll,
    position,
    usable_columns,
)

TEMPO = 0.28
SHARES = (0.13, -1.32, -0.74, -0.98, 0.65, -0.79, 0.63, -1.44, -0.57, -1.16, 0.79)
SQUARES = (1.20, 1.89, 2.06, 2.27, 0.45, 1.52, 0.55, 2.69, 1.92, 1.54, 0.47)
CLAIMS = (0.0, 1.46, 3.10, 7.0)  # of the three columns that win; the last is as good as a win
BANKED, GOING_ON = 0.57, 0.43
_CERTAIN = 20.0  # a logit

CHANCES = np.dtype(
    [
        ("is_used", np.int64),  # else luck is measured by the progress at stake
        ("shares", np.float64, COLUMNS),
        ("squares", np.float64, COLUMNS),
        ("claims", np.float64, COLUMNS + 1),  # by the number of claimed columns
        ("offers", np.int64),
        ("offer_rolls", np.int64, MAX_OFFERS),  # how many rolls have each offer
        # For the roll that is measured:
        ("once", np.float64, COLUMNS),  # the logit that one advance in each column adds
        ("twice", np.float64, COLUMNS),
        ("by_move", np.float64, (COLUMNS, COLUMNS + 1)),  # chances after moves; -1: not computed
    ],
    align=True,
)


def chances_of(game: GameArray, is_used: bool) -> GameArray:
    """The numbers of the estimate for the board of a game record, as an array of length 1."""
    table = np.zeros(1, CHANCES).view(np.recarray)
    chances = table[0]
    chances.is_used = is_used
    top = 2 * int(game.sides)
    relative = np.linspace(0.0, 1.0, top - 1)  # of the columns from 2 on
    for numbers, classic in ((chances.shares, SHARES), (chances.squares, SQUARES)):
        numbers[2 : top + 1] = np.interp(relative, np.linspace(0.0, 1.0, len(classic)), classic)
    claimed = np.arange(COLUMNS + 1) / float(game.columns_to_win)
    chances.claims = np.interp(claimed, np.linspace(0.0, 1.0, len(CLAIMS)), CLAIMS)
    rolls = np.bincount(game.offer_of[: min(int(game.roll_total), MAX_ROLLS)], minlength=MAX_OFFERS)
    chances.offer_rolls = rolls
    chances.offers = int(np.flatnonzero(rolls).max()) + 1
    return table


@njit_inline
def _logistic(logit):
    return 1.0 / (1.0 + exp(-logit))


@njit_inline
def _column_value(game, chances, column, space):
    share = space / game.lengths[column]
    return share * (chances.shares[column] + share * chances.squares[column])


@njit_inline
def _value_after(game, chances, column, space, claimed):
    """What a column is worth to the player with its runner at a space: at the top, a claim.

    `claimed` is the number of columns that it has claimed or topped without this one.
    """
    if space < game.lengths[column]:
        return _column_value(game, chances, column, space)
    if claimed + 1 >= game.columns_to_win:
        return _CERTAIN
    rival_space = game.markers[1 - game.seat, column]
    return (
        _column_value(game, chances, column, rival_space)
        + chances.claims[claimed + 1]
        - chances.claims[claimed]
    )


@njit_inline
def _logit_of_bust(game, chances):
    """The logit of the player's chance if the turn ends where it began."""
    rival = 1 - game.seat
    logit = chances.claims[game.claims[game.seat]] - chances.claims[game.claims[rival]] - TEMPO
    columns = game.board & ~game.claimed
    while columns:
        column = lowest_column(columns)
        columns &= columns - 1
        logit += _column_value(game, chances, column, game.markers[game.seat, column])
        logit -= _column_value(game, chances, column, game.markers[rival, column])
    return logit


@njit_inline
def _prepare(game, chances, logit):
    """Note what advances add, and forget earlier moves; returns the logit with the runners."""
    claimed = game.claims[game.seat]
    columns = game.placed
    while columns:
        column = lowest_column(columns)
        columns &= columns - 1
        space = game.runners[column]
        logit += _value_after(game, chances, column, space, claimed)
        logit -= _column_value(game, chances, column, game.markers[game.seat, column])
        if space >= game.lengths[column]:
            claimed += 1
    columns = usable_columns(game)
    while columns:
        column = lowest_column(columns)
        columns &= columns - 1
        space, length = position(game, column), game.lengths[column]
        now = _column_value(game, chances, column, space)
        chances.once[column] = (
            _value_after(game, chances, column, min(space + 1, length), claimed) - now
        )
        chances.twice[column] = (
            _value_after(game, chances, column, min(space + 2, length), claimed) - now
        )
    for column in range(COLUMNS):
        for other in range(COLUMNS + 1):
            chances.by_move[column, other] = -1.0
    return logit


@njit_inline
def _chance_after(chances, move, logit):
    """The chance of the player after a move."""
    columns = move & ((1 << TWICE) - 1)
    low = lowest_column(columns)
    upper = columns & (columns - 1)
    other = lowest_column(upper) if upper else COLUMNS * (move >> TWICE != 0)
    chance = chances.by_move[low, other]
    if chance < 0.0:
        gain = chances.twice[low] if move >> TWICE else chances.once[low]
        if upper:
            gain += chances.once[other]
        chance = _logistic(logit + BANKED * gain)
        chances.by_move[low, other] = chance
    return chance


@njit_inline
def _mean_chance(game, chances, logit, chance_of_bust):
    """The mean chance over the moves of the roll's offer, in whole COLUMN_UNITS."""
    if usable_columns(game) & offer_of_roll(game).columns == 0:
        return np.int64(COLUMN_UNITS * chance_of_bust)
    count = list_moves(game)
    total = 0.0
    for index in range(count):
        total += _chance_after(chances, game.moves[index], logit)
    return np.int64(COLUMN_UNITS * total / count)


@njit_inline
def luck_of_roll(game, chances):
    """The mean chance after the moves of the roll, less its mean over all rolls.

    In units of 1 / (COLUMN_UNITS · number of rolls of the dice): whole numbers, whose sum over all
    rolls is exactly 0.
    """
    logit = _logit_of_bust(game, chances)
    chance_of_bust = _logistic(logit)
    logit = (1.0 - BANKED) * logit + BANKED * _prepare(game, chances, logit) + GOING_ON
    rolled, move_count = game.offer, game.move_count
    total, value = np.int64(0), np.int64(0)
    for offer in range(chances.offers):
        rolls = chances.offer_rolls[offer]
        if rolls:
            game.offer = offer
            mean = _mean_chance(game, chances, logit, chance_of_bust)
            total += rolls * mean
            if offer == rolled:
                value = mean
    game.offer = rolled
    if move_count:
        list_moves(game)
    game.move_count = move_count
    return game.roll_total * value - total
