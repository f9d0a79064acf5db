"""R10 to R16: what a build is, whether it is legal, what it brings and what it leaves."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from helpers.cubus.naive.piles import (
    TYPES,
    Cell,
    Pile,
    Place,
    cards,
    check_pile,
    corner,
    crates,
    moved,
    read,
    require,
    surplus,
    top_places,
)

Rules = dict[str, Any]

DEFAULTS: Rules = {
    "left": 16,
    "right": 16,
    "lids": 12,
    "open": 4,
    "swap": "place",
    "more_crates": False,
    "duty": "knock",
    "wrong_knock": 2,
    "ending": "none",
    "take_down": False,
    "box": [4, 4, 4],
}


class Build(NamedTuple):
    """R10: the text of the pile that shall lie there, and all of its cells with an open card."""

    pile: str
    open: Sequence[Cell] = ()


@dataclass(frozen=True)
class Position:
    """What lies on the table, the cells with an open card, and the hand to build with."""

    pile: Pile
    open: frozenset[Cell]
    hand: str
    rules: Rules

    @cached_property
    def held(self) -> Counter[str]:
        """R13: what the picture and the hand hold together."""
        return cards(self.pile, self.open) + Counter(self.hand)

    @cached_property
    def open_places(self) -> set[Place]:
        """Where open cards lie."""
        return set(top_places(self.pile, self.open))

    @cached_property
    def forbidden_places(self) -> set[Place]:
        """R14: places without an open card that may not have one now."""
        if self.rules["swap"] == "free" or not self.open:
            return set()
        return set(top_places(self.pile, self.pile)) - self.open_places

    @cached_property
    def surplus(self) -> int:
        """C1's F of the pile that lies there."""
        return surplus(self.pile)


def in_order(hand: Counter[str]) -> str:
    """Cards as a text, in the order T O L R."""
    return "".join(card * hand[card] for card in TYPES)


def at_origin(pile: Pile, open_cells: Collection[Cell]) -> tuple[Pile, frozenset[Cell]]:
    """Pile and open cells moved so that the text ends in `@0,0`."""
    x, y = corner(pile)
    return moved(pile, -x, -y), frozenset((i - x, j - y) for i, j in open_cells)


def points_of(position: Position, pile: Pile) -> int:
    """Points: three for each crate more, one less for each card more on the table."""
    more_cards = cards(pile).total() - cards(position.pile).total()
    return 3 * (crates(pile) - crates(position.pile)) - more_cards


def check(position: Position, build: Build) -> int:
    """The points of a legal build; raise `Refusal` with the first rule broken, R3 to R16."""
    pile, cells = read(build.pile), list(build.open)
    check_pile(pile)
    require(all(cell in pile for cell in cells) and len(set(cells)) == len(cells), 11)
    places = set(top_places(pile, cells))
    require(position.open_places <= places, 12)
    require(cards(pile, cells) <= position.held, 13)
    require(not places & position.forbidden_places, 14)
    grows = crates(pile) > crates(position.pile)
    require(grows or not position.rules["more_crates"], 15)
    points = points_of(position, pile)
    require(points >= 1, 16)
    return points


def after(position: Position, build: Build) -> Position:
    """What lies on the table after a legal build, and the hand left."""
    pile, cells = read(build.pile), frozenset(build.open)
    if not position.open:
        pile, cells = at_origin(pile, cells)
    hand = in_order(position.held - cards(pile, cells))
    return Position(pile, cells, hand, position.rules)
