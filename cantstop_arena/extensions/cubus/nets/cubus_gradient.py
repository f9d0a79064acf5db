"""How the net of champion learns: steps of Adam on the cross-entropy of shares. By numba."""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cantstop_arena.extensions.cubus.engine.compiled import njit_call, njit_entry
from cantstop_arena.extensions.cubus.nets.afterstates import INPUT_UNIT
from cantstop_arena.extensions.cubus.nets.cubus_net import (
    MAX_SCALE,
    MAX_WEIGHT,
    POINTS,
    WEIGHT_UNIT,
    exponential,
)
from cantstop_arena.extensions.cubus.nets.net_records import (
    HIDDEN,
    INPUTS_OF_SEAT,
    INPUTS_OF_TABLE,
    MAX_SEATS,
)
from cantstop_arena.extensions.cubus.nets.self_play import play_for_samples

_FIRST_DECAY, _SECOND_DECAY, _SMALL = 0.9, 0.999, 1e-8


class Draft(NamedTuple):
    """A net in training: its numbers, their gradient, and the moments of Adam, in one order.

    `rows`, `weights` and `offsets` are parts of `numbers`; `row_slopes`, `weight_slopes` and
    `offset_slopes` those of `gradient`.
    """

    numbers: NDArray[np.float64]
    gradient: NDArray[np.float64]
    means: NDArray[np.float64]
    squares: NDArray[np.float64]
    rows: NDArray[np.float64]
    weights: NDArray[np.float64]
    offsets: NDArray[np.float64]
    row_slopes: NDArray[np.float64]
    weight_slopes: NDArray[np.float64]
    offset_slopes: NDArray[np.float64]


def new_draft(players: int, chance: np.random.Generator) -> Draft:
    """A net of small random weights."""
    inputs, outputs = INPUTS_OF_TABLE + players * INPUTS_OF_SEAT, players + 1
    size = inputs * HIDDEN + HIDDEN * outputs + outputs
    numbers, gradient, means, squares = np.zeros((4, size))
    draft = Draft(
        numbers,
        gradient,
        means,
        squares,
        *_parts(numbers, inputs, outputs),
        *_parts(gradient, inputs, outputs),
    )
    draft.rows[:] = chance.normal(0, inputs**-0.5, draft.rows.shape)
    draft.weights[:] = chance.normal(0, 0.1 * HIDDEN**-0.5, draft.weights.shape)
    return draft


def _parts(numbers: NDArray[np.float64], inputs: int, outputs: int) -> tuple[Any, Any, Any]:
    rows, end = inputs * HIDDEN, inputs * HIDDEN + HIDDEN * outputs
    return (
        numbers[:rows].reshape(inputs, HIDDEN),
        numbers[rows:end].reshape(HIDDEN, outputs),
        numbers[end:],
    )


class Schedule(NamedTuple):
    """The numbers of a round of training: the learning rate falls from `rate` to `last_rate`."""

    rate: float
    last_rate: float
    trace: float
    steps: int  # taken in earlier rounds


@njit_entry
def learn_from_games(library, best_values, net, rules, keys, schedule, game, work, draft):
    """Play a game for each key, with the net as it is by then, and take a step after each.

    Returns the mean loss.
    """
    loss = 0.0
    for number in range(len(keys)):
        set_net(draft, net)
        count = play_for_samples(
            library, best_values, net, rules, keys[number], schedule.trace, game, work
        )
        rate = schedule.rate + (schedule.last_rate - schedule.rate) * number / len(keys)
        loss += _step(draft, net.players, game, count, rate, schedule.steps + number + 1)
    set_net(draft, net)
    return loss / len(keys)


@njit_call(nrt=False)
def set_net(draft, net):
    """Round the weights of a draft to those of a net."""
    for number in range(len(draft.rows)):
        for unit in range(HIDDEN):
            net.rows[number, unit] = _rounded(draft.rows[number, unit])
    for unit in range(HIDDEN):
        for index in range(len(draft.offsets)):
            net.weights[unit, index] = _rounded(draft.weights[unit, index])
    for index in range(len(draft.offsets)):
        net.offsets[index] = _rounded(draft.offsets[index])


