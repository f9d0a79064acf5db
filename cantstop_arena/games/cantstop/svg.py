"""The board as a picture: SVG that stands for itself, in a file or in a page."""

from collections.abc import Iterator
from math import cos, pi, sin
from unicodedata import east_asian_width
from xml.etree import ElementTree as ET

from cantstop_arena.games.cantstop.drawing import dice_text, move_text
from cantstop_arena.games.cantstop.scenes import SEATS, Scene, Spaces

_WIDTH, _HEIGHT = 56, 24  # of a space
_MARGIN, _NUMBER, _LINE = 16, 22, 22  # around all; above a column; of text
_NARROWEST = 400  # that a line of text has room
_LONGEST = 40  # letters of a name
_INK, _PAPER, _BOARD, _GRID = "#222222", "#fbf7ee", "#e9dfc9", "#b9a988"
_COLOURS = ("#0067a5", "#c23b12", "#00735a", "#8b3a8f")  # of the seats
_FONT = "Verdana, DejaVu Sans, sans-serif"


def draw_svg(scene: Scene) -> str:
    """The board as an SVG document.

    Seats differ by colour, shape and letter. The title and the description say in words what the
    picture shows.
    """
    text = ET.tostring(_Picture(scene).drawn(), encoding="unicode")
    return f"{text}\n"


