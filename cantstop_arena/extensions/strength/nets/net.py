"""Neural nets with integer weights and one hidden layer; the inputs are the spaces of all markers.

An input is a row of weights that is added to the hidden layer, so the value of a neighbouring
position takes a few additions. Sums of integers do not depend on their order: the output of a net
is the same on every machine, compiled or not.
"""

import numpy as np

from cantstop_arena.extensions.strength.compiled import njit_inline
from cantstop_arena.extensions.strength.exact.turn_board import MAX_ROWS
from cantstop_arena.games.cantstop.engine.game_array import MAX_SEATS

HIDDEN = 64
UNIT = 1 << 10  # the integer for a weight of 1; products of two weights are in units of UNIT ** 2
_BITS = 20
_WIDEST = 16  # the sigmoid is flat beyond plus or minus this
_HALF = np.int32(_WIDEST << _BITS)
_STEP_BITS = 13
_STEPS = 2 * _WIDEST << _BITS - _STEP_BITS
_LAST = np.int32((2 * _WIDEST << _BITS) - 1)
_FRACTION = np.int32((1 << _STEP_BITS) - 1)
_PER_STEP = np.float32(2.0**-_STEP_BITS)
_PER_UNIT = np.float32(2.0**-_BITS)
_ZERO = np.int32(0)
_SIGMOID = (1 / (1 + np.exp(-(np.arange(_STEPS + 1) / 128 - _WIDEST)))).astype(np.float32)


BLOCKS = MAX_SEATS + 1
_FIRST_SETS = np.array([0, 0, 12, 79])  # first row of `sets`, by the number of runners placed
SETS = 311

_LAYERS = [
    ("turns", np.int64),
    ("players", np.int64),
    ("offset", np.int32, 2),
    ("bias", np.int32, HIDDEN),
    ("weights", np.int32, HIDDEN),
]
NET = np.dtype([*_LAYERS, ("rows", np.int16, (MAX_SEATS, MAX_ROWS, HIDDEN))], align=True)
"""A net for the value of stopping: of a position left to the next player.

`rows[seat]` are the weights for the markers of each seat, beginning with the one that has moved.
The output is the number of turns still to come if `turns` is 1, else the logit of the probability
of winning.
"""
ROLLING_NET = np.dtype(
    [
        *_LAYERS,
        ("rows", np.int16, (BLOCKS, MAX_ROWS, HIDDEN)),
        ("sets", np.int16, (SETS, HIDDEN)),
    ],
    align=True,
)
"""A net for the value of rolling on.

It has one more block of rows, with index `players`, for the spaces that runners have climbed, and a
row of `sets` for each number of runners placed and set of columns in which runners can still move.
"""


@njit_inline(nrt=False)
def set_row(board, placed, a, b, c):
    """The row of `sets` for `placed` runners, of which those in columns a, b and c can move; the
    columns are in ascending order, with -1 in front if there are fewer."""
    if c < 0:
        return _FIRST_SETS[placed]
    first = a if a >= 0 else b if b >= 0 else c
    second = b if a >= 0 else c
    return _FIRST_SETS[placed] + 1 + board.sets[first, second, c]


@njit_inline(nrt=False)
def value_of_output(net, total):
    """The value for a net's output: the probability of winning, or minus the turns to come."""
    if net.turns:
        return np.float32(np.float32(-total) * _PER_UNIT)
    position = min(max(np.int32(total + _HALF), _ZERO), _LAST)
    step = position >> _STEP_BITS
    part = np.float32(np.float32(position & _FRACTION) * _PER_STEP)
    low, high = _SIGMOID[step], _SIGMOID[step + 1]
    return np.float32(low + np.float32(np.float32(high - low) * part))


@njit_inline(nrt=False)
def positive(height):
    """The height of a unit, or 0 where that is negative."""
    return height if height > 0 else _ZERO


@njit_inline(nrt=False)
def output(net, hidden):
    """The net's output for a hidden layer."""
    total = net.offset[0]
    for unit in range(HIDDEN):
        total = np.int32(total + np.int32(positive(hidden[unit]) * net.weights[unit]))
    return total


@njit_inline(nrt=False)
def output_above(net, hidden, more):
    """The net's output for a hidden layer plus a row of weights."""
    total = net.offset[0]
    for unit in range(HIDDEN):
        height = np.int32(hidden[unit] + more[unit])
        total = np.int32(total + np.int32(positive(height) * net.weights[unit]))
    return total
