"""What is shown at each step of a recorded game."""

from collections.abc import Iterator, Sequence

from cantstop_arena.texts import ansi_styled
from cantstop_arena.views.cantstop.drawing import (
    dice_text,
    draw_board,
    draw_seats,
    event_line,
    move_text,
)
from cantstop_arena.views.cantstop.scenes import BoardScene


def bust_chance(scene: BoardScene) -> float:
    """How likely the last roll was to be a bust, before it was made."""
    rolls: int = scene.opening["rules"]["sides"] ** 4
    return 1 - (rolls - scene.bust_count) / rolls  # rounded as a bot is told it


def frame(scenes: Sequence[BoardScene], index: int, coloured: bool = False) -> str:
    """All there is to see at a place in the game."""
    scene = scenes[index]
    lines = [
        f"{scene.heading}, step {index} of {len(scenes) - 1}",
        draw_seats(scene, coloured),
        "",
        draw_board(scene, coloured),
        "",
        *_event_lines(scene, coloured),
    ]
    return "\n".join(lines)


def _event_lines(scene: BoardScene, coloured: bool) -> Iterator[str]:
    event = scene.event
    if scene.turn and event["event"] != "end":
        yield f"Turn {scene.turn}: {scene.names[scene.seat]}"
    match event["event"]:
        case "game":
            yield "Before the first turn"
        case "roll":
            yield f"  roll {scene.rolls}, a bust with a chance of {bust_chance(scene):.2%}"
            yield f"  {dice_text(event['dice'])}  {_offered(scene, coloured)}"
            if scene.verdict:
                yield f"  judge: {scene.verdict}"
        case _:
            yield from (line.lstrip("\n") for line in event_line(scene, coloured))


def _offered(scene: BoardScene, coloured: bool) -> str:
    """The moves that the roll offered, the one that was made in brackets."""
    chosen, data = scene.event["chosen"], []
    for move in scene.event["moves"]:
        text = move_text(move)
        if move == chosen:
            text = f"[{text}]"
            text = ansi_styled(text, "1") if coloured else text
        data.append(text)
    return "  ".join(data) or "no move"
