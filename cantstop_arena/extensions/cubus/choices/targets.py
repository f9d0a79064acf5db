"""Targets: the piles that can be built with given cards, by falling points, then by text."""

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import chain
from typing import NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from cantstop_arena.extensions.cubus.builds.build import TableCards
from cantstop_arena.extensions.cubus.builds.cards import Cards
from cantstop_arena.extensions.cubus.builds.piles import (
    Cell,
    Pile,
    Shape,
    Spot,
    pile_of,
)
from cantstop_arena.extensions.cubus.choices.search import TargetQuery, TargetSearch, candidates
from cantstop_arena.extensions.cubus.engine.bound import MAX_CARDS_PLACED, best_value
from cantstop_arena.extensions.cubus.engine.library import shape_text
from cantstop_arena.extensions.cubus.engine.query_arrays import POINTS
from cantstop_arena.extensions.cubus.engine.text_order import keys_between, value_of
from cantstop_arena.extensions.cubus.rules import Box, RuleSet

_NEAR = 16  # a table with a corner further out is moved to (0, 0) for the search


class Target(NamedTuple):
    """A pile that can be built: its text, its points, and its number of new open cards.

    `least`: open cards that replace missing lids. `most`: the open cards in hand, but at most
    the cells where one may lie.
    """

    pile: str
    points: int
    least: int
    most: int


def for_build(table: TableCards, hand: Cards, rules: RuleSet) -> TargetQuery:
    """The search for all targets that R13 to R16 allow."""
    shape = table.pile.shape
    crates = shape.crates + 1 if rules.more_crates else 0
    return TargetQuery(table, hand, rules.swap == "free", shape.value + 1, crates)


def targets(target_query: TargetQuery, box: Box) -> Iterator[Target]:
    """All targets within a box, by falling points, then by text."""
    return chain.from_iterable(levels(target_query, box))


class TargetLevel(Sequence[Target]):
    """Targets of equal points in the order of their texts, each created when it is accessed."""

    def __init__(self, rows: NDArray[np.int64], points: int, x: int, y: int) -> None:
        """`rows`: heights, corner, `least` and `most` of each target (`TargetSearch.open_room`)."""
        self._rows = rows
        self._points = points
        self._x, self._y = x, y

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, index: int) -> Target: ...
    @overload
    def __getitem__(self, index: slice) -> "TargetLevel": ...
    def __getitem__(self, index: int | slice) -> "Target | TargetLevel":
        if isinstance(index, slice):
            return TargetLevel(self._rows[index], self._points, self._x, self._y)
        return self._target(*self._rows[index].tolist())

    def __iter__(self) -> Iterator[Target]:
        for numbers in self._rows.tolist():
            yield self._target(*numbers)

    def _target(self, heights: int, x: int, y: int, needed: int, allowed: int) -> Target:
        pile = f"{_shape(heights)}@{x + self._x},{y + self._y}"
        return Target(pile, self._points, needed, allowed)


def levels(target_query: TargetQuery, box: Box, rising: bool = False) -> Iterator[Sequence[Target]]:
    """The same in rows of equal points, by falling points, or by rising ones.

    Each row is searched for when the iterator reaches it.
    """
    here, x, y = moved_to_origin(target_query)
    base, search = target_query.table.pile.shape.value, TargetSearch(here, box)
    for value, rows in search.rising_levels() if rising else search.falling_levels():
        level = TargetLevel(rows, value - base, x, y)
        yield sorted(level) if x or y else level


def moved_to_origin(target_query: TargetQuery) -> tuple[TargetQuery, int, int]:
    """The query with its table near (0, 0), and by how much the table was moved."""
    table = target_query.table
    x, y = _offset(table)
    moved = _moved(table, -x, -y) if x or y else table
    return target_query._replace(table=moved), x, y


