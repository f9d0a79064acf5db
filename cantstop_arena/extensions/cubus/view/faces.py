"""The visible faces of a pile, as cards in space, for all modules that draw piles."""

from collections.abc import Iterator
from typing import NamedTuple

from cantstop_arena.extensions.cubus.builds.build import TableCards

Corner = tuple[int, int, int]
Point = tuple[float, float]

HALF_WIDTH = 3**0.5 / 2  # of a card, where its edges are 1 long


class Face(NamedTuple):
    """A card in space: its type (`T`, `O`, `L`, `R`) and its corners, clockwise."""

    card: str
    corners: tuple[Corner, Corner, Corner, Corner]

    @property
    def position(self) -> tuple[str, int, int]:
        """The card's place in the picture: `T` for any top, `L` or `R`, and (u, v)."""
        x, y, z = self.corners[0]
        top = self.card in "TO"
        x -= self.card == "L"
        y -= self.card == "R"
        return "T" if top else self.card, y - x, z - top - y


def faces(table: TableCards) -> Iterator[Face]:
    """All visible faces, from back to front."""
    heights, lying = table.pile.heights(), set(table.open)
    for x, y in sorted(heights, key=sum):
        height = heights[x, y]
        for z in range(heights.get((x + 1, y), 0), height):
            yield Face(
                "L", ((x + 1, y, z), (x + 1, y, z + 1), (x + 1, y + 1, z + 1), (x + 1, y + 1, z))
            )
        for z in range(heights.get((x, y + 1), 0), height):
            yield Face(
                "R", ((x, y + 1, z), (x + 1, y + 1, z), (x + 1, y + 1, z + 1), (x, y + 1, z + 1))
            )
        yield Face(
            "O" if (x, y) in lying else "T",
            ((x, y, height), (x, y + 1, height), (x + 1, y + 1, height), (x + 1, y, height)),
        )


def changed_cards(table: TableCards, before: TableCards) -> list[Face]:
    """The new cards of a build: those whose place had no card, or one of another type."""
    old = {face.position: face.card for face in faces(before)}
    return [face for face in faces(table) if old.get(face.position) != face.card]


def on_paper(x: float, y: float, z: float) -> Point:
    """A corner's position on paper: across to the right, and down, in edges of a card."""
    return (y - x) * HALF_WIDTH, (x + y) / 2 - z
