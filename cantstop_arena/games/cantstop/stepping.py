"""A recorded game seen step by step: where in it one is, and what is shown there."""

from collections.abc import Iterator, Sequence
from enum import Enum, auto

from cantstop_arena.games.cantstop.drawing import (
    dice_text,
    draw_board,
    draw_seats,
    move_text,
    tell,
)
from cantstop_arena.games.cantstop.odds import success_count
from cantstop_arena.games.cantstop.records import rules_of
from cantstop_arena.games.cantstop.rules import RuleSet
from cantstop_arena.games.cantstop.scenes import Scene
from cantstop_arena.texts import styled


class Way(Enum):
    """Where a step leads."""

    FORTH = auto()
    BACK = auto()
    NEXT_TURN = auto()
    TURN_BEFORE = auto()
    FIRST = auto()
    LAST = auto()


def step(scenes: Sequence[Scene], place: int, way: Way) -> int:
    """The place of the scene that a step leads to; it stays within the game."""
    last = len(scenes) - 1
    match way:
        case Way.FORTH:
            return min(place + 1, last)
        case Way.BACK:
            return max(place - 1, 0)
        case Way.NEXT_TURN:
            return _beginning(scenes, scenes[place].turn + 1)
        case Way.TURN_BEFORE:  # of this turn first
            return _beginning(scenes, scenes[max(place - 1, 0)].turn)
        case Way.FIRST:
            return 0
        case Way.LAST:
            return last


def _beginning(scenes: Sequence[Scene], turn: int) -> int:
    """Where a turn begins; the end of the game, where it was never played."""
    places = (place for place, scene in enumerate(scenes) if scene.turn >= turn)
    return next(places, len(scenes) - 1)


def bust_chance(scene: Scene) -> float:
    """How likely the last roll was to be a bust, before it was made."""
    rules = rules_of(scene.opening)
    return 1 - _successes(scene, rules) / rules.sides**4


def bust_count(scene: Scene) -> int:
    """How many of all rolls would have been a bust in place of the last one."""
    rules = rules_of(scene.opening)
    return rules.sides**4 - _successes(scene, rules)


def _successes(scene: Scene, rules: RuleSet) -> int:
    before = scene.before
    topped = [column for column, space in before.items() if space == scene.lengths[column]]
    return success_count(rules, [*before], [*scene.claimed], topped)


def frame(scenes: Sequence[Scene], place: int, coloured: bool = False) -> str:
    """All there is to see at a place in the game."""
    scene = scenes[place]
    lines = [
        f"{scene.heading}, step {place} of {len(scenes) - 1}",
        draw_seats(scene, coloured),
        "",
        draw_board(scene, coloured),
        "",
        *_happened(scene, coloured),
    ]
    return "\n".join(lines)


def _happened(scene: Scene, coloured: bool) -> Iterator[str]:
    event = scene.event
    if scene.turn and event["event"] != "end":
        yield f"Turn {scene.turn}: {scene.names[scene.seat]}"
    match event["event"]:
        case "game":
            yield "Before the first turn"
        case "roll":
            yield f"  roll {scene.rolls}, a bust with a chance of {bust_chance(scene):.2%}"
            yield f"  {dice_text(event['dice'])}  {_offered(scene, coloured)}"
        case _:
            yield from (line.lstrip("\n") for line in tell(scene, coloured))


def _offered(scene: Scene, coloured: bool) -> str:
    """The moves that the roll offered, the one that was made in brackets."""
    chosen, told = scene.event["chosen"], []
    for move in scene.event["moves"]:
        text = move_text(move)
        if move == chosen:
            text = f"[{text}]"
            text = styled(text, "1") if coloured else text
        told.append(text)
    return "  ".join(told) or "no move"
