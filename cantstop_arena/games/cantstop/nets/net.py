"""Nets of whole numbers: one hidden layer, whose inputs say where every marker stands.

An input is a row of numbers that is added to the hidden layer, so the worth of a position close to
another is a few additions away. Whole numbers add up to the same in any order: a net says the same
on every machine, compiled or not.
"""

import numpy as np

from cantstop_arena.games.cantstop.engine.engine_decorators import njit_inline
from cantstop_arena.games.cantstop.engine.game_array import MAX_SEATS
from cantstop_arena.games.cantstop.exact.turn_board import MAX_ROWS

HIDDEN = 64
UNIT = 1 << 10  # what a weight of 1 is stored as; a product of two is in units of UNIT squared
_BITS = 20
_WIDEST = 16  # beyond plus or minus this the sigmoid is flat
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
_FIRST_SETS = np.array([0, 0, 12, 79])  # by runners placed: those of fewer come before
SETS = 311

_LAYERS = [
    ("turns", np.int64),
    ("players", np.int64),
    ("offset", np.int32, 2),
    ("bias", np.int32, HIDDEN),
    ("weights", np.int32, HIDDEN),
]
NET = np.dtype([*_LAYERS, ("rows", np.int16, (MAX_SEATS, MAX_ROWS, HIDDEN))], align=True)
"""A net that knows what it is worth to have left a position to the next player.

`rows[seat]` are for the markers of each seat, from the one that has moved; the output is turns
still to come where `turns` is 1, else what a sigmoid makes a chance to win.
"""
ROLLING_NET = np.dtype(
    [
        *_LAYERS,
        ("rows", np.int16, (BLOCKS, MAX_ROWS, HIDDEN)),
        ("sets", np.int16, (SETS, HIDDEN)),
    ],
    align=True,
)
"""A net that knows what rolling on is worth.

There is a block of rows more, block number `players`, for how far runners have advanced, and a row
of `sets` for the columns in which runners can still move, by the number of runners placed.
"""


@njit_inline(nrt=False)
def set_row(board, placed, a, b, c):
    """The row of `sets` for a number of runners, of which those in columns a, b and c can move,
    in ascending order; -1 in front stands for no column."""
    if c < 0:
        return _FIRST_SETS[placed]
    first = a if a >= 0 else b if b >= 0 else c
    second = b if a >= 0 else c
    return _FIRST_SETS[placed] + 1 + board.sets[first, second, c]


@njit_inline(nrt=False)
def value_of_output(net, total):
    """What an output of the net is worth to the player: a chance to win, or minus turns to go."""
    if net.turns:
        return np.float32(np.float32(-total) * _PER_UNIT)
    index = min(max(np.int32(total + _HALF), _ZERO), _LAST)
    step = index >> _STEP_BITS
    part = np.float32(np.float32(index & _FRACTION) * _PER_STEP)
    low, high = _SIGMOID[step], _SIGMOID[step + 1]
    return np.float32(low + np.float32(np.float32(high - low) * part))


@njit_inline(nrt=False)
def output(net, hidden):
    """The net's output for a hidden layer."""
    total = net.offset[0]
    for unit in range(HIDDEN):
        height = hidden[unit]
        total = np.int32(total + np.int32((height if height > 0 else _ZERO) * net.weights[unit]))
    return total


@njit_inline(nrt=False)
def output_above(net, hidden, more):
    """The net's output for a hidden layer and a row of numbers that is added to it."""
    total = net.offset[0]
    for unit in range(HIDDEN):
        height = np.int32(hidden[unit] + more[unit])
        total = np.int32(total + np.int32((height if height > 0 else _ZERO) * net.weights[unit]))
    return total
