"""The parts of a row (`bot_row`) as arrays and tuples of arrays, given its address. By numba."""

import numba

from cantstop_arena.extensions.cubus.engine import bot_row as at
from cantstop_arena.extensions.cubus.engine.compiled import njit_inline
from cantstop_arena.extensions.cubus.engine.library import Library
from cantstop_arena.extensions.cubus.engine.query_arrays import (
    CompiledRules,
    Query,
)
from cantstop_arena.extensions.cubus.engine.text_order import FAR, TextOrder
from cantstop_arena.native.bot_compiler import half_words_at, integers_at, words_at

_NUMBER = 8  # bytes
_SPOTS = at.SPAN * at.SPAN
_SIDE = 17  # of the table of best values: numbers of cards from 0 to 16


@njit_inline
def row_at(address):
    """The whole row."""
    return numba.carray(integers_at(address), at.SIZE)


@njit_inline
def numbers_at(address, place, count):
    """So many numbers of the row."""
    return numba.carray(integers_at(address + _NUMBER * place), count)


@njit_inline
def rows_at(address, place, count):
    """So many rows of four numbers: cells, or cards of hands."""
    return numba.carray(integers_at(address + _NUMBER * place), (count, 4))


@njit_inline
def _words_at(address, place, count):
    return numba.carray(words_at(address + _NUMBER * place), count)


@njit_inline
def streams_at(address):
    """The streams of the seats' random numbers."""
    return numba.carray(words_at(address + _NUMBER * at.STREAMS), (at.MAX_SEATS, 2))


@njit_inline
def query_at(address):
    """The query of the decision."""
    return Query(
        numbers_at(address, at.LIMITS, at.LIMIT_COUNT),
        _words_at(address, at.SHIFTS, at.MAX_OPEN),
        _words_at(address, at.COLUMNS, at.MAX_OPEN),
        _words_at(address, at.BARRED, _SPOTS),
    )


@njit_inline
def library_at(address):
    """The library of the rules' box."""
    row = row_at(address)
    piles, groups = row[at.PILE_COUNT], row[at.GROUP_COUNT]
    return Library(
        numba.carray(words_at(row[at.MASKS]), piles),
        numba.carray(words_at(row[at.HEIGHTS]), piles),
        numba.carray(half_words_at(row[at.RANKS]), piles),
        numba.carray(half_words_at(row[at.BY_RANK]), piles),
        numba.carray(integers_at(row[at.GROUPS]), (groups, 7)),
        numba.carray(integers_at(row[at.LEVELS]), at.MAX_VALUE + 2),
    )


@njit_inline
def text_order_at(address):
    """The order of corners as texts."""
    ranks = row_at(address)[at.TEXT_RANKS]
    return TextOrder(
        numbers_at(ranks, 0, 2 * FAR),
        numbers_at(ranks, 2 * FAR, 2 * FAR),
        numbers_at(ranks, 4 * FAR, 2 * FAR),
        numbers_at(ranks, 6 * FAR, 2 * FAR),
    )


@njit_inline
def best_values_at(address):
    """The table of the greatest F that cards allow."""
    table = row_at(address)[at.BEST_VALUES]
    return numba.carray(integers_at(table), (_SIDE, _SIDE, _SIDE))


@njit_inline
def rules_at(address):
    """The rule set."""
    row = row_at(address)
    return CompiledRules(
        numbers_at(address, at.RULE_CARDS, 4),
        row[at.DECK_SIZE],
        row[at.FREE_SWAP] != 0,
        row[at.MORE_CRATES] != 0,
        row[at.KNOCK] != 0,
    )
