"""Targets near a pile: one height changed, a layer slid under, or both. Compiled by numba.

A candidate is a cell and its new height, on the pile as it is or with a layer slid under. Only
the cell and its neighbours need checking, since all others are unchanged.
"""

import numpy as np

from cantstop_arena.extensions.cubus.engine.bot_row import NEAR_SIDE as SIDE
from cantstop_arena.extensions.cubus.engine.compiled import copy_rows, njit_call
from cantstop_arena.extensions.cubus.engine.query import (
    pile_cards,
)
from cantstop_arena.extensions.cubus.engine.query_arrays import (
    CELL_X,
    CELL_Y,
    HEIGHT,
    LEFT,
    LIDS,
    LYING,
    MIN_CRATES,
    MIN_VALUE,
    OPEN,
    OPEN_ALLOWED,
    OPEN_NEEDED,
    POINTS,
    RIGHT,
    SLID,
    H,
    O,
    X,
    Y,
)

_EDGE = 2  # empty cells around the pile


@njit_call(nrt=False)
def list_candidates(query, cells, count, free_swap, base, rows, grid, lifted):
    """Write all legal candidates into `rows`; returns their number.

    The candidate of a slid layer alone has no cell, and the height 0. `grid` and `lifted` are room
    for the heights of the pile, and for its cells.
    """
    copy_rows(lifted, cells)
    number = _changes(query, lifted, count, grid, free_swap, base, 0, rows, 0)
    _lift(lifted, count)
    _, left, right, crates = pile_cards(lifted, count)
    lifted_sums = count, left, right, crates
    number = _consider(query, lifted_sums, free_swap, base, 1, 0, 0, 0, rows, number)
    return _changes(query, lifted, count, grid, free_swap, base, 1, rows, number)


@njit_call(nrt=False)
def _tallest(cells, count):
    """The greatest height of a pile."""
    tallest = 0
    for i in range(count):
        tallest = max(tallest, cells[i, H])
    return tallest


@njit_call(nrt=False)
def _lift(cells, count):
    """Slide a layer under a pile."""
    for i in range(count):
        cells[i, X] += 1
        cells[i, Y] += 1
        cells[i, H] += 1


@njit_call(nrt=False)
def _changes(query, cells, count, grid, free_swap, base, slid, rows, number):
    """Append the candidates with a new height on a cell of the pile or beside it."""
    low_x, low_y, end_x, end_y = _fill_grid(grid, cells, count)
    _, left, right, crates = pile_cards(cells, count)
    tallest = _tallest(cells, count)
    for gx in range(1, end_x + 1):
        for gy in range(1, end_y + 1):
            x, y, before = gx + low_x - _EDGE, gy + low_y - _EDGE, grid[gx, gy]
            if _stays(grid, gx, gy) or (before and _is_open(cells, count, x, y)):
                continue
            # A new cell at the back of a row or column replaces the card heights of the old one.
            old_left = before if before else grid[gx + 1, gy]
            old_right = before if before else grid[gx, gy + 1]
            for height in range(1, tallest + 2):
                if height != before and _falls(grid, gx, gy, height):
                    sums = (
                        count + (before == 0),
                        left + (0 if grid[gx - 1, gy] else height - old_left),
                        right + (0 if grid[gx, gy - 1] else height - old_right),
                        crates + height - before,
                    )
                    number = _consider(
                        query, sums, free_swap, base, slid, x, y, height, rows, number
                    )
    return number


@njit_call(nrt=False)
def _stays(grid, gx, gy):
    """Whether a cell must stay empty: it is empty, and has no neighbour or would leave a gap."""
    if grid[gx, gy]:
        return False
    beside = grid[gx - 1, gy] + grid[gx + 1, gy] + grid[gx, gy - 1] + grid[gx, gy + 1]
    return beside == 0 or _leaves_gap(grid, gx, gy)


@njit_call(nrt=False)
def _is_open(cells, count, x, y):
    """Whether an open card lies on a cell."""
    for i in range(count):
        if cells[i, X] == x and cells[i, Y] == y:
            return cells[i, O] == 1
    return False


