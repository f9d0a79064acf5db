"""Nets in training: floating-point weights, and stochastic gradient descent on samples."""

import math
from typing import Any

import numpy as np

from cantstop_arena.extensions.learn.compiled import njit_entry, njit_inline
from cantstop_arena.extensions.strength.exact.turn_board import MAX_ROWS
from cantstop_arena.extensions.strength.nets.net import (
    BLOCKS,
    HIDDEN,
    NET,
    ROLLING_NET,
    SETS,
    UNIT,
    set_row,
)

DRAFT = np.dtype(
    [
        ("turns", np.int64),
        ("players", np.int64),
        ("blocks", np.int64),
        ("offset", np.float32, 2),
        ("bias", np.float32, HIDDEN),
        ("weights", np.float32, HIDDEN),
        ("rows", np.float32, (BLOCKS, MAX_ROWS, HIDDEN)),
        ("sets", np.float32, (SETS, HIDDEN)),
        ("hidden", np.float32, HIDDEN),
        ("parts", np.float32, HIDDEN),
    ],
    align=True,
)
"""A net with floating-point weights, field by field, and two temporary rows, `hidden` and `parts`.

It is to become a ROLLING_NET if it has more `blocks` than players, else a NET.
"""

LEARNED = ("offset", "bias", "weights", "rows", "sets")
NONE = -1
_WIDEST_ERROR = 3.0  # turns; larger errors are clipped


def new_draft(players: int, generator: np.random.Generator, kind: Any = NET) -> Any:
    """A DRAFT with random weights for a NET or a ROLLING_NET, as a record array of length 1."""
    drafts = np.zeros(1, DRAFT).view(np.recarray)
    draft = drafts[0]
    draft.players, draft.turns = players, players == 1
    draft.blocks = players + (kind == ROLLING_NET)
    draft.rows[:] = generator.random(draft.rows.shape) * 0.2 - 0.1
    draft.bias[:] = generator.random(HIDDEN) * 0.2 - 0.1
    draft.weights[:] = generator.random(HIDDEN) * 0.5 - 0.25
    return drafts


def quantised(draft: Any) -> Any:
    """The net with integer weights, as a record array of length 1."""
    kind = ROLLING_NET if draft.blocks > draft.players else NET
    nets = np.zeros(1, kind).view(np.recarray)
    net = nets[0]
    net.turns, net.players = draft.turns, draft.players
    net.offset[:] = np.rint(draft.offset * UNIT**2)
    for name in {*(kind.names or ())} & {"bias", "weights", "rows", "sets"}:
        weights = np.rint(draft[name][: len(net[name])] * UNIT)
        net[name][:] = np.clip(weights, -(1 << 15), (1 << 15) - 1)
    net.rows[draft.blocks :] = 0
    return nets


@njit_entry(nrt=False)
def learn(board, draft, positions, values, picks, rate):
    """Learn from samples; a pick is twice the sample's index, plus 1 to mirror the sample.

    Returns the sum of squared errors, each before learning from its sample.
    """
    total = 0.0
    for pick in picks:
        total += _learn(board, draft, positions[pick >> 1], values[pick >> 1], pick & 1, rate)
    return total


@njit_inline(nrt=False)
def _learn(board, draft, position, value, mirror, rate):
    chosen = _set_of(board, draft, position, mirror)
    _fill_hidden(board, draft, position, mirror, chosen)
    error = _error(draft, value)
    _bend(board, draft, position, mirror, chosen, np.float32(rate * error))
    return error * error


@njit_inline(nrt=False)
def _fill_hidden(board, draft, position, mirror, chosen):
    hidden = draft.hidden
    for unit in range(HIDDEN):
        hidden[unit] = draft.bias[unit]
    if chosen != NONE:
        for unit in range(HIDDEN):
            hidden[unit] += draft.sets[chosen, unit]
    for block in range(draft.blocks):
        for column in range(board.columns):
            row = _row(board, draft, position, block, column, mirror)
            if row != NONE:
                for unit in range(HIDDEN):
                    hidden[unit] += draft.rows[block, row, unit]


@njit_inline(nrt=False)
def _bend(board, draft, position, mirror, chosen, step):
    hidden, parts = draft.hidden, draft.parts
    for unit in range(HIDDEN):
        is_on = hidden[unit] > 0
        parts[unit] = step * draft.weights[unit] if is_on else np.float32(0)
        draft.weights[unit] -= step * hidden[unit] if is_on else np.float32(0)
        draft.bias[unit] -= parts[unit]
    draft.offset[0] -= step
    if chosen != NONE:
        for unit in range(HIDDEN):
            draft.sets[chosen, unit] -= parts[unit]
    for block in range(draft.blocks):
        for column in range(board.columns):
            row = _row(board, draft, position, block, column, mirror)
            if row != NONE:
                for unit in range(HIDDEN):
                    draft.rows[block, row, unit] -= parts[unit]


@njit_inline(nrt=False)
def _row(board, draft, position, block, column, mirror):
    """The row of a column in a block; NONE in the block of runners for a column without one."""
    space = position[block, _at(board, column, mirror)]
    return board.rows[column] + space if block < draft.players or space > 0 else NONE


@njit_inline(nrt=False)
def _at(board, column, mirror):
    return board.columns - 1 - column if mirror else column


@njit_inline(nrt=False)
def _set_of(board, draft, position, mirror):
    """The row of `sets`; NONE for a net of the value of stopping."""
    if draft.blocks == draft.players:
        return NONE
    placed, a, b, c = 0, NONE, NONE, NONE
    for column in range(board.columns):
        at = _at(board, column, mirror)
        if position[draft.players, at] > 0:
            placed += 1
            if position[0, at] < board.lengths[at]:
                a, b, c = b, c, column
    return set_row(board, placed, a, b, c)


@njit_inline(nrt=False)
def _error(draft, value):
    """The net's value minus the sample's, clipped if in turns."""
    total = np.float64(draft.offset[0]) + _sum_of_parts(draft)
    if draft.turns:
        return min(max(total - value, -_WIDEST_ERROR), _WIDEST_ERROR)
    return 1.0 / (1.0 + math.exp(-total)) - value


@njit_inline(nrt=False)
def _sum_of_parts(draft):
    """The output without the offset; it is summed pairwise, which vectorises."""
    hidden, parts = draft.hidden, draft.parts
    for unit in range(HIDDEN):
        parts[unit] = hidden[unit] * draft.weights[unit] if hidden[unit] > 0 else np.float32(0)
    width = HIDDEN // 2
    while width:
        for unit in range(width):
            parts[unit] += parts[unit + width]
        width //= 2
    return parts[0]
