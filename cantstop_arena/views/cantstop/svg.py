"""The board as an SVG document."""

from collections.abc import Iterator
from xml.etree import ElementTree as ET

from cantstop_arena.games.cantstop.turn import move_text
from cantstop_arena.texts import how_many, shortened
from cantstop_arena.views.cantstop.drawing import dice_text
from cantstop_arena.views.cantstop.scenes import SEATS, BoardScene, Spaces
from cantstop_arena.views.cantstop.svg_board import WIDTH, Palette, SvgBoard

_MARGIN, _LINE = 16, 22  # around the picture; the height of a line of text
_MIN_WIDTH = 400  # so that a line of text fits
_MAX_LENGTH = 40  # characters of a name
_SEATS = ("#0067a5", "#c23b12", "#00735a", "#8b3a8f")
_PALETTE = Palette("#222222", "#fbf7ee", "#e9dfc9", "#b9a988", "#ffffff", _SEATS)
_FONT = "Verdana, DejaVu Sans, sans-serif"


def draw_svg(scene: BoardScene) -> str:
    """The board as an SVG document.

    Seats differ by colour, shape and letter. The title and the description have the content as
    text.
    """
    text = ET.tostring(_Picture(scene).render(), encoding="unicode")
    return f"{text}\n"


class _Picture:
    """The picture of one scene."""

    def __init__(self, scene: BoardScene) -> None:
        self.scene = scene
        self.claimed = scene.claimed
        across = WIDTH * len(scene.lengths)
        self.width = max(across, _MIN_WIDTH) + 2 * _MARGIN
        self.board = SvgBoard(scene.lengths, (self.width - across) // 2, _MARGIN, _PALETTE)
        self.lines = [heading(scene), *seats_text(scene)]
        self.height = self.board.ground + _MARGIN + _LINE * len(self.lines) + _MARGIN // 2
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

    def render(self) -> ET.Element:
        ET.SubElement(self.root, "title").text = f"{self.scene.heading}: {heading(self.scene)}"
        ET.SubElement(self.root, "desc").text = " ".join(board_description(self.scene))
        size = {"width": str(self.width), "height": str(self.height)}
        ET.SubElement(self.root, "rect", {**size, "rx": "8", "fill": _PALETTE.paper})
        for column in self.scene.lengths:
            self.board.draw_column(self.root, column, self.claimed.get(column))
            for piece in self.board.pieces(column, self.scene.column_state(column)):
                self.board.draw_piece(self.root, piece)
        for number, line in enumerate(self.lines):
            self._line(number, line)
        return self.root

    # Text

    def _line(self, number: int, text: str) -> None:
        y = self.board.ground + _MARGIN + _LINE * number + 14
        seat, x = number - 1, _MARGIN
        if seat >= 0:
            self.board.draw_marker(self.root, seat, _MARGIN + 9, y - 5)
            x += 26
        look = {"x": str(x), "y": str(y), "font-size": "14"}
        look |= {"fill": _PALETTE.ink, "text-anchor": "start"}
        ET.SubElement(self.root, "text", look).text = text


def beginning(scene: BoardScene) -> str:
    """How the text of an event of a turn begins: who does it, and with which dice."""
    event = scene.event
    if event["event"] in ("game", "end"):
        return ""
    rolls = f"rolls {dice_text(event['dice'])}, " if event["event"] == "roll" else ""
    return f"Turn {scene.turn}: {SEATS[scene.seat]} {rolls}"


def heading(scene: BoardScene) -> str:
    """The turn and the last event as text."""
    event = scene.event
    match event["event"]:
        case "game":
            return "Before the first turn"
        case "end":
            winners = " and ".join(SEATS[seat] for seat in event["winners"]) or "nobody"
            verb = "win" if len(event["winners"]) > 1 else "wins"
            after = f"After {how_many(event['turns'], 'turn')}"
            return f"{after} {winners} {verb} ({event['reason']})"
        case "roll" if event["chosen"] is None:
            action = "no move"
        case "roll":
            action = f"takes {move_text(event['chosen'])}"
        case kind:
            action = {"stop": "stops", "bust": "is bust"}[kind]
    return f"{beginning(scene)}{action}"


def seats_text(scene: BoardScene) -> Iterator[str]:
    """A line for each player, with the claimed columns."""
    for seat, name in enumerate(scene.names):
        claims = [str(column) for column, owner in scene.claimed.items() if owner == seat]
        claimed = f", claimed {', '.join(claims)}" if claims else ""
        yield f"{shortened(name.partition(' ')[2], _MAX_LENGTH)}{claimed}"


def board_description(scene: BoardScene) -> Iterator[str]:
    """The board as sentences."""
    for seat, name in enumerate(scene.names):
        yield f"{name} {_standing(scene, seat)}."
    if scene.runners:
        stand = _spaces_text(scene, scene.runners)
        yield f"Runners of {SEATS[scene.seat]} stand in {stand}."


def _standing(scene: BoardScene, seat: int) -> str:
    claims = {column: owner for column, owner in scene.claimed.items() if owner == seat}
    below = {column: at for column, at in scene.markers[seat].items() if column not in claims}
    parts = [f"has claimed {' and '.join(map(str, claims))}"] if claims else []
    if below:
        parts.append(f"has markers in {_spaces_text(scene, below)}")
    return " and ".join(parts) or "has no markers"


def _spaces_text(scene: BoardScene, spaces: Spaces) -> str:
    return ", ".join(
        f"column {column} on space {at} of {scene.lengths[column]}"
        for column, at in sorted(spaces.items())
    )
