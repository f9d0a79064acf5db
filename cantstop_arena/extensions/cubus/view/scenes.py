"""The scenes of a recorded game of Cubus: the table after each event."""

from collections.abc import Iterable, Iterator, Sequence

import msgspec
from msgspec.structs import replace

from cantstop_arena.extensions.cubus.builds.build import TableCards
from cantstop_arena.extensions.cubus.builds.cards import NONE, Cards, cards_from_text, single
from cantstop_arena.extensions.cubus.builds.piles import START, parse
from cantstop_arena.game_api.state import Event
from cantstop_arena.texts import how_many, in_a_line

SEATS = "ABCDEF"  # of the seats
_MAX_NAME_LENGTH = 100


class PileScene(msgspec.Struct, frozen=True):
    """The table after an event. `before`: the table before it; None when the event left it alone.

    `table` is None when the last crate has been taken.
    """

    opening: Event
    event: Event
    turn: int
    step: int
    is_end: bool
    table: TableCards | None
    before: TableCards | None
    hands: tuple[Cards, ...]
    scores: tuple[int, ...]
    won: tuple[int, ...]

    @property
    def names(self) -> list[str]:
        """The names of the bots, each after the letter of its seat."""
        return [
            f"{letter} {in_a_line(name, _MAX_NAME_LENGTH)}"
            for letter, name in zip(SEATS, self.opening["seats"], strict=False)
        ]

    @property
    def text(self) -> str:
        """The event as a sentence without a full stop."""
        return _TEXT_OF[self.event["event"]](self)


def scenes(events: Iterable[Event]) -> Iterator[PileScene]:
    """A scene for each event; the first is the opening."""
    scene = None
    for event in events:
        scene = _opened(event) if scene is None else _after(scene, event)
        yield scene


def _opened(event: Event) -> PileScene:
    none = (0,) * len(event["seats"])
    return PileScene(
        event, event, 0, 0, False, TableCards(START), None, (NONE,) * len(none), none, none
    )


def _after(scene: PileScene, event: Event) -> PileScene:
    turn = event.get("turn", scene.turn)
    step = scene.step + 1 if turn == scene.turn else 1
    result = replace(
        scene, event=event, turn=turn, step=step if "turn" in event else 0, before=None
    )
    kind = event["event"]
    if kind == "end":  # of a game that was cut off there may be no points
        return replace(result, is_end=True, scores=tuple(event.get("points", scene.scores)))
    result = replace(result, hands=_hands(result))
    if kind == "take":
        return replace(
            _with_new_table(result), won=_raised(result.won, event["seat"], len(event["cards"]))
        )
    if kind == "pass":
        return result
    if kind == "knock" and not event["right"]:
        return replace(result, scores=_paid(result))
    return replace(
        _with_new_table(result), scores=_raised(result.scores, event["seat"], event["points"])
    )


def _hands(scene: PileScene) -> tuple[Cards, ...]:
    """The cards of all seats; they are empty at the ending and in the take-down."""
    event, hands = scene.event, list(scene.hands)
    if event["event"] in ("ending", "take"):
        return (NONE,) * len(hands)
    owner = (scene.turn - 1) % len(hands)
    card = single(event["card"]) if event.get("card") else NONE
    hands[owner] = cards_from_text(event["hand"]) if "hand" in event else hands[owner].plus(card)
    return tuple(hands)


def _with_new_table(scene: PileScene) -> PileScene:
    text = scene.event["pile"]
    opened = tuple((x, y) for x, y in scene.event["open"])
    return replace(
        scene, before=scene.table, table=TableCards(parse(text), opened) if text else None
    )


def _raised(numbers: tuple[int, ...], seat: int, by: int) -> tuple[int, ...]:
    return tuple(number + by * (index == seat) for index, number in enumerate(numbers))


def _paid(scene: PileScene) -> tuple[int, ...]:
    """Scores after a wrong knock (R19)."""
    paid, knocker = scene.opening["rules"]["wrong_knock"], scene.event["seat"]
    return tuple(score + paid * (seat != knocker) for seat, score in enumerate(scene.scores))


# Sentences ----------------------------------------------------------------------------------


def _who(scene: PileScene) -> str:
    return scene.names[scene.event["seat"]]


def _passed(scene: PileScene) -> str:
    return f"{_who(scene)} {_drew(scene)}passes"


def _built(scene: PileScene) -> str:
    return f"{_who(scene)} {_drew(scene)}builds for {how_many(scene.event['points'], 'point')}"


def _drew(scene: PileScene) -> str:
    card = scene.event["card"]
    return f"draws {NAME_OF[card]} and " if card else ""


NAME_OF = {"T": "a lid", "O": "an open card", "L": "a left card", "R": "a right card"}


def _knocked(scene: PileScene) -> str:
    event = scene.event
    if not event["right"]:
        paid = how_many(scene.opening["rules"]["wrong_knock"], "point")
        return f"{_who(scene)} knocks wrongly: {paid} for everybody else"
    return f"{_who(scene)} knocks and builds for {how_many(event['points'], 'point')}"


def _ended_building(scene: PileScene) -> str:
    return f"{_who(scene)} builds with the pool for {how_many(scene.event['points'], 'point')}"


def _took(scene: PileScene) -> str:
    won = len(scene.event["cards"])
    return f"{_who(scene)} takes a crate and wins {how_many(won, 'card') if won else 'no card'}"


def _over(scene: PileScene) -> str:
    winners = [scene.names[seat] for seat in scene.event["winners"]]
    if scene.event["reason"] == "left":
        return "The game was abandoned"
    verb = "wins" if len(winners) == 1 else "share the win"
    cause = " by a fault" if scene.event["reason"] == "fault" else ""
    return f"{' and '.join(winners)} {verb}{cause}"


_TEXT_OF = {
    "game": lambda scene: "One crate lies on the table",
    "pass": _passed,
    "build": _built,
    "knock": _knocked,
    "ending": _ended_building,
    "take": _took,
    "end": _over,
}


def standings(scene: PileScene) -> Sequence[str]:
    """A line for each seat: its points, the number of cards won, and its hand."""
    won = scene.opening["rules"].get("take_down")
    return [
        f"{name}: {how_many(score, 'point')}"
        + (f", {how_many(cards, 'card')} won" if won else "")
        + (f", hand {hand.text()}" if hand.total else "")
        for name, score, cards, hand in zip(
            scene.names, scene.scores, scene.won, scene.hands, strict=True
        )
    ]
