"""What is counted of a game, by seat and by game, from what happened in it."""

from collections.abc import Sequence
from typing import NamedTuple, TypeGuard

from cantstop_arena.games.cubus.builds.piles import START, parse
from cantstop_arena.games.cubus.events import Built, Ended, Ending, Event, Knocked, Passed, Took
from cantstop_arena.games.cubus.rules import CUBE, RuleSet


class SeatCounts(NamedTuple):
    """What is counted of one seat in one game, or added up over games."""

    points: int = 0
    builds: int = 0
    passes: int = 0
    build_points: int = 0
    """Points of builds on own turns."""
    knocks_right: int = 0
    knocks_wrong: int = 0
    knock_points: int = 0
    """Points of own right knocks."""
    lost_points: int = 0
    """Points that others scored by knocking after this seat's passes."""
    open_points: int = 0
    """Points of own builds, knocks and endings that laid an open card."""
    cards_won: int = 0

    def plus(self, **more: int) -> "SeatCounts":
        """The same with some counts raised."""
        return self._replace(**{name: getattr(self, name) + by for name, by in more.items()})


class GameCounts(NamedTuple):
    """What is counted of one game, or added up over games."""

    turns: int = 0
    builds: int = 0
    """Builds on own turns and right knocks."""
    passes: int = 0
    first_build: int = 0
    """The turn of the first build; 0: none was made."""
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


def count(
    rules: RuleSet, players: int, happened: Sequence[Event]
) -> tuple[list[SeatCounts], GameCounts]:
    """What is counted of a finished game, seat by seat and for the game."""
    return [_seat(seat, players, happened) for seat in range(players)], _game(happened)


def _seat(seat: int, players: int, happened: Sequence[Event]) -> SeatCounts:
    counts = SeatCounts()
    lying = 0
    for event in happened:
        if isinstance(event, Ended):
            counts = counts.plus(points=event.points[seat])
        elif event.seat == seat:
            counts = _own(counts, event, lying)
        elif isinstance(event, Knocked) and (event.turn - 1) % players == seat:
            counts = counts.plus(lost_points=event.points)
        lying = _lying(event, lying)
    return counts


def _lying(event: Event, before: int) -> int:
    """Open cards on the table after an event."""
    is_build = isinstance(event, Built | Ending) or (isinstance(event, Knocked) and event.right)
    return len(event.open) if is_build else before  # type: ignore[union-attr]


def _own(counts: SeatCounts, event: Event, lying: int) -> SeatCounts:
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
    if isinstance(event, Built | Knocked | Ending) and len(event.open) > lying:
        return counts.plus(open_points=event.points)
    return counts


def _in_turn(event: Event) -> TypeGuard[Built | Knocked]:
    return isinstance(event, Built) or (isinstance(event, Knocked) and event.right)


def _game(happened: Sequence[Event]) -> GameCounts:
    turns = [e for e in happened if isinstance(e, Built | Passed)]
    in_turns = [e for e in happened if _in_turn(e)]
    builds = [*in_turns, *(e for e in happened if isinstance(e, Ending))]
    shape = (parse(builds[-1].pile) if builds else START).shape
    end = next(event for event in happened if isinstance(event, Ended))
    first, second = sorted(end.points, reverse=True)[:2]
    drawn = sum(event.card is not None for event in turns)
    return GameCounts(
        turns=end.turns,
        builds=len(in_turns),
        passes=sum(isinstance(event, Passed) for event in happened),
        first_build=min((event.turn for event in in_turns), default=0),
        crates=shape.crates,
        open_lying=len(builds[-1].open) if builds else 0,
        cards_left=drawn + START.shape.cards - shape.cards,
        largest=max((event.points for event in builds), default=0),
        margin=first - second,
        full_cubes=int(shape.crates == CUBE),
    )
