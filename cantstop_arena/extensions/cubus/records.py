"""The events of a game; a recorded game has one line of JSON for each."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import msgspec

from cantstop_arena.extensions.cubus.builds.piles import Cell

Cells = tuple[Cell, ...]
Card = Annotated[str, msgspec.Meta(pattern="^[TOLR]$")]


class _Event(msgspec.Struct, frozen=True, tag_field="event", forbid_unknown_fields=True):
    """One line of a record."""


class Passed(_Event, frozen=True, tag="pass"):
    """A turn without a build. `card`: the card of the turn; None when the deck was empty."""

    turn: int
    seat: int
    card: Card | None


class Built(_Event, frozen=True, tag="build"):
    """A build on the builder's own turn. `hand`: the builder's cards afterwards."""

    turn: int
    seat: int
    card: Card | None
    pile: str
    open: Cells
    points: int
    hand: str


class Knocked(_Event, frozen=True, tag="knock"):
    """A knock that was heard; a wrong one has 0 points. `hand`: the passer's cards afterwards."""

    turn: int
    seat: int
    right: bool
    pile: str
    open: Cells
    points: int
    hand: str


class PoolBuilt(_Event, frozen=True, tag="ending"):
    """A build with the pool (R22). `hand`: the cards of the pool afterwards."""

    seat: int
    pile: str
    open: Cells
    points: int
    hand: str


class Took(_Event, frozen=True, tag="take"):
    """A turn of the take-down. `cards`: the cards won; the last take leaves the pile ""."""

    turn: int
    seat: int
    pile: str
    open: Cells
    cards: str


class Ended(_Event, frozen=True, tag="end"):
    """The end. `cards`: won by seat; None without take-down."""

    turns: int
    points: tuple[int, ...]
    cards: tuple[int, ...] | None
    winners: tuple[int, ...]
    reason: Literal["done", "fault", "left"]


Event = Passed | Built | Knocked | PoolBuilt | Took | Ended


def event_of(line: Mapping[str, Any]) -> Event:
    """The event in a line of a record. Raises msgspec.ValidationError when it is none."""
    event: Event = msgspec.convert(line, Event)
    return event


def as_dict(event: Event) -> dict[str, Any]:
    """An event as the JSON object of its line in a record."""
    line: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(event))
    return line
