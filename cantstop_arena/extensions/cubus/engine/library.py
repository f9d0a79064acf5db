"""The library of a box: every pile that fits into it, up to translation, in search order.

Piles are enumerated row by row with array operations. They are sorted by falling F = 3N - cards,
then into groups of equal (tops, left, right, N), then by text. So a search may stop at the first
F with a hit, and visits only groups for which the cards suffice.

A pile is two numbers: its heights, three bits for each cell, and the mask of its tops, a bit for
each of the 7 x 7 possible places relative to the corner (bit 7b + a: a = u + 3, b = v + 3).
"""

from functools import cache
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cantstop_arena.extensions.cubus.engine.bot_row import MAX_VALUE as MAX_VALUE
from cantstop_arena.extensions.cubus.engine.bot_row import SPAN as SPAN
from cantstop_arena.extensions.cubus.engine.engine_cache import ENGINE_CACHE
from cantstop_arena.extensions.cubus.rules import MAX_SIDE_LENGTH, Box
from cantstop_arena.native.array_files import stored_arrays
from cantstop_arena.native.code_cache import cache_folder

FORMAT = 1  # of the stored files; part of their name, so that older ones are not read
_BITS = 3
_SLASH, _DIGIT, _END = 0, 1, MAX_SIDE_LENGTH + 2  # codes in the order of the signs / 0 1 2 3 4 @

Numbers = NDArray[np.int64]
BitSets = NDArray[np.uint64]


class Library(NamedTuple):
    """The piles of a box. `ranks`: a pile's rank in the order of texts; `by_rank`: the inverse.

    `groups` has a row for each group: F, tops, left, right, crates, first pile, end. `levels`:
    the first group with F at most 144, 143, …, 0, and -1 (or less).
    """

    masks: BitSets
    heights: BitSets
    ranks: NDArray[np.uint32]
    by_rank: NDArray[np.uint32]
    groups: Numbers
    levels: Numbers


class _LibraryRow(NamedTuple):
    """One row of a pile, from column `first` to before column `end`."""

    first: int
    end: int
    heights: tuple[int, ...]


class _Piles(NamedTuple):
    """Piles with equal numbers of rows, as arrays over piles."""

    row: Numbers  # the last row's number
    width: Numbers  # columns from 0 to the end of the first row
    masks: BitSets
    heights: BitSets
    counts: Numbers  # crates, tops, left, right


@cache
def library(box: Box) -> Library:
    """The library of a box, from a file that all processes share; built at the first use."""
    name = f"library-{FORMAT}-{'x'.join(map(str, box))}"
    return Library(*stored_arrays(cache_folder(ENGINE_CACHE.game), name, lambda: build(box)))


def build(box: Box) -> Library:
    """Enumerate and sort the piles of a box."""
    masks, heights, counts, keys = _enumerated(box)
    crates, tops, left, right = counts
    value = 3 * crates - tops - left - right
    order = np.lexsort((keys, _packed(MAX_VALUE - value, tops, left, right, crates)))
    table = np.stack([value, tops, left, right, crates], axis=1)[order]
    ranks = np.empty(len(keys), np.uint32)
    by_key = np.argsort(keys[order])
    ranks[by_key] = np.arange(len(keys), dtype=np.uint32)
    groups = _grouped(table)
    return Library(
        masks[order], heights[order], ranks, by_key.astype(np.uint32), groups, _levels(groups)
    )


def _packed(*columns: Numbers) -> Numbers:
    """Numbers in the order of rows of numbers, each below 256; one is sorted faster than five."""
    packed = np.zeros_like(columns[0])
    for column in columns:
        packed = packed << 8 | column
    return packed


def _grouped(table: Numbers) -> Numbers:
    new = np.any(table[1:] != table[:-1], axis=1)
    starts = np.concatenate([[0], np.nonzero(new)[0] + 1])
    ends = np.append(starts[1:], len(table))
    return np.column_stack([table[starts], starts, ends])


def _levels(groups: Numbers) -> Numbers:
    falling = np.arange(MAX_VALUE, -2, -1)
    return np.searchsorted(-groups[:, 0], -falling).astype(np.int64)


def _enumerated(box: Box) -> tuple[BitSets, BitSets, Numbers, BitSets]:
    """All piles of a box: masks, heights, counts, and keys in the order of the texts."""
    width, depth, tallest = box
    rows = _rows(width, tallest)
    follows = _follows(rows)
    level, by_depth = _first(rows), []
    for y in range(depth):
        if y:
            level = _extended(level, rows, follows, y)
        by_depth.append(_finished(level, rows, y + 1))
    masks, heights, counts, keys = zip(*by_depth, strict=True)
    return (
        np.concatenate(masks),
        np.concatenate(heights),
        np.concatenate(counts, axis=1),
        np.concatenate(keys),
    )


def _rows(width: int, tallest: int) -> list[_LibraryRow]:
    return [
        _LibraryRow(first, end, heights)
        for first in range(width)
        for end in range(first + 1, width + 1)
        for heights in product(range(tallest, 0, -1), repeat=end - first)
        if list(heights) == sorted(heights, reverse=True)
    ]