@njit_call(nrt=False)
def _rounded(number):
    return np.int64(math.floor(min(MAX_WEIGHT, max(-MAX_WEIGHT, number * WEIGHT_UNIT)) + 0.5))


@njit_call
def _step(draft, players, game, count, rate, step):
    """One step of Adam on the samples of a game; returns the mean loss."""
    for number in range(len(draft.gradient)):
        draft.gradient[number] = 0.0
    hidden, slopes = np.zeros(HIDDEN), np.zeros(HIDDEN)
    levels, chances = np.zeros(MAX_SEATS + 1), np.zeros(MAX_SEATS + 1)
    loss = 0.0
    for sample in range(count):
        inputs, scores = game.inputs[sample], game.scores[sample]
        _fill_hidden(draft, inputs, hidden)
        for index in range(players + 1):
            levels[index] = draft.offsets[index]
            for unit in range(HIDDEN):
                levels[index] += max(0.0, hidden[unit]) * draft.weights[unit, index]
        loss += _set_slopes(levels, chances, scores, game.targets[sample], players)
        _add_gradient(draft, inputs, hidden, levels, slopes)
    _adapt(draft, max(1, count), rate, step)
    return loss / max(1, count)


@njit_call(nrt=False)
def _fill_hidden(draft, inputs, hidden):
    for unit in range(HIDDEN):
        hidden[unit] = 0.0
    for number in range(len(draft.rows)):
        if inputs[number]:
            height = inputs[number] / INPUT_UNIT
            for unit in range(HIDDEN):
                hidden[unit] += height * draft.rows[number, unit]


@njit_call(nrt=False)
def _set_slopes(levels, chances, scores, targets, players):
    """Replace the outputs by the slopes of the loss at them; returns the loss."""
    raw = levels[players]
    scale = exponential(min(MAX_SCALE, max(-MAX_SCALE, raw)))
    highest, total, loss, scale_slope = -1e9, 0.0, 0.0, 0.0
    for seat in range(players):
        levels[seat] = (levels[seat] + (scores[seat] - scores[0]) / POINTS) * scale
        highest = max(highest, levels[seat])
    for seat in range(players):
        chances[seat] = exponential(levels[seat] - highest)
        total += chances[seat]
    for seat in range(players):
        chance = chances[seat] / total
        loss -= targets[seat] * math.log(max(1e-9, chance))
        error = chance - targets[seat]
        scale_slope += error * levels[seat]
        levels[seat] = error * scale
    levels[players] = scale_slope if -MAX_SCALE < raw < MAX_SCALE else 0.0
    return loss


@njit_call(nrt=False)
def _add_gradient(draft, inputs, hidden, levels, slopes):
    outputs = len(draft.offsets)
    for unit in range(HIDDEN):
        slopes[unit] = 0.0
        if hidden[unit] > 0:
            for index in range(outputs):
                draft.weight_slopes[unit, index] += levels[index] * hidden[unit]
                slopes[unit] += levels[index] * draft.weights[unit, index]
    for index in range(outputs):
        draft.offset_slopes[index] += levels[index]
    for number in range(len(draft.rows)):
        if inputs[number]:
            height = inputs[number] / INPUT_UNIT
            for unit in range(HIDDEN):
                draft.row_slopes[number, unit] += height * slopes[unit]


@njit_call(nrt=False)
def _adapt(draft, count, rate, step):
    first, second = 1.0 - _FIRST_DECAY**step, 1.0 - _SECOND_DECAY**step
    for number in range(len(draft.numbers)):
        slope = draft.gradient[number] / count
        mean = _FIRST_DECAY * draft.means[number] + (1.0 - _FIRST_DECAY) * slope
        square = _SECOND_DECAY * draft.squares[number] + (1.0 - _SECOND_DECAY) * slope * slope
        draft.means[number], draft.squares[number] = mean, square
        draft.numbers[number] -= rate * (mean / first) / (math.sqrt(square / second) + _SMALL)
