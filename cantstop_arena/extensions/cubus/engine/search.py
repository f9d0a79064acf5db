"""The search for targets in a library, level by level of falling F. Compiled by numba.

A position of a shape is a hit where every open card on the table meets one of its tops. All 49
positions are tried at once: the mask of tops, shifted for each open card so that the first of
them (the anchor) is the unit, leaves the bits at which all of them lie on tops.

A hit is one integer, its key. Keys have the order of targets: by falling points, then by text.
Their bits are 144 - F, the rank of the shape's text, and the ranks of the corner's x and y as
texts.
"""

import numpy as np

from cantstop_arena.extensions.cubus.engine.compiled import njit_call
from cantstop_arena.extensions.cubus.engine.library import MAX_VALUE, SPAN
from cantstop_arena.extensions.cubus.engine.query import (
    UNIT,
    is_hopeless,
    min_open,
)
from cantstop_arena.extensions.cubus.engine.query_arrays import (
    ANCHOR_U,
    ANCHOR_V,
    LEFT,
    LYING,
    MAX_CRATES,
    MIN_CRATES,
    MIN_VALUE,
    OPEN,
    RIGHT,
    TOP,
)
from cantstop_arena.extensions.cubus.engine.text_order import FAR, MAX_HITS, VALUE_SHIFT

_CORNER_BITS = 7
_RANK_SHIFT = 14
_RANK_MASK = (1 << 21) - 1
_CORNER_MASK = (1 << _CORNER_BITS) - 1
_M1 = np.uint64(0x5555555555555555)
_M2 = np.uint64(0x3333333333333333)
_M4 = np.uint64(0x0F0F0F0F0F0F0F0F)
_H01 = np.uint64(0x0101010101010101)
_S1, _S2, _S4, _S56 = (np.uint64(n) for n in (1, 2, 4, 56))


@njit_call(nrt=False)
def popcount(word):
    """The number of set bits."""
    word = word - ((word >> _S1) & _M1)
    word = (word & _M2) + ((word >> _S2) & _M2)
    word = (word + (word >> _S4)) & _M4
    return np.int64((word * _H01) >> _S56)


@njit_call(nrt=False)
def fits(library, query, number):
    """Whether the cards of a query suffice for a group."""
    limits, group = query.limits, library.groups[number]
    return (
        group[2] <= limits[LEFT]
        and group[3] <= limits[RIGHT]
        and limits[MIN_CRATES] <= group[4] <= limits[MAX_CRATES]
        and min_open(query, group[1]) <= limits[OPEN]
    )


@njit_call(nrt=False)
def anchor_bits(mask, query):
    """The bits of the anchor at which all open cards lie on tops."""
    bits = mask
    for i in range(query.limits[LYING] - 1):
        bits &= (mask >> query.shifts[i]) & query.columns[i]
    return bits


@njit_call(nrt=False)
def corner_at(query, bit):
    """The shape's corner (x, y) when the anchor is at a bit."""
    middle = SPAN // 2
    y = bit // SPAN - middle - query.limits[ANCHOR_V]
    return y - query.limits[ANCHOR_U] + bit % SPAN - middle, y


@njit_call(nrt=False)
def _key(order, value, rank, x, y):
    corner = (order.x_ranks[x + FAR] << _CORNER_BITS) | order.y_ranks[y + FAR]
    return ((MAX_VALUE - value) << VALUE_SHIFT) | (np.int64(rank) << _RANK_SHIFT) | corner


@njit_call(nrt=False)
def has_hit(library, query, number):
    """Whether a pile of a group can be built on the table."""
    group = library.groups[number]
    if query.limits[LYING] == 0:
        return True
    needed = min_open(query, group[1])
    for pile in range(group[5], group[6]):
        mask = library.masks[pile]
        bits = anchor_bits(mask, query)
        while bits:
            lowest = bits & (~bits + UNIT)
            bits ^= lowest
            if has_room(mask, popcount(lowest - UNIT), group[1], needed, query):
                return True
    return False


@njit_call(nrt=False)
def has_room(mask, bit, tops, needed, query):
    """Whether a pile with the anchor at a bit has cells for the open cards that it needs."""
    return needed == 0 or tops - popcount(mask & query.barred[bit]) >= needed


