"""The dialogue with a person: questions, repeated until the answer is legal, in any game.

In a game without a view of its own the person sees the fields of its views.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, Protocol, TypeVar

from cantstop_arena.errors import ArenaError, Interrupted
from cantstop_arena.game_api.answers import IllegalAnswer
from cantstop_arena.game_api.decisions import Decision
from cantstop_arena.game_api.game import Game
from cantstop_arena.game_api.state import BOARD, Event, event_of
from cantstop_arena.table.conversation import PendingDecision, conversation
from cantstop_arena.table.recording import Complaint
from cantstop_arena.table.table import GameTable
from cantstop_arena.views.default_view import SEAT_NAMES


class PersonLeft(Interrupted):
    """The person has left the game, by a command (`by_command`) or at the end of the input.

    Its cause is an OSError when the terminal has failed.
    """

    def __init__(self, by_command: bool) -> None:
        super().__init__()
        self.by_command = by_command


@contextmanager
def terminal() -> Iterator[None]:
    """Raise PersonLeft for an OSError of the terminal, which is no fault of the person."""
    try:
        yield
    except OSError as error:
        raise PersonLeft(by_command=False) from error


class PersonText(Protocol):
    """The part of a game's view that the dialogue uses."""

    game: Game

    def names(self, opening: Event) -> list[str]: ...
    def heading(self, opening: Event) -> str: ...
    def event_text(self, event: Event, names: Sequence[str]) -> str: ...


Answer = TypeVar("Answer")

QUIT, HELP = ("q", "quit"), "?"
_YES, _NO = ("y", "yes", "true"), ("n", "no", "false")
_HIDDEN_FIELDS = ("seat", "players")  # not printed: the person knows them


class TerminalPerson:
    """A person in a seat, at the terminal.

    `read` prints a prompt and returns a line, None at the end of the input; `echo` prints a line.
    """

    def __init__(
        self,
        seat: int,
        read: Callable[[str], str | None],
        echo: Callable[[str], None],
        coloured: bool,
    ) -> None:
        self._seat = seat
        self._read = read
        self._echo = echo
        self._coloured = coloured

    def _ask(
        self,
        question: str,
        answer_of: Callable[[str], Answer],
        help_with: Mapping[str, Callable[[], Iterable[str]]] = {},
    ) -> Answer:
        """The person's answer; repeats the question until `answer_of` accepts what is entered.

        `answer_of` raises ArenaError or ValueError with the text to print. Words of `help_with`
        print their lines. Raises PersonLeft.
        """
        while True:
            line = self._read(question)
            if line is None:
                raise PersonLeft(by_command=False)
            word = line.strip()
            if word.lower() in QUIT:
                raise PersonLeft(by_command=True)
            if word.lower() in help_with:
                for text in help_with[word.lower()]():
                    self._echo(text)
                continue
            try:
                return answer_of(word)
            except (ArenaError, ValueError) as error:
                self._echo(f"  {error}")

    def sees(self, event: Event) -> None:
        """Print an event of the game. Raises PersonLeft."""
        raise NotImplementedError

    @terminal()
    def on_complaint(self, problem: str) -> None:
        """Print why an answer is illegal; the question is repeated. Raises PersonLeft."""
        self._echo(f"  That cannot be: {problem}.")


def play_with(
    person: TerminalPerson, table: GameTable, deal: int, complain: Callable[[Complaint], None]
) -> Iterator[Event]:
    """The events of a game with one person, who is shown each that the seat sees, once recorded.

    A person who leaves ends the game: PersonLeft is raised after the last event.
    """
    (seat,) = table.people
    steps = conversation(table, tuple(range(len(table.seated_bots))), deal, complain)
    try:
        for step in steps:
            if isinstance(step, PendingDecision):
                if step.problem:
                    person.on_complaint(step.problem)
                arguments = (step.view,) if step.moves is None else (step.view, step.moves)
                seat.set_answer(getattr(person, step.decision.name)(*arguments))
                continue
            yield step
            if (event := event_of(seat.seat, step)) is not None:
                person.sees(event)
    except PersonLeft as left:
        last = table.abandoned_event()
        yield last
        if left.__cause__ is None:
            person.sees(last)
        raise


class PlainPerson(TerminalPerson):
    """A person in a seat of any game, with a method for every decision of the game."""

    def __init__(
        self,
        view: PersonText,
        seat: int,
        read: Callable[[str], str | None],
        echo: Callable[[str], None],
        coloured: bool,
    ) -> None:
        super().__init__(seat, read, echo, coloured)
        self._view = view
        self._names: list[str] = []
        self._has_board = False  # then the fields of views are not printed
        for decision in view.game.decisions.values():
            setattr(self, decision.name, partial(self._decide, decision))

    @terminal()
    def sees(self, event: Event) -> None:
        """Print an event of the game. Raises PersonLeft."""
        if event["event"] == "game":
            self._names = self._view.names(event)
            self._echo(self._view.heading(event))
            self._echo(greeting(self._seat))
            return
        self._has_board |= event["event"] == BOARD
        self._echo(self._view.event_text(event, self._names))

    @terminal()
    def _decide(self, decision: Decision, view: Any, moves: Sequence[Any] | None = None) -> Any:
        """The person's answer; repeats the question until it is legal. Raises PersonLeft."""
        for name, value in view.own_fields():
            if name not in _HIDDEN_FIELDS and not self._has_board:
                self._echo(f"  {name}: {value}")
        for number, move in enumerate(moves or (), start=1):
            self._echo(f"  {number:>3}  {move}")
        return self._ask(f"{decision.name}? ", partial(_checked_answer, decision, moves))


def greeting(seat: int) -> str:
    """The first sentence to the person in a seat."""
    return f"You are {SEAT_NAMES[seat]}. {HELP} explains, {QUIT[0]} leaves the game."


def _checked_answer(decision: Decision, moves: Sequence[Any] | None, word: str) -> Any:
    """The legal answer that a word stands for. Raises ValueError with the answers that are."""
    try:
        return decision.checked(_parsed_answer(word, decision, moves), moves)
    except (IllegalAnswer, ValueError) as error:
        raise ValueError(_prompt(decision, moves)) from error


def _parsed_answer(word: str, decision: Decision, moves: Sequence[Any] | None) -> Any:
    """The answer that a word stands for. Raises ValueError when it is not an answer."""
    if moves is not None:
        return int(word) - 1
    if decision.answer is bool:
        if word.lower() in (*_YES, *_NO):
            return word.lower() in _YES
        raise ValueError(word)
    return json.loads(word) if word else None


def _prompt(decision: Decision, moves: Sequence[Any] | None) -> str:
    """The decision, and the answers that can be entered."""
    if moves is not None:
        answers = f"1 to {len(moves)}"
    elif decision.answer is bool:
        answers = "y or n"
    elif decision.answer is int:
        answers = "a whole number"
    else:
        answers = "an answer in JSON, or nothing for none"
    return f"{decision.summary} Please enter {answers}, or q to leave."
