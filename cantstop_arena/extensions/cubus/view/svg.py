"""The picture of a pile as SVG, for light and dark pages alike.

All colours are CSS classes, so that a page defines them once; a separate file contains its own
style.
"""

from collections.abc import Iterable, Sequence

from cantstop_arena.extensions.cubus.builds.build import TableCards
from cantstop_arena.extensions.cubus.view.faces import Face, changed_cards, faces, on_paper

UNIT = 40  # pixels of a card's edge
_MARGIN = 10
_RIM, _DEEP = 0.12, 0.35  # rim and depth of an open crate, in edges

STYLE = """
.cubus { stroke: #4a3419; stroke-width: 1.25; stroke-linejoin: round }
.cubus .T, .cubus .O { fill: #e8d3a8 } .cubus .L { fill: #c39a5b } .cubus .R { fill: #946a35 }
.cubus .hole { fill: #2a1c0c; stroke: none } .cubus .wall { fill: #6b4a22; stroke: none }
.cubus .side { fill: #946a35; stroke: none }
.cubus .under { fill: none; stroke: #ffffff; stroke-width: 6 }
.cubus .new { fill: none; stroke: #0f5aa6; stroke-width: 3 }
@media (prefers-color-scheme: dark) {
  .cubus { stroke: #1d1409 } .cubus .under { stroke: #14171b } .cubus .new { stroke: #86b9f2 }
}
"""

Spot = tuple[float, float, float]


def pile_svg(table: TableCards, before: TableCards | None = None, alone: bool = True) -> str:
    """A pile as SVG. `before`: the table before a build, whose new cards are outlined.

    `alone`: with its style, for a file; a page has `STYLE` in its own style sheet.
    """
    new = [] if before is None else changed_cards(table, before)
    style = f"<style>{STYLE}</style>" if alone else ""
    parts = "".join(map(_card, faces(table)))
    outlines = "".join(_polygon(face.corners, kind) for kind in ("under", "new") for face in new)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {_size(table)} role="img">'
        f"<title>{_title(table, new)}</title>{style}"
        f'<g class="cubus">{parts}{outlines}</g></svg>'
    )


def empty() -> str:
    """The SVG of the table without crates."""
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="-40 -40 80 80" width="80" height="80"'
        ' role="img"><title>No crate is left</title></svg>'
    )


def _size(table: TableCards) -> str:
    points = [on_paper(*corner) for face in faces(table) for corner in face.corners]
    left, right = _ends([UNIT * across for across, _ in points])
    top, bottom = _ends([UNIT * down for _, down in points])
    width, height = right - left, bottom - top
    return (
        f'viewBox="{left:.1f} {top:.1f} {width:.1f} {height:.1f}"'
        f' width="{width:.0f}" height="{height:.0f}"'
    )


def _ends(numbers: Iterable[float]) -> tuple[float, float]:
    listed = list(numbers)
    return min(listed) - _MARGIN, max(listed) + _MARGIN


def _title(table: TableCards, new: Sequence[Face]) -> str:
    rows = "; ".join(", ".join(map(str, row)) for row in table.pile.shape.rows)
    opened = f"; open: {', '.join(f'{x},{y}' for x, y in table.open)}" if table.open else ""
    new_text = f"; {len(new)} cards laid" if new else ""
    return f"A pile of crates, heights from the back: {rows}{opened}{new_text}"


def _card(face: Face) -> str:
    polygon = _polygon(face.corners, face.card)
    return polygon + _opening(face) if face.card == "O" else polygon


def _opening(face: Face) -> str:
    """The hole of an open crate, and its two visible inner walls."""
    x, y, z = face.corners[0]
    back, left = (x + _RIM, y + _RIM, z), (x + 1 - _RIM, y + _RIM, z)
    right, front = (x + _RIM, y + 1 - _RIM, z), (x + 1 - _RIM, y + 1 - _RIM, z)
    corner = (back[0], back[1], z - _DEEP)
    behind = (left[0] - _DEEP, left[1], z - _DEEP)
    beside = (right[0], right[1] - _DEEP, z - _DEEP)
    return (
        _polygon((back, right, front, left), "hole")
        + _polygon((back, left, behind, corner), "wall")
        + _polygon((back, right, beside, corner), "side")
    )


def _polygon(corners: Sequence[Spot], kind: str) -> str:
    spots = (on_paper(*corner) for corner in corners)
    points = " ".join(f"{UNIT * across:.1f},{UNIT * down:.1f}" for across, down in spots)
    return f'<polygon class="{kind}" points="{points}"/>'
