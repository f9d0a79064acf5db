"""What happens in a game, as it is recorded: one event, one line of JSON."""

from typing import Any, NamedTuple

from cantstop_arena.games.cubus.builds.piles import Cell

Cells = tuple[Cell, ...]


class Passed(NamedTuple):
    """A turn without a build. `card`: as drawn; None if the deck was empty."""

    turn: int
    seat: int
    card: str | None


class Built(NamedTuple):
    """A build on one's own turn. `hand`: the builder's afterwards."""

    turn: int
    seat: int
    card: str | None
    pile: str
    open: Cells
    points: int
    hand: str


class Knocked(NamedTuple):
    """A knock that was heard. `hand`: the passer's afterwards; a wrong one scores nothing."""

    turn: int
    seat: int
    right: bool
    pile: str
    open: Cells
    points: int
    hand: str


class Ending(NamedTuple):
    """A build with the pool (R22). `hand`: the pool afterwards."""

    seat: int
    pile: str
    open: Cells
    points: int
    hand: str


class Took(NamedTuple):
    """A turn of the take-down. `cards`: those won; the last take leaves the pile ""."""

    turn: int
    seat: int
    pile: str
    open: Cells
    cards: str


class Ended(NamedTuple):
    """The end. `cards`: won by seat, None without take-down; `reason`: done, fault or left."""

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
    """An event as its line of a record says it."""
    return {"event": _NAME_OF[type(event)], **{k: _plain(v) for k, v in event._asdict().items()}}


def _plain(value: object) -> object:
    return [_plain(item) for item in value] if isinstance(value, tuple) else value
