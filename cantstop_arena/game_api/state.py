"""The state of a game in plain Python, and what it asks, draws and returns.

docs/reference/game-api.md describes how to write one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from array import array
from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import is_dataclass
from enum import Enum
from types import FunctionType
from typing import Any, TypeAlias, TypeVar

import msgspec
from msgspec.structs import replace

from cantstop_arena.deals.payoff import Payoff
from cantstop_arena.errors import UsageError
from cantstop_arena.game_api.streams import DealChance, Stream
from cantstop_arena.game_api.view import View

Event = Mapping[str, Any]
"""One event of a recorded game; the key `event` is its kind.

An event with the key `seen_by`, a list of seats, is for these seats; all others are for everybody.
"""

DONE, FAULT, LEFT = "done", "fault", "left"  # why a game ended: see `Result.reason`
SEEN_BY = "seen_by"
BOARD = "board"
"""The kind, and the field, of the events with which the arena records `State.draw`."""


def event_of(seat: int, event: Event) -> Event | None:
    """An event as a seat sees it, without the list of those who do; None if it does not."""
    if SEEN_BY not in event:
        return event
    if seat not in event[SEEN_BY]:
        return None
    return {key: value for key, value in event.items() if key != SEEN_BY}


Opening: TypeAlias = tuple[int, ...]
"""The numbers of the actions that begin a deal, before the bots are asked."""

AnyView = TypeVar("AnyView", bound=View)
AnyState = TypeVar("AnyState", bound="State")


class GameAuthorError(Exception):
    """A game returns something that no game may return."""


class Deal:
    """One deal, from which a state is created: the rules, the number of seats, and chance.

    Without `chance` its draws are given from outside: then only `Chance` can draw. The `opening` is
    played by the table; a state need not know of it.
    """

    def __init__(
        self, rules: Any, players: int, chance: DealChance | None, opening: Opening = ()
    ) -> None:
        self.rules = rules
        self.players = players
        self.opening = opening
        self._chance = chance
        self.has_streams = False  # whether the game has drawn from `stream`
        self.bot_streams: tuple[Stream, ...] = ()
        if chance is not None:
            self.bot_streams = tuple(Stream(chance.key_of_bot(seat)) for seat in range(players))

    @property
    def seats(self) -> range:
        """The seats, from 0."""
        return range(self.players)

    def stream(self, *name: str | int) -> Stream:
        """The stream of random numbers with a name, the same in every seating of the deal.

        Raises UsageError where chance is given from outside.
        """
        if self._chance is None:
            raise UsageError(
                f"the game draws from deal.stream{name!r}, so its chance cannot be given: give a"
                " seed, or have question() return Chance(...)"
            )
        self.has_streams = True
        return self._chance.stream(*name)

    def stream_of_bot(self, seat: int) -> Stream:
        """The stream of random numbers of the bot in a seat. Raises UsageError like `stream`."""
        return self.bot_streams[seat] if self.bot_streams else self.stream("bot", seat)

    def view(self, kind: type[AnyView], seat: int, **values: Any) -> AnyView:
        """The view of the bot in a seat."""
        random = self.stream_of_bot(seat)
        return kind(seat, self.players, self.rules, random=random, **values)


class Question(msgspec.Struct, frozen=True, eq=False):
    """A decision of one seat, or of several at once; none sees the answers of the others.

    `seats` are the seats that decide; each is shown `State.view` of its seat, or the view in a
    mapping by seat. If the decision has moves, `moves` has the legal moves, in a mapping by seat
    where they differ.
    """

    decision: str
    seats: int | Collection[int]
    moves: Sequence[Any] | Mapping[int, Sequence[Any]] | None = None

    def moves_of(self, seat: int) -> Sequence[Any] | None:
        """The legal moves of a seat; None if the decision has no moves."""
        moves = self.moves
        return moves[seat] if isinstance(moves, Mapping) else moves

    def views_of(self, state: State) -> Iterable[tuple[int, Any]]:
        """The seats that decide, each with its view."""
        if type(self.seats) is int:
            return ((self.seats, state.view(self.seats)),)
        if isinstance(self.seats, Mapping):
            return self.seats.items()
        return [(seat, state.view(seat)) for seat in self.listed_seats]

    @property
    def listed_seats(self) -> Collection[int]:
        """The seats that decide."""
        return (self.seats,) if isinstance(self.seats, int) else self.seats


class Chance(msgspec.Struct, frozen=True, eq=False):
    """A draw: chance decides among `outcomes`, equally likely or by `weights`, whole numbers.

    `sample` draws from a stream what has no list of outcomes. The stream of the `name` decides, in
    every seating of a deal alike: no two draws of a game may have the same name. A kernel's draws
    are `mixed`: see `DealChance.mixed_stream`.
    """

    name: tuple[str | int, ...]
    outcomes: Sequence[Any] = ()
    weights: Sequence[int] | None = None
    sample: Callable[[Stream], Any] | None = None
    mixed: bool = False

    def stream(self, chance: DealChance) -> Stream:
        """The stream that decides."""
        if self.mixed:
            word, number = self.name
            return chance.mixed_stream(str(word), int(number))
        return chance.stream(*self.name)

    def draw(self, stream: Stream) -> int:
        """The number of the outcome that is drawn."""
        if self.weights is None:
            return stream.below(len(self.outcomes))
        number = stream.below(sum(self.weights))
        for outcome, weight in enumerate(self.weights):
            number -= weight
            if number < 0:
                return outcome
        raise AssertionError(self.weights)

    def drawn(self, stream: Stream) -> Any:
        """The outcome that is drawn."""
        return self.outcomes[self.draw(stream)] if self.sample is None else self.sample(stream)

    def probabilities(self) -> list[float]:
        """The probability of each outcome; none are listed where there is a `sample`."""
        weights = [1] * len(self.outcomes) if self.weights is None else self.weights
        total = sum(weights)
        return [weight / total for weight in weights]


class Result(msgspec.Struct, frozen=True):
    """The result of a game.

    `winners` are seats, empty if nobody won; None: those with the best of the `payoffs`, which are
    what each seat gets, in a game with a `Payoff`. `points` and `ranks` (1 is the best) are by
    seat, if the game has any; ranks default to those by points. `counts` has, by the names of the
    game's `Counts`, an integer for each seat; `highlights` has by kind how remarkable the game is,
    as an integer above 0.
    """

    winners: Sequence[int] | None = None
    points: Sequence[int] = ()
    ranks: Sequence[int] = ()
    counts: Mapping[str, Sequence[int]] = {}
    highlights: Mapping[str, int] = {}
    reason: str = DONE
    payoffs: Sequence[Any] = ()

    def with_winners(self, payoff: Payoff | None) -> Result:
        """The result with its winners: by payoff, if it names none; nobody without payoffs."""
        if self.winners is not None:
            return self
        if payoff is None:
            raise GameAuthorError("the result names no winners, and the game has no payoff")
        return replace(self, winners=payoff.winners(self.payoffs) if len(self.payoffs) else ())


class State(ABC):
    """The state of a game in plain Python. `turn` is the current turn, in a game with turns.

    `deal`, `rules` and `players` are set before `setup`.
    """

    turn: int = 0
    recording: bool = True
    """Whether events are used; where they are not, `answer` and `chance` may return None."""

    def __init__(self, deal: Deal) -> None:
        self.deal = deal
        self.rules: Any = deal.rules
        self.players = deal.players
        self.setup()

    def setup(self) -> None:
        """Set up the start of the game."""
        return

    @abstractmethod
    def question(self) -> Question | Chance | None:
        """The next decision or draw; None when the game is over. Calling it changes nothing."""

    @abstractmethod
    def answer(self, answers: Mapping[int, Any]) -> Iterable[Event] | None:
        """Apply the answers to the question, by seat. Return the events that follow.

        An answer is an index into `moves` if the question has moves, else of the type that the
        decision's hook returns; a bot without an optional hook answers None.
        """

    def chance(self, outcome: Any) -> Iterable[Event] | None:
        """Apply the outcome of a draw that `question` has returned. Return the events."""
        raise GameAuthorError("question() returns Chance, so the state needs chance(outcome)")

    @abstractmethod
    def result(self) -> Result:
        """The result of the game; before its end, that of the game so far."""

    def view(self, seat: int) -> Any:
        """What a seat sees, at any moment of the game."""
        return View(seat, self.deal.players, self.deal.rules)

    def check(self, seat: int, answer: Any) -> str | None:
        """Why an answer of the right type is illegal, as text; None when it is legal.

        Only of decisions without moves: of those that have them, every index is legal.
        """
        return None

    def ending(self, result: Result) -> Event:
        """The last event of the record, without `event`, `winners` and `reason`."""
        return {"points": [*result.points]} if result.points else {}

    def draw(self, seat: int | None = None) -> str:
        """The board as text, as a seat sees it, or as it is; empty if the game has no drawing."""
        return ""

    def clone(self: AnyState) -> AnyState:
        """An independent copy, which shares the deal and all values that cannot change.

        Raises GameAuthorError for a field that cannot be copied.
        """
        copy, memo = object.__new__(type(self)), dict[int, Any]()
        for name, value in self.__dict__.items():
            copy.__dict__[name] = value if type(value) in _SHARED else _copy_of(value, name, memo)
        return copy


_SHARED = frozenset({int, float, str, bool, type(None), bytes, frozenset, range, Deal})


def _copy_of(value: Any, name: str, memo: dict[int, Any]) -> Any:
    """An independent copy of a value; `memo` has those of containers, which fields may share.

    Raises GameAuthorError.
    """
    kind = type(value)
    if kind in _SHARED or _is_frozen(value):
        return value
    if (copy := memo.get(id(value))) is not None:
        return copy
    if kind is list:
        copy = [item if type(item) in _SHARED else _copy_of(item, name, memo) for item in value]
    elif isinstance(value, tuple):
        items = [_copy_of(item, name, memo) for item in value]
        return tuple(items) if kind is tuple else kind(*items)
    elif kind is dict:
        copy = {key: _copy_of(item, name, memo) for key, item in value.items()}
    elif hasattr(value, "clone"):
        copy = value.clone()
    elif kind in (set, bytearray, deque, array) or kind.__module__ == "numpy":
        copy = value.copy() if hasattr(value, "copy") else value[:]
    else:
        raise GameAuthorError(
            f"{name} holds a {kind.__name__}, which cannot be copied: give it clone(), or override"
            " State.clone"
        )
    memo[id(value)] = copy
    return copy


def _is_frozen(value: Any) -> bool:
    """Whether a value cannot change: a frozen dataclass or struct, a member of an enum, a class or
    a function."""
    if isinstance(value, msgspec.Struct):
        return bool(value.__struct_config__.frozen)
    if is_dataclass(value) and not isinstance(value, type):
        return bool(getattr(value, "__dataclass_params__").frozen)  # noqa: B009
    return isinstance(value, Enum | type | FunctionType)
