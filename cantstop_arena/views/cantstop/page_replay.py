"""The replay of a recorded game on a page: played back by a script, with the game as text."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path

import msgspec
from markupsafe import Markup

from cantstop_arena.games.cantstop.records import Event
from cantstop_arena.games.cantstop.turn import move_text
from cantstop_arena.pages.document import GameFigure, rendered
from cantstop_arena.views.cantstop.animated_board import draw_stage, layout
from cantstop_arena.views.cantstop.drawing import dice_text
from cantstop_arena.views.cantstop.scenes import BoardScene, Spaces, scenes
from cantstop_arena.views.cantstop.step_text import bust_chance
from cantstop_arena.views.cantstop.svg import beginning, heading
from cantstop_arena.views.replay_buttons import buttons_style, replay_buttons

TEMPLATES = Path(__file__).parent / "templates"


class TurnText(msgspec.Struct, frozen=True):
    """A turn as text: the player, each roll, and how the turn ended."""

    number: int
    name: str
    rolls: Sequence[str]
    ending: str


class Replay(msgspec.Struct, frozen=True):
    """The variables of the template: a game that a script plays back, and its text.

    `board` and `claims` (columns by seat) are those at the end, `target` is the number of columns
    that wins, and `data` is the input of the script. The `key` is unique on the page.
    """

    key: str
    title: str
    paragraphs: Sequence[str]
    board: Markup
    names: Sequence[str]
    claims: Sequence[Sequence[int]]
    target: int
    turns: Sequence[TurnText]
    end: str
    data: Mapping[str, object]


def game(key: str, title: str, paragraphs: Sequence[str], events: Iterable[Event]) -> GameFigure:
    """A game as a figure of a page's section; its `key` is unique on the page.

    The events start with the opening; those of an incomplete game have no end.
    """
    replay = _replay(key, title, paragraphs, events)
    html = rendered(TEMPLATES, "game.html", game=replay, buttons=replay_buttons())
    return GameFigure(title, Markup(html), _read("replay.js"), board_style())


def board_style() -> str:
    """The CSS of boards on pages."""
    return buttons_style() + _read("replay.css")


def _read(name: str) -> str:
    return (TEMPLATES / name).read_text("utf-8")


def _replay(key: str, title: str, paragraphs: Sequence[str], events: Iterable[Event]) -> Replay:
    played = list(scenes(events))
    last = played[-1]
    return Replay(
        key=key,
        title=title,
        paragraphs=paragraphs,
        board=Markup(draw_stage(last, key)),
        names=last.names,
        claims=_claims(last),
        target=last.opening["rules"]["columns_to_win"],
        turns=list(_turns(played)),
        end=event_text(last) if last.is_end else "The record has no end",
        data=_data(key, played),
    )


def _claims(scene: BoardScene) -> list[list[int]]:
    """The columns that each seat has claimed."""
    claims: list[list[int]] = [[] for _ in scene.names]
    for column, owner in scene.claimed.items():
        claims[owner].append(column)
    return claims


# For the script -----------------------------------------------------------------------------


def _data(key: str, played: Sequence[BoardScene]) -> dict[str, object]:
    """The input of the script; templates/replay.js documents the fields of a step."""
    rules = played[0].opening["rules"]
    standings: dict[tuple[tuple[int, ...], ...], int] = {}
    steps: list[list[object]] = []
    for markers, group in groupby(played, key=lambda scene: scene.markers):
        standing = tuple(map(_flat, markers))
        index = standings.setdefault(standing, len(standings))
        for scene in group:
            # The script puts the beginning before it.
            ending_text = event_text(scene).removeprefix(beginning(scene))
            steps.append([*_step(scene, index), ending_text, *_roll(scene)])
    return {
        "key": key,
        "names": played[0].names,
        "lengths": rules["column_lengths"],
        "target": rules["columns_to_win"],
        "rolls": rules["sides"] ** 4,
        "layout": layout(played[0]),
        "standings": list(standings),
        "steps": steps,
    }


def _step(scene: BoardScene, standing: int) -> list[object]:
    return [scene.event["event"], scene.turn, scene.seat, standing, _flat(scene.runners)]


def _roll(scene: BoardScene) -> Iterator[object]:
    event = scene.event
    if event["event"] == "roll":
        moves, chosen = event["moves"], event["chosen"]
        yield from (scene.rolls, scene.bust_count, event["dice"], moves)
        yield -1 if chosen is None else moves.index(chosen)


def _flat(spaces: Spaces) -> tuple[int, ...]:
    """Columns and spaces in alternation, a compact form for the page."""
    return tuple(number for pair in sorted(spaces.items()) for number in pair)


# Text ---------------------------------------------------------------------------------------


def event_text(scene: BoardScene) -> str:
    """The last event as text, with its verdict if it has one."""
    text = f"{heading(scene)}{_claiming(scene)}"
    return f"{text}. The judge: {scene.verdict}" if scene.verdict else text


def _claiming(scene: BoardScene) -> str:
    """The columns that the last event claimed, as text."""
    return f", claims {' and '.join(map(str, scene.claims))}" if scene.claims else ""


def _turns(played: Sequence[BoardScene]) -> Iterator[TurnText]:
    """The text of the game, turn by turn."""
    for turn, group in groupby(played[1:], key=lambda scene: scene.turn):
        steps = [scene for scene in group if scene.event["event"] != "end"]
        rolls = [_roll_text(scene) for scene in steps if scene.event["event"] == "roll"]
        if rolls:
            name = played[0].names[steps[0].seat]
            yield TurnText(turn, name, rolls, _ending(steps[-1]))


def _roll_text(scene: BoardScene) -> str:
    event = scene.event
    taken = "no move" if event["chosen"] is None else move_text(event["chosen"])
    text = f"{dice_text(event['dice'])}: {taken} ({100 * bust_chance(scene):.1f}%)"
    return f"{text}; the judge: {scene.verdict}" if scene.verdict else text


def _ending(scene: BoardScene) -> str:
    match scene.event["event"]:
        case "stop":
            return f"stops{_claiming(scene)}"
        case "bust":
            return "bust"
        case _:
            return "cut short"
