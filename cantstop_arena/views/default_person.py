"""The dialogue with a person in a game without a view of its own: fields, and typed answers."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import fields
from functools import partial
from typing import Any, Protocol

from cantstop_arena.game_api.answers import IllegalAnswer
from cantstop_arena.game_api.decisions import Decision
from cantstop_arena.game_api.game import Event, Game
from cantstop_arena.table.person_table import PersonLeft, terminal
from cantstop_arena.views.default_view import SEAT_NAMES


class PersonText(Protocol):
    """The part of a game's view that the dialogue uses."""

    game: Game

    def names(self, opening: Event) -> list[str]: ...
    def heading(self, opening: Event) -> str: ...
    def event_text(self, event: Event, names: Sequence[str]) -> str: ...


QUIT, HELP = ("q", "quit"), "?"
_YES, _NO = ("y", "yes", "true"), ("n", "no", "false")
_HIDDEN_FIELDS = (
    "seat",
    "players",
    "rules",
    "random",
)  # not printed: the person knows them


class PlainPerson:
    """A person in a seat, with a method for every decision of the game.

    `read` prints a prompt and returns a line, None at the end of the input; `echo` prints a line.
    """

    def __init__(
        self,
        view: PersonText,
        seat: int,
        read: Callable[[str], str | None],
        echo: Callable[[str], None],
        coloured: bool,
    ) -> None:
        self._view = view
        self._seat = seat
        self._read = read
        self._echo = echo
        self._names: list[str] = []
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
        self._echo(self._view.event_text(event, self._names))

    @terminal()
    def on_complaint(self, complaint: str) -> None:
        """Print why an answer is illegal; the question is repeated. Raises PersonLeft."""
        self._echo(f"  That cannot be: {complaint}.")

    @terminal()
    def _decide(self, decision: Decision, view: Any, moves: Sequence[Any] | None = None) -> Any:
        """The person's answer; repeats the question until it is legal. Raises PersonLeft."""
        for field in fields(view):
            if field.name not in _HIDDEN_FIELDS:
                self._echo(f"  {field.name}: {getattr(view, field.name)}")
        for number, move in enumerate(moves or (), start=1):
            self._echo(f"  {number:>3}  {move}")
        while True:
            line = self._read(f"{decision.name}? ")
            if line is None:
                raise PersonLeft(asked=False)
            word = line.strip()
            if word.lower() in QUIT:
                raise PersonLeft(asked=True)
            try:
                return decision.checked(_parsed_answer(word, decision, moves), moves)
            except (IllegalAnswer, ValueError):
                self._echo(f"  {_prompt(decision, moves)}")


def greeting(seat: int) -> str:
    """The first sentence to the person in a seat."""
    return f"You are {SEAT_NAMES[seat]}. {HELP} explains, {QUIT[0]} leaves the game."


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
