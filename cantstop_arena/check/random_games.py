"""Random games of a game in plain Python, in which all that the game returns is checked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import fields, is_dataclass
from itertools import islice, product
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from msgspec.structs import force_setattr

from cantstop_arena.game_api.answers import IllegalAnswer
from cantstop_arena.game_api.decisions import Decision
from cantstop_arena.game_api.game import CheckGame, Game
from cantstop_arena.game_api.state import Chance, Event, Question, event_of
from cantstop_arena.game_api.state_position import StatePosition
from cantstop_arena.game_api.streams import DealChance, Stream
from cantstop_arena.game_api.view import View
from cantstop_arena.table.game_checks import (
    check_chance,
    check_payoffs,
    check_question,
    checked_result,
)
from cantstop_arena.table.seated_bot import GameStart, SeatedBot

SEED = 1980
_MAX_ANSWERS = 64  # values of a type that are tried as answers


class Defect(Exception):
    """A game breaks the contract. The message says how."""


class CheckedPosition(StatePosition):
    """A position that checks the game's questions and draws, and collects what happens.

    `advisers` are bots whose answers are among the values where nothing else lists them.
    """

    def __init__(
        self,
        game: Game,
        rules: Any,
        players: int,
        seed: int | None = SEED,
        deal: int = 0,
        advisers: Sequence[SeatedBot] = (),
    ) -> None:
        self.draws: list[tuple[Chance, Any]] = []
        """The draws so far, each with its outcome."""
        self.new_events: list[Event] = []
        """The events since the last decision."""
        self._names: set[Any] = set()
        start = GameStart(0, players, rules, 0, True, tuple(range(players)))
        self._advisers = [bot.make_player(start) for bot in advisers if bot.make_player]
        self._adviser_stream = DealChance(SEED, deal).stream("adviser")
        super().__init__(game, rules, players, seed, deal)

    def values(self) -> list[Any]:
        """The legal values of the seat that decides, as far as they can be listed."""
        if self.moves is not None:
            return [*self.moves]
        advice = self._advice(self.game.decisions[self.decision])
        return [*self.listed_values(), *filter(self.allows, advice)]

    def listed_values(self) -> list[Any]:
        """The legal values without the advice of bots, which may be another each time."""
        if self.moves is not None:
            return [*self.moves]
        return [*filter(self.allows, self._candidates(self.game.decisions[self.decision]))]

    def allows(self, value: Any) -> bool:
        """Whether the seat that decides may take a value."""
        if (moves := self.moves) is not None:
            return value in moves
        try:
            answer = self.game.decisions[self.decision].checked(value)
        except IllegalAnswer:
            return False
        return self.state.check(self._seat, answer) is None

    @property
    def moves(self) -> Sequence[Any] | None:
        """The moves of the seat that decides; None if the decision has none."""
        assert isinstance(self._question, Question)
        return self._question.moves_of(self._seat)

    def _candidates(self, decision: Decision) -> Iterator[Any]:
        if decision.optional:
            yield None
        listed = self.game.actions(self.rules, self.players) or {}
        if decision.name in listed:
            yield from listed[decision.name]
        else:
            yield from islice(_values_of(decision.answer), _MAX_ANSWERS)

    def _advice(self, decision: Decision) -> Iterator[Any]:
        """The answers of the advisers. What they do wrong is found when they play."""
        for adviser in self._advisers:
            if decide := getattr(adviser, decision.name, None):
                view = _with_random(self._view(self._seat), self._adviser_stream)
                with suppress(Exception):
                    yield decide(view)

    def seat_view(self, seat: int) -> Mapping[str, Any]:
        """The fields of a seat's view, without the rules and the random numbers."""
        view = self._view(seat)
        if isinstance(view, View):
            return dict(view.own_fields())
        data: Mapping[str, Any] = self.game.codec.view_as_json(view)
        return data

    def take_events(self) -> list[Event]:
        """The events since the last call."""
        events, self.new_events = self.new_events, []
        return events

    def question(self) -> tuple[Any, ...]:
        """What the state asks now: the decision, the seats, and the moves of each seat."""
        question = self.state.question()
        if isinstance(question, Chance):
            return ("chance", question.name, [*question.outcomes])
        if not isinstance(question, Question):
            return (question,)
        seats = question.listed_seats
        return (question.decision, [*seats], [question.moves_of(seat) for seat in seats])

    def clone(self) -> CheckedPosition:
        copy = super().clone()
        assert isinstance(copy, CheckedPosition)
        copy.draws, copy.new_events = [*self.draws], [*self.new_events]
        copy._names, copy._adviser_stream = {*self._names}, self._adviser_stream.clone()
        return copy

    def _advance(self) -> None:
        super()._advance()
        if self._question is not None and not self.is_chance:
            check_question(self._question, self.game.decisions, self.players)

    def _draw(self, question: Chance, chance: DealChance) -> None:
        check_chance(question, self._names)
        super()._draw(question, chance)

    def _apply_chance(self, outcome: Any, entry: int | None) -> None:
        assert isinstance(self._question, Chance)
        self.draws.append((self._question, outcome))
        super()._apply_chance(outcome, entry)

    def _note_events(self, events: Any) -> None:
        event_list = [*(events or ())]
        self.new_events += event_list
        super()._note_events(event_list)