def _follows(rows: list[_LibraryRow]) -> list[Numbers]:
    """For each row, the numbers of the rows that may lie in front of it (R4 to R6)."""
    return [
        np.array([number for number, row in enumerate(rows) if _may_follow(behind, row)], np.int64)
        for behind in rows
    ]


def _may_follow(behind: _LibraryRow, row: _LibraryRow) -> bool:
    steps = row.first <= behind.first < row.end <= behind.end
    return steps and all(
        behind.heights[x - behind.first] >= row.heights[x - row.first]
        for x in range(behind.first, row.end)
    )


def _first(rows: list[_LibraryRow]) -> _Piles:
    count = len(rows)
    return _Piles(
        np.arange(count),
        np.array([row.end for row in rows]),
        _row_masks(rows, 0),
        _row_heights(rows, 0),
        np.array([_row_counts(row, row.end) for row in rows]).T.reshape(4, count),
    )


def _row_masks(rows: list[_LibraryRow], y: int) -> BitSets:
    """The masks of the tops of each row, as the y-th row of a pile."""
    return np.array([sum(1 << _bit(x, y, h) for x, h in _cells(row)) for row in rows], np.uint64)


def _bit(x: int, y: int, height: int) -> int:
    middle = MAX_SIDE_LENGTH - 1
    return SPAN * (height - 1 - y + middle) + y - x + middle


def _row_heights(rows: list[_LibraryRow], y: int) -> BitSets:
    return np.array(
        [sum(h << _BITS * (MAX_SIDE_LENGTH * y + x) for x, h in _cells(row)) for row in rows],
        np.uint64,
    )


def _cells(row: _LibraryRow) -> list[tuple[int, int]]:
    return list(enumerate(row.heights, start=row.first))


def _row_counts(row: _LibraryRow, before: int) -> tuple[int, int, int, int]:
    """Crates, tops, left and right cards of a row; the row behind starts in column `before`."""
    right = sum(height for x, height in _cells(row) if x < before)
    return sum(row.heights), len(row.heights), row.heights[0], right


def _extended(level: _Piles, rows: list[_LibraryRow], follows: list[Numbers], y: int) -> _Piles:
    """All piles with one row more."""
    number = np.array([len(after) for after in follows])[level.row]
    old = np.repeat(np.arange(len(level.row)), number)
    row = np.concatenate([follows[last] for last in level.row])
    first = np.array([r.first for r in rows])[level.row[old]]
    counts = np.array([[_row_counts(r, before) for r in rows] for before in range(MAX_SIDE_LENGTH)])
    return _Piles(
        row,
        level.width[old],
        level.masks[old] | _row_masks(rows, y)[row],
        level.heights[old] | _row_heights(rows, y)[row],
        level.counts[:, old] + counts[first, row].T,
    )


def _finished(
    level: _Piles, rows: list[_LibraryRow], depth: int
) -> tuple[BitSets, BitSets, Numbers, BitSets]:
    """The piles whose last row starts in column 0, which makes column 0 their leftmost."""
    in_corner = np.array([row.first == 0 for row in rows])[level.row]
    heights, width = level.heights[in_corner], level.width[in_corner]
    return (
        level.masks[in_corner],
        heights,
        level.counts[:, in_corner],
        _text_keys(heights, width, depth),
    )


def _text_keys(heights: BitSets, width: Numbers, depth: int) -> BitSets:
    """Keys in the order of the texts, packed from the codes of the signs up to the @."""
    keys = np.zeros(len(heights), np.uint64)
    for columns in range(1, MAX_SIDE_LENGTH + 1):
        chosen = width == columns
        signs = _signs(heights[chosen], columns, depth)
        max_length = MAX_SIDE_LENGTH * (MAX_SIDE_LENGTH + 1)
        for index, sign in enumerate(signs):
            keys[chosen] |= sign << np.uint64(_BITS * (max_length - 1 - index))
    return keys


def _signs(heights: BitSets, columns: int, depth: int) -> list[BitSets]:
    listed = []
    for y in range(depth):
        for x in range(columns):
            digit = heights >> np.uint64(_BITS * (MAX_SIDE_LENGTH * y + x)) & np.uint64(7)
            listed.append(digit + np.uint64(_DIGIT))
        listed.append(np.full_like(heights, _SLASH if y < depth - 1 else _END))
    return listed


def shape_text(heights: int) -> str:
    """The text of a library pile without its corner, from its packed heights."""
    rows = [heights >> _BITS * MAX_SIDE_LENGTH * y & 0xFFF for y in range(MAX_SIDE_LENGTH)]
    filled = [[row >> _BITS * x & 7 for x in range(MAX_SIDE_LENGTH)] for row in rows if row]
    width = max(x for row in filled for x, height in enumerate(row, start=1) if height)
    return "/".join("".join(map(str, row[:width])) for row in filled)
