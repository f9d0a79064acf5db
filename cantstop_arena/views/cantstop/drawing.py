"""The board and a recorded game as text, with colours if requested."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from cantstop_arena.games.cantstop.records import Event
from cantstop_arena.games.cantstop.rules import RULES
from cantstop_arena.games.cantstop.turn import Spaces, Turn, move_text
from cantstop_arena.texts import ansi_styled, how_many
from cantstop_arena.views.cantstop.scenes import SEATS, BoardScene, scenes

if TYPE_CHECKING:
    from cantstop_arena.games.cantstop.play.step_position import CantStopPosition

RUNNER, SPACE, CLOSED = "*", ".", "|"
_MIN_COLUMN_WIDTH = 4  # a column: a top with brackets, and a gap
_COLOURS = ("34", "31", "32", "35")  # of the seats
_PLAIN, _FAINT, _BOLD = "", "2", "1"

Part = tuple[str, str]
"""A text and its style."""

LEGEND = "On the board letters are markers, * are runners, ( ) are tops; | is a claimed column."


def draw_board(scene: BoardScene, coloured: bool = False) -> str:
    """The board as text: columns side by side, with their numbers above the tops in brackets.

    A marker is the letter of its seat, a runner a star. A marker on a top has claimed its column,
    which is then closed down to the ground.
    """
    width = max(_MIN_COLUMN_WIDTH, len(scene.markers) + 1)
    claimed = scene.claimed
    rows = []
    for level in range(max(scene.lengths.values()) + 1, 0, -1):
        cells = (
            _padded(_cell(scene, column, level, claimed.get(column)), width, coloured)
            for column in scene.lengths
        )
        rows.append("".join(cells).rstrip())
    return "\n".join(rows)


def _cell(scene: BoardScene, column: int, level: int, owner: int | None) -> list[Part]:
    length = scene.lengths[column]
    if level > length:
        return (
            [(str(column), _FAINT if owner is not None else _BOLD)] if level == length + 1 else []
        )
    standing = _standing(scene, column, level)
    if level == length:
        return [("(", _PLAIN), *(standing or [(" ", _PLAIN)]), (")", _PLAIN)]
    if owner is not None:
        return [(CLOSED, f"2;{_COLOURS[owner]}")]
    return standing or [(SPACE, _FAINT)]


def _standing(scene: BoardScene, column: int, level: int) -> list[Part]:
    """The markers and the runner on a space."""
    parts = [
        (SEATS[seat], _seat_style(seat))
        for seat, own in enumerate(scene.markers)
        if own.get(column) == level
    ]
    if scene.runners.get(column) == level:
        parts.append((RUNNER, f"1;7;{_COLOURS[scene.seat]}"))
    return parts


def _seat_style(seat: int) -> str:
    return f"{_BOLD};{_COLOURS[seat]}"


def _padded(parts: Sequence[Part], width: int, coloured: bool) -> str:
    """The parts of a cell, centred."""
    free = width - sum(len(text) for text, _ in parts)
    left = free // 2
    painted = (ansi_styled(text, style) if coloured else text for text, style in parts)
    return " " * left + "".join(painted) + " " * (free - left)


def draw_seats(scene: BoardScene, coloured: bool = False) -> str:
    """The players, with how many of the columns needed to win each has claimed."""
    claims = list(scene.claimed.values())
    target = scene.opening["rules"]["columns_to_win"]
    names = []
    for seat in range(len(scene.names)):
        claimed = f" ({claims.count(seat)} of {target})" if seat in claims else ""
        names.append(_name(scene, seat, coloured) + claimed)
    return "Seats: " + ", ".join(names)


def _name(scene: BoardScene, seat: int, coloured: bool) -> str:
    name = scene.names[seat]
    return ansi_styled(name, _seat_style(seat)) if coloured else name


def game_text(events: Iterable[Event], coloured: bool = False) -> Iterator[str]:
    """The lines of a recorded game: every roll, and the board after every stop."""
    for scene in scenes(events):
        if scene.event["event"] == "roll" and scene.rolls == 1:
            yield turn_heading(scene, scene.turn, scene.seat, coloured)
        yield from event_line(scene, coloured)
        if scene.event["event"] == "stop":
            yield ""
            yield draw_board(scene, coloured)


def turn_heading(scene: BoardScene, turn: int, seat: int, coloured: bool = False) -> str:
    """The heading of a turn."""
    return f"\nTurn {turn}: {_name(scene, seat, coloured)}"


def event_line(scene: BoardScene, coloured: bool = False) -> Iterator[str]:
    """The lines for the last event."""
    event = scene.event
    match event["event"]:
        case "game":
            yield scene.heading
            yield draw_seats(scene, coloured)
        case "roll":
            yield f"  {dice_text(event['dice'])}  {_move_line(scene)}"
            if scene.verdict:
                yield f"      judge: {scene.verdict}"
        case "end":
            yield f"\n{_outcome(scene, coloured)}"
            if scene.verdict:
                yield f"The judge: {scene.verdict}."
        case "stop":
            claims = " and claims " + " and ".join(map(str, scene.claims)) if scene.claims else ""
            yield f"  stops{claims}"
        case _:
            yield "  bust"


def _move_line(scene: BoardScene) -> str:
    chosen = scene.event["chosen"]
    if chosen is None:
        return "no move"
    runners = " ".join(f"{column}:{space}" for column, space in scene.runners.items())
    others = ", ".join(move_text(move) for move in scene.event["moves"] if move != chosen)
    alternatives = f" (or {others})" if others else ""
    return f"{move_text(chosen) + alternatives:<32}  runners {runners}"


def _outcome(scene: BoardScene, coloured: bool) -> str:
    turns, winners = scene.event["turns"], scene.event["winners"]
    names = " and ".join(_name(scene, seat, coloured) for seat in winners) or "nobody"
    verb = "win" if len(winners) > 1 else "wins"
    return f"After {how_many(turns, 'turn')} {names} {verb} ({scene.event['reason']})."


def dice_text(dice: Sequence[int]) -> str:
    """A roll as text: its dice joined by -."""
    return "-".join(map(str, dice))


def board_text(position: "CantStopPosition") -> str:
    """The board of a position below its turn, with the dice when a move has to be chosen."""
    turn = position.turn()
    heading = f"Turn {turn.number}: {SEATS[turn.seat]}"
    if position.is_choice:
        heading += f", {'-'.join(map(str, turn.dice))}"
    return f"{heading}\n\n{draw_board(_scene(turn))}"


def _scene(turn: Turn) -> BoardScene:
    opening = {"rules": RULES.as_dict(turn.rules), "seats": [*SEATS[: turn.players]]}
    relative = (turn.markers, *turn.rivals)
    markers = (relative[(seat - turn.seat) % turn.players] for seat in range(turn.players))
    runners = _by_column(turn.runners)
    return BoardScene(
        opening, opening, tuple(map(_by_column, markers)), runners, runners, seat=turn.seat
    )


def _by_column(spaces: Spaces) -> dict[int, int]:
    return {column: space for column, space in enumerate(spaces) if space}
