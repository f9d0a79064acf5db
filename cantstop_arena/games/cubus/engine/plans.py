"""What the compiled bots would build. Compiled by numba.

A plan is written as cells [x, y, height, open], ascending; the same builds as those of `bots`,
from the same numbers.
"""

import numpy as np

from cantstop_arena.games.cubus.engine import near
from cantstop_arena.games.cubus.engine.compiled import copy_numbers, njit_call
from cantstop_arena.games.cubus.engine.near import apply_candidate, candidates
from cantstop_arena.games.cubus.engine.query import (
    LYING,
    MIN_VALUE,
    OPEN,
    TOP,
    H,
    O,
    X,
    Y,
    min_open,
)
from cantstop_arena.games.cubus.engine.search import (
    add_group,
    decoded,
    first_group,
    fits,
    level_of,
    next_level,
)

GREEDY, FRUGAL, RANDOM, EAGER, HASTY, DENY = range(6)
CODES = {"greedy": 0, "frugal": 1, "random": 2, "eager": 3, "hasty": 4, "deny": 5}

_MAX_LENGTH = 320  # characters of a pile text
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_11, _27, _30, _31 = (np.uint64(n) for n in (11, 27, 30, 31))
_ONE_53RD = 1.0 / (1 << 53)
_DEPTH = 4


@njit_call(nrt=False)
def number_at(key, count):
    """The count-th 64-bit number of a stream, as in `chance`."""
    word = key + _GOLDEN * np.uint64(count)
    word = (word ^ (word >> _30)) * _MIX_1
    word = (word ^ (word >> _27)) * _MIX_2
    return word ^ (word >> _31)


@njit_call(nrt=False)
def below_at(key, count, limit):
    """The count-th number of a stream, as a whole number from 0 to below a limit."""
    return np.int64((number_at(key, count) >> _11) * _ONE_53RD * limit)


@njit_call(nrt=False)
def below(keys, drawn, seat, limit):
    """The next number of a seat's stream, as a whole number from 0 to below a limit."""
    drawn[seat] += 1
    return below_at(keys[seat], drawn[seat], limit)


@njit_call
def equals(code, library, order, query, worths, worth, following):
    """The keys of the targets among which a bot chooses, in the order of targets.

    `following`: of the next player, tops, left and right cards, then the deck's tops, left and
    right cards; looked at by deny alone.
    """
    group = first_group(library, query)
    if code in (GREEDY, EAGER):
        return next_level(library, order, query, group)[0]
    if code == FRUGAL:
        return _last_level(library, order, query)
    if code == RANDOM:
        return _all_levels(library, order, query, group)
    return _denying(library, order, query, group, worths, worth, following)


@njit_call
def _last_level(library, order, query):
    worth = query.limits[MIN_VALUE]
    keys = level_of(library, order, query, worth)
    while len(keys) == 0 and worth < query.limits[TOP]:
        worth += 1
        keys = level_of(library, order, query, worth)
    return keys


@njit_call
def _all_levels(library, order, query, group):
    found, count = np.empty(1024, np.int64), 0
    keys, group = next_level(library, order, query, group)
    while len(keys):
        while count + len(keys) > len(found):
            more = np.empty(2 * len(found), np.int64)
            copy_numbers(more, found)
            found = more
        copy_numbers(found[count:], keys)
        count += len(keys)
        keys, group = next_level(library, order, query, group)
    return found[:count]


@njit_call
def _denying(library, order, query, number, worths, worth, following):
    keys, count, best = np.empty(64, np.int64), 0, np.int64(-1) << 40
    number, value = _next_as_good(library, query, number, worths, worth, following, best)
    while number < len(library.groups):
        before = count if value == best else 0
        keys, after = add_group(library, order, query, number, keys, before)
        if after > before:
            best, count = value, after
        number, value = _next_as_good(library, query, number + 1, worths, worth, following, best)
    return np.sort(keys[:count])


@njit_call(nrt=False)
def _next_as_good(library, query, number, worths, worth, following, best):
    """The first group from a number on that may be as good as the best so far, and how good.

    The number of groups, where there is none.
    """
    groups, cards = library.groups, following[3] + following[4] + following[5]
    while number < len(groups) and groups[number, 0] > worth:
        own = (groups[number, 0] - worth) * max(1, cards)
        if own < best:
            break
        if fits(library, query, number):
            value = own - _left_to_next(worths, groups[number], following, cards)
            if value >= best:
                return number, value
        number += 1
    return len(groups), best


@njit_call(nrt=False)
def _left_to_next(worths, group, following, cards):
    """Bounds of the next player, added up over the cards that may be drawn."""
    if cards == 0:
        return _next_bound(worths, group, following, 0, 0, 0)
    left = 0
    if following[3]:
        left += following[3] * _next_bound(worths, group, following, 1, 0, 0)
    if following[4]:
        left += following[4] * _next_bound(worths, group, following, 0, 1, 0)
    if following[5]:
        left += following[5] * _next_bound(worths, group, following, 0, 0, 1)
    return left


@njit_call(nrt=False)
def _next_bound(worths, group, following, tops, left, right):
    best = worths[
        min(16, group[1] + following[0] + tops),
        min(16, group[2] + following[1] + left),
        min(16, group[3] + following[2] + right),
    ]
    return max(0, best - group[0])


