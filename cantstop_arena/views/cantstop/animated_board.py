"""The board as a stage: drawn once for a page, whose script then only moves who stands on it.

Every marker and every runner that a game can have is there from the beginning, hidden where it does
not stand. So what is seen depends on the scene alone, not on how one came to it.
"""

from collections.abc import Mapping
from xml.etree import ElementTree as ET

from cantstop_arena.views.cantstop.scenes import BoardScene
from cantstop_arena.views.cantstop.svg import board_description
from cantstop_arena.views.cantstop.svg_board import (
    CROWD,
    HEIGHT,
    RADIUS,
    SMALL,
    WIDTH,
    BoardPiece,
    Palette,
    SvgBoard,
    coordinate_text,
)

_MARGIN = 6
_SCALE = 1.25  # where there is room
_SEATS = tuple(f"var(--seat-{seat})" for seat in range(1, 5))
_PALETTE = Palette(
    "var(--ink)", "var(--summit)", "var(--column)", "var(--rung)", "var(--on-seat)", _SEATS
)
_SHRUNK = round(SMALL / RADIUS, 2)  # a piece on a space that many share
_HIDDEN = {"display": "none"}


def draw_stage(scene: BoardScene, key: str) -> str:
    """The board in a scene, as SVG for a page, in whose colours it is drawn.

    The ids in it begin with the `key`.
    """
    board = _board(scene.lengths)
    width, height = WIDTH * len(scene.lengths) + 2 * _MARGIN, board.ground + _MARGIN
    root = ET.Element(
        "svg",
        {
            "viewBox": f"0 0 {width} {height}",
            "width": str(round(_SCALE * width)),
            "role": "img",
            "aria-labelledby": f"{key}-board",
            "aria-describedby": f"{key}-standing",
            "text-anchor": "middle",
        },
    )
    ET.SubElement(root, "title", {"id": f"{key}-board"}).text = "The board"
    ET.SubElement(root, "desc", {"id": f"{key}-standing"}).text = " ".join(board_description(scene))
    _define(root, board, key, len(scene.names))
    ground = ET.SubElement(root, "g")
    for column in scene.lengths:
        board.draw_column(ground, column)
    _claims(root, board, scene)
    _trails(root, board, scene)
    _pieces(root, board, scene, key)
    return ET.tostring(root, encoding="unicode")


def layout(scene: BoardScene) -> Mapping[str, float]:
    """What the script has to know of where spaces are, and of the pieces on them."""
    return {
        "left": _MARGIN + WIDTH / 2,  # the middle of the first column
        "across": WIDTH,
        "ground": _board(scene.lengths).ground,
        "up": HEIGHT,
        "radius": RADIUS,
        "small": SMALL,
        "crowd": CROWD,
        "shrunk": _SHRUNK,
    }


def _board(lengths: Mapping[int, int]) -> SvgBoard:
    return SvgBoard(lengths, _MARGIN, _MARGIN, _PALETTE)


def _define(root: ET.Element, board: SvgBoard, key: str, seats: int) -> None:
    """The marker and the runner of each seat, to be used wherever one stands."""
    defined = ET.SubElement(root, "defs")
    for seat in range(seats):
        board.draw_marker(ET.SubElement(defined, "g", {"id": f"{key}-marker-{seat}"}), seat, 0, 0)
        board.draw_runner(ET.SubElement(defined, "g", {"id": f"{key}-runner-{seat}"}), seat, 0, 0)


def _claims(root: ET.Element, board: SvgBoard, scene: BoardScene) -> None:
    claims = ET.SubElement(root, "g", {"class": "claims"})
    for column in scene.lengths:
        owner = scene.claimed.get(column)
        claim = board.draw_claim(claims, column, owner or 0)
        if owner is None:
            claim.attrib.update(_HIDDEN)


def _trails(root: ET.Element, board: SvgBoard, scene: BoardScene) -> None:
    """What the runners have gained since the turn began, nothing where there is none."""
    look = {"class": "trails", "fill": _SEATS[scene.seat], "opacity": "0.3"}
    trails = ET.SubElement(root, "g", look)
    for column in scene.lengths:
        reached = scene.runners.get(column, 0)
        below = scene.markers[scene.seat].get(column, 0) if reached else 0
        board.draw_trail(trails, column, below, reached)


def _pieces(root: ET.Element, board: SvgBoard, scene: BoardScene, key: str) -> None:
    """A marker of every seat and a runner for every column."""
    standing = {
        (None if piece.is_runner else piece.seat, piece.column): piece
        for column in scene.lengths
        for piece in board.pieces(scene, column)
    }
    markers = ET.SubElement(root, "g", {"class": "markers"})
    runners = ET.SubElement(root, "g", {"class": "runners"})
    for column in scene.lengths:
        for seat in range(len(scene.names)):
            marker = {"href": f"#{key}-marker-{seat}", **_placed(standing.get((seat, column)))}
            ET.SubElement(markers, "use", marker)
        runner = {"href": f"#{key}-runner-{scene.seat}", **_placed(standing.get((None, column)))}
        ET.SubElement(runners, "use", runner)


def _placed(piece: BoardPiece | None) -> Mapping[str, str]:
    if piece is None:
        return _HIDDEN
    location = f"translate({coordinate_text(piece.x)} {coordinate_text(piece.y)})"
    return {"transform": location if piece.radius == RADIUS else f"{location} scale({_SHRUNK})"}