@njit_call(nrt=False)
def add_piles(library, order, query, number, pile, keys, count):
    """Append the hits of a group from `pile` on, while there is room; returns the next pile."""
    group = library.groups[number]
    value, tops = group[0], group[1]
    needed = min_open(query, tops)
    while pile < group[6] and count + MAX_HITS <= len(keys):
        if query.limits[LYING] == 0:
            keys[count] = _key(order, value, library.ranks[pile], 0, 0)
            count += 1
        else:
            mask = library.masks[pile]
            bits = anchor_bits(mask, query)
            while bits:
                lowest = bits & (~bits + UNIT)
                bits ^= lowest
                bit = popcount(lowest - UNIT)
                if has_room(mask, bit, tops, needed, query):
                    x, y = corner_at(query, bit)
                    keys[count] = _key(order, value, library.ranks[pile], x, y)
                    count += 1
        pile += 1
    return pile, count


@njit_call(nrt=False)
def sort(keys, count):
    """Sort the first `count` keys; numba takes a second to compile `np.sort`."""
    gap = 1
    while 3 * gap < count:
        gap = 3 * gap + 1
    while gap:
        for index in range(gap, count):
            key, free = keys[index], index
            while free >= gap and keys[free - gap] > key:
                keys[free] = keys[free - gap]
                free -= gap
            keys[free] = key
        gap //= 3


@njit_call(nrt=False)
def first_group(library, query):
    """The first group of a search: that of the greatest F that the cards allow."""
    if is_hopeless(query):
        return len(library.groups)
    return library.levels[MAX_VALUE - query.limits[TOP]]


@njit_call(nrt=False)
def next_level(library, order, query, number, keys, following):
    """Write the keys of the next F with hits, ascending; returns their number.

    `following[0]` becomes the group to continue with. There are no keys when there are no more
    hits. Where less than MAX_HITS of `keys` is left, it may not have held all.
    """
    groups, level, count = library.groups, MAX_VALUE + 1, 0
    min_value = query.limits[MIN_VALUE]
    number = next_fitting(library, query, number, min_value)
    while number < len(groups):
        if groups[number, 0] < level:
            if count:
                break
            level = groups[number, 0]
        pile, count = add_piles(library, order, query, number, groups[number, 5], keys, count)
        if pile < groups[number, 6]:
            return count
        number = next_fitting(library, query, number + 1, min_value)
    sort(keys, count)
    following[0] = number
    return count


@njit_call(nrt=False)
def level_of(library, order, query, value, keys):
    """Write the keys of the hits of an F, ascending; returns their number, as `next_level` does."""
    count = 0
    if is_hopeless(query) or value > query.limits[TOP]:
        return count
    groups = library.groups
    number = next_fitting(library, query, library.levels[MAX_VALUE - value], value)
    while number < len(groups):
        pile, count = add_piles(library, order, query, number, groups[number, 5], keys, count)
        if pile < groups[number, 6]:
            return count
        number = next_fitting(library, query, number + 1, value)
    sort(keys, count)
    return count


@njit_call(nrt=False)
def keys_of(library, order, query, numbers, keys):
    """Write the keys of the hits of these groups, ascending; returns their number likewise."""
    count, groups = 0, library.groups
    for number in numbers:
        pile, count = add_piles(library, order, query, number, groups[number, 5], keys, count)
        if pile < groups[number, 6]:
            return count
    sort(keys, count)
    return count


@njit_call(nrt=False)
def next_fitting(library, query, number, min_value):
    """The first group, from `number` on and with F >= `min_value`, for which the cards suffice.

    The number of groups, when there is none.
    """
    groups = library.groups
    while number < len(groups) and groups[number, 0] >= min_value:
        if fits(library, query, number):
            return number
        number += 1
    return len(groups)


@njit_call(nrt=False)
def decoded(library, order, key):
    """The pile of a key, as its number in the library, and its corner."""
    pile = library.by_rank[(key >> _RANK_SHIFT) & _RANK_MASK]
    x = order.xs[(key >> _CORNER_BITS) & _CORNER_MASK]
    return np.int64(pile), x, order.ys[key & _CORNER_MASK]


@njit_call(nrt=False)
def open_room(library, order, query, keys, rows):
    """Write a row for each key: heights, x, y, and `least` and `most` new open cards (Target)."""
    for i in range(len(keys)):
        pile, x, y = decoded(library, order, keys[i])
        mask = library.masks[pile]
        tops = popcount(mask)
        room = tops
        if query.limits[LYING] > 0 and query.limits[OPEN] > 0:
            b = y + query.limits[ANCHOR_V] + SPAN // 2
            a = x - y + query.limits[ANCHOR_U] + SPAN // 2
            room -= popcount(mask & query.barred[SPAN * b + a])
        rows[i, 0] = np.int64(library.heights[pile])
        rows[i, 1], rows[i, 2] = x, y
        rows[i, 3] = min_open(query, tops)
        rows[i, 4] = min(query.limits[OPEN], room)