@njit_call(nrt=False)
def place_target(library, order, query, key, cells, count, plan):
    """Write the target of a key as a plan, without new open cards; returns how many cells."""
    pile, x, y = decoded(library, order, key)
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
    """Open cards lie on the tops at their places again."""
    for i in range(count):
        if cells[i, O]:
            for j in range(placed):
                if _same_place(cells, i, plan, j):
                    plan[j, O] = 1


@njit_call(nrt=False)
def _same_place(cells, i, plan, j):
    across = cells[i, Y] - cells[i, X] == plan[j, Y] - plan[j, X]
    return across and cells[i, H] - cells[i, Y] == plan[j, H] - plan[j, Y]


@njit_call
def place_open(query, eager, free_swap, cells, count, plan, placed, keys, drawn, seat):
    """Lay new open cards on any places of a plan: the least, or as many as allowed."""
    limits = query.limits
    least = min_open(query, placed)
    if least == 0 and not (eager and limits[OPEN] > 0):
        return
    places, room = np.empty(16, np.int64), 0
    for j in range(placed):
        barred = False
        for i in range(count if limits[LYING] > 0 else 0):
            if (cells[i, O] or not free_swap) and _same_place(cells, i, plan, j):
                barred = True
        if not barred:
            places[room] = j
            room += 1
    number = min(limits[OPEN], room) if eager else least
    for place in range(number):
        other = place + below(keys, drawn, seat, room - place)
        places[place], places[other] = places[other], places[place]
        plan[places[place], O] = 1


@njit_call
def place_near(query, cells, count, free_swap, worth, plan, keys, drawn, seat):
    """Write a nearby target with most points as a plan; returns how many cells, 0 without any."""
    found = candidates(query, cells, count, free_swap, worth)
    if len(found) == 0:
        return 0
    texts = np.zeros((len(found), _MAX_LENGTH), np.uint8)
    rows = np.empty(len(found), np.int64)
    return _lay_best(query, cells, count, found, texts, rows, plan, keys, drawn, seat)


@njit_call(nrt=False)
def _lay_best(query, cells, count, found, texts, rows, plan, keys, drawn, seat):
    """Write one of the candidates with most points, of which the same pile counts once."""
    most, known = found[0, near.POINTS], 0
    for row in range(len(found)):
        most = max(most, found[row, near.POINTS])
    for row in range(len(found)):
        if found[row, near.POINTS] == most:
            placed = _lay_candidate(cells, count, found[row], query, plan)
            _write(plan, placed, texts[row])
            known = _enter(rows, known, texts, row)
    chosen = rows[below(keys, drawn, seat, known)]
    return _lay_candidate(cells, count, found[chosen], query, plan)


@njit_call(nrt=False)
def _lay_candidate(cells, count, candidate, query, plan):
    placed = apply_candidate(cells, count, candidate, plan)
    if query.limits[LYING] == 0:
        low_x, low_y = plan[:placed, X].min(), plan[:placed, Y].min()
        for i in range(placed):
            plan[i, X] -= low_x
            plan[i, Y] -= low_y
    _sort_cells(plan, placed)
    _carry_open(cells, count, plan, placed)
    return placed


@njit_call(nrt=False)
def _sort_cells(plan, placed):
    for last in range(1, placed):
        i = last
        while i and (plan[i, X], plan[i, Y]) < (plan[i - 1, X], plan[i - 1, Y]):
            for column in range(4):
                plan[i, column], plan[i - 1, column] = plan[i - 1, column], plan[i, column]
            i -= 1


@njit_call(nrt=False)
def _enter(rows, known, texts, row):
    """Enter a row into those sorted by text, unless one of the same text is there."""
    place = known
    while place:
        sign = _compared(texts[row], texts[rows[place - 1]])
        if sign == 0:
            return known
        if sign > 0:
            break
        place -= 1
    for i in range(known, place, -1):
        rows[i] = rows[i - 1]
    rows[place] = row
    return known + 1


@njit_call(nrt=False)
def _compared(one, other):
    for i in range(_MAX_LENGTH):
        if one[i] != other[i]:
            return 1 if one[i] > other[i] else -1
    return 0


@njit_call(nrt=False)
def _write(plan, placed, text):
    """Write the pile text of a plan, a byte a character, followed by zeros."""
    low_x, low_y = plan[:placed, X].min(), plan[:placed, Y].min()
    width, depth = plan[:placed, X].max() - low_x + 1, plan[:placed, Y].max() - low_y + 1
    text[:] = 0
    text[: (width + 1) * depth] = ord("0")
    for i in range(placed):
        place = (plan[i, Y] - low_y) * (width + 1) + plan[i, X] - low_x
        height = plan[i, H]
        text[place] = height + (ord("0") if height < 10 else ord("a") - 10)
    for y in range(depth):
        text[y * (width + 1) + width] = ord("/") if y < depth - 1 else ord("@")
    end = _write_number(text, (width + 1) * depth, low_x)
    text[end] = ord(",")
    _write_number(text, end + 1, low_y)


@njit_call(nrt=False)
def _write_number(text, place, number):
    """Write a number of at most two digits; returns the place after it."""
    if number < 0:
        text[place] = ord("-")
        place, number = place + 1, -number
    if number > 9:
        text[place] = ord("0") + number // 10
        place += 1
    text[place] = ord("0") + number % 10
    return place + 1