@njit_call(nrt=False)
def _fill_grid(grid, cells, count):
    """Write a pile's heights on the grid; returns its lowest x and y, and its ends on the grid."""
    for x in range(SIDE):
        for y in range(SIDE):
            grid[x, y] = 0
    low_x, low_y = cells[0, X], cells[0, Y]
    for i in range(count):
        low_x, low_y = min(low_x, cells[i, X]), min(low_y, cells[i, Y])
    end_x, end_y = 0, 0
    for i in range(count):
        x, y = cells[i, X] - low_x + _EDGE, cells[i, Y] - low_y + _EDGE
        grid[x, y] = cells[i, H]
        end_x, end_y = max(end_x, x + 1), max(end_y, y + 1)
    return low_x, low_y, end_x, end_y


@njit_call(nrt=False)
def _falls(grid, x, y, height):
    """Whether a height is legal between the heights behind and in front (R6)."""
    behind, aside = grid[x - 1, y], grid[x, y - 1]
    fits_behind = (behind == 0 or behind >= height) and (aside == 0 or aside >= height)
    return fits_behind and grid[x + 1, y] <= height and grid[x, y + 1] <= height


@njit_call(nrt=False)
def _leaves_gap(grid, x, y):
    """Whether a pile has a gap with this cell added (R5); checks the row and its neighbours."""
    old = grid[x, y]
    grid[x, y] = 1
    gap = not (_is_contiguous(grid, y) and _steps(grid, y - 1) and _steps(grid, y))
    grid[x, y] = old
    return gap


@njit_call(nrt=False)
def _ends(grid, y):
    """The first cell of a row and the one after its last; both 0 where it is empty."""
    first, end = 0, 0
    for x in range(SIDE):
        if grid[x, y]:
            if end == 0:
                first = x
            end = x + 1
    return first, end


@njit_call(nrt=False)
def _is_contiguous(grid, y):
    first, end = _ends(grid, y)
    filled = 0
    for x in range(first, end):
        filled += grid[x, y] > 0
    return filled == end - first


@njit_call(nrt=False)
def _steps(grid, y):
    """Whether row y + 1 steps to the left of row y, or either is empty."""
    first, end = _ends(grid, y)
    next_first, next_end = _ends(grid, y + 1)
    if end == 0 or next_end == 0:
        return True
    return next_first <= first < next_end <= end


@njit_call(nrt=False)
def _consider(query, sums, free_swap, base, slid, x, y, height, rows, number):
    """Append a candidate if R12 to R16 allow it; returns the number of candidates.

    `sums`: tops, left cards, right cards and crates of the candidate's pile.
    """
    limits = query.limits
    tops, left, right, crates = sums
    points = 3 * crates - tops - left - right - base
    needed = max(0, tops - limits[LYING] - limits[LIDS])
    if (
        left > limits[LEFT]
        or right > limits[RIGHT]
        or points + base < limits[MIN_VALUE]
        or crates < limits[MIN_CRATES]
        or needed > limits[OPEN]
    ):
        return number
    room = tops
    if limits[LYING] > 0:
        room = tops - limits[LYING] if free_swap else np.int64(height > 0)
    allowed = min(limits[OPEN], room)
    if needed > allowed:
        return number
    rows[number, SLID], rows[number, CELL_X], rows[number, CELL_Y] = slid, x, y
    rows[number, HEIGHT], rows[number, POINTS] = height, points
    rows[number, OPEN_NEEDED], rows[number, OPEN_ALLOWED] = needed, allowed
    return number + 1


@njit_call(nrt=False)
def apply_candidate(cells, count, candidate, after):
    """Write the cells of a candidate into `after`, without open cards; returns their number."""
    slid, height = candidate[SLID], candidate[HEIGHT]
    new = height > 0
    for i in range(count):
        after[i, X], after[i, Y] = cells[i, X] + slid, cells[i, Y] + slid
        after[i, H], after[i, O] = cells[i, H] + slid, 0
        if new and after[i, X] == candidate[CELL_X] and after[i, Y] == candidate[CELL_Y]:
            after[i, H] = height
            new = False
    if new:
        after[count, X], after[count, Y] = candidate[CELL_X], candidate[CELL_Y]
        after[count, H], after[count, O] = height, 0
    return count + new
