"""All piles without a box that given cards allow and that are worth enough. Compiled by numba.

Piles are laid cell by cell, row by row from the back. After each row the greatest F that the
cards left can still lead to (`reach`) decides whether to go on: the rows to come are a pile of
their own, whose right cards behind the last row come free.
"""

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cantstop_arena.games.cubus.engine.bound import MAX_CARDS_PLACED, max_crates
from cantstop_arena.games.cubus.engine.compiled import njit_call, njit_entry

_MIDDLE = 2 * MAX_CARDS_PLACED  # the column of the first cell; rows may begin further left
_WIDTH = 4 * MAX_CARDS_PLACED
_ROOM = 256

# What is known of a cell being laid, and what the cells before it used.
Y, X, HEIGHT, HIGHEST, BRANCH, ROWS, TOPS, LEFT, RIGHT, CRATES = range(10)
STEP = 10

Cells = tuple[tuple[int, int, int], ...]
Numbers = NDArray[np.int64]


class Limits(NamedTuple):
    """At most so many cards, at least so much F, and from `least` to `most` crates."""

    tops: int
    left: int
    right: int
    worth: int
    least: int
    most: int


class _PlacedCards(NamedTuple):
    """The rows laid so far, and what has been found: a row of `found` is x, y, h of each cell."""

    firsts: Numbers
    ends: Numbers
    heights: Numbers
    found: NDArray[np.int8]
    known: Numbers


@cache
def reach() -> NDArray[np.int64]:
    """The most that F can still grow by: with so many tops and left cards, right cards that
    come free behind the last row, and right cards left."""
    crates = max_crates()
    tops, left, right = np.indices(crates.shape)
    gains = np.where(crates > 0, 3 * crates - tops - left, -1000)
    gains[0, 0, 0] = 0
    table = np.zeros((MAX_CARDS_PLACED + 1,) * 4, np.int64)
    for free in range(MAX_CARDS_PLACED + 1):
        best = gains - np.maximum(0, right - free)
        for axis in range(3):
            best = np.maximum.accumulate(best, axis=axis)
        for rest in range(MAX_CARDS_PLACED + 1):
            table[:, :, free, rest] = best[:, :, min(MAX_CARDS_PLACED, free + rest)]
    return table


def piles(limits: Limits) -> list[Cells]:
    """The cells (x, y, height) of all piles within limits, each at some place."""
    capped = limits._replace(
        **{name: min(MAX_CARDS_PLACED, getattr(limits, name)) for name in ("tops", "left", "right")}
    )
    laid = _laid(_ROOM)
    _begin(laid, capped, reach())
    if laid.known[0] > _ROOM:
        laid = _laid(int(laid.known[0]))
        _begin(laid, capped, reach())
    return [_cells(row) for row in laid.found[: laid.known[0]].tolist()]


def _laid(room: int) -> _PlacedCards:
    found = np.zeros((room, 3 * MAX_CARDS_PLACED), np.int8)
    rows = np.zeros(MAX_CARDS_PLACED + 1, np.int64)
    return _PlacedCards(
        rows,
        rows.copy(),
        np.zeros((MAX_CARDS_PLACED + 1, _WIDTH), np.int64),
        found,
        rows[:1].copy(),
    )


def _cells(row: list[int]) -> Cells:
    triples = zip(row[::3], row[1::3], row[2::3], strict=True)
    return tuple((x, y, height) for x, y, height in triples if height)


@njit_entry
def _begin(laid, limits, reach):
    """Lay cell after cell, depth first; each has a row of `steps`, as numba keeps no recursion."""
    steps = np.zeros((MAX_CARDS_PLACED + 1, STEP), np.int64)
    laid.known[0] = 0
    laid.firsts[0] = _MIDDLE
    depth = 0
    _enter(laid, limits, steps, 0, 0, _MIDDLE)
    while depth >= 0:
        step = steps[depth]
        if step[BRANCH] > step[ROWS]:
            step[HEIGHT] += 1
            if step[HEIGHT] > step[HIGHEST]:
                depth -= 1
                continue
            _lay(laid, limits, reach, step, steps[depth + 1])
        y, x, branch = step[Y], step[X], step[BRANCH]
        step[BRANCH] += 1
        if branch == 0:
            x += 1
        else:
            laid.ends[y] = x + 1
            x = laid.firsts[y] + 1 - branch
            y += 1
            laid.firsts[y] = x
        if _enter(laid, limits, steps, depth + 1, y, x):
            depth += 1


@njit_call
def _enter(laid, limits, steps, depth, y, x):
    """Begin with a cell if it may be laid: find how high it may be."""
    if depth == limits.tops or (y > 0 and x >= laid.ends[y - 1]):
        return False
    step = steps[depth]
    step[Y], step[X], step[HEIGHT] = y, x, 0
    step[BRANCH], step[ROWS] = 0, -1
    highest = MAX_CARDS_PLACED if x == laid.firsts[y] else laid.heights[y, x - 1]
    if x == laid.firsts[y]:
        highest = min(highest, limits.left - step[LEFT])
    if y > 0 and x >= laid.firsts[y - 1]:
        highest = min(highest, laid.heights[y - 1, x])
    else:
        highest = min(highest, limits.right - step[RIGHT])
    step[HIGHEST] = highest
    return highest > 0


@njit_call
def _lay(laid, limits, reach, step, after):
    """Lay a height on a cell: what is used then goes to the next step; the pile may end here."""
    y, x, height = step[Y], step[X], step[HEIGHT]
    covered = y > 0 and x >= laid.firsts[y - 1]
    laid.heights[y, x] = height
    after[TOPS], after[CRATES] = step[TOPS] + 1, step[CRATES] + height
    after[LEFT] = step[LEFT] + (height if x == laid.firsts[y] else 0)
    after[RIGHT] = step[RIGHT] + (0 if covered else height)
    step[BRANCH], step[ROWS] = 0, 0
    if y == 0 or covered:
        laid.ends[y] = x + 1
        step[ROWS] = _end_row(laid, limits, reach, y, after)


@njit_call
def _end_row(laid, limits, reach, y, used):
    """Note the pile if it is wanted; returns at how many columns a further row may begin."""
    tops, left, right, crates = used[TOPS], used[LEFT], used[RIGHT], used[CRATES]
    worth = 3 * crates - tops - left - right
    if crates > limits.most or tops + left + right > 3 * limits.most - limits.worth:
        return 0
    if worth >= limits.worth and crates >= limits.least:
        _note(laid, y)
    free = 0
    for x in range(laid.firsts[y], laid.ends[y]):
        free += laid.heights[y, x]
    rest = limits.right - right
    hope = reach[limits.tops - tops, limits.left - left, min(MAX_CARDS_PLACED, free), rest]
    if crates == limits.most or worth + hope < limits.worth:
        return 0
    return rest + 1


@njit_call
def _note(laid, y):
    number = laid.known[0]
    laid.known[0] += 1
    if number >= len(laid.found):
        return
    place = 0
    for row in range(y + 1):
        for x in range(laid.firsts[row], laid.ends[row]):
            laid.found[number, place] = x - _MIDDLE
            laid.found[number, place + 1] = row
            laid.found[number, place + 2] = laid.heights[row, x]
            place += 3
    laid.found[number, place:] = 0
