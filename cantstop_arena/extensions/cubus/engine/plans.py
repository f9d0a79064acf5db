"""The builds of the compiled bots. Compiled by numba.

A plan is an array of cells [x, y, height, open], ascending. The builds equal those of `bots` with
the same random numbers.
"""

import numpy as np

from cantstop_arena.extensions.cubus.engine.bot_row import TEXT_LENGTH
from cantstop_arena.extensions.cubus.engine.compiled import njit_call
from cantstop_arena.extensions.cubus.engine.near import apply_candidate
from cantstop_arena.extensions.cubus.engine.query import (
    min_open,
)
from cantstop_arena.extensions.cubus.engine.query_arrays import (
    LYING,
    OPEN,
    POINTS,
    H,
    O,
    X,
    Y,
)
from cantstop_arena.extensions.cubus.engine.search import decoded

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_11, _27, _30, _31 = (np.uint64(n) for n in (11, 27, 30, 31))
_ONE = np.uint64(1)
_FLOAT_UNIT = 1.0 / (1 << 53)
_DEPTH = 4
_ZERO, _LETTER_A, _MINUS, _SLASH, _AT, _COMMA = (ord(sign) for sign in "0a-/@,")


@njit_call(nrt=False)
def number_at(key, count):
    """The 64-bit number of index `count` (from 1) of a stream, as in `chance`."""
    word = key + _GOLDEN * np.uint64(count)
    word = (word ^ (word >> _30)) * _MIX_1
    word = (word ^ (word >> _27)) * _MIX_2
    return word ^ (word >> _31)


@njit_call(nrt=False)
def below_at(key, count, limit):
    """The number of index `count` of a stream, as an integer from 0 to below `limit`."""
    return np.int64((number_at(key, count) >> _11) * _FLOAT_UNIT * limit)


@njit_call(nrt=False)
def below(streams, seat, limit):
    """The next number of a seat's stream, as an integer from 0 to below `limit`.

    A stream is its key, and how many numbers were drawn.
    """
    streams[seat, 1] += _ONE
    return below_at(streams[seat, 0], streams[seat, 1], limit)


@njit_call(nrt=False)
def shuffle(items, count, key):
    """Shuffle the first `count` items, with the numbers of a stream."""
    for number in range(1, count):
        last = count - number
        other = below_at(key, number, last + 1)
        items[last], items[other] = items[other], items[last]


@njit_call(nrt=False)
def write_target(library, order, query, key, cells, count, plan):
    """Write the target of a key as a plan, without new open cards; returns its cells' number."""
    pile, x, y = decoded(library, order, key)
    return write_pile(library, pile, x, y, cells, count, plan)


@njit_call(nrt=False)
def write_pile(library, pile, x, y, cells, count, plan):
    """Write a pile of the library with its corner at (x, y) as `write_target` does."""
    heights = library.heights[pile]
    placed = 0
    for across in range(_DEPTH):
        for down in range(_DEPTH):
            shift = np.uint64(3 * (_DEPTH * down + across))
            height = np.int64((heights >> shift) & np.uint64(7))
            if height:
                plan[placed, X], plan[placed, Y] = x + across, y + down
                plan[placed, H], plan[placed, O] = height, 0
                placed += 1
    _carry_open(cells, count, plan, placed)
    return placed


@njit_call(nrt=False)
def _carry_open(cells, count, plan, placed):
    """Mark the plan's tops at the places of the table's open cards as open."""
    for i in range(count):
        if cells[i, O]:
            for j in range(placed):
                if _same_spot(cells, i, plan, j):
                    plan[j, O] = 1


@njit_call(nrt=False)
def _same_spot(cells, i, plan, j):
    across = cells[i, Y] - cells[i, X] == plan[j, Y] - plan[j, X]
    return across and cells[i, H] - cells[i, Y] == plan[j, H] - plan[j, Y]


@njit_call(nrt=False)
def add_open_cards(query, most, free_swap, cells, count, plan, placed, rows, streams, seat):
    """Put new open cards on random cells of a plan: as few as needed, or as many as allowed.

    `rows` is room for the numbers of the plan's cells.
    """
    limits = query.limits
    needed = min_open(query, placed)
    if needed == 0 and not (most and limits[OPEN] > 0):
        return
    room = 0
    for j in range(placed):
        barred = False
        for i in range(count if limits[LYING] > 0 else 0):
            if (cells[i, O] or not free_swap) and _same_spot(cells, i, plan, j):
                barred = True
        if not barred:
            rows[room] = j
            room += 1
    number = min(limits[OPEN], room) if most else needed
    for index in range(number):
        other = index + below(streams, seat, room - index)
        rows[index], rows[other] = rows[other], rows[index]
        plan[rows[index], O] = 1


