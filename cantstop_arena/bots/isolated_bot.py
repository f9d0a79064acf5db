"""A bot in a process of its own, as the arena speaks to it."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from cantstop_arena.bots.bot_start import BotStart
from cantstop_arena.bots.describe import MAX_REPORT_LENGTH
from cantstop_arena.errors import ERROR, BotError, GameError
from cantstop_arena.game_api.decisions import GAME_OVER, MOVES, Decision, GameOver
from cantstop_arena.game_api.game import View
from cantstop_arena.games.registry import game_named
from cantstop_arena.processes.channel import (
    FOREIGN,
    PROTOCOL,
    ForeignValue,
    excerpt,
    line_of,
    object_in,
)
from cantstop_arena.processes.child import Child
from cantstop_arena.processes.failures import (
    BotProcessFailure,
    BotRaised,
    InvalidAnswer,
    ProcessLost,
)
from cantstop_arena.texts import in_a_line


class IsolatedBot:
    """A program that plays a bot, game after game. It runs from its first game until `close`.

    A program that fails to answer is killed, and the next game starts a new one; one that reports
    an error of its own goes on.
    """

    def __init__(self, launch: BotStart) -> None:
        self.launch = launch
        self.game = game_named(launch.game)
        self._child: Child | None = None
        self._proven: set[str] = set()
        self.listens = False
        """Whether the program wants to be told how games end."""

    def start(self) -> None:
        """Start the program, if it does not run. Raises BotError where that fails."""
        self._disown()
        if self._child is None:
            self._child = Child(self.launch)
            with self._killed_on_failure():
                self.listens = _greet(self._child, self.launch).get(GAME_OVER) is True

    def begin(self, seat: int, players: int, rules: Any, key: int, anew: bool = True) -> None:
        """A new game begins, before which the bot forgets what was, unless it learns.

        Raises BotError, Lost or Overdue.
        """
        self.start()
        game = {"type": "game", "seat": seat, "players": players, "anew": anew}
        game |= {"rules": self.game.rules.as_dict(rules), "random": f"{key:016x}"}
        with self._killed_on_failure():
            self._running().trim_log()
            self._running().send(line_of(game), self.launch.decision_limit)

    def decide(self, decision: Decision, view: Any, moves: Sequence[Any] | None = None) -> object:
        """What the program answers, unchecked. Raises a Failure where it does not."""
        question = {
            "type": decision.name,
            decision.parameters[0]: self._view_as_json(decision, view),
        }
        if moves is not None:
            question[MOVES] = self.game.codec.moves_as_json(moves)
        return self._ask(question, decision.key)

    def _view_as_json(self, decision: Decision, view: Any) -> Any:
        """A view as JSON has it; the first of each decision is seen to come back as it was.

        Raises GameError where it does not.
        """
        try:
            visible = self.game.codec.view_as_json(view)
            if decision.name not in self._proven:
                self._prove(decision, view, visible)
                self._proven.add(decision.name)
        except Exception as error:
            text = in_a_line(str(error), MAX_REPORT_LENGTH)
            what = (
                f"{self.game.title} returned a value for {decision.name} that cannot be sent to"
                " another process"
            )
            raise GameError(f"{what}: {text}") from error
        return visible

    def _prove(self, decision: Decision, view: Any, visible: Any) -> None:
        if isinstance(view, View):
            there = json.loads(line_of(visible))
            back = self.game.codec.view_from_json(decision.view, there, view.rules, view.random)
            if back != view:
                raise ValueError(f"{view} comes back as {back}; are its fields annotated rightly?")

    def finish(self, result: GameOver) -> None:
        """Tell the program how the game ended, if it can still be told: there is no answer."""
        data: dict[str, Any] = {"type": GAME_OVER, "seat": result.seat, "players": result.players}
        data["winners"] = [*result.winners]
        if result.points:
            data["points"] = [*result.points]
        with suppress(BotProcessFailure), self._killed_on_failure():
            self._running().send(line_of(data), self.launch.decision_limit)

    def close(self) -> None:
        """End the program."""
        self._disown()
        if self._child is not None:
            self._child.end()
            self._child = None

    def _ask(self, question: Mapping[str, Any], key: str) -> object:
        with self._killed_on_failure():
            line = self._running().request(line_of(question), self.launch.decision_limit)
            answer = object_in(line)
            if key not in answer and not isinstance(answer.get(ERROR), str):
                raise InvalidAnswer(f"this has no {key!r}: {excerpt(line)}")
        if key not in answer:
            raise BotRaised(in_a_line(answer[ERROR], MAX_REPORT_LENGTH))
        return _value(answer[key])

    def _running(self) -> Child:
        self._disown()
        if self._child is None:
            raise ProcessLost("the program does not run")
        return self._child

    def _disown(self) -> None:
        """Leave a program to the process that started it, if this one was forked from that."""
        if self._child is not None and self._child.is_inherited:
            self._child.forget()
            self._child = None

    @contextmanager
    def _killed_on_failure(self) -> Iterator[None]:
        """Also when interrupted: an answer to come must not be taken for the next question's."""
        try:
            yield
        except BaseException:
            if self._child is not None:
                self._child.kill()
                self._child = None
            raise


def _value(data: object) -> object:
    """An answer, as near to what the bot returned as can be."""
    if isinstance(data, dict) and isinstance(data.get(FOREIGN), str) and len(data) == 1:
        return ForeignValue(data[FOREIGN])
    return data


def _greet(child: Child, launch: BotStart) -> Mapping[str, Any]:
    """Say hello, and hear that the program is ready; what else it says. Raises BotError."""
    hello = {"type": "hello", "protocol": PROTOCOL, "options": json.loads(launch.options)}
    try:
        child.send(line_of(hello), launch.start_limit)
        answer = _ready(child.receive(launch.start_limit))
    except BotProcessFailure as failure:
        text = child.last_log_line()
        raise BotError(f"does not start: {failure}{text and f' ({text})'}") from failure
    child.mark_started()
    return answer


def _ready(line: bytes) -> Mapping[str, Any]:
    answer = object_in(line)
    if isinstance(error := answer.get(ERROR), str):
        raise BotRaised(in_a_line(error, MAX_REPORT_LENGTH))
    if answer.get("type") != "ready":
        raise InvalidAnswer(f'expected "ready", got: {excerpt(line)}')
    return answer