def target_of_groups(
    target_query: TargetQuery, box: Box, numbers: Sequence[int], choose: Callable[[int], int]
) -> Target | None:
    """One of the targets of groups of a box's library; None if there is none.

    `choose` gets their count and returns the index of one, by falling points, then by text. Only
    this one is created: there can be a hundred thousand.
    """
    here, x, y = moved_to_origin(target_query)
    search = TargetSearch(here, box)
    keys = search.keys_of(numbers)
    if not len(keys):
        return None
    index = choose(len(keys))
    value = value_of(int(keys[index]))
    first, end = index, index + 1
    if x or y:  # the order of the moved corners' texts is another
        first, end = np.searchsorted(keys, keys_between(value))
    rows = search.open_room(keys[first:end])
    level = TargetLevel(rows, value - target_query.table.pile.shape.value, x, y)
    return (sorted(level) if x or y else level)[index - first]


def targets_without_box(target_query: TargetQuery) -> Iterator[Target]:
    """All targets without a box, in the same order.

    The search goes down from the most points that the cards allow, in steps that double.
    """
    best = best_value()
    cards = target_query.table.cards().plus(target_query.hand)
    above = (
        int(best[tuple(min(MAX_CARDS_PLACED, n) for n in (cards.tops, cards.left, cards.right))])
        + 1
    )
    above = min(above, 3 * target_query.max_crates)
    step = 1
    while above > target_query.min_value:
        low = max(target_query.min_value, above - step)
        yield from sorted(_targets_between(target_query, cards, low, above), key=_by_points)
        above, step = low, 2 * step


def _by_points(target: Target) -> tuple[int, str]:
    return -target.points, target.pile


def _targets_between(
    target_query: TargetQuery, cards: Cards, low: int, above: int
) -> Iterator[Target]:
    """The targets with F from `low` to below `above`, unordered."""
    from cantstop_arena.extensions.cubus.engine.search_unlimited import Limits, piles

    limits = Limits(
        cards.tops, cards.left, cards.right, low, target_query.min_crates, target_query.max_crates
    )
    for cells in piles(limits):
        shape = pile_of({(x, y): height for x, y, height in cells}).shape
        if shape.value < above:
            yield from _placements(target_query, shape, cards)


def _placements(target_query: TargetQuery, shape: Shape, cards: Cards) -> Iterator[Target]:
    """The targets of a shape, at each corner where all open cards lie on tops."""
    lying = target_query.table.open_cells()
    barred = (
        set(lying)
        if target_query.free_swap
        else set(target_query.table.pile.tops())
        if lying
        else set()
    )
    needed = max(0, shape.tops - len(lying) - cards.lids)
    for x, y in _corners(shape, lying):
        pile = Pile(shape, x, y)
        room = len(set(pile.tops()) - barred)
        allowed = min(target_query.hand.open, room)
        if needed <= allowed:
            yield Target(
                pile.text, shape.value - target_query.table.pile.shape.value, needed, allowed
            )


def _corners(shape: Shape, lying: Sequence[Spot]) -> Iterator[Cell]:
    if not lying:
        yield 0, 0
        return
    for x, y, height in shape.cells:
        down = height - 1 - y - lying[0][1]
        across = down - (lying[0][0] - (y - x))
        if set(lying) <= Pile(shape, across, down).tops().keys():
            yield across, down


def _offset(table: TableCards) -> tuple[int, int]:
    """The distance by which a table is moved for the search; 0 without open cards."""
    x, y = table.pile.x, table.pile.y
    return (x, y) if table.open and max(abs(x), abs(y)) > _NEAR else (0, 0)


def _moved(table: TableCards, x: int, y: int) -> TableCards:
    pile = table.pile.moved(table.pile.x + x, table.pile.y + y)
    return TableCards(pile, tuple((a + x, b + y) for a, b in table.open))


_shape = lru_cache(maxsize=50_000)(shape_text)


def nearby(target_query: TargetQuery) -> list[Target]:
    """Targets with one cell changed, a layer slid under, or both: by falling points, then text."""
    table = target_query.table
    distinct = {_target(table, *candidate) for candidate in candidates(target_query)}
    return sorted(distinct, key=_by_points)


def _target(table: TableCards, candidate: NDArray[np.int64], cells: NDArray[np.int64]) -> Target:
    pile = pile_of({(x, y): height for x, y, height, _ in cells.tolist()})
    placed = pile if table.open else pile.moved(0, 0)
    points, needed, allowed = candidate[POINTS:].tolist()
    return Target(placed.text, points, needed, allowed)
