"""Searches of targets with compiled functions, which are loaded without numba."""

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cantstop_arena.extensions.cubus.builds.build import TableCards
from cantstop_arena.extensions.cubus.builds.cards import Cards
from cantstop_arena.extensions.cubus.builds.piles import IllegalBuild, Pile
from cantstop_arena.extensions.cubus.engine.bot_row import NEAR_COLUMNS, NEAR_SIDE
from cantstop_arena.extensions.cubus.engine.bound import MAX_CARDS_PLACED, best_value
from cantstop_arena.extensions.cubus.engine.entry_points import searches
from cantstop_arena.extensions.cubus.engine.library import library
from cantstop_arena.extensions.cubus.engine.query_arrays import TOP, Query, new_query
from cantstop_arena.extensions.cubus.engine.text_order import MAX_HITS, ORDER, value_of
from cantstop_arena.extensions.cubus.rules import Box
from cantstop_arena.native.object_files import array_arguments

MANY = 1000  # more crates than any pile has
_KEYS = 1 << 12  # initial length of arrays of keys; it doubles as needed

Numbers = NDArray[np.int64]


class TargetQuery(NamedTuple):
    """A search for targets: the table, the cards in hand, and limits of F and of crates."""

    table: TableCards
    hand: Cards
    free_swap: bool
    min_value: int
    min_crates: int = 0
    max_crates: int = MANY


class TargetSearch:
    """A query in the library of a box."""

    def __init__(self, target_query: TargetQuery, box: Box) -> None:
        self._query = aimed_query(target_query)  # held, as the arguments are its addresses
        self._arguments = (*library_arguments(box), *array_arguments(*self._query))
        self._ordered = (*self._arguments, *_order_arguments())
        self._min_value = target_query.min_value
        self.limits: Sequence[int] = self._query.limits.tolist()

    def first_group(self) -> int:
        """The first group of the library to search: that of the greatest F that the cards allow."""
        return int(searches().first_group(*self._arguments))

    def is_buildable(self, group: int) -> bool:
        """Whether a pile of a group can be built."""
        return bool(searches().is_buildable(*self._arguments, group))

    def keys_of(self, groups: Sequence[int]) -> Numbers:
        """The keys of the hits of these groups, ascending."""
        numbers = np.array(groups, np.int64)
        return self._keys(searches().keys_of, *array_arguments(numbers))

    def falling_levels(self) -> Iterator[tuple[int, Numbers]]:
        """Each F with hits, by falling F, and its hits as `open_room` returns them."""
        following = np.array([self.first_group()], np.int64)
        while True:
            # Evaluated anew, as each call writes the group to continue with.
            group, after = int(following[0]), array_arguments(following)
            keys = self._keys(searches().next_level, group, after=after)
            if not len(keys):
                return
            yield value_of(int(keys[0])), self.open_room(keys)

    def rising_levels(self) -> Iterator[tuple[int, Numbers]]:
        """The same by rising F."""
        for value in range(self._min_value, self.limits[TOP] + 1):
            keys = self._keys(searches().level_of, value)
            if len(keys):
                yield value, self.open_room(keys)

    def open_room(self, keys: Numbers) -> Numbers:
        """A row for each key: heights, x, y, and `least` and `most` new open cards (see Target)."""
        rows = np.empty((len(keys), 5), np.int64)
        searches().open_room(*self._ordered, *array_arguments(keys, rows))
        return rows

    def _keys(self, function: Any, *arguments: Any, after: Sequence[Any] = ()) -> Numbers:
        """The keys that a function writes into an array, which must be long enough for all."""
        length = _KEYS
        while True:
            keys = np.empty(length, np.int64)
            count = function(*self._ordered, *arguments, *array_arguments(keys), *after)
            if count + MAX_HITS <= length:
                return keys[:count]
            length *= 2


def candidates(target_query: TargetQuery) -> list[tuple[Numbers, Numbers]]:
    """The targets near the pile: the columns of each (`query_arrays`), and its cells.

    A pile may occur twice.
    """
    query, cells = aimed_query(target_query), cells_of(target_query.table)
    base, count = target_query.table.pile.shape.value, len(cells)
    # n connected cells have at most 2n + 2 neighbours. Each cell can have the heights from 1 to one
    # more than the tallest, which is one taller with a layer slid under.
    cells_and_border, heights = 3 * count + 2, int(cells[:, 2].max(initial=0)) + 2
    rows = np.empty((2 * cells_and_border * heights + 1, NEAR_COLUMNS), np.int64)
    grid, lifted = np.empty((NEAR_SIDE, NEAR_SIDE), np.int64), np.empty(cells.shape, np.int64)
    number = searches().list_candidates(
        *array_arguments(*query, cells),
        int(target_query.free_swap),
        base,
        *array_arguments(rows, grid, lifted),
    )
    return [(row, _cells_after(cells, row)) for row in rows[:number]]


def _cells_after(cells: Numbers, candidate: Numbers) -> Numbers:
    after = np.empty((len(cells) + 1, 4), np.int64)
    count = searches().apply_candidate(*array_arguments(cells, candidate, after))
    return after[:count]


def aimed_query(target_query: TargetQuery) -> Query:
    """A target query for compiled functions."""
    query, cells = new_query(), cells_of(target_query.table)
    hand = np.array(target_query.hand, np.int64)
    searches().aim(
        *array_arguments(*query, best_value(), cells, hand),
        int(target_query.free_swap),
        target_query.min_value,
        target_query.min_crates,
        target_query.max_crates,
    )
    return query


@cache
def library_arguments(box: Box) -> tuple[Any, ...]:
    """The arguments that pass the library of a box."""
    return array_arguments(*library(box))


@cache
def _order_arguments() -> tuple[Any, ...]:
    return array_arguments(*ORDER)


def cells_of(table: TableCards) -> NDArray[np.int64]:
    """The cells of a table as rows [x, y, height, open] for compiled functions.

    Without open cards the pile's place has no effect, and its corner is (0, 0).

    Raises IllegalBuild when the pile has more than `MAX_CARDS_PLACED` tops.
    """
    if table.pile.shape.tops > MAX_CARDS_PLACED:
        raise IllegalBuild(
            1, f"a pile has at most {MAX_CARDS_PLACED} tops, not {table.pile.shape.tops}"
        )
    pile: Pile = table.pile if table.open else table.pile.moved(0, 0)
    lying = set(table.open)
    rows = [
        (pile.x + x, pile.y + y, height, (pile.x + x, pile.y + y) in lying)
        for x, y, height in pile.shape.cells
    ]
    return np.array(rows, np.int64)
