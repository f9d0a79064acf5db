"""Targets near a pile: one height changed, a layer slid under, or both. Compiled by numba.

A candidate is a cell and the height it shall have, on the pile as it lies or with a layer slid
under. It is a legal pile if it fits the cells beside it, since all others stay as they are.
"""

import numpy as np

from cantstop_arena.games.cubus.engine.compiled import copy_rows, exported, inlined
from cantstop_arena.games.cubus.engine.search import (
    LEAST_CRATES,
    LEAST_WORTH,
    LEFT,
    LIDS,
    LYING,
    OPEN,
    RIGHT,
    H,
    O,
    X,
    Y,
)

MOST_CELLS = 16
SIDE = 2 * MOST_CELLS  # of the grid on which a pile is laid
_EDGE = 2  # free cells around it
_NO_CELL = -1

# Columns of a candidate.
SLID, CELL_X, CELL_Y, HEIGHT, POINTS, LEAST, MOST = 0, 1, 2, 3, 4, 5, 6
COLUMNS = 7


@exported
def candidates(query, cells, count, free_swap, base):
    """All legal candidates, a row each; the same pile may come twice. `base`: F of the table.

    A slid layer alone has no cell: its height is 0.
    """
    found, number = np.empty((64, COLUMNS), np.int64), 0
    lifted = cells.copy()
    for slid in range(2):
        if slid:
            for i in range(count):
                lifted[i, X] += 1
                lifted[i, Y] += 1
                lifted[i, H] += 1
            found, number = _consider(
                query, lifted, count, free_swap, base, slid, 0, 0, 0, found, number
            )
        found, number = _changes(query, lifted, count, free_swap, base, slid, found, number)
    return found[:number]


@inlined
def _changes(query, cells, count, free_swap, base, slid, found, number):
    """One cell of the pile, or beside it, set to another height."""
    grid, low_x, low_y = _grid(cells, count)
    tallest = cells[:count, H].max()
    for gx in range(1, SIDE - 1):
        for gy in range(1, SIDE - 1):
            beside = grid[gx - 1, gy] + grid[gx + 1, gy] + grid[gx, gy - 1] + grid[gx, gy + 1]
            if grid[gx, gy] == 0 and (beside == 0 or _leaves_gap(grid, gx, gy)):
                continue
            for height in range(1, tallest + 2):
                if height != grid[gx, gy] and _falls(grid, gx, gy, height):
                    x, y = gx + low_x - _EDGE, gy + low_y - _EDGE
                    found, number = _consider(
                        query, cells, count, free_swap, base, slid, x, y, height, found, number
                    )
    return found, number


@inlined
def _grid(cells, count):
    grid = np.zeros((SIDE, SIDE), np.int64)
    low_x, low_y = cells[:count, X].min(), cells[:count, Y].min()
    for i in range(count):
        grid[cells[i, X] - low_x + _EDGE, cells[i, Y] - low_y + _EDGE] = cells[i, H]
    return grid, low_x, low_y


@inlined
def _falls(grid, x, y, height):
    """Whether a height fits those behind and in front (R6)."""
    behind, aside = grid[x - 1, y], grid[x, y - 1]
    fits_behind = (behind == 0 or behind >= height) and (aside == 0 or aside >= height)
    return fits_behind and grid[x + 1, y] <= height and grid[x, y + 1] <= height


@inlined
def _leaves_gap(grid, x, y):
    """Whether a pile with a cell added has a gap (R5): looked for in the row and its neighbours."""
    old = grid[x, y]
    grid[x, y] = 1
    gap = not (_whole(grid, y) and _steps(grid, y - 1) and _steps(grid, y))
    grid[x, y] = old
    return gap


@inlined
def _ends(grid, y):
    """The first cell of a row and the one after its last; both 0 where it is empty."""
    first, end = 0, 0
    for x in range(SIDE):
        if grid[x, y]:
            if end == 0:
                first = x
            end = x + 1
    return first, end


@inlined
def _whole(grid, y):
    first, end = _ends(grid, y)
    filled = 0
    for x in range(first, end):
        filled += grid[x, y] > 0
    return filled == end - first


@inlined
def _steps(grid, y):
    """Whether row y + 1 steps to the left of row y, or either is empty."""
    first, end = _ends(grid, y)
    next_first, next_end = _ends(grid, y + 1)
    if end == 0 or next_end == 0:
        return True
    return next_first <= first < next_end <= end


@inlined
def _consider(query, cells, count, free_swap, base, slid, x, y, height, found, number):
    """Append a candidate if R12 to R16 allow it."""
    limits = query.limits
    tops, left, right, crates, covered = _counts(cells, count, x, y, height)
    points = 3 * crates - tops - left - right - base
    least = max(0, tops - limits[LYING] - limits[LIDS])
    if (
        covered
        or left > limits[LEFT]
        or right > limits[RIGHT]
        or points + base < limits[LEAST_WORTH]
        or crates < limits[LEAST_CRATES]
        or least > limits[OPEN]
    ):
        return found, number
    room = tops
    if limits[LYING] > 0:
        room = tops - limits[LYING] if free_swap else np.int64(height > 0)
    most = min(limits[OPEN], room)
    if least > most:
        return found, number
    if number == len(found):
        more = np.empty((2 * number, COLUMNS), np.int64)
        copy_rows(more, found)
        found = more
    found[number, SLID], found[number, CELL_X], found[number, CELL_Y] = slid, x, y
    found[number, HEIGHT], found[number, POINTS] = height, points
    found[number, LEAST], found[number, MOST] = least, most
    return found, number + 1


@inlined
def _counts(cells, count, x, y, height):
    """Tops, left, right and crates with a cell changed, and whether that covers an open card."""
    at, behind_x, behind_y = _NO_CELL, False, False
    front_x, front_y = 0, 0
    left, right, crates = 0, 0, 0
    for i in range(count):
        first_in_row, first_in_column = True, True
        for j in range(count):
            if cells[j, Y] == cells[i, Y] and cells[j, X] == cells[i, X] - 1:
                first_in_row = False
            if cells[j, X] == cells[i, X] and cells[j, Y] == cells[i, Y] - 1:
                first_in_column = False
        crates += cells[i, H]
        left += cells[i, H] if first_in_row else 0
        right += cells[i, H] if first_in_column else 0
        if cells[i, X] == x and cells[i, Y] == y:
            at = i
        if cells[i, Y] == y and cells[i, X] == x - 1:
            behind_x = True
        if cells[i, X] == x and cells[i, Y] == y - 1:
            behind_y = True
        if cells[i, Y] == y and cells[i, X] == x + 1:
            front_x = cells[i, H]
        if cells[i, X] == x and cells[i, Y] == y + 1:
            front_y = cells[i, H]
    if height == 0:
        return count, left, right, crates, False
    before = cells[at, H] if at >= 0 else 0
    grows = height - before
    left += 0 if behind_x else grows if at >= 0 else height - front_x
    right += 0 if behind_y else grows if at >= 0 else height - front_y
    tops = count if at >= 0 else count + 1
    return tops, left, right, crates + grows, at >= 0 and cells[at, O] == 1


@exported
def applied(cells, count, candidate, after):
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
