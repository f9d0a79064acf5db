"""The events of a game; a recorded game has one line of JSON for each."""

from typing import Any, NamedTuple

from cantstop_arena.games.cubus.builds.piles import Cell

Cells = tuple[Cell, ...]


class Passed(NamedTuple):
    """A turn without a build. `card`: the card of the turn; None when the deck was empty."""

    turn: int
    seat: int
    card: str | None


class Built(NamedTuple):
    """A build on the builder's own turn. `hand`: the builder's cards afterwards."""

    turn: int
    seat: int
    card: str | None
    pile: str
    open: Cells
    points: int
    hand: str


class Knocked(NamedTuple):
    """A knock that was heard; a wrong one has 0 points. `hand`: the passer's cards afterwards."""

    turn: int
    seat: int
    right: bool
    pile: str
    open: Cells
    points: int
    hand: str


class Ending(NamedTuple):
    """A build with the pool (R22). `hand`: the cards of the pool afterwards."""

    seat: int
    pile: str
    open: Cells
    points: int
    hand: str


class Took(NamedTuple):
    """A turn of the take-down. `cards`: the cards won; the last take leaves the pile ""."""

    turn: int
    seat: int
    pile: str
    open: Cells
    cards: str


class Ended(NamedTuple):
    """The end. `cards`: won by seat; None without take-down. `reason`: done, fault or left."""

    turns: int
    points: tuple[int, ...]
    cards: tuple[int, ...] | None
    winners: tuple[int, ...]
    reason: str


Event = Passed | Built | Knocked | Ending | Took | Ended

NAMES: dict[str, type[Event]] = {
    "pass": Passed,
    "build": Built,
    "knock": Knocked,
    "ending": Ending,
    "take": Took,
    "end": Ended,
}
_NAME_OF = {kind: name for name, kind in NAMES.items()}


def as_dict(event: Event) -> dict[str, Any]:
    """An event as the JSON object of its line in a record."""
    return {"event": _NAME_OF[type(event)], **{k: _plain(v) for k, v in event._asdict().items()}}


def _plain(value: object) -> object:
    return [_plain(item) for item in value] if isinstance(value, tuple) else value
