"""People at a table: the game pauses for them, and is the same game as if bots had answered."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
from helpers import bad_games

from cantstop_arena.game_api.decisions import decision
from cantstop_arena.game_api.game import Game
from cantstop_arena.game_api.state import Event, Question, State
from cantstop_arena.game_api.view import View
from cantstop_arena.games.registry import game_named
from cantstop_arena.table.conversation import PendingDecision, PersonSeat, conversation
from cantstop_arena.table.recording import record
from cantstop_arena.table.seated_bot import SeatedBot
from cantstop_arena.table.table import GameTable

Answer = Callable[[PendingDecision], Any]


class Simple:
    """A bot that takes the first move, and says no to everything else; it counts its calls."""

    def __init__(self, game: Game) -> None:
        self.calls = 0
        for name, each in game.decisions.items():
            setattr(self, name, self._first if each.has_moves else self._no)

    def _first(self, view: Any, moves: Any) -> int:
        self.calls += 1
        return 0

    def _no(self, view: Any) -> bool:
        self.calls += 1
        return False


def simple_answer(pending: PendingDecision) -> Any:
    return False if pending.moves is None else 0


def table_of(game: Game, players: int, people: Sequence[int]) -> tuple[GameTable, list[Simple]]:
    bots = [Simple(game) for _ in range(players)]
    seated = [
        SeatedBot(f"s{seat}", PersonSeat(seat, game) if seat in people else bots[seat], "")
        for seat in range(players)
    ]
    table: GameTable = game.table(game.rules.default, seated, players, 7)
    table.warm_up()
    return table, bots


def played(table: GameTable, answer: Answer) -> Iterator[Event | PendingDecision]:
    """The steps of a game in which people answer at once."""
    people = {person.seat: person for person in table.people}
    for step in conversation(table, tuple(range(len(table.seated_bots))), 3):
        yield step
        if isinstance(step, PendingDecision):
            people[step.seat].set_answer(answer(step))


def events_in(steps: Iterator[Event | PendingDecision]) -> list[Event]:
    return [step for step in steps if not isinstance(step, PendingDecision)]


@decision
def show(view: View) -> int:  # type: ignore[empty-body]
    """Return 0 or 1."""


class _Together(State):
    """All seats choose at once, four times; a seat that repeats its last answer is refused."""

    def setup(self) -> None:
        self.last = [-1] * self.players

    def question(self) -> Question | None:
        return None if self.turn == 4 else Question("show", range(self.players))

    def check(self, seat: int, answer: Any) -> str | None:
        return "the same again" if answer == self.last[seat] else None

    def answer(self, answers: Any) -> Iterator[Event]:
        self.turn += 1
        self.last = [answers[seat] for seat in range(self.players)]
        yield {"event": "chosen", "turn": self.turn, "answers": [*answers.items()]}

    def result(self) -> Any:
        from cantstop_arena.game_api.state import Result

        return Result(winners=(0,))


class TogetherGame(Game):
    """The game of this state, for two or three seats."""

    name = "together"
    title = "Together"
    players = bad_games.TrickGame.players
    rules = bad_games.TrickGame.rules
    hooks = (show,)
    state = _Together


class Turnabout(Simple):
    """Shows 1 and 0 in turn, which is legal in the game of the state above."""

    def __init__(self, game: Game) -> None:
        super().__init__(game)
        self.show = self._show

    def _show(self, view: Any) -> int:
        self.calls += 1
        return self.calls % 2


@pytest.mark.parametrize(
    ("name", "players", "people"),
    [("cantstop", 2, (0,)), ("cantstop", 4, (1, 3)), ("cantstop", 1, (0,)), ("tricks", 2, (1,))],
)
def test_a_game_with_people_is_recorded_as_one_of_bots(
    name: str, players: int, people: Sequence[int]
) -> None:
    game = bad_games.TrickGame() if name == "tricks" else game_named(name)
    plain = [*record(table_of(game, players, ())[0], tuple(range(players)), 3)]
    table, bots = table_of(game, players, people)
    steps = [*played(table, simple_answer)]
    assert events_in(iter(steps)) == plain
    pending = [step for step in steps if isinstance(step, PendingDecision)]
    assert {step.seat for step in pending} == {*people}
    assert all(not bots[seat].calls for seat in people)


def test_a_bot_that_decides_with_people_is_asked_once() -> None:
    game = TogetherGame()
    bot = Turnabout(game)
    seated = [
        SeatedBot("bot", bot, ""),
        SeatedBot("ada", PersonSeat(1, game), ""),
        SeatedBot("bob", PersonSeat(2, game), ""),
    ]
    table: GameTable = game.table(game.rules.default, seated, 3, 7)
    asked = []

    def answer(pending: PendingDecision) -> int:
        asked.append((pending.seat, pending.problem))
        return len([seat for seat, problem in asked if seat == pending.seat and not problem]) % 2

    events = events_in(played(table, answer))
    assert bot.calls == 4 and len(asked) == 8
    rows = [event["answers"] for event in events if event["event"] == "chosen"]
    assert rows == [[(seat, turn % 2) for seat in range(3)] for turn in (1, 2, 3, 4)]


def test_an_illegal_answer_repeats_the_question_with_the_problem() -> None:
    game = TogetherGame()
    bot = Turnabout(game)
    seated = [SeatedBot("bot", bot, ""), SeatedBot("ada", PersonSeat(1, game), "")]
    table: GameTable = game.table(game.rules.default, seated, 2, 7)
    answers = iter([1, 1, 0, 1, 0])
    steps = [*played(table, lambda pending: next(answers))]
    problems = [step.problem for step in steps if isinstance(step, PendingDecision)]
    assert problems == ["", "", "the same again", "", ""]
    assert bot.calls == 4 and [*events_in(iter(steps))][-1]["event"] == "end"


def test_nothing_is_asked_twice_while_nobody_answers() -> None:
    table, _ = table_of(game_named("cantstop"), 2, (0,))
    steps = conversation(table, (0, 1), 3)
    pending = [next(steps) for _ in range(5)][1:]
    assert all(isinstance(step, PendingDecision) for step in pending)
    first: Any = pending[0]
    assert all(step == first for step in pending)