@njit_call(nrt=False)
def write_best_candidate(query, cells, count, nearby, number, texts, rows, plan, streams, seat):
    """Write a random one of the first candidates with most points as a plan; returns its cells'
    number. Equal piles count once.

    `texts` and `rows` are room for the text and the number of each candidate.
    """
    best, distinct = nearby[0, POINTS], 0
    for row in range(number):
        best = max(best, nearby[row, POINTS])
    for row in range(number):
        if nearby[row, POINTS] == best:
            placed = _write_candidate(cells, count, nearby[row], query, plan)
            _write_text(plan, placed, texts[row])
            distinct = _insert_row(rows, distinct, texts, row)
    chosen = rows[below(streams, seat, distinct)]
    return _write_candidate(cells, count, nearby[chosen], query, plan)


@njit_call(nrt=False)
def _write_candidate(cells, count, candidate, query, plan):
    placed = apply_candidate(cells, count, candidate, plan)
    if query.limits[LYING] == 0:
        low_x, low_y, _, _ = _edges(plan, placed)
        for i in range(placed):
            plan[i, X] -= low_x
            plan[i, Y] -= low_y
    _sort_cells(plan, placed)
    _carry_open(cells, count, plan, placed)
    return placed


@njit_call(nrt=False)
def _edges(plan, placed):
    """The lowest x and y of a plan's cells, and the highest."""
    low_x, low_y, high_x, high_y = plan[0, X], plan[0, Y], plan[0, X], plan[0, Y]
    for i in range(1, placed):
        low_x, high_x = min(low_x, plan[i, X]), max(high_x, plan[i, X])
        low_y, high_y = min(low_y, plan[i, Y]), max(high_y, plan[i, Y])
    return low_x, low_y, high_x, high_y


@njit_call(nrt=False)
def _sort_cells(plan, placed):
    for last in range(1, placed):
        i = last
        while i and (plan[i, X], plan[i, Y]) < (plan[i - 1, X], plan[i - 1, Y]):
            for column in range(4):
                plan[i, column], plan[i - 1, column] = plan[i - 1, column], plan[i, column]
            i -= 1


@njit_call(nrt=False)
def _insert_row(rows, distinct, texts, row):
    """Insert a row into `rows`, sorted by text, unless its text is there; returns their number."""
    index = distinct
    while index:
        sign = _text_order(texts[row], texts[rows[index - 1]])
        if sign == 0:
            return distinct
        if sign > 0:
            break
        index -= 1
    for i in range(distinct, index, -1):
        rows[i] = rows[i - 1]
    rows[index] = row
    return distinct + 1


@njit_call(nrt=False)
def _text_order(first, second):
    for i in range(TEXT_LENGTH):
        if first[i] != second[i]:
            return 1 if first[i] > second[i] else -1
    return 0


@njit_call(nrt=False)
def _write_text(plan, placed, text):
    """Write the pile text of a plan, one byte per character, padded with zeros."""
    low_x, low_y, high_x, high_y = _edges(plan, placed)
    width, depth = high_x - low_x + 1, high_y - low_y + 1
    for i in range(len(text)):
        text[i] = _ZERO if i < (width + 1) * depth else 0
    for i in range(placed):
        index = (plan[i, Y] - low_y) * (width + 1) + plan[i, X] - low_x
        height = plan[i, H]
        text[index] = height + (_ZERO if height < 10 else _LETTER_A - 10)
    for y in range(depth):
        text[y * (width + 1) + width] = _SLASH if y < depth - 1 else _AT
    end = _write_number(text, (width + 1) * depth, low_x)
    text[end] = _COMMA
    _write_number(text, end + 1, low_y)


@njit_call(nrt=False)
def _write_number(text, index, number):
    """Write a number of at most two digits; returns the index after it."""
    if number < 0:
        text[index] = _MINUS
        index, number = index + 1, -number
    if number > 9:
        text[index] = _ZERO + number // 10
        index += 1
    text[index] = _ZERO + number % 10
    return index + 1
