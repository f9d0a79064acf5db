"""The board of a page's replay: drawn once, after which a script only moves the pieces.

The picture has every marker and runner that a game can have, and hides those that are not in use.
Thus the picture depends on the present scene alone.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple
from xml.etree import ElementTree as ET

from cantstop_arena.views.cantstop.scenes import BoardScene, ColumnState
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
_SCALE = 1.25  # of the picture, where the page is wide enough
_SEATS = tuple(f"var(--seat-{seat})" for seat in range(1, 5))
_PALETTE = Palette(
    "var(--ink)", "var(--summit)", "var(--column)", "var(--rung)", "var(--on-seat)", _SEATS
)
_SHRUNK = round(SMALL / RADIUS, 2)  # a piece on a space that many share
_HIDDEN = {"display": "none"}

ColumnLengths = tuple[tuple[int, int], ...]
"""The columns with their lengths."""


class Landing(NamedTuple):
    """Where a runner would land: the column, the space before and the space after."""

    column: int
    before: int
    after: int


def draw_stage(
    scene: BoardScene, key: str, options: Sequence[Sequence[Landing]] = (), seat: int = 0
) -> str:
    """The board of a scene as SVG for a page, in the page's colours.

    The ids in it start with the `key`. The landings of each of the `options` of a `seat` are drawn
    in a group of class `ghost`, which the page's style shows when the option is pointed at.
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
    ET.SubElement(root, "defs")  # stands for what all scenes have, and for the columns
    for number, landings in enumerate(options):
        look = {"class": "ghost", "data-ghost": str(number)}
        _add_landings(
            ET.SubElement(root, "g", look), board, scene, landings, f"{key}-runner-{seat}"
        )
    for column in sorted({landing.column for landings in options for landing in landings}):
        _add_target(root, board, scene, column)
    present = "".join(
        [
            f'<g class="claims">{_claims(scene)}</g>',
            f'<g class="trails" fill="{_SEATS[scene.seat]}" opacity="0.3">{_trails(scene)}</g>',
            *_pieces(scene, key),
        ]
    )
    unchanging = _unchanging(tuple(scene.lengths.items()), key, len(scene.names))
    return ET.tostring(root, encoding="unicode").replace("<defs />", unchanging + present, 1)


def positions(scene: BoardScene) -> Mapping[str, str]:
    """The transforms of the pieces in a scene, by column and seat, or r for the runner."""
    size = tuple(scene.lengths.items())
    return {
        f"{column}.{'r' if seat is None else seat}": transform
        for column in scene.lengths
        for seat, transform in _transforms(size, column, scene.column_state(column)).items()
    }


def _add_target(root: ET.Element, board: SvgBoard, scene: BoardScene, column: int) -> None:
    """Add what is clicked on to choose a column: its whole area, which is not drawn."""
    height = HEIGHT * scene.lengths[column]
    area = {
        "class": "target",
        "data-column": str(column),
        "x": str(_MARGIN + WIDTH * (column - 2)),
        "y": str(board.ground - height),
        "width": str(WIDTH),
        "height": str(height),
        "fill": "transparent",
    }
    ET.SubElement(root, "rect", area)


def _add_landings(
    group: ET.Element,
    board: SvgBoard,
    scene: BoardScene,
    landings: Sequence[Landing],
    runner: str,
) -> None:
    """Draw the spaces that runners would climb, and the runners at their ends."""
    for column, before, after in landings:
        left, top = _MARGIN + WIDTH * (column - 2), board.ground - HEIGHT * after
        box = {
            "x": str(left + 2),
            "y": str(top),
            "width": str(WIDTH - 4),
            "height": str(HEIGHT * (after - before)),
            "rx": "6",
        }
        ET.SubElement(group, "rect", box)
        others = sum(own.get(column) == after for own in scene.markers)
        across = coordinate_text(left + WIDTH / 2 + (17 if others == 1 else RADIUS * others))
        attributes = {"href": f"#{runner}", "transform": f"translate({across} {top + HEIGHT // 2})"}
        ET.SubElement(group, "use", attributes)


def layout(scene: BoardScene) -> Mapping[str, float]:
    """The positions and sizes that the script needs, in units of the picture."""
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


@lru_cache(maxsize=16)
def _unchanging(lengths: ColumnLengths, key: str, seats: int) -> str:
    """What all scenes of a game have: the marker and the runner of each seat, for `use` elements,
    and the columns."""
    board, defined, ground = _board(dict(lengths)), ET.Element("defs"), ET.Element("g")
    for seat in range(seats):
        board.draw_marker(ET.SubElement(defined, "g", {"id": f"{key}-marker-{seat}"}), seat, 0, 0)
        board.draw_runner(ET.SubElement(defined, "g", {"id": f"{key}-runner-{seat}"}), seat, 0, 0)
    for column in board.lengths:
        board.draw_column(ground, column)
    return "".join(ET.tostring(part, encoding="unicode") for part in (defined, ground))


# What changes from one scene to the next, each part cached: a scene has few new ones.


def _claims(scene: BoardScene) -> str:
    """The owners' colours over claimed columns; those of open ones are hidden."""
    size = tuple(scene.lengths.items())
    return "".join([_claim(size, column, scene.claimed.get(column)) for column in scene.lengths])


@lru_cache(maxsize=512)
def _claim(lengths: ColumnLengths, column: int, owner: int | None) -> str:
    claim = _board(dict(lengths)).draw_claim(ET.Element("g"), column, owner or 0)
    if owner is None:
        claim.attrib.update(_HIDDEN)
    return ET.tostring(claim, encoding="unicode")


def _trails(scene: BoardScene) -> str:
    """The spaces that runners have climbed in this turn, with height 0 without a runner."""
    size, own = tuple(scene.lengths.items()), scene.markers[scene.seat]
    reached = [(column, scene.runners.get(column, 0)) for column in scene.lengths]
    return "".join([_trail(size, c, own.get(c, 0) if space else 0, space) for c, space in reached])


@lru_cache(maxsize=2048)
def _trail(lengths: ColumnLengths, column: int, below: int, reached: int) -> str:
    parent = ET.Element("g")
    _board(dict(lengths)).draw_trail(parent, column, below, reached)
    return ET.tostring(parent[0], encoding="unicode")


def _pieces(scene: BoardScene, key: str) -> Iterator[str]:
    """A marker of every seat and a runner in every column; hidden where there is none."""
    size, seats = tuple(scene.lengths.items()), range(len(scene.markers))
    standing = [_transforms(size, c, scene.column_state(c)) for c in scene.lengths]
    markers = [_use(f"{key}-marker-{seat}", each.get(seat)) for each in standing for seat in seats]
    runners = [_use(f"{key}-runner-{scene.seat}", each.get(None)) for each in standing]
    yield f'<g class="markers">{"".join(markers)}</g>'
    yield f'<g class="runners">{"".join(runners)}</g>'


def _use(piece: str, transform: str | None) -> str:
    look = 'display="none"' if transform is None else f'transform="{transform}"'
    return f'<use href="#{piece}" {look} />'


@lru_cache(maxsize=8192)
def _transforms(
    lengths: ColumnLengths, column: int, state: ColumnState
) -> Mapping[int | None, str]:
    """The transforms of the pieces in a column, by seat; that of the runner by None."""
    return {
        None if piece.is_runner else piece.seat: _transform(piece)
        for piece in _board(dict(lengths)).pieces(column, state)
    }


def _transform(piece: BoardPiece) -> str:
    transform = f"translate({coordinate_text(piece.x)} {coordinate_text(piece.y)})"
    return transform if piece.radius == RADIUS else f"{transform} scale({_SHRUNK})"