class _Picture:
    """One board while it is drawn."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.claimed = scene.claimed
        board = _WIDTH * len(scene.lengths)
        self.width = max(board, _NARROWEST) + 2 * _MARGIN
        self.left = (self.width - board) // 2
        self.ground = _MARGIN + _NUMBER + _HEIGHT * max(scene.lengths.values())
        self.lines = [heading(scene), *told_seats(scene)]
        self.height = self.ground + _MARGIN + _LINE * len(self.lines) + _MARGIN // 2
        self.root = ET.Element(
            "svg",
            {
                "xmlns": "http://www.w3.org/2000/svg",
                "viewBox": f"0 0 {self.width} {self.height}",
                "width": str(self.width),
                "height": str(self.height),
                "role": "img",
                "font-family": _FONT,
                "text-anchor": "middle",
            },
        )

    def drawn(self) -> ET.Element:
        ET.SubElement(self.root, "title").text = f"{self.scene.heading}: {heading(self.scene)}"
        ET.SubElement(self.root, "desc").text = " ".join(described(self.scene))
        size = {"width": str(self.width), "height": str(self.height)}
        ET.SubElement(self.root, "rect", {**size, "rx": "8", "fill": _PAPER})
        for column in self.scene.lengths:
            self._column(column)
        for number, line in enumerate(self.lines):
            self._line(number, line)
        return self.root

    # Columns

    def _column(self, column: int) -> None:
        length, owner = self.scene.lengths[column], self.claimed.get(column)
        x, y = self.left + _WIDTH * (column - 2), self.ground - _HEIGHT * length
        self._box(x, y, length, owner)
        grid = "".join(f"M{x + 4} {y + _HEIGHT * n}h{_WIDTH - 8}" for n in range(1, length))
        if grid:
            ET.SubElement(self.root, "path", {"d": grid, "stroke": _GRID, "fill": "none"})
        number = {"x": _half(x), "y": str(y - 6), "font-size": "14", "font-weight": "bold"}
        ET.SubElement(self.root, "text", {**number, "fill": _INK}).text = str(column)
        for level in range(1, length + 1):
            self._space(column, x, self.ground - _HEIGHT * level + _HEIGHT // 2, level)

    def _box(self, x: int, y: int, length: int, owner: int | None) -> None:
        """The ground of a column: in the colour of whoever has claimed it."""
        box = {"x": str(x + 2), "y": str(y), "width": str(_WIDTH - 4), "rx": "6"}
        box["height"] = str(_HEIGHT * length)
        ET.SubElement(self.root, "rect", {**box, "fill": _BOARD, "stroke": _GRID})
        if owner is not None:
            ET.SubElement(self.root, "rect", {**box, "fill": _COLOURS[owner], "opacity": "0.45"})
        else:
            top = {**box, "height": str(_HEIGHT), "fill": _PAPER, "stroke": _GRID}
            ET.SubElement(self.root, "rect", top)

    def _space(self, column: int, x: int, y: int, level: int) -> None:
        """Everybody who stands on a space, side by side."""
        scene = self.scene
        seats = [seat for seat, own in enumerate(scene.markers) if own.get(column) == level]
        runs = scene.runners.get(column) == level
        count = len(seats) + runs
        radius = 9.0 if count < 4 else 6.5
        first = x + _WIDTH / 2 - radius * (count - 1)
        for place, seat in enumerate(seats):
            self._marker(seat, first + 2 * radius * place, y, radius)
        if runs:
            self._runner(first + 2 * radius * len(seats), y, radius)

    # Markers

    def _marker(self, seat: int, x: float, y: float, radius: float) -> None:
        look = {"fill": _COLOURS[seat], "stroke": "#ffffff"}
        if corners := _SHAPES[seat]:
            points = _points(corners, x, y, radius)
            ET.SubElement(self.root, "polygon", {"points": points, **look})
        else:
            circle = {"cx": _number(x), "cy": _number(y), "r": _number(radius - 0.5)}
            ET.SubElement(self.root, "circle", {**circle, **look})
        size = radius * 1.2
        letter = {"x": _number(x), "y": _number(y + size * 0.36), "font-size": _number(size)}
        letter |= {"fill": "#ffffff", "font-weight": "bold"}
        ET.SubElement(self.root, "text", letter).text = SEATS[seat]

    def _runner(self, x: float, y: float, radius: float) -> None:
        look = {"fill": "#ffffff", "stroke": _COLOURS[self.scene.seat], "stroke-width": "2"}
        points = _points(_STAR, x, y, radius)
        ET.SubElement(self.root, "polygon", {"points": points, **look})

    # Words

    def _line(self, number: int, text: str) -> None:
        y = self.ground + _MARGIN + _LINE * number + 14
        seat, x = number - 1, _MARGIN
        if seat >= 0:
            self._marker(seat, _MARGIN + 9, y - 5, 9.0)
            x += 26
        look = {"x": str(x), "y": str(y), "font-size": "14", "fill": _INK, "text-anchor": "start"}
        ET.SubElement(self.root, "text", look).text = text


def heading(scene: Scene) -> str:
    """When in the game this is, and what has just happened."""
    event = scene.event
    match event["event"]:
        case "game":
            return "Before the first turn"
        case "end":
            winners = " and ".join(SEATS[seat] for seat in event["winners"]) or "nobody"
            verb = "win" if len(event["winners"]) > 1 else "wins"
            return f"After {event['turns']} turns {winners} {verb} ({event['reason']})"
        case "roll" if event["chosen"] is None:
            told = f"rolls {dice_text(event['dice'])}, no move"
        case "roll":
            told = f"rolls {dice_text(event['dice'])}, takes {move_text(event['chosen'])}"
        case kind:
            told = {"stop": "stops", "bust": "is bust"}[kind]
    return f"Turn {scene.turn}: {SEATS[scene.seat]} {told}"


def told_seats(scene: Scene) -> Iterator[str]:
    """Who plays, and what each has claimed."""
    for seat, name in enumerate(scene.names):
        claims = [str(column) for column, owner in scene.claimed.items() if owner == seat]
        claimed = f", claimed {', '.join(claims)}" if claims else ""
        yield f"{_cut(name.partition(' ')[2])}{claimed}"


def described(scene: Scene) -> Iterator[str]:
    """The board in sentences."""
    for seat, name in enumerate(scene.names):
        yield f"{name} {_standing(scene, seat)}."
    if scene.runners:
        stand = _places(scene, scene.runners)
        yield f"Runners of {SEATS[scene.seat]} stand in {stand}."


def _standing(scene: Scene, seat: int) -> str:
    claims = {column: owner for column, owner in scene.claimed.items() if owner == seat}
    below = {column: at for column, at in scene.markers[seat].items() if column not in claims}
    told = [f"has claimed {' and '.join(map(str, claims))}"] if claims else []
    if below:
        told.append(f"has markers in {_places(scene, below)}")
    return " and ".join(told) or "has no markers"


def _places(scene: Scene, spaces: Spaces) -> str:
    return ", ".join(
        f"column {column} on space {at} of {scene.lengths[column]}"
        for column, at in sorted(spaces.items())
    )


def _points(shape: list[tuple[float, float]], x: float, y: float, radius: float) -> str:
    return " ".join(f"{_number(x + radius * dx)},{_number(y + radius * dy)}" for dx, dy in shape)


def _ring(corners: int, reach: float, turn: float = 0.0) -> list[tuple[float, float]]:
    """The corners of a regular polygon around nothing, the first one on top unless turned."""
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


def _half(x: int) -> str:
    return _number(x + _WIDTH / 2)


def _number(value: float) -> str:
    """A coordinate, the same wherever it is written."""
    return f"{value:.1f}".removesuffix(".0")


def _cut(name: str) -> str:
    """A name that is not too wide; some scripts take twice the room."""
    room = _LONGEST
    for place, sign in enumerate(name):
        room -= 2 if east_asian_width(sign) in "WF" else 1
        if room < 0:
            return f"{name[:place]}…"
    return name
