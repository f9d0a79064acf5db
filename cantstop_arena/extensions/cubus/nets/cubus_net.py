"""The net of champion: one hidden layer with integer weights. Compiled by numba.

Sums of integers do not depend on their order, and what follows are single operations of IEEE
arithmetic: the net's values are the same on every machine, compiled or not.
"""

import numpy as np

from cantstop_arena.extensions.cubus.engine.compiled import njit_call
from cantstop_arena.extensions.cubus.nets.afterstates import INPUT_UNIT, fill_inputs, is_over
from cantstop_arena.extensions.cubus.nets.net_records import HIDDEN

WEIGHT_UNIT = 1 << 10  # the integer for a weight of 1
MAX_WEIGHT = (1 << 13) - 1  # so that 32 bits hold the sum of a hidden unit
MAX_SCALE = 3.0
_PER_UNIT = 1.0 / (INPUT_UNIT * WEIGHT_UNIT * WEIGHT_UNIT)
POINTS = 10.0  # a difference in points that counts like an output of 1
_FLAT = -16.0


@njit_call(nrt=False)
def exponential(number):
    """About exp(number), for numbers up to 30: by multiplications, which are exact everywhere."""
    if number < _FLAT:
        number = _FLAT
    power = 1.0 + number / 1024.0
    for _ in range(10):
        power *= power
    return power


@njit_call(nrt=False)
def set_chances(net, state, best_values, inputs, hidden, chances):
    """Set each seat's chance to win, as a share, in a position after a turn."""
    players, seat = state.players, state.seat
    if is_over(state):
        set_shares(state, chances)
        return
    count = fill_inputs(state, best_values, inputs)
    fill_hidden(net, inputs, count, hidden)
    scale = exponential(min(MAX_SCALE, max(-MAX_SCALE, output(net, hidden, players))))
    highest = -1e9
    for distance in range(players):
        lead = state.scores[(seat + distance) % players] - state.scores[seat]
        level = (output(net, hidden, distance) + lead / POINTS) * scale
        chances[(seat + distance) % players] = level
        highest = max(highest, level)
    total = 0.0
    for other in range(players):
        chances[other] = exponential(chances[other] - highest)
        total += chances[other]
    for other in range(players):
        chances[other] /= total


@njit_call(nrt=False)
def set_shares(state, chances):
    """The result of a game that is over: equal shares for those with most points."""
    highest, winners = state.scores[0], 0
    for seat in range(state.players):
        highest = max(highest, state.scores[seat])
    for seat in range(state.players):
        winners += state.scores[seat] == highest
    for seat in range(state.players):
        chances[seat] = 1.0 / winners if state.scores[seat] == highest else 0.0


@njit_call(nrt=False)
def fill_hidden(net, inputs, count, hidden):
    """Set the sums of the hidden units."""
    for unit in range(HIDDEN):
        hidden[unit] = 0
    for number in range(count):
        height = np.int32(inputs[number])
        if height:
            for unit in range(HIDDEN):
                product = np.int32(height * np.int32(net.rows[number, unit]))
                hidden[unit] = np.int32(hidden[unit] + product)


@njit_call(nrt=False)
def output(net, hidden, index):
    """One of the net's outputs."""
    total = np.int64(net.offsets[index]) * (INPUT_UNIT * WEIGHT_UNIT)
    for unit in range(HIDDEN):
        if hidden[unit] > 0:
            total += np.int64(hidden[unit]) * np.int64(net.weights[unit, index])
    return total * _PER_UNIT
