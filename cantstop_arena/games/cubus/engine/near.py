"""Targets near a pile: one height changed, a layer slid under, or both. Compiled by numba.

A candidate is a cell and the height it shall have, on the pile as it lies or with a layer slid
under. It is a legal pile if it fits the cells beside it, since all others stay as they are.
"""

import numpy as np

from cantstop_arena.games.cubus.engine.compiled import njit_call, njit_entry
from cantstop_arena.games.cubus.engine.query import (
    LEFT,
    LIDS,
    LYING,
    MIN_CRATES,
    MIN_VALUE,
    OPEN,
    RIGHT,
    H,
    O,
    X,
    Y,
    pile_cards,
)

MAX_CELLS = 16
SIDE = 2 * MAX_CELLS  # of the grid on which a pile is laid
_EDGE = 2  # free cells around it

# Columns of a candidate.
SLID, CELL_X, CELL_Y, HEIGHT, POINTS, LEAST, MOST = 0, 1, 2, 3, 4, 5, 6
COLUMNS = 7


@njit_entry
def candidates(query, cells, count, free_swap, base):
    """All legal candidates, a row each; the same pile may come twice. `base`: F of the table.

    A slid layer alone has no cell: its height is 0.
    """
    # Cells of a pile hang together, so that at most 2n + 2 lie beside n; each can have the heights
    # from 1 to one more than the tallest, which is one taller with a layer slid under.
    cells_and_border, heights = 3 * count + 2, cells[:count, H].max() + 2
    found = np.empty((2 * cells_and_border * heights + 1, COLUMNS), np.int64)
    grid, lifted = np.empty((SIDE, SIDE), np.int64), cells.copy()
    number = _changes(query, lifted, count, grid, free_swap, base, 0, found, 0)
    _lift(lifted, count)
    _, left, right, crates = pile_cards(lifted, count)
    whole = count, left, right, crates
    number = _consider(query, whole, free_swap, base, 1, 0, 0, 0, found, number)
    number = _changes(query, lifted, count, grid, free_swap, base, 1, found, number)
    return found[:number]


@njit_call(nrt=False)
def _lift(cells, count):
    """Slide a layer under a pile."""
    for i in range(count):
        cells[i, X] += 1
        cells[i, Y] += 1
        cells[i, H] += 1


@njit_call(nrt=False)
def _changes(query, cells, count, grid, free_swap, base, slid, found, number):
    """One cell of the pile, or beside it, set to another height."""
    low_x, low_y, end_x, end_y = _lay_on(grid, cells, count)
    _, left, right, crates = pile_cards(cells, count)
    tallest = 0
    for i in range(count):
        tallest = max(tallest, cells[i, H])
    for gx in range(1, end_x + 1):
        for gy in range(1, end_y + 1):
            x, y, before = gx + low_x - _EDGE, gy + low_y - _EDGE, grid[gx, gy]
            if _stays(grid, gx, gy) or (before and _is_open(cells, count, x, y)):
                continue
            # A new cell takes over the cards of the row or column that it is the back of.
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
                        query, sums, free_swap, base, slid, x, y, height, found, number
                    )
    return number


@njit_call(nrt=False)
def _stays(grid, gx, gy):
    """Whether a free cell cannot become one of the pile's: it is not beside it, or leaves a gap."""
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
def _lay_on(grid, cells, count):
    """Lay a pile on the grid alone; its lowest x and y, and where it ends on the grid."""
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
    """Whether a height fits those behind and in front (R6)."""
    behind, aside = grid[x - 1, y], grid[x, y - 1]
    fits_behind = (behind == 0 or behind >= height) and (aside == 0 or aside >= height)
    return fits_behind and grid[x + 1, y] <= height and grid[x, y + 1] <= height


@njit_call(nrt=False)
def _leaves_gap(grid, x, y):
    """Whether a pile with a cell added has a gap (R5): looked for in the row and its neighbours."""
    old = grid[x, y]
    grid[x, y] = 1
    gap = not (_whole(grid, y) and _steps(grid, y - 1) and _steps(grid, y))
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
def _whole(grid, y):
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
def _consider(query, sums, free_swap, base, slid, x, y, height, found, number):
    """Append a candidate if R12 to R16 allow it; returns how many there are.

    `sums`: the tops, left and right cards and crates of the pile that it makes.
    """
    limits = query.limits
    tops, left, right, crates = sums
    points = 3 * crates - tops - left - right - base
    least = max(0, tops - limits[LYING] - limits[LIDS])
    if (
        left > limits[LEFT]
        or right > limits[RIGHT]
        or points + base < limits[MIN_VALUE]
        or crates < limits[MIN_CRATES]
        or least > limits[OPEN]
    ):
        return number
    room = tops
    if limits[LYING] > 0:
        room = tops - limits[LYING] if free_swap else np.int64(height > 0)
    most = min(limits[OPEN], room)
    if least > most:
        return number
    found[number, SLID], found[number, CELL_X], found[number, CELL_Y] = slid, x, y
    found[number, HEIGHT], found[number, POINTS] = height, points
    found[number, LEAST], found[number, MOST] = least, most
    return number + 1


@njit_entry
def apply_candidate(cells, count, candidate, after):
    """Write the cells of a candidate into `after`, without open cards; returns how many."""
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
