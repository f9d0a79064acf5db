"""Queries of a search: the available cards, and the places of open cards. Compiled by numba.

All 49 places of a top are tried at once: `shifts` lead from the place of the first open card (the
anchor) to those of the others, `columns` are the bits at which a shift stays in its row, and
`barred` has, for each place of the anchor, the bits where no new open card may lie.
"""

import numpy as np

from cantstop_arena.extensions.cubus.engine.compiled import njit_call, njit_entry
from cantstop_arena.extensions.cubus.engine.library import MAX_VALUE, SPAN
from cantstop_arena.extensions.cubus.engine.query_arrays import (
    ANCHOR_U,
    ANCHOR_V,
    LEFT,
    LIDS,
    LYING,
    MAX_CRATES,
    MIN_CRATES,
    MIN_VALUE,
    OPEN,
    RIGHT,
    TOP,
    H,
    O,
    X,
    Y,
)

UNIT = np.uint64(1)


@njit_entry
def aim(query, best_values, cells, count, cards, free_swap, min_value, min_crates, max_crates):
    """Fill a query. `cells`: the table's [x, y, height, open]; `cards`: the hand by type."""
    limits = query.limits
    lying, left, right, _ = pile_cards(cells, count)
    limits[LIDS] = count - lying + cards[0]
    limits[OPEN] = cards[1]
    limits[LEFT] = left + cards[2]
    limits[RIGHT] = right + cards[3]
    limits[LYING] = lying
    limits[MIN_VALUE] = min_value
    limits[MIN_CRATES] = min_crates
    limits[MAX_CRATES] = max_crates
    tops = min(16, limits[LIDS] + cards[1] + lying)
    limits[TOP] = min(MAX_VALUE, best_values[tops, min(16, limits[LEFT]), min(16, limits[RIGHT])])
    if lying > 0:
        _aim_at_open(query, cells, count)
        if cards[1] > 0 and limits[LYING] > 0:
            _bar(query, cells, count, free_swap)


@njit_call(nrt=False)
def pile_cards(cells, count):
    """Open, left and right cards of a pile, and its crates."""
    lying, left, right, crates = 0, 0, 0, 0
    for i in range(count):
        lying += cells[i, O]
        crates += cells[i, H]
        first_in_row, first_in_column = True, True
        for j in range(count):
            if cells[j, Y] == cells[i, Y] and cells[j, X] == cells[i, X] - 1:
                first_in_row = False
            if cells[j, X] == cells[i, X] and cells[j, Y] == cells[i, Y] - 1:
                first_in_column = False
        if first_in_row:
            left += cells[i, H]
        if first_in_column:
            right += cells[i, H]
    return lying, left, right, crates


@njit_call(nrt=False)
def _aim_at_open(query, cells, count):
    """Set the anchor, the lowest open card (among equals the leftmost), and the shifts from it."""
    anchor = -1
    for i in range(count):
        if cells[i, O]:
            v, u = cells[i, H] - 1 - cells[i, Y], cells[i, Y] - cells[i, X]
            if (
                anchor < 0
                or v < query.limits[ANCHOR_V]
                or (v == query.limits[ANCHOR_V] and u < query.limits[ANCHOR_U])
            ):
                anchor = i
                query.limits[ANCHOR_U], query.limits[ANCHOR_V] = u, v
    index = 0
    for i in range(count):
        if cells[i, O] and i != anchor:
            across = cells[i, Y] - cells[i, X] - query.limits[ANCHOR_U]
            up = cells[i, H] - 1 - cells[i, Y] - query.limits[ANCHOR_V]
            if abs(across) >= SPAN or up >= SPAN:
                query.limits[LYING] = -1
                return
            query.shifts[index] = np.uint64(SPAN * up + across)
            query.columns[index] = _columns(across)
            index += 1


@njit_call(nrt=False)
def _columns(across):
    """The mask of the bits that have another one, `across` bits further, in the same row."""
    mask = np.uint64(0)
    for bit in range(SPAN * SPAN):
        if 0 <= bit % SPAN + across < SPAN:
            mask |= UNIT << np.uint64(bit)
    return mask


@njit_call(nrt=False)
def _bar(query, cells, count, free_swap):
    """Set `barred`: for each bit of the anchor, the bits where no new open card may lie."""
    for bit in range(SPAN * SPAN):
        mask = np.uint64(0)
        for i in range(count):
            if cells[i, O] or not free_swap:
                a = cells[i, Y] - cells[i, X] - query.limits[ANCHOR_U] + bit % SPAN
                b = cells[i, H] - 1 - cells[i, Y] - query.limits[ANCHOR_V] + bit // SPAN
                if 0 <= a < SPAN and 0 <= b < SPAN:
                    mask |= UNIT << np.uint64(SPAN * b + a)
        query.barred[bit] = mask


@njit_call(nrt=False)
def min_open(query, tops):
    """The number of new open cards that replace missing lids in a pile of `tops` tops."""
    return max(0, tops - query.limits[LYING] - query.limits[LIDS])


@njit_call(nrt=False)
def is_hopeless(query):
    """Whether no pile of any box can be a hit."""
    return query.limits[LYING] < 0 or query.limits[TOP] < 0
