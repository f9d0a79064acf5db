"""Targets: the piles that can be built with given cards, by falling points, then by text."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import chain
from typing import NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from cantstop_arena.games.cubus.builds.build import TableCards
from cantstop_arena.games.cubus.builds.cards import Cards
from cantstop_arena.games.cubus.builds.piles import (
    Cell,
    IllegalBuild,
    Pile,
    Shape,
    Spot,
    pile_of,
)
from cantstop_arena.games.cubus.engine import near, query, search
from cantstop_arena.games.cubus.engine.bound import MAX_CARDS_PLACED, best_value
from cantstop_arena.games.cubus.engine.library import Library, library, shape_text
from cantstop_arena.games.cubus.engine.search_unlimited import Limits, piles
from cantstop_arena.games.cubus.rules import Box, RuleSet

_NEAR = 16  # corners beyond are moved here for the search
_MANY = 1000  # more crates than any pile has


class Target(NamedTuple):
    """A pile that can be built: its text, its points, and how many new open cards it may have.

    `least` are needed for want of lids; `most` is the lesser of those in hand and the cells
    where one may lie.
    """

    pile: str
    points: int
    least: int
    most: int


class TargetQuery(NamedTuple):
    """What is searched for from a table with some cards in hand."""

    table: TableCards
    hand: Cards
    free_swap: bool
    least_worth: int
    least_crates: int = 0
    most_crates: int = _MANY


def for_build(table: TableCards, hand: Cards, rules: RuleSet) -> TargetQuery:
    """What R13 to R16 allow."""
    shape = table.pile.shape
    crates = shape.crates + 1 if rules.more_crates else 0
    return TargetQuery(table, hand, rules.swap == "free", shape.value + 1, crates)


def targets(wanted: TargetQuery, box: Box) -> Iterator[Target]:
    """All targets within a box, by falling points, then by text."""
    return chain.from_iterable(levels(wanted, box))


class TargetLevel(Sequence[Target]):
    """Targets of equal points, in the order of their texts; each is made when it is looked at."""

    def __init__(self, found: NDArray[np.int64], points: int, x: int, y: int) -> None:
        """`found`: heights, corner, least and most of each, as `search.open_room` tells them."""
        self._found = found
        self._points = points
        self._x, self._y = x, y

    def __len__(self) -> int:
        return len(self._found)

    @overload
    def __getitem__(self, place: int) -> Target: ...
    @overload
    def __getitem__(self, place: slice) -> "TargetLevel": ...
    def __getitem__(self, place: int | slice) -> "Target | TargetLevel":
        if isinstance(place, slice):
            return TargetLevel(self._found[place], self._points, self._x, self._y)
        return self._target(*self._found[place].tolist())

    def __iter__(self) -> Iterator[Target]:
        for numbers in self._found.tolist():
            yield self._target(*numbers)

    def _target(self, heights: int, x: int, y: int, least: int, most: int) -> Target:
        pile = f"{_shape(heights)}@{x + self._x},{y + self._y}"
        return Target(pile, self._points, least, most)


def levels(wanted: TargetQuery, box: Box, rising: bool = False) -> Iterator[Sequence[Target]]:
    """The same in rows of equal points, by falling points or by rising ones.

    What comes after a row is not searched for yet.
    """
    x, y = _offset(wanted.table)
    here = wanted._replace(table=_moved(wanted.table, -x, -y)) if x or y else wanted
    base = wanted.table.pile.shape.value
    search_for = _risen if rising else _fallen
    for worth, found in search_for(here, library(box)):
        level = TargetLevel(found, worth - base, x, y)
        yield sorted(level) if x or y else level


def targets_without_box(wanted: TargetQuery) -> Iterator[Target]:
    """All targets without any box, in the same order.

    They are searched for in ever wider steps down from the most points that the cards allow.
    """
    worths = best_value()
    cards = wanted.table.cards().plus(wanted.hand)
    above = (
        int(worths[tuple(min(MAX_CARDS_PLACED, n) for n in (cards.tops, cards.left, cards.right))])
        + 1
    )
    above = min(above, 3 * wanted.most_crates)
    step = 1
    while above > wanted.least_worth:
        down = max(wanted.least_worth, above - step)
        yield from sorted(_unboxed(wanted, cards, down, above), key=_by_points)
        above, step = down, 2 * step


def _by_points(target: Target) -> tuple[int, str]:
    return -target.points, target.pile


def _unboxed(wanted: TargetQuery, cards: Cards, worth: int, above: int) -> Iterator[Target]:
    """The targets worth from `worth` to less than `above`, in no order."""
    limits = Limits(
        cards.tops, cards.left, cards.right, worth, wanted.least_crates, wanted.most_crates
    )
    for cells in piles(limits):
        shape = pile_of({(x, y): height for x, y, height in cells}).shape
        if shape.value < above:
            yield from _placed(wanted, shape, cards)


def _placed(wanted: TargetQuery, shape: Shape, cards: Cards) -> Iterator[Target]:
    """A shape at every corner where all open cards lie on tops, if the cards suffice."""
    lying = wanted.table.open_cells()
    barred = set(lying) if wanted.free_swap else set(wanted.table.pile.tops()) if lying else set()
    least = max(0, shape.tops - len(lying) - cards.lids)
    for x, y in _corners(shape, lying):
        pile = Pile(shape, x, y)
        room = len(set(pile.tops()) - barred)
        most = min(wanted.hand.open, room)
        if least <= most:
            yield Target(pile.text, shape.value - wanted.table.pile.shape.value, least, most)


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
    """How far a table is moved to be searched; without open cards it does not matter."""
    x, y = table.pile.x, table.pile.y
    return (x, y) if table.open and max(abs(x), abs(y)) > _NEAR else (0, 0)


def _moved(table: TableCards, x: int, y: int) -> TableCards:
    pile = table.pile.moved(table.pile.x + x, table.pile.y + y)
    return TableCards(pile, tuple((a + x, b + y) for a, b in table.open))


_shape = lru_cache(maxsize=50_000)(shape_text)


def _fallen(wanted: TargetQuery, known: Library) -> Iterator[tuple[int, NDArray[np.int64]]]:
    asked = compiled_query(wanted)
    group = search.first_group(known, asked)
    while True:
        keys, group = search.next_level(known, search.ORDER, asked, group)
        if not len(keys):
            return
        yield search.value_of(int(keys[0])), search.open_room(known, search.ORDER, asked, keys)


def _risen(wanted: TargetQuery, known: Library) -> Iterator[tuple[int, NDArray[np.int64]]]:
    asked = compiled_query(wanted)
    for worth in range(wanted.least_worth, int(asked.limits[query.TOP]) + 1):
        keys = search.level_of(known, search.ORDER, asked, worth)
        if len(keys):
            yield worth, search.open_room(known, search.ORDER, asked, keys)


def compiled_query(wanted: TargetQuery) -> query.Query:
    """The query of what is wanted, for compiled functions."""
    asked = query.new_query()
    cells = cells_of(wanted.table)
    query.aim(
        asked,
        best_value(),
        cells,
        len(cells),
        np.array(wanted.hand, np.int64),
        wanted.free_swap,
        wanted.least_worth,
        wanted.least_crates,
        wanted.most_crates,
    )
    return asked


def cells_of(table: TableCards) -> NDArray[np.int64]:
    """The cells of a table as rows [x, y, height, open] for compiled functions.

    Where no card is open the pile's place does not matter, and the corner is (0, 0).

    Raises IllegalBuild where there are more tops than there ever are.
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


def nearby(wanted: TargetQuery) -> list[Target]:
    """One cell changed, one layer slid under, or both: by falling points, then by text."""
    cells = cells_of(wanted.table)
    worth = wanted.table.pile.shape.value
    found = near.candidates(compiled_query(wanted), cells, len(cells), wanted.free_swap, worth)
    listed = {_target(wanted.table, cells, candidate) for candidate in found}
    return sorted(listed, key=lambda target: (-target.points, target.pile))


def _target(table: TableCards, cells: NDArray[np.int64], candidate: NDArray[np.int64]) -> Target:
    after = np.empty((len(cells) + 1, 4), np.int64)
    count = near.apply_candidate(cells, len(cells), candidate, after)
    pile = pile_of({(x, y): height for x, y, height, _ in after[:count].tolist()})
    placed = pile if table.open else pile.moved(0, 0)
    points, least, most = candidate[near.POINTS :].tolist()
    return Target(placed.text, points, least, most)
