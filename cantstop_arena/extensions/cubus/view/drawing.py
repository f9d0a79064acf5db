"""The picture of a pile as text for terminals.

Each sign shows the card under its centre: blank for lids, shaded for left and right cards,
hatched for open cards. A stroke marks the border between two cards.
"""

from cantstop_arena.extensions.cubus.builds.build import TableCards
from cantstop_arena.extensions.cubus.view.faces import HALF_WIDTH, Face, faces, on_paper
from cantstop_arena.texts import ansi_styled

_COLUMNS = 5  # from one corner of a card to the next, across
_LINES = 3  # an upright edge
_FILLS = {"T": " ", "O": "o", "L": ".", "R": ":"}
_STYLES = {"T": "30;47", "O": "97;40", "L": "30;43", "R": "97;100"}

Grid = dict[tuple[int, int], Face]


def pile_text(table: TableCards, colours: bool = False) -> str:
    """A pile as lines of text. `colours`: with ANSI colours."""
    grid = _grid(table)
    columns, lines = {column for column, _ in grid}, {line for _, line in grid}
    across = range(min(columns), max(columns) + 2)
    return "\n".join(
        "".join(_sign(grid, column, line, colours) for column in across).rstrip()
        for line in range(min(lines), max(lines) + 2)
    )


def _grid(table: TableCards) -> Grid:
    return {spot: face for face in faces(table) for spot in _spots(face)}


def _spots(face: Face) -> list[tuple[int, int]]:
    """The (column, line) of the signs whose centres lie within a face."""
    points = [on_paper(*corner) for corner in face.corners]
    columns = [across / HALF_WIDTH * _COLUMNS for across, _ in points]
    lines = [down * _LINES for _, down in points]
    return [
        (column, line)
        for column in range(int(min(columns)) - 1, int(max(columns)) + 1)
        for line in range(int(min(lines)) - 1, int(max(lines)) + 1)
        if _within(column + 0.5, line + 0.5, list(zip(columns, lines, strict=True)))
    ]


def _within(column: float, line: float, points: list[tuple[float, float]]) -> bool:
    """Whether a spot lies within a convex polygon."""
    sides = [
        (x2 - x1) * (line - y1) - (y2 - y1) * (column - x1)
        for (x1, y1), (x2, y2) in zip(points, points[1:] + points[:1], strict=True)
    ]
    return all(side >= 0 for side in sides) or all(side < 0 for side in sides)


def _sign(grid: Grid, column: int, line: int, colours: bool) -> str:
    face, left, above = (
        grid.get(spot) for spot in ((column, line), (column - 1, line), (column, line - 1))
    )
    sign = "|" if face != left else "-" if face != above else _FILLS[face.card] if face else " "
    return ansi_styled(sign, _STYLES[face.card]) if colours and face else sign
