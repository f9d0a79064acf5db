"""The test that views and moves do not depend on what a seat has not been shown.

A random game is repeated with one thing changed: an outcome of chance, or a secret answer of
another seat. As long as the events that a seat sees stay the same, so must its views and moves.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from cantstop_arena.check.game_tests import frozen
from cantstop_arena.check.random_games import CheckedPosition, Defect, RandomGame, events_for
from cantstop_arena.errors import UsageError
from cantstop_arena.game_api.state import SEEN_BY, Chance, Event, State
from cantstop_arena.game_api.streams import DealChance, Stream

_MAX_CHANGES = 12  # in a game, of each kind
_MAX_STEPS = 200  # decisions of a game that are compared


class _Impossible(Exception):
    """The game cannot go on as it did with this change."""


class _Step(NamedTuple):
    """A position before a decision, and the value that was taken."""

    seat: int
    decision: str
    is_sealed: bool
    events: Sequence[Event]
    views: Sequence[Mapping[str, Any]]
    values: Sequence[Any]
    draws: int
    taken: Any


class _Change(NamedTuple):
    """What is changed: the number of a draw and its outcome, or that of a step and its value."""

    draw: int = -1
    outcome: Any = None
    step: int = -1
    value: Any = None


def compared_pairs(game: RandomGame) -> int:
    """The number of pairs of states that a seat could not distinguish, and which looked alike.

    Raises Defect where they differ.
    """
    steps, draws = _recorded(game)
    if not any(step.events for step in steps):
        return 0
    pairs = 0
    for change in [*_changed_draws(game, draws), *_changed_answers(game, steps)]:
        try:
            pairs += _Repetition(game, steps, draws, change).compare()
        except (_Impossible, UsageError):
            continue
    return pairs


def _recorded(game: RandomGame) -> tuple[list[_Step], list[tuple[Chance, Any]]]:
    """The steps and the draws of a random game."""
    steps: list[_Step] = []
    position = None
    for position in game:
        if len(steps) < _MAX_STEPS:
            steps.append(_step(position, len(position.draws)))
    assert position is not None
    taken = [*game.values, None]
    return [step._replace(taken=value) for step, value in zip(steps, taken, strict=False)], (
        position.draws
    )


def _step(position: CheckedPosition, draws: int) -> _Step:
    return _Step(
        position.seat,
        position.decision,
        position.simultaneous,
        position.take_events(),
        _views(position),
        [] if position.is_over else position.values(),
        draws,
        None,
    )


def _views(position: CheckedPosition) -> list[Mapping[str, Any]]:
    """What each seat sees; nothing of seats that do not decide, in games that have no `view`."""
    is_old = type(position.state).view is State.view
    return [
        {} if is_old and seat != position.seat else position.seat_view(seat)
        for seat in range(position.players)
    ]


def _changed_draws(game: RandomGame, draws: Sequence[tuple[Chance, Any]]) -> Iterator[_Change]:
    """Changes of outcomes of chance."""
    for number in _sample(game.random, range(len(draws))):
        chance, outcome = draws[number]
        if chance.sample is not None:
            yield _Change(number, chance.sample(DealChance(number, 1).stream("other")))
            continue
        others = [other for other in chance.outcomes if other != outcome]
        if others:
            yield _Change(number, others[game.random.below(len(others))])


def _changed_answers(game: RandomGame, steps: Sequence[_Step]) -> Iterator[_Change]:
    """Changes of answers to questions of several seats, and of those with secret events."""
    secret = [
        number
        for number, (step, after) in enumerate(pairwise(steps))
        if step.is_sealed or any(SEEN_BY in event for event in after.events)
    ]
    for number in _sample(game.random, secret):
        others = [value for value in steps[number].values if value != steps[number].taken]
        if others:
            yield _Change(step=number, value=others[game.random.below(len(others))])


def _sample(random: Stream, numbers: Sequence[int]) -> Sequence[int]:
    return sorted(random.shuffled(numbers)[:_MAX_CHANGES])


class _OtherWorld(CheckedPosition):
    """The same game with one outcome changed; later ones are the same where they can be."""

    def __init__(
        self, game: RandomGame, draws: Sequence[tuple[Chance, Any]], change: _Change
    ) -> None:
        self._outcomes = [outcome for _, outcome in draws]
        self._change = change
        rules, players, deal = game.setting
        super().__init__(game.game, rules, players, deal=deal, advisers=game.advisers)

    def _draw(self, question: Chance, chance: DealChance) -> None:
        self._apply_chance(self._outcome(question), None)

    def _outcome(self, question: Chance) -> Any:
        number, change = len(self.draws), self._change
        if number >= len(self._outcomes):
            raise _Impossible
        if number == change.draw:
            return change.outcome
        outcome = self._outcomes[number]
        if question.sample is not None or outcome in question.outcomes:
            return outcome
        # What is left of a deck has the changed card in place of the original.
        if 0 <= change.draw < number and self._outcomes[change.draw] in question.outcomes:
            return self._outcomes[change.draw]
        raise _Impossible


class _Repetition:
    """A game with one change, compared with the original step by step."""

    def __init__(
        self,
        game: RandomGame,
        steps: Sequence[_Step],
        draws: Sequence[tuple[Chance, Any]],
        change: _Change,
    ) -> None:
        self._steps = steps
        self._change = change
        self._position = _OtherWorld(game, draws, change)
        self._pairs = 0

    def compare(self) -> int:
        """The number of pairs of views that were compared. Raises Defect, _Impossible."""
        seats = {*range(self._position.players)}  # that cannot notice the change
        if self._change.step >= 0:
            seats.discard(self._steps[self._change.step].seat)
        for number, step in enumerate(self._steps):
            events = self._position.take_events()
            seats = {
                seat for seat in seats if events_for(seat, events) == events_for(seat, step.events)
            }
            if not seats:
                break
            if step.draws > self._change.draw and number > self._change.step:
                self._compare_views(step, seats)
            if self._position.is_over or not self._take(number, step):
                break
        return self._pairs

    def _compare_views(self, step: _Step, seats: set[int]) -> None:
        views = _views(self._position)
        is_same = (self._position.seat, self._position.decision) == (step.seat, step.decision)
        for seat in seats:
            if not views[seat] or not step.views[seat]:
                continue
            if seat == step.seat and not is_same:
                continue
            self._pairs += 1
            for name, value in step.views[seat].items():
                if frozen(value) != frozen(views[seat].get(name)):
                    raise Defect(
                        f"the view of seat {seat} depends on what no event has shown to it: {name}"
                        f" is {value!r:.60} or {views[seat].get(name)!r:.60}"
                    )
            if is_same and seat == step.seat and not self._position.is_over:
                self._compare_moves(step)

    def _compare_moves(self, step: _Step) -> None:
        """Raise Defect unless the seat that decides may do the same; bots' advice may differ."""
        allowed = [value for value in step.values if self._position.allows(value)]
        if self._position.moves is not None:
            allowed = [*self._position.moves]
        if frozen(allowed) != frozen(step.values):
            raise Defect(
                f"the moves of seat {step.seat} depend on what no event has shown to it:"
                f" {[*step.values]!r:.60} or {allowed!r:.60}"
            )

    def _take(self, number: int, step: _Step) -> bool:
        """Take what was taken, or the change; whether that is possible."""
        if (self._position.seat, self._position.decision) != (step.seat, step.decision):
            return False
        value = self._change.value if number == self._change.step else step.taken
        if not self._position.allows(value):
            return False
        self._position.take(value)
        return True