def _with_random(view: Any, stream: Stream) -> Any:
    """The view with this stream as its random numbers."""
    if isinstance(view, View):
        force_setattr(view, "random", stream)
        return view
    return view._replace(random=stream)  # a view of another type is a NamedTuple


def events_for(seat: int, events: Sequence[Event]) -> list[Event]:
    """The events that a seat sees, as it sees them."""
    return [visible for event in events if (visible := event_of(seat, event)) is not None]


class RandomGame:
    """A random game of a setting: the position before each decision, and at the end."""

    def __init__(self, game: Game, setting: CheckGame, advisers: Sequence[SeatedBot] = ()) -> None:
        self.game = game
        self.setting = setting
        self.advisers = advisers
        self.random = DealChance(setting.deal, setting.players).stream("steps")
        self.values: list[Any] = []
        """The values that have been taken."""
        self.choices: list[int] = []
        """The number of values at each decision."""

    def start(self) -> CheckedPosition:
        """The position at the start."""
        rules, players, deal = self.setting
        return CheckedPosition(self.game, rules, players, SEED, deal, self.advisers)

    def __iter__(self) -> Iterator[CheckedPosition]:
        """Play a game. Raises Defect when it has no end, or no legal answer can be found."""
        position, limit = self.start(), self.game.max_decisions
        while not position.is_over:
            yield position
            values = position.values()
            self.choices.append(len(values))
            self.values.append(self._chosen(position, values))
            if len(self.values) > limit:
                raise Defect(
                    f"it has taken {limit:,} decisions and has not ended; end it with a limit of"
                    " turns, or raise Game.max_decisions"
                )
            position.take(self.values[-1])
        yield position
        self._check_result(position)

    def _check_result(self, position: CheckedPosition) -> None:
        """Raise GameAuthorError unless the result is valid, and pays what the game declares."""
        rules, players, _ = self.setting
        payoff, sides = self.game.payoff, self.game.side_by_seat(players)
        result = checked_result(position.state.result(), self.game.counts, sides, payoff)
        if payoff:
            games = len(self.game.orders(players))
            check_payoffs(result.payoffs, payoff.under(rules, players), sides, games)

    def _chosen(self, position: CheckedPosition, values: Sequence[Any]) -> Any:
        if not values:
            raise Defect(
                f"no legal answer to {position.decision} was found: list its values in actions(),"
                " or register a bot that answers it"
            )
        return values[self.random.below(len(values))]

    def again(self, recording: bool = True) -> Iterator[CheckedPosition]:
        """The game once more, with the values that were taken."""
        position = self.start()
        if not recording:
            position.state.recording = False
        for value in self.values:
            yield position
            position.take(value)
        yield position


def play_on(position: CheckedPosition, random: Stream, max_decisions: int) -> None:
    """Play a position on at random, at most so many decisions."""
    for _ in range(max_decisions):
        if position.is_over or not (values := position.values()):
            return
        position.take(values[random.below(len(values))])


def _values_of(kind: Any) -> Iterator[Any]:
    """Some values of an answer's type: truth values, small numbers, short texts and lists, and
    dataclasses of these."""
    origin, arguments = get_origin(kind), get_args(kind)
    if kind is bool:
        yield from (False, True)
    elif kind is int:
        yield from range(-1, 21)
    elif kind is float:
        yield from (0.0, 0.5, 1.0)
    elif kind is str:
        yield ""
    elif kind in (None, NoneType):
        yield None
    elif origin in (Union, UnionType):
        for argument in arguments:
            yield from islice(_values_of(argument), _MAX_ANSWERS // 2)
    elif origin in (tuple, list):
        items = arguments[:1] if Ellipsis in arguments or origin is list else arguments
        yield from map(origin, product(*(islice(_values_of(item), 8) for item in items)))
        if items != arguments or origin is list:
            yield origin()
    elif is_dataclass(kind) and isinstance(kind, type):
        hints = get_type_hints(kind)
        parts = [[*islice(_values_of(hints[field.name]), 24)] for field in fields(kind)]
        for values in product(*parts):
            yield kind(*values)
