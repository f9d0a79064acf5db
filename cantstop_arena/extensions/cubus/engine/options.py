"""What compiled bots do with their options, given the address of the row. Compiled by numba.

An option is a group of the library: piles of equal F, tops, left and right cards and crates. The
functions of `choices.options` do the same for bots in plain Python.
"""

import numba
import numpy as np

from cantstop_arena.extensions.cubus.engine import bot_row as at
from cantstop_arena.extensions.cubus.engine.bot_row import (
    BEGIN,
    END,
    MAX_CELLS,
)
from cantstop_arena.extensions.cubus.engine.compiled import njit_call, njit_entry
from cantstop_arena.extensions.cubus.engine.near import list_candidates
from cantstop_arena.extensions.cubus.engine.plans import (
    add_open_cards,
    below,
    write_best_candidate,
    write_target,
)
from cantstop_arena.extensions.cubus.engine.query import (
    UNIT,
    min_open,
)
from cantstop_arena.extensions.cubus.engine.query_arrays import (
    LYING,
    MIN_VALUE,
)
from cantstop_arena.extensions.cubus.engine.row_parts import (
    library_at,
    numbers_at,
    query_at,
    row_at,
    rows_at,
    streams_at,
    text_order_at,
)
from cantstop_arena.extensions.cubus.engine.search import (
    add_piles,
    anchor_bits,
    first_group,
    fits,
    has_hit,
    has_room,
    popcount,
    sort,
)
from cantstop_arena.native.bot_compiler import bytes_at, integers_at
from cantstop_arena.native.kernel_code import NO_ANSWER, SEAT

_TEXT_PLACE = 8 * at.NEAR_TEXTS


@njit_entry
def next_option(address):
    """The number of the next option after GIVEN, by falling points or, if FLAG, by rising ones.

    END if there is none.
    """
    row, library, query = row_at(address), library_at(address), query_at(address)
    if row[at.NO_OPTION]:
        return np.int64(END)
    given = row[at.GIVEN]
    lowest = query.limits[MIN_VALUE]
    first = first_group(library, query)
    end = max(first, library.levels[at.MAX_VALUE - lowest + 1])
    step = np.int64(-1) if row[at.FLAG] else np.int64(1)
    number = given + step
    if given == BEGIN:
        number = end - 1 if row[at.FLAG] else first
    while first <= number < end:
        if fits(library, query, number) and has_hit(library, query, number):
            return number
        number += step
    if given == BEGIN:
        row[at.NO_OPTION] = 1
    return np.int64(END)


@njit_call(nrt=False)
def count_hits(library, query, number):
    """The number of targets of an option."""
    group = library.groups[number]
    if query.limits[LYING] == 0:
        return group[6] - group[5]
    count, needed = np.int64(0), min_open(query, group[1])
    for pile in range(group[5], group[6]):
        mask = library.masks[pile]
        bits = anchor_bits(mask, query)
        if needed == 0:
            count += popcount(bits)
            continue
        while bits:
            lowest = bits & (~bits + UNIT)
            bits ^= lowest
            if has_room(mask, popcount(lowest - UNIT), group[1], needed, query):
                count += 1
    return count


@njit_entry
def choose(address):
    """Write a random target of the options kept as a plan, with new open cards on random cells.

    As few of these as needed or, if FLAG, as many as allowed. Returns what the bot must answer.
    """
    row = row_at(address)
    row[at.PLACED] = 0
    if row[at.KEPT] == 0:
        return np.int64(NO_ANSWER)
    library, order, query = library_at(address), text_order_at(address), query_at(address)
    streams, seat = streams_at(address), row[SEAT]
    keys = numbers_at(address, at.KEYS, at.MAX_KEYS)
    value, chosen = _chosen_value(address)
    count = np.int64(0)
    for index in range(row[at.KEPT]):
        number = row[at.KEPT_GROUPS + index]
        if library.groups[number, 0] == value:
            first = library.groups[number, 5]
            _, count = add_piles(library, order, query, number, first, keys, count)
    if count == 0:
        return np.int64(NO_ANSWER)
    if chosen < 0:
        chosen = below(streams, seat, count)
    chosen = min(chosen, count - 1)  # of options kept again and again some have had no room
    sort(keys, count)
    cells, plan = rows_at(address, at.CELLS, MAX_CELLS), rows_at(address, at.PLAN, MAX_CELLS)
    pile = cells, row[at.COUNT]
    row[at.PLACED] = write_target(library, order, query, keys[chosen], *pile, plan)
    return _finish(address, row[at.FLAG] != 0)


