"""A person at a game that has no view of its own: fields to read, answers to type."""

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


class PersonText(Protocol):
    """What the person needs of the game's view."""

    game: Game

    def names(self, opening: Event) -> list[str]: ...
    def heading(self, opening: Event) -> str: ...
    def event_text(self, event: Event, names: Sequence[str]) -> str: ...


QUIT, HELP = ("q", "quit"), "?"
_YES, _NO = ("y", "yes", "true"), ("n", "no", "false")
_KNOWN = ("seat", "players", "rules", "random")  # of what is shown, that goes without saying


class PlainPerson:
    """A player in a seat who reads and types; has a function for every decision of the game."""

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
        """Show what has happened at the table. Raises Left."""
        if event["event"] == "game":
            self._names = self._view.names(event)
            self._echo(self._view.heading(event))
            self._echo(f"You are {self._names[self._seat]}. {HELP} explains, q leaves the game.")
            return
        self._echo(self._view.event_text(event, self._names))

    @terminal()
    def on_complaint(self, complaint: str) -> None:
        """Say what makes an answer illegal; the question comes again. Raises Left."""
        self._echo(f"  That cannot be: {complaint}.")

    @terminal()
    def _decide(self, decision: Decision, view: Any, moves: Sequence[Any] | None = None) -> Any:
        """Ask until there is an answer. Raises Left."""
        for field in fields(view):
            if field.name not in _KNOWN:
                self._echo(f"  {field.name}: {getattr(view, field.name)}")
        for number, move in enumerate(moves or (), start=1):
            self._echo(f"  {number:>3}  {move}")
        while True:
            line = self._read(f"{decision.name}? ")
            if line is None:
                raise PersonLeft(is_requested=False)
            word = line.strip()
            if word.lower() in QUIT:
                raise PersonLeft(is_requested=True)
            try:
                return decision.checked(_meant(word, decision, moves), moves)
            except (IllegalAnswer, ValueError):
                self._echo(f"  {_prompt(decision, moves)}")


def _meant(word: str, decision: Decision, moves: Sequence[Any] | None) -> Any:
    """What a word means as an answer. Raises ValueError where it means nothing."""
    if moves is not None:
        return int(word) - 1
    if decision.answer is bool:
        if word.lower() in (*_YES, *_NO):
            return word.lower() in _YES
        raise ValueError(word)
    return json.loads(word) if word else None


def _prompt(decision: Decision, moves: Sequence[Any] | None) -> str:
    """What may be answered."""
    if moves is not None:
        answers = f"1 to {len(moves)}"
    elif decision.answer is bool:
        answers = "y or n"
    elif decision.answer is int:
        answers = "a whole number"
    else:
        answers = "an answer in JSON, or nothing for none"
    return f"{decision.summary} Please enter {answers}, or q to leave."
