"""Builds: legality (R3 to R6, R10 to R16), points, and the table and hand after them."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import NamedTuple

from cantstop_arena.extensions.cubus.builds.cards import Cards
from cantstop_arena.extensions.cubus.builds.piles import Cell, IllegalBuild, Pile, Spot, parse
from cantstop_arena.extensions.cubus.rules import RuleSet


@dataclass(frozen=True)
class Build:
    """The pile to lie on the table, and all its open cells, the old ones included."""

    pile: str
    open: tuple[Cell, ...] = ()


class TableCards(NamedTuple):
    """The pile on the table, and its cells with open cards, ascending."""

    pile: Pile
    open: tuple[Cell, ...] = ()

    def cards(self) -> Cards:
        """The cards of the picture."""
        shape = self.pile.shape
        return Cards(shape.tops - len(self.open), len(self.open), shape.left, shape.right)

    def open_cells(self) -> list[Spot]:
        """The places (u, v) of the open cards in the picture."""
        pile, rows = self.pile, self.pile.shape.rows
        return [(y - x, rows[y - pile.y][x - pile.x] - 1 - y) for x, y in self.open]


class BuildResult(NamedTuple):
    """The table and the hand after a legal build, and its points."""

    table: TableCards
    hand: Cards
    points: int


def is_build(answer: object) -> bool:
    """Whether an answer is a `Build` of a text and pairs of integers."""
    if not isinstance(answer, Build) or not isinstance(answer.pile, str):
        return False
    cells = answer.open
    return isinstance(cells, list | tuple) and all(map(_is_cell, cells))


def _is_cell(cell: object) -> bool:
    pair = isinstance(cell, list | tuple) and len(cell) == 2
    return pair and all(type(number) is int for number in cell)  # type: ignore[attr-defined]


def build_result(table: TableCards, hand: Cards, build: Build, rules: RuleSet) -> BuildResult:
    """The table and the hand after a build, and its points.

    Raises IllegalBuild with the first rule that the build breaks.
    """
    after = named_table(build)
    lying, open_after = set(table.open_cells()), set(after.open_cells())
    _check_open_cards(lying, open_after)
    left = table.cards().plus(hand).minus(after.cards())
    _check_cards(left)
    if rules.swap == "place" and lying:
        _check_exchange(set(table.pile.tops()) - lying, open_after)
    if rules.more_crates and after.pile.shape.crates <= table.pile.shape.crates:
        raise IllegalBuild(15, "the pile must have more crates than before")
    points = after.pile.shape.value - table.pile.shape.value
    if points < 1:
        raise IllegalBuild(16, f"a build must bring at least one point, and this brings {points}")
    return BuildResult(after if table.open else at_origin(after), left, points)


def named_table(build: Build) -> TableCards:
    """The table that a build names.

    Raises IllegalBuild when its text breaks R3 to R6, or an open cell breaks R11.
    """
    if not is_build(build):
        raise IllegalBuild(3, "a build names a pile text and cells [x, y] in whole numbers")
    pile = parse(build.pile)
    cells = [(x, y) for x, y in build.open]
    if len(set(cells)) < len(cells):
        raise IllegalBuild(11, "an open cell is named twice")
    if strange := set(cells) - set(pile.cells() if cells else ()):
        raise IllegalBuild(11, f"the open cell {_cell_text(min(strange))} is no cell of the pile")
    return TableCards(pile, tuple(sorted(cells)))


def _cell_text(cell: Cell) -> str:
    near = all(abs(number) < 10**20 for number in cell)
    return f"[{cell[0]}, {cell[1]}]" if near else "that lies so far off"


def at_origin(table: TableCards) -> TableCards:
    """The table moved so that the pile's text ends in `@0,0`."""
    x, y = table.pile.x, table.pile.y
    return TableCards(table.pile.moved(0, 0), tuple((a - x, b - y) for a, b in table.open))


def _check_open_cards(lying: set[Spot], open_after: set[Spot]) -> None:
    if missing := lying - open_after:
        u, v = min(missing)
        raise IllegalBuild(12, f"the open card at the place ({u}, {v}) of the picture must stay")


def _check_cards(left: Cards) -> None:
    for name, number in zip(("lids", "open cards", "left cards", "right cards"), left, strict=True):
        if number < 0:
            raise IllegalBuild(13, f"the {name} do not suffice: {-number} missing")


def _check_exchange(lids: set[Spot], open_after: set[Spot]) -> None:
    if exchanged := lids & open_after:
        u, v = min(exchanged)
        raise IllegalBuild(14, f"the lid at the place ({u}, {v}) is exchanged for an open card")


def cells_for_open(before: TableCards, target: Pile, swap: str) -> list[Cell]:
    """The cells of a target where a new open card may lie, ascending."""
    lying = set(before.open_cells())
    barred: Collection[Spot] = lying
    if lying and swap == "place":
        barred = set(before.pile.tops())
    return sorted(cell for spot, cell in target.tops().items() if spot not in barred)


def carry_open_cards(before: TableCards, target: Pile, new: Collection[Cell] = ()) -> Build:
    """A build of a target, with the open cells of the table and the `new` ones.

    An open card stays at its place (u, v); it is dropped when the target has no top there.
    """
    lying = before.open_cells()
    tops = target.tops() if lying else {}
    carried = {tops[spot] for spot in lying if spot in tops}
    return Build(target.text, tuple(sorted(carried | set(new))))
