"""Positions of games in plain Python: any `State`, stepped, copied, stored and restored."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from cantstop_arena.deals.seeds import Seed, bits_of, checked_seed, in_json
from cantstop_arena.errors import UsageError
from cantstop_arena.game_api.action_numbers import ActionNumbers, has_numbers, numbers_of
from cantstop_arena.game_api.answers import IllegalAnswer
from cantstop_arena.game_api.position import IllegalAction, Observation, Position
from cantstop_arena.game_api.state import Chance, Deal, Event, Question, Result, State, event_of
from cantstop_arena.game_api.streams import DealChance
from cantstop_arena.game_api.view import View

if TYPE_CHECKING:
    from cantstop_arena.game_api.game import Game

_RANDOM_GAMES = 20

_Entries = tuple["_Entries", Any] | None
"""A list that positions share with their copies: all but its last entry, and that."""


class StatePosition(Position):
    """A game in progress, step by step.

    With a seed chance is the deal's; without, each `Chance` waits for `give`. The answers to a
    question of several seats are collected seat by seat, and no state has them before all are in.
    Without `track` it keeps neither events nor a history, as searches need none.
    """

    def __init__(
        self,
        game: Game,
        rules: Any,
        players: int,
        seed: Seed | None = None,
        deal: int = 0,
        track: bool = True,
    ) -> None:
        self.game = game
        self._rules = rules
        self._players = players
        self._seed = None if seed is None else checked_seed(seed)
        self._deal = deal
        self._chance = None if seed is None else DealChance(bits_of(seed), deal)
        self._track = track
        self._history: _Entries = None
        self._events: _Entries = None
        self._seat = 0
        game.prepare(rules, players)
        self._dealt = Deal(rules, players, self._chance)
        self.state: State = game.begin(self._dealt)
        vars(self.state).setdefault("deal", self._dealt)  # games of 0.2 need not store it
        self._question: Question | Chance | None = None
        self._answers: dict[int, Any] = {}
        self._waiting: tuple[int, ...] = ()
        self._legal: list[int] | None = None
        self._advance()

    # Where it stands

    @property
    def rules(self) -> Any:
        return self._rules

    @property
    def players(self) -> int:
        return self._players

    @property
    def action_count(self) -> int:
        return len(self._numbers)

    @property
    def observation_size(self) -> int:
        return len(self._features(self._seat))

    @property
    def outcome_count(self) -> int:
        return self._extent[0]

    @property
    def max_actions(self) -> int:
        return self._extent[1]

    @property
    def seat(self) -> int:
        return self._seat

    @property
    def is_over(self) -> bool:
        return self._question is None

    @property
    def is_cut_off(self) -> bool:
        return self.is_over and not self.winners

    @property
    def is_chance(self) -> bool:
        return isinstance(self._question, Chance)

    @property
    def decision(self) -> str:
        return self._question.decision if isinstance(self._question, Question) else ""

    @property
    def simultaneous(self) -> bool:
        return isinstance(self._question, Question) and len(self._question.listed_seats) > 1

    @property
    def offered(self) -> Sequence[Any] | None:
        question = self._question
        return question.moves_of(self._seat) if isinstance(question, Question) else None

    @property
    def is_partly_answered(self) -> bool:
        """Whether some seats have answered the question, and others have not."""
        return bool(self._answers)

    @property
    def actions(self) -> tuple[int, ...]:
        """The numbers of the actions so far, of all seats."""
        return tuple(
            self._numbers.number(event["event"], event["value"])
            for is_action, event in _in_order(self._events)
            if is_action
        )

    @property
    def result(self) -> Result:
        return self.state.result().with_winners(self.game.payoff)

    @property
    def winners(self) -> tuple[int, ...]:
        return tuple(sorted(self.result.winners or ())) if self.is_over else ()

    @property
    def side_by_seat(self) -> tuple[int, ...]:
        return self.game.side_by_seat(self._players)

    def returns_of_forfeit(self, loser: int) -> tuple[float, ...]:
        if self.game.payoff is None:
            return super().returns_of_forfeit(loser)
        payoff = self.game.payoff.under(self._rules, self._players)
        parts = payoff.of_forfeit(loser, self.side_by_seat) or [0] * self._players
        return tuple(payoff.sign * float(payoff.value_of(number)) for number in parts)

    @property
    def return_range(self) -> tuple[float, float] | None:
        if self.game.payoff is None:
            return super().return_range
        bounds = self.game.payoff.under(self._rules, self._players).bounds
        if bounds is None:
            return None
        low, high = sorted(self.game.payoff.sign * float(bound) for bound in bounds)
        return low, high

    @property
    def returns(self) -> tuple[float, ...]:
        payoffs = self.result.payoffs if self.game.payoff and self.is_over else ()
        if not len(payoffs) or self.game.payoff is None:
            return super().returns
        return tuple(self.game.payoff.sign * float(payoff) for payoff in payoffs)

    @property
    def legal(self) -> list[int]:
        if self._legal is None:
            self._legal = self._legal_of(self._seat)
        return self._legal

    def sealed_mask(self, seat: int) -> NDArray[np.int8]:
        return self._numbers.mask(self._legal_of(seat) if seat in self._waiting else ())

    def _legal_of(self, seat: int) -> list[int]:
        if not isinstance(self._question, Question):
            return []
        numbers, name, moves = self._numbers, self.decision, self._question.moves_of(seat)
        if moves is not None:
            return sorted(numbers.number(name, move) for move in moves)
        return [
            numbers.number(name, value)
            for value in numbers.values(name)
            if self.state.check(seat, value) is None
        ]

    def observation(self, seat: int) -> Observation:
        features = self._features(seat)
        legal = self.legal if seat == self._seat else ()
        return Observation(np.asarray(features, np.float32), self._numbers.mask(legal))

    def _features(self, seat: int) -> Sequence[float]:
        """The features of a seat's view; none where the game has none."""
        features = getattr(self._view(seat), "features", None)
        try:
            return features() if features else ()
        except NotImplementedError:
            return ()

    def view(self, seat: int) -> Any:
        return self._view(seat)

    def drawing(self, seat: int | None = None) -> str:
        return self.state.draw(seat)

    def _view(self, seat: int) -> Any:
        question = self._question
        view_data = question.seats if isinstance(question, Question) else ()
        return (
            view_data[seat]
            if isinstance(view_data, Mapping) and seat in view_data
            else self.state.view(seat)
        )

    # Stepping

    def step(self, action: int) -> None:
        self._check_decides()
        if action not in self.legal:
            names = (f"{number} ({self.action_name(number)})" for number in self.legal)
            raise IllegalAction(f"action {action} is illegal here; legal are {', '.join(names)}")
        self._answer(self._numbers.actions[action][1])

    def take(self, value: Any) -> None:
        self._check_decides()
        assert isinstance(self._question, Question)
        decision, moves = self.game.decisions[self.decision], self._question.moves_of(self._seat)
        if value is None and decision.optional:
            self._answer(None)
            return
        if moves is not None:
            if value not in moves:
                raise IllegalAction(f"{value!r:.60} is no move; moves are {[*moves]!r:.200}")
            self._answer(value)
            return
        try:
            value = decision.checked(value)
        except IllegalAnswer as error:
            raise IllegalAction(str(error)) from None
        if complaint := self.state.check(self._seat, value):
            raise IllegalAction(f"{decision.name}: {complaint}")
        self._answer(value)

    def _entry(self, value: Any, moves: Sequence[Any] | None) -> Any:
        """What the history gets for a value: its number as an action, its index, or itself."""
        if has_numbers(self.game, self._rules, self._players):
            return self._numbers.number(self.decision, value)
        return msgspec.to_builtins(value) if moves is None else _index_among(moves, value)

    def outcomes(self) -> Sequence[tuple[int, float]]:
        question = self._question
        return [*enumerate(question.probabilities())] if isinstance(question, Chance) else []

    def give(self, outcome: int) -> None:
        if not self.is_chance:
            raise IllegalAction("no outcome of chance is due: a seat decides, or the game is over")
        assert isinstance(self._question, Chance)
        if not 0 <= outcome < len(self._question.outcomes):
            count = len(self._question.outcomes)
            text = f"outcomes are 0 to {count - 1}, not {outcome}" if count else "it has no list"
            raise IllegalAction(f"Chance {self._question.name!r}: {text}")
        self._apply_chance(self._question.outcomes[outcome], int(outcome))
        self._advance()

    def _check_decides(self) -> None:
        if self.is_over:
            raise IllegalAction("the game is over: there are no legal actions")
        if self.is_chance:
            raise IllegalAction("an outcome of chance is due: give it first")

    def _answer(self, value: Any) -> None:
        """Take a legal value for the seat that decides."""
        question = self._question
        assert isinstance(question, Question)
        self._answers[self._seat] = value
        if self._track:
            entry = self._entry(value, question.moves_of(self._seat))
            self._note(entry, {"event": self.decision, "seat": self._seat, "value": value})
        self._waiting, self._legal = self._waiting[1:], None
        if self._waiting:
            self._seat = self._waiting[0]
            self._go_on()
            return
        answers = self._answers
        if question.moves is not None:  # a state gets indices, as bots answer
            answers = {
                seat: _index_among(question.moves_of(seat) or (), value)
                for seat, value in answers.items()
            }
        self._note_events(self.state.answer(answers))
        self._advance()

    def _advance(self) -> None:
        """Go on to the next decision, or to a draw that must be given, or to the end."""
        self._legal = None
        while True:
            question = self._question = self.state.question()
            if isinstance(question, Chance) and self._chance is not None:
                self._draw(question, self._chance)
                continue
            break
        self._answers = {}
        self._waiting = ()
        if isinstance(question, Question):
            self._waiting = tuple(question.listed_seats)
            self._seat = self._waiting[0]
            self._go_on()

    def _go_on(self) -> None:
        """Answer for seats that have a bot, in subclasses."""

    def _draw(self, question: Chance, chance: DealChance) -> None:
        stream = question.stream(chance)
        if question.sample is not None:
            self._apply_chance(question.sample(stream), None)
            return
        number = question.draw(stream)
        self._apply_chance(question.outcomes[number], number)

    def _apply_chance(self, outcome: Any, entry: int | None) -> None:
        self._note(entry, None)
        self._note_events(self.state.chance(outcome))

    # What has happened

    def _note(self, entry: Any, action: Event | None) -> None:
        """Add an entry to the history, and an action, which only its seat knows, to the events."""
        if self._track:
            self._history = (self._history, entry)
            if action is not None:
                self._events = (self._events, (True, action))

    def _note_events(self, events: Any) -> None:
        for event in events or ():
            if self._track:
                self._events = (self._events, (False, event))

    def events(self, seat: int | None = None) -> list[Event]:
        events = (event for is_action, event in _in_order(self._events) if not is_action)
        if seat is None:
            return [*events]
        return [visible for event in events if (visible := event_of(seat, event)) is not None]

    def information(self, seat: int) -> str:
        visible_events = [
            visible
            for is_action, event in _in_order(self._events)
            if not (is_action and event["seat"] != seat)
            and (visible := event_of(seat, event)) is not None
        ]
        decides = self.decision if self._waiting and seat == self._seat else ""
        view = self.state.view(seat)
        view_data = dict(view.own_fields()) if isinstance(view, View) else view
        return f"{seat}|{decides}|{visible_events!r}|{view_data!r}"

    # Names

    @property
    def _extent(self) -> tuple[int, int]:
        return _extent_of(self.game, self._rules, self._players)

    @property
    def _numbers(self) -> ActionNumbers:
        return numbers_of(self.game, self._rules, self._players)

    def answer_for(self, action: int) -> Any:
        value = self._numbers.actions[action][1]
        assert isinstance(self._question, Question)
        moves = self._question.moves_of(self._seat)
        return value if moves is None else [*moves].index(value)

    def action_name(self, action: int) -> str:
        return self.game.action_name(*self._numbers.actions[action])

    def outcome_name(self, outcome: int) -> str:
        question = self._question
        if isinstance(question, Chance) and question.outcomes:
            return str(question.outcomes[outcome])
        return f"outcome {outcome}"

    # Copies

    def clone(self) -> StatePosition:
        copy = object.__new__(type(self))
        copy.__dict__.update(self.__dict__)
        copy.state = self.state.clone()
        copy._answers = dict(self._answers)
        return copy

    def __deepcopy__(self, memo: object) -> StatePosition:
        return self.clone()

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).loads, (self.game, self.dumps())

    def with_chance_of(self, seed: Seed) -> StatePosition:
        """A copy in which all later outcomes of `Chance` come from a seed.

        Raises UsageError where the game draws from `deal.stream`, whose later outcomes the state
        may hold already.
        """
        if self._dealt.has_streams:
            raise UsageError(
                f"{self.game.title} draws from deal.stream, so what a copy will draw is decided"
                " already; games whose question() returns Chance(...) have no such streams"
            )
        copy = self.clone()
        copy._chance = DealChance(bits_of(seed), 0)
        copy._dealt = copy.state.deal = Deal(self._rules, self._players, copy._chance)
        copy._seed, copy._deal = checked_seed(seed), 0
        copy._track, copy._history = False, None
        if copy.is_chance:
            copy._advance()
        return copy

    def dumps(self) -> str:
        """The game so far as JSON: rules, seats, seed, deal and all that was chosen.

        Raises UsageError for a position that has no history.
        """
        if not self._track:
            raise UsageError("a position without a history cannot be stored")
        return json.dumps(
            {
                "game": self.game.name,
                "rules": msgspec.to_builtins(self.game.rules.as_dict(self._rules)),
                "players": self._players,
                "seed": None if self._seed is None else in_json(self._seed),
                "deal": self._deal,
                "history": [*_in_order(self._history)],
            }
        )

    @classmethod
    def loads(cls, game: Game, text: str) -> StatePosition:
        """The position that `dumps` has stored. Raises UsageError."""
        try:
            data = json.loads(text)
            rules = game.rules.from_dict(data["rules"])
            position = cls(game, rules, data["players"], data["seed"], data["deal"])
            history = data["history"]
            while (count := len([*_in_order(position._history)])) < len(history):
                position._repeat(history[count])
        except (ValueError, KeyError, TypeError, IndexError, AssertionError) as error:
            raise UsageError(f"this is no position of {game.title}: {error}") from error
        return position

    def _repeat(self, entry: Any) -> None:
        """Take or give what an entry of the history has."""
        if self.is_chance:
            self.give(entry)
            return
        assert isinstance(self._question, Question), "it goes on after the end of the game"
        decision, moves = self.game.decisions[self.decision], self._question.moves_of(self._seat)
        if has_numbers(self.game, self._rules, self._players):
            self.step(entry)
        elif entry is None and decision.optional:
            self.take(None)
        elif moves is not None:
            self.take(moves[entry])
        else:
            self.take(msgspec.convert(entry, decision.answer))


