"""The text of each step of a recorded game."""

from collections.abc import Iterator, Sequence

from cantstop_arena.games.cantstop.turn import move_text
from cantstop_arena.texts import ansi_styled
from cantstop_arena.views.cantstop.drawing import (
    dice_text,
    draw_board,
    draw_seats,
    event_line,
)
from cantstop_arena.views.cantstop.scenes import BoardScene


def bust_chance(scene: BoardScene) -> float:
    """The probability, before the last roll, that it is a bust."""
    rolls: int = scene.opening["rules"]["sides"] ** 4
    return 1 - (rolls - scene.bust_count) / rolls  # rounded as `Turn.bust_chance`


def frame(scenes: Sequence[BoardScene], index: int, coloured: bool = False) -> str:
    """The scene at an index of the game as text."""
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
    """The moves of the roll, the chosen one in brackets."""
    chosen, move_texts = scene.event["chosen"], []
    for move in scene.event["moves"]:
        text = move_text(move)
        if move == chosen:
            text = f"[{text}]"
            text = ansi_styled(text, "1") if coloured else text
        move_texts.append(text)
    return "  ".join(move_texts) or "no move"
