"""All piles without a box, of given cards and at least a given F. Compiled by numba.

Piles are enumerated depth first, cell by cell and row by row from the back. After each row,
branches are cut by the greatest gain of F that the cards left allow (`reach`): the rows to come
are a pile of their own, whose right cards behind the last row cost nothing.
"""

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cantstop_arena.extensions.cubus.engine.bound import MAX_CARDS_PLACED, max_crates
from cantstop_arena.extensions.cubus.engine.compiled import njit_call, njit_entry

_MIDDLE = 2 * MAX_CARDS_PLACED  # the column of the first cell; rows may start further left
_WIDTH = 4 * MAX_CARDS_PLACED
_ROOM = 256

# The columns of a step: the cell, its branch, and the cards and crates of the cells before it.
Y, X, HEIGHT, HIGHEST, BRANCH, ROWS, TOPS, LEFT, RIGHT, CRATES = range(10)
STEP = 10

Cells = tuple[tuple[int, int, int], ...]
Numbers = NDArray[np.int64]


class Limits(NamedTuple):
    """The limits of a search: cards at most, F at least, and the range of crates."""

    tops: int
    left: int
    right: int
    min_value: int
    min_crates: int
    max_crates: int


class _SearchState(NamedTuple):
    """The rows of the current pile, and the results: a row of `piles` is x, y, h of each cell.

    `pile_count` has one element: the number of results, which may exceed the rows of `piles`.
    """

    firsts: Numbers
    ends: Numbers
    heights: Numbers
    piles: NDArray[np.int8]
    pile_count: Numbers


@cache
def reach() -> NDArray[np.int64]:
    """The greatest possible gain of F, indexed by the tops and left cards left, the right cards
    that cost nothing behind the last row, and the right cards left."""
    crates = max_crates()
    tops, left, right = np.indices(crates.shape)
    gains = np.where(crates > 0, 3 * crates - tops - left, -1000)
    gains[0, 0, 0] = 0
    table = np.zeros((MAX_CARDS_PLACED + 1,) * 4, np.int64)
    for free in range(MAX_CARDS_PLACED + 1):
        best = gains - np.maximum(0, right - free)
        for axis in range(3):
            best = np.maximum.accumulate(best, axis=axis)
        for remaining in range(MAX_CARDS_PLACED + 1):
            table[:, :, free, remaining] = best[:, :, min(MAX_CARDS_PLACED, free + remaining)]
    return table


def piles(limits: Limits) -> list[Cells]:
    """The cells (x, y, height) of all piles within limits, each at an arbitrary corner."""
    capped = limits._replace(
        **{name: min(MAX_CARDS_PLACED, getattr(limits, name)) for name in ("tops", "left", "right")}
    )
    state = _new_state(_ROOM)
    _search(state, capped, reach())
    if state.pile_count[0] > _ROOM:
        state = _new_state(int(state.pile_count[0]))
        _search(state, capped, reach())
    return [_cells(row) for row in state.piles[: state.pile_count[0]].tolist()]


def _new_state(capacity: int) -> _SearchState:
    cells = np.zeros((capacity, 3 * MAX_CARDS_PLACED), np.int8)
    rows = np.zeros(MAX_CARDS_PLACED + 1, np.int64)
    return _SearchState(
        rows,
        rows.copy(),
        np.zeros((MAX_CARDS_PLACED + 1, _WIDTH), np.int64),
        cells,
        rows[:1].copy(),
    )


def _cells(row: list[int]) -> Cells:
    triples = zip(row[::3], row[1::3], row[2::3], strict=True)
    return tuple((x, y, height) for x, y, height in triples if height)


@njit_entry
def _search(state, limits, reach):
    """Enumerate piles depth first, a row of `steps` per cell: numba cannot cache recursion."""
    steps = np.zeros((MAX_CARDS_PLACED + 1, STEP), np.int64)
    state.pile_count[0] = 0
    state.firsts[0] = _MIDDLE
    depth = 0
    _enter(state, limits, steps, 0, 0, _MIDDLE)
    while depth >= 0:
        step = steps[depth]
        if step[BRANCH] > step[ROWS]:
            step[HEIGHT] += 1
            if step[HEIGHT] > step[HIGHEST]:
                depth -= 1
                continue
            _set_height(state, limits, reach, step, steps[depth + 1])
        y, x, branch = step[Y], step[X], step[BRANCH]
        step[BRANCH] += 1
        if branch == 0:
            x += 1
        else:
            state.ends[y] = x + 1
            x = state.firsts[y] + 1 - branch
            y += 1
            state.firsts[y] = x
        if _enter(state, limits, steps, depth + 1, y, x):
            depth += 1


@njit_call
def _enter(state, limits, steps, depth, y, x):
    """Start a step at a cell and set its greatest height; returns whether that is above 0."""
    if depth == limits.tops or (y > 0 and x >= state.ends[y - 1]):
        return False
    step = steps[depth]
    step[Y], step[X], step[HEIGHT] = y, x, 0
    step[BRANCH], step[ROWS] = 0, -1
    highest = MAX_CARDS_PLACED if x == state.firsts[y] else state.heights[y, x - 1]
    if x == state.firsts[y]:
        highest = min(highest, limits.left - step[LEFT])
    if y > 0 and x >= state.firsts[y - 1]:
        highest = min(highest, state.heights[y - 1, x])
    else:
        highest = min(highest, limits.right - step[RIGHT])
    step[HIGHEST] = highest
    return highest > 0


@njit_call
def _set_height(state, limits, reach, step, after):
    """Set the height of a cell, add up its cards for the next step, and end the row if it may."""
    y, x, height = step[Y], step[X], step[HEIGHT]
    covered = y > 0 and x >= state.firsts[y - 1]
    state.heights[y, x] = height
    after[TOPS], after[CRATES] = step[TOPS] + 1, step[CRATES] + height
    after[LEFT] = step[LEFT] + (height if x == state.firsts[y] else 0)
    after[RIGHT] = step[RIGHT] + (0 if covered else height)
    step[BRANCH], step[ROWS] = 0, 0
    if y == 0 or covered:
        state.ends[y] = x + 1
        step[ROWS] = _end_row(state, limits, reach, y, after)


@njit_call
def _end_row(state, limits, reach, y, used):
    """Store the pile if it is within limits; returns at how many columns a next row may start."""
    tops, left, right, crates = used[TOPS], used[LEFT], used[RIGHT], used[CRATES]
    value = 3 * crates - tops - left - right
    if crates > limits.max_crates or tops + left + right > 3 * limits.max_crates - limits.min_value:
        return 0
    if value >= limits.min_value and crates >= limits.min_crates:
        _store_pile(state, y)
    free = 0
    for x in range(state.firsts[y], state.ends[y]):
        free += state.heights[y, x]
    remaining = limits.right - right
    gain = reach[limits.tops - tops, limits.left - left, min(MAX_CARDS_PLACED, free), remaining]
    if crates == limits.max_crates or value + gain < limits.min_value:
        return 0
    return remaining + 1


@njit_call
def _store_pile(state, y):
    number = state.pile_count[0]
    state.pile_count[0] += 1
    if number >= len(state.piles):
        return
    column = 0
    for row in range(y + 1):
        for x in range(state.firsts[row], state.ends[row]):
            state.piles[number, column] = x - _MIDDLE
            state.piles[number, column + 1] = row
            state.piles[number, column + 2] = state.heights[row, x]
            column += 3
    state.piles[number, column:] = 0