@njit_call
def _chosen_value(address):
    """The F of a random target of the options kept, and its number among those of this F.

    The number is -1 where all have the same F, so that it is still to be drawn.
    """
    row, library, query = row_at(address), library_at(address), query_at(address)
    value, is_same = library.groups[row[at.KEPT_GROUPS], 0], True
    for index in range(row[at.KEPT]):
        is_same &= library.groups[row[at.KEPT_GROUPS + index], 0] == value
    if is_same:
        return value, np.int64(-1)
    hits, total = numbers_at(address, at.HITS, at.MAX_VALUE + 1), np.int64(0)
    for index in range(len(hits)):
        hits[index] = 0
    for index in range(row[at.KEPT]):
        number = row[at.KEPT_GROUPS + index]
        count = count_hits(library, query, number)
        hits[library.groups[number, 0]] += count
        total += count
    if total == 0:
        return value, np.int64(0)
    chosen = below(streams_at(address), row[SEAT], total)
    value = np.int64(at.MAX_VALUE)
    while chosen >= hits[value]:
        chosen -= hits[value]
        value -= 1
    return value, chosen


@njit_entry
def choose_nearby(address):
    """Write a random one of the targets near the pile with most points as a plan.

    Returns what the bot must answer.
    """
    row, query = row_at(address), query_at(address)
    row[at.PLACED] = 0
    cells, plan = rows_at(address, at.CELLS, MAX_CELLS), rows_at(address, at.PLAN, MAX_CELLS)
    near_at = address + 8 * at.NEAR
    rows = numba.carray(integers_at(near_at), (at.NEAR_ROWS, at.NEAR_COLUMNS))
    side = at.NEAR_SIDE
    grid = numba.carray(integers_at(address + 8 * at.NEAR_GRID), (side, side))
    lifted = rows_at(address, at.NEAR_CELLS, MAX_CELLS)
    pile, free_swap = (cells, row[at.COUNT]), row[at.FREE_SWAP] != 0
    count = list_candidates(query, *pile, free_swap, row[at.VALUE], rows, grid, lifted)
    if count == 0:
        return np.int64(NO_ANSWER)
    texts = numba.carray(bytes_at(address + _TEXT_PLACE), (at.NEAR_ROWS, at.TEXT_LENGTH))
    order = numbers_at(address, at.NEAR_ORDER, at.NEAR_ROWS)
    row[at.PLACED] = write_best_candidate(
        query, *pile, rows, count, texts, order, plan, streams_at(address), row[SEAT]
    )
    return _finish(address, False)


@njit_call
def _finish(address, most):
    """Put new open cards on the plan. Returns what the bot must answer."""
    row = row_at(address)
    cells, plan = rows_at(address, at.CELLS, MAX_CELLS), rows_at(address, at.PLAN, MAX_CELLS)
    room = numbers_at(address, at.ROOM, MAX_CELLS)
    swap, pile = row[at.FREE_SWAP] != 0, (cells, row[at.COUNT])
    stream = streams_at(address), row[SEAT]
    add_open_cards(query_at(address), most, swap, *pile, plan, row[at.PLACED], room, *stream)
    row[at.TOKEN] += 1
    return row[at.TOKEN]
