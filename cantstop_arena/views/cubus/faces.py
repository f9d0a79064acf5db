"""The faces of a pile that are seen, as cards in space: for everything that draws a pile."""

from collections.abc import Iterator
from typing import NamedTuple

from cantstop_arena.games.cubus.builds.build import TableCards

Corner = tuple[int, int, int]
Point = tuple[float, float]

HALF_WIDTH = 3**0.5 / 2  # of a card, where its edges are 1 long


class Face(NamedTuple):
    """A card at its place: its type (`T`, `O`, `L`, `R`) and its corners, clockwise."""

    card: str
    corners: tuple[Corner, Corner, Corner, Corner]

    @property
    def position(self) -> tuple[str, int, int]:
        """Where the card lies in the picture: whether it is a top, L or R, and (u, v)."""
        x, y, z = self.corners[0]
        top = self.card in "TO"
        x -= self.card == "L"
        y -= self.card == "R"
        return "T" if top else self.card, y - x, z - top - y


def faces(table: TableCards) -> Iterator[Face]:
    """All faces that are seen, from back to front."""
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
    """The cards that a build laid: those whose place had none, or one of another type."""
    old = {face.position: face.card for face in faces(before)}
    return [face for face in faces(table) if old.get(face.position) != face.card]


def on_paper(x: float, y: float, z: float) -> Point:
    """Where a corner is drawn: across to the right, and down."""
    return (y - x) * HALF_WIDTH, (x + y) / 2 - z
