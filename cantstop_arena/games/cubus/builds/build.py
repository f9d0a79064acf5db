"""Builds: whether one is legal (R3 to R6, R10 to R16), what it scores, and what it leaves."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import NamedTuple

from cantstop_arena.games.cubus.builds.cards import Cards
from cantstop_arena.games.cubus.builds.piles import Cell, IllegalBuild, Pile, Spot, parse
from cantstop_arena.games.cubus.rules import RuleSet


@dataclass(frozen=True)
class Build:
    """A pile that shall lie on the table, and all its open cells, the old ones included."""

    pile: str
    open: tuple[Cell, ...] = ()


class TableCards(NamedTuple):
    """What lies on the table: a pile, and which of its cells have open cards (ascending)."""

    pile: Pile
    open: tuple[Cell, ...] = ()

    def cards(self) -> Cards:
        """The cards of the picture."""
        shape = self.pile.shape
        return Cards(shape.tops - len(self.open), len(self.open), shape.left, shape.right)

    def open_cells(self) -> list[Spot]:
        """Where the open cards lie, as places of the picture."""
        pile, rows = self.pile, self.pile.shape.rows
        return [(y - x, rows[y - pile.y][x - pile.x] - 1 - y) for x, y in self.open]


class BuildResult(NamedTuple):
    """What a legal build leaves on the table and in the hand, and its points."""

    table: TableCards
    hand: Cards
    points: int


def is_build(answer: object) -> bool:
    """Whether an answer has the form of a `Build`: a text, and pairs of whole numbers."""
    if not isinstance(answer, Build) or not isinstance(answer.pile, str):
        return False
    cells = answer.open
    return isinstance(cells, list | tuple) and all(map(_is_cell, cells))


def _is_cell(cell: object) -> bool:
    pair = isinstance(cell, list | tuple) and len(cell) == 2
    return pair and all(type(number) is int for number in cell)  # type: ignore[attr-defined]


def build_result(table: TableCards, hand: Cards, build: Build, rules: RuleSet) -> BuildResult:
    """What becomes of the table and of the hand with which a build is made.

    Raises IllegalBuild with the first rule that it breaks.
    """
    after = named_table(build)
    lying, laid = set(table.open_cells()), set(after.open_cells())
    _check_kept(lying, laid)
    left = table.cards().plus(hand).minus(after.cards())
    _check_cards(left)
    if rules.swap == "place" and lying:
        _check_exchange(set(table.pile.tops()) - lying, laid)
    if rules.more_crates and after.pile.shape.crates <= table.pile.shape.crates:
        raise IllegalBuild(15, "the pile must have more crates than before")
    points = after.pile.shape.value - table.pile.shape.value
    if points < 1:
        raise IllegalBuild(16, f"a build must bring at least one point, and this brings {points}")
    return BuildResult(after if table.open else at_origin(after), left, points)


def named_table(build: Build) -> TableCards:
    """The table that a build names.

    Raises IllegalBuild where that is no pile (R3 to R6) with open cards on its cells (R11).
    """
    if not is_build(build):
        raise IllegalBuild(3, "a build names a pile text and cells [x, y] in whole numbers")
    pile = parse(build.pile)
    cells = [(x, y) for x, y in build.open]
    if len(set(cells)) < len(cells):
        raise IllegalBuild(11, "an open cell is named twice")
    if strange := set(cells) - set(pile.cells() if cells else ()):
        raise IllegalBuild(11, f"the open cell {_told(min(strange))} is no cell of the pile")
    return TableCards(pile, tuple(sorted(cells)))


def _told(cell: Cell) -> str:
    near = all(abs(number) < 10**20 for number in cell)
    return f"[{cell[0]}, {cell[1]}]" if near else "that lies so far off"


def at_origin(table: TableCards) -> TableCards:
    """The same table, moved so that the pile's text ends in `@0,0`."""
    x, y = table.pile.x, table.pile.y
    return TableCards(table.pile.moved(0, 0), tuple((a - x, b - y) for a, b in table.open))


def _check_kept(lying: set[Spot], laid: set[Spot]) -> None:
    if missing := lying - laid:
        u, v = min(missing)
        raise IllegalBuild(12, f"the open card at the place ({u}, {v}) of the picture must stay")


def _check_cards(left: Cards) -> None:
    for name, number in zip(("lids", "open cards", "left cards", "right cards"), left, strict=True):
        if number < 0:
            raise IllegalBuild(13, f"the {name} do not suffice: {-number} missing")


def _check_exchange(lids: set[Spot], laid: set[Spot]) -> None:
    if exchanged := lids & laid:
        u, v = min(exchanged)
        raise IllegalBuild(14, f"the lid at the place ({u}, {v}) is exchanged for an open card")


def cells_for_open(before: TableCards, target: Pile, swap: str) -> list[Cell]:
    """The cells of a target where a new open card may lie, ascending."""
    lying = set(before.open_cells())
    barred: Collection[Spot] = lying
    if lying and swap == "place":
        barred = set(before.pile.tops())
    return sorted(cell for place, cell in target.tops().items() if place not in barred)


def carry_open_cards(before: TableCards, target: Pile, new: Collection[Cell] = ()) -> Build:
    """A build of a target: the open cells that lay are carried along, new ones are added.

    An open card that has no top at its place is left out.
    """
    lying = before.open_cells()
    tops = target.tops() if lying else {}
    kept = {tops[place] for place in lying if place in tops}
    return Build(target.text, tuple(sorted(kept | set(new))))
