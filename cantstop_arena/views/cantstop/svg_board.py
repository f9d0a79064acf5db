"""The parts of a board in SVG: columns, spaces and pieces."""

from collections.abc import Iterator, Mapping
from math import cos, pi, sin
from xml.etree import ElementTree as ET

import msgspec

from cantstop_arena.views.cantstop.scenes import SEATS, ColumnState

WIDTH, HEIGHT = 56, 24  # of a space
NUMBER = 22  # the height of the number above a column
RADIUS, SMALL = 9.0, 6.5  # of a piece, and of one on a crowded space
CROWD = 4  # pieces on a space from which on they are drawn small


class Palette(msgspec.Struct, frozen=True):
    """The colours of a picture; `light` is for the letters on markers, and for runners."""

    ink: str
    paper: str
    board: str
    grid: str
    light: str
    seats: tuple[str, ...]


class BoardPiece(msgspec.Struct, frozen=True):
    """A marker or a runner with its column and its position in the picture."""

    seat: int
    is_runner: bool
    column: int
    x: float
    y: float
    radius: float


class SvgBoard:
    """A board with its upper left corner at a point of the picture."""

    def __init__(self, lengths: Mapping[int, int], left: int, top: int, palette: Palette) -> None:
        self.lengths = lengths
        self.left = left
        self.ground = top + NUMBER + HEIGHT * max(lengths.values())
        self.palette = palette

    # Columns

    def draw_column(self, parent: ET.Element, column: int, owner: int | None = None) -> None:
        """Draw a column with its number, in the colour of its owner if it is claimed."""
        length, x, y = self.lengths[column], self._edge(column), self._top(column)
        self._draw_box(parent, column, owner)
        grid = "".join(f"M{x + 4} {y + HEIGHT * n}h{WIDTH - 8}" for n in range(1, length))
        if grid:
            ET.SubElement(parent, "path", {"d": grid, "stroke": self.palette.grid, "fill": "none"})
        number = {"x": coordinate_text(x + WIDTH / 2), "y": str(y - 6), "font-size": "14"}
        number |= {"font-weight": "bold", "fill": self.palette.ink}
        ET.SubElement(parent, "text", number).text = str(column)

    def _draw_box(self, parent: ET.Element, column: int, owner: int | None) -> None:
        """Draw the background of a column, and its top while it is open."""
        box, look = self._box(column), self.palette
        ET.SubElement(parent, "rect", {**box, "fill": look.board, "stroke": look.grid})
        if owner is not None:
            self.draw_claim(parent, column, owner)
        else:
            top = {**box, "height": str(HEIGHT), "fill": look.paper, "stroke": look.grid}
            ET.SubElement(parent, "rect", top)

    def draw_claim(self, parent: ET.Element, column: int, owner: int) -> ET.Element:
        """Draw the owner's colour over a claimed column."""
        look = {"fill": self.palette.seats[owner], "opacity": "0.45"}
        return ET.SubElement(parent, "rect", {**self._box(column), **look})

    def draw_trail(self, parent: ET.Element, column: int, below: int, reached: int) -> None:
        """Draw a runner's gain in a turn: the spaces from above `below` up to `reached`."""
        box = {"x": str(self._edge(column) + 2), "y": str(self.ground - HEIGHT * reached)}
        box |= {"width": str(WIDTH - 4), "height": str(HEIGHT * (reached - below)), "rx": "6"}
        ET.SubElement(parent, "rect", box)

    def _box(self, column: int) -> dict[str, str]:
        box = {"x": str(self._edge(column) + 2), "y": str(self._top(column))}
        box |= {"width": str(WIDTH - 4), "rx": "6"}
        return {**box, "height": str(HEIGHT * self.lengths[column])}

    def _edge(self, column: int) -> int:
        return self.left + WIDTH * (column - 2)

    def _top(self, column: int) -> int:
        return self.ground - HEIGHT * self.lengths[column]

    # Pieces

    def pieces(self, column: int, state: ColumnState) -> Iterator[BoardPiece]:
        """The markers and the runner in a column, side by side on a shared space."""
        by_level: dict[int, list[tuple[int, bool]]] = {}
        for seat, space in enumerate(state.markers):
            by_level.setdefault(space, []).append((seat, False))
        by_level.setdefault(state.runner, []).append((state.seat, True))
        for level, standing in sorted(by_level.items()):
            if not level:
                continue
            radius = RADIUS if len(standing) < CROWD else SMALL
            x = self._edge(column) + WIDTH / 2 - radius * (len(standing) - 1)
            y = self.ground - HEIGHT * level + HEIGHT // 2
            for index, (seat, is_runner) in enumerate(standing):
                yield BoardPiece(seat, is_runner, column, x + 2 * radius * index, y, radius)

    def draw_piece(self, parent: ET.Element, piece: BoardPiece) -> None:
        """Draw a marker or a runner at its position."""
        draw = self.draw_runner if piece.is_runner else self.draw_marker
        draw(parent, piece.seat, piece.x, piece.y, piece.radius)

    def draw_marker(
        self, parent: ET.Element, seat: int, x: float, y: float, radius: float = RADIUS
    ) -> None:
        """Draw the marker of a seat, with its colour, shape and letter."""
        light = self.palette.light
        look = {"fill": self.palette.seats[seat], "stroke": light}
        if corners := _SHAPES[seat]:
            points = _points(corners, x, y, radius)
            ET.SubElement(parent, "polygon", {"points": points, **look})
        else:
            circle = {
                "cx": coordinate_text(x),
                "cy": coordinate_text(y),
                "r": coordinate_text(radius - 0.5),
            }
            ET.SubElement(parent, "circle", {**circle, **look})
        size = radius * 1.2
        letter = {
            "x": coordinate_text(x),
            "y": coordinate_text(y + size * 0.36),
            "font-size": coordinate_text(size),
        }
        letter |= {"fill": light, "font-weight": "bold"}
        ET.SubElement(parent, "text", letter).text = SEATS[seat]

    def draw_runner(
        self, parent: ET.Element, seat: int, x: float, y: float, radius: float = RADIUS
    ) -> None:
        """Draw the runner of a seat, a star."""
        look = {"fill": self.palette.light, "stroke": self.palette.seats[seat]}
        points = _points(_STAR, x, y, radius)
        ET.SubElement(parent, "polygon", {"points": points, **look, "stroke-width": "2"})


def _points(shape: list[tuple[float, float]], x: float, y: float, radius: float) -> str:
    return " ".join(
        f"{coordinate_text(x + radius * dx)},{coordinate_text(y + radius * dy)}" for dx, dy in shape
    )


def _ring(corners: int, reach: float, turn: float = 0.0) -> list[tuple[float, float]]:
    """The corners of a regular polygon around the origin; the first is on top unless turned."""
    angles = (turn + 2 * pi * corner / corners for corner in range(corners))
    return [(reach * sin(angle), -reach * cos(angle)) for angle in angles]


_STAR = [point for pair in zip(_ring(5, 1.1), _ring(5, 0.5, pi / 5), strict=True) for point in pair]
_SHAPES: tuple[list[tuple[float, float]], ...] = (
    [],
    _ring(4, 1.2, pi / 4),
    _ring(3, 1.2),
    _ring(6, 1.0),
)
"""The corners of the seats' markers; the first is a circle."""


def coordinate_text(value: float) -> str:
    """A coordinate with at most one decimal."""
    return f"{value:.1f}".removesuffix(".0")
