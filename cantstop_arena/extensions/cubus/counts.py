"""Counts of a game, by seat and for the game, computed from its events."""

from collections.abc import Sequence
from typing import NamedTuple, TypeGuard

from cantstop_arena.extensions.cubus.builds.piles import START, parse
from cantstop_arena.extensions.cubus.records import (
    Built,
    Ended,
    Event,
    Knocked,
    Passed,
    PoolBuilt,
    Took,
)
from cantstop_arena.extensions.cubus.rules import CUBE


class SeatCounts(NamedTuple):
    """The counts of a seat in one game, or their sums over games."""

    points: int = 0
    builds: int = 0
    passes: int = 0
    build_points: int = 0
    """Points of builds on the seat's own turns."""
    knocks_right: int = 0
    knocks_wrong: int = 0
    knock_points: int = 0
    """Points of the seat's right knocks."""
    lost_points: int = 0
    """Points that rivals scored by knocking after this seat's passes."""
    open_points: int = 0
    """Points of the seat's builds, knocks and endings with a new open card."""
    cards_won: int = 0

    def plus(self, **more: int) -> "SeatCounts":
        """A copy with `more` added to the counts of those names."""
        return self._replace(**{name: getattr(self, name) + by for name, by in more.items()})


class GameCounts(NamedTuple):
    """The counts of one game, or their sums over games."""

    turns: int = 0
    builds: int = 0
    """Builds on own turns and right knocks."""
    passes: int = 0
    first_build: int = 0
    """The turn of the first build; 0 when there was none."""
    crates: int = 0
    """Crates before the take-down."""
    open_lying: int = 0
    cards_left: int = 0
    """Cards in hands (or the pool) at the end of the building."""
    largest: int = 0
    """Points of the largest build."""
    margin: int = 0
    """The points by which the first leads the second."""
    full_cubes: int = 0


def count(players: int, game_events: Sequence[Event]) -> tuple[list[SeatCounts], GameCounts]:
    """The counts of a game from its events, the end among them: a list by seat, and the game's."""
    seats = [_seat_counts(seat, players, game_events) for seat in range(players)]
    return seats, _game_counts(game_events)


def _seat_counts(seat: int, players: int, game_events: Sequence[Event]) -> SeatCounts:
    counts = SeatCounts()
    lying = 0
    for event in game_events:
        if isinstance(event, Ended):
            counts = counts.plus(points=event.points[seat])
        elif event.seat == seat:
            counts = _with_event(counts, event, lying)
        elif isinstance(event, Knocked) and (event.turn - 1) % players == seat:
            counts = counts.plus(lost_points=event.points)
        lying = _lying(event, lying)
    return counts


def _lying(event: Event, before: int) -> int:
    """The number of open cards on the table after an event."""
    is_build = isinstance(event, Built | PoolBuilt) or (isinstance(event, Knocked) and event.right)
    return len(event.open) if is_build else before  # type: ignore[union-attr]


def _with_event(counts: SeatCounts, event: Event, lying: int) -> SeatCounts:
    match event:
        case Passed():
            return counts.plus(passes=1)
        case Took():
            return counts.plus(cards_won=len(event.cards))
        case Knocked(right=False):
            return counts.plus(knocks_wrong=1)
        case Built():
            counts = counts.plus(builds=1, build_points=event.points)
        case Knocked():
            counts = counts.plus(knocks_right=1, knock_points=event.points)
    if isinstance(event, Built | Knocked | PoolBuilt) and len(event.open) > lying:
        return counts.plus(open_points=event.points)
    return counts


def _in_turn(event: Event) -> TypeGuard[Built | Knocked]:
    return isinstance(event, Built) or (isinstance(event, Knocked) and event.right)


def _game_counts(game_events: Sequence[Event]) -> GameCounts:
    turns = [e for e in game_events if isinstance(e, Built | Passed)]
    in_turns = [e for e in game_events if _in_turn(e)]
    builds = [*in_turns, *(e for e in game_events if isinstance(e, PoolBuilt))]
    shape = (parse(builds[-1].pile) if builds else START).shape
    end = next(event for event in game_events if isinstance(event, Ended))
    first, second = sorted(end.points, reverse=True)[:2]
    draws = sum(event.card is not None for event in turns)
    return GameCounts(
        turns=end.turns,
        builds=len(in_turns),
        passes=sum(isinstance(event, Passed) for event in game_events),
        first_build=min((event.turn for event in in_turns), default=0),
        crates=shape.crates,
        open_lying=len(builds[-1].open) if builds else 0,
        cards_left=draws + START.shape.cards - shape.cards,
        largest=max((event.points for event in builds), default=0),
        margin=first - second,
        full_cubes=int(shape.crates == CUBE),
    )