def _index_among(moves: Sequence[Any], value: Any) -> int | None:
    """The index of a move; None for an optional decision that is not taken."""
    return [*moves].index(value) if value is not None or None in moves else None


@cache
def _extent_of(game: Game, rules: Any, players: int) -> tuple[int, int]:
    """The most outcomes of a draw, and the most steps of a game, each as far as random games show
    it; the steps at least `Game.max_decisions`."""
    outcomes, steps = 0, game.max_decisions
    for number in range(_RANDOM_GAMES):
        random = DealChance(number, 0).stream("steps")
        position, count = StatePosition(game, rules, players, track=False), 0
        while not position.is_over:
            if position.is_chance:
                if not (listed := position.outcomes()):
                    raise UsageError(
                        f"{game.title} draws by Chance(…, sample=…), without a list of outcomes:"
                        " searches need one (outcomes=…)"
                    )
                outcomes = max(outcomes, len(listed))
                position.give(random.below(len(listed)))
            else:
                position.step(position.legal[random.below(len(position.legal))])
            count += 1
        steps = max(steps, 2 * count)
    return outcomes, steps


def _in_order(entries: _Entries) -> Iterator[Any]:
    """The entries of a shared list, the oldest first."""
    path = []
    while entries is not None:
        entries, last = entries
        path.append(last)
    return reversed(path)
