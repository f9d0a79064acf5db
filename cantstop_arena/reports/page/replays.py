"""A recorded game to be played back on a page, step by step, and told in words below."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, pairwise

from markupsafe import Markup

from cantstop_arena.games.cantstop.drawing import dice_text, move_text
from cantstop_arena.games.cantstop.events import Event
from cantstop_arena.games.cantstop.scenes import LONGEST_NAME, Scene, Spaces, scenes
from cantstop_arena.games.cantstop.stage import draw_stage, layout
from cantstop_arena.games.cantstop.stepping import bust_chance, bust_count
from cantstop_arena.games.cantstop.svg import heading
from cantstop_arena.reports.page.document import Document, Game, Section, TurnTold
from cantstop_arena.texts import in_a_line

KEY = "game"
"""What the only game of a page is called in it."""


def document(events: Iterable[Event]) -> Document:
    """The page of one game. It does not tell beforehand who wins."""
    told = list(events)
    return Document(
        title=against(told[0]["seats"]),
        about=f"{next(scenes(told)).heading}.",
        answer=(),
        sections=[Section("replay", "Step by step", games=[game(KEY, "", (), told)])],
    )


def game(key: str, title: str, words: Sequence[str], events: Iterable[Event]) -> Game:
    """A game for a section of a page; its `key` is the only one on the page.

    The events begin with the opening. A game that was cut off has no end.
    """
    played = list(scenes(events))
    last = played[-1]
    return Game(
        key=key,
        title=title,
        words=words,
        board=Markup(draw_stage(last, key)),
        names=last.names,
        claims=_claims(last),
        target=last.opening["rules"]["columns_to_win"],
        turns=list(_turns(played)),
        end=heading(last) if last.event["event"] == "end" else "The record has no end",
        data=_data(key, played),
    )


def against(names: Sequence[str]) -> str:
    """Who plays whom."""
    *others, last = (in_a_line(name, LONGEST_NAME) for name in names)
    return f"{', '.join(others)} against {last}" if others else f"{last} alone"


def _claims(scene: Scene) -> list[list[int]]:
    """The columns that each seat has claimed."""
    claims: list[list[int]] = [[] for _ in scene.names]
    for column, owner in scene.claimed.items():
        claims[owner].append(column)
    return claims


# For the script -----------------------------------------------------------------------------


def _data(key: str, played: Sequence[Scene]) -> dict[str, object]:
    """What the script plays back; templates/replay.js says what stands where in a step."""
    rules = played[0].opening["rules"]
    standings: dict[tuple[tuple[int, ...], ...], int] = {}
    steps = []
    for before, scene in zip([None, *played], played, strict=False):
        standing = tuple(_flat(own) for own in scene.markers)
        place = standings.setdefault(standing, len(standings))
        steps.append([*_step(scene, place), said(scene, before), *_roll(scene)])
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


def _step(scene: Scene, standing: int) -> list[object]:
    return [scene.event["event"], scene.turn, scene.seat, standing, _flat(scene.runners)]


def _roll(scene: Scene) -> Iterator[object]:
    event = scene.event
    if event["event"] == "roll":
        moves, chosen = event["moves"], event["chosen"]
        yield from (scene.rolls, bust_count(scene), event["dice"], moves)
        yield -1 if chosen is None else moves.index(chosen)


def _flat(spaces: Spaces) -> tuple[int, ...]:
    """Columns and spaces by turns, which is as short as it gets."""
    return tuple(number for place in sorted(spaces.items()) for number in place)


# In words -----------------------------------------------------------------------------------


def said(scene: Scene, before: Scene | None) -> str:
    """What has just happened; `before` is the scene before it."""
    claimed = _claimed(scene, before)
    return f"{heading(scene)}, claims {claimed}" if claimed else heading(scene)


def _claimed(scene: Scene, before: Scene | None) -> str:
    """The columns that have just been claimed."""
    earlier = before.claimed if before else {}
    return " and ".join(str(column) for column in scene.claimed if column not in earlier)


def _turns(played: Sequence[Scene]) -> Iterator[TurnTold]:
    """The account of the game, turn by turn."""
    for turn, steps in groupby(pairwise(played), key=lambda step: step[1].turn):
        pairs = [step for step in steps if step[1].event["event"] != "end"]
        rolls = [_rolled(scene) for _, scene in pairs if scene.event["event"] == "roll"]
        if rolls:
            name = played[0].names[pairs[0][1].seat]
            yield TurnTold(turn, name, rolls, _ending(*pairs[-1]))


def _rolled(scene: Scene) -> str:
    event = scene.event
    taken = "no move" if event["chosen"] is None else move_text(event["chosen"])
    return f"{dice_text(event['dice'])}: {taken} ({100 * bust_chance(scene):.1f} %)"


def _ending(before: Scene, scene: Scene) -> str:
    match scene.event["event"]:
        case "stop":
            claimed = _claimed(scene, before)
            return f"stops, claims {claimed}" if claimed else "stops"
        case "bust":
            return "bust"
        case _:
            return "cut short"
