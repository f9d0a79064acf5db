"""A bot that plays in a process of its own, and the messages that the arena exchanges with it."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from cantstop_arena.bots.bot_start import BotStart
from cantstop_arena.bots.describe import MAX_REPORT_LENGTH
from cantstop_arena.errors import BotError, GameError
from cantstop_arena.game_api.decisions import GAME_OVER, MOVES, Decision, GameOver
from cantstop_arena.game_api.game import View
from cantstop_arena.games.registry import game_named
from cantstop_arena.processes.child import Child, failure_of
from cantstop_arena.processes.failures import (
    BotProcessFailure,
    BotRaised,
    DecisionTimeout,
    InvalidAnswer,
    ProcessLost,
)
from cantstop_arena.processes.json_lines import (
    ERROR,
    FOREIGN_KEY,
    PROTOCOL,
    ForeignValue,
    excerpt,
    line_of,
    object_in,
)
from cantstop_arena.texts import in_a_line


class IsolatedBot:
    """A program that plays one bot, game after game. It runs from its first game until `close`.

    A program that fails to answer is killed, and the next game starts a new one; a program that
    reports an exception of its bot keeps running.
    """

    def __init__(self, launch: BotStart) -> None:
        self.launch = launch
        self.game = game_named(launch.game)
        self._child: Child | None = None
        self._verified: set[str] = set()
        self.listens = False
        """Whether the program expects a message at the end of each game."""

    def start(self) -> None:
        """Start the program, unless it runs.

        Raises BotError when that fails, GameError when no bot could start here.
        """
        self._forget_inherited()
        if self._child is None:
            self._child = Child(self.launch)
            try:
                with self._killed_on_failure():
                    self.listens = _handshake(self._child, self.launch).get(GAME_OVER) is True
            except BotError as error:
                if not isinstance(error.__cause__, DecisionTimeout):
                    _check_environment(self.launch)
                raise

    def begin(self, seat: int, players: int, rules: Any, key: int, anew: bool = True) -> None:
        """Announce a new game; with `anew` it is played by a fresh instance of the bot.

        Raises BotError or GameError like `start`, BotProcessFailure when the program ends or does
        not take the message in time.
        """
        self.start()
        message = {"type": "game", "seat": seat, "players": players, "anew": anew}
        message |= {"rules": self.game.rules.as_dict(rules), "random": f"{key:016x}"}
        with self._killed_on_failure():
            self._running_child().trim_log()
            self._running_child().send(line_of(message), self.launch.decision_limit)

    def decide(self, decision: Decision, view: Any, moves: Sequence[Any] | None = None) -> object:
        """The program's answer to a decision, unchecked.

        Raises BotProcessFailure when there is none, GameError when the view cannot be sent.
        """
        question = {
            "type": decision.name,
            decision.parameters[0]: self._view_as_json(decision, view),
        }
        if moves is not None:
            question[MOVES] = self.game.codec.moves_as_json(moves)
        return self._request(question, decision.key)

    def _view_as_json(self, decision: Decision, view: Any) -> Any:
        """A view as JSON data. The first view of each decision is checked by a round trip.

        Raises GameError when a view cannot be converted, or does not survive the round trip.
        """
        try:
            data = self.game.codec.view_as_json(view)
            if decision.name not in self._verified:
                self._check_round_trip(decision, view, data)
                self._verified.add(decision.name)
        except Exception as error:
            reason = in_a_line(str(error), MAX_REPORT_LENGTH)
            problem = (
                f"{self.game.title} returned a value for {decision.name} that cannot be sent to"
                " another process"
            )
            raise GameError(f"{problem}: {reason}") from error
        return data

    def _check_round_trip(self, decision: Decision, view: Any, data: Any) -> None:
        if isinstance(view, View):
            sent = json.loads(line_of(data))
            copy = self.game.codec.view_from_json(decision.view, sent, view.rules, view.random)
            if copy != view:
                raise ValueError(f"{view} comes back as {copy}; are its fields annotated rightly?")

    def finish(self, result: GameOver) -> None:
        """Send the program the result of the game; there is no answer, and failures are ignored."""
        message: dict[str, Any] = {
            "type": GAME_OVER,
            "seat": result.seat,
            "players": result.players,
        }
        message["winners"] = [*result.winners]
        if result.points:
            message["points"] = [*result.points]
        with suppress(BotProcessFailure), self._killed_on_failure():
            self._running_child().send(line_of(message), self.launch.decision_limit)

    def close(self) -> None:
        """End the program."""
        self._forget_inherited()
        if self._child is not None:
            self._child.end()
            self._child = None

    def _request(self, question: Mapping[str, Any], key: str) -> object:
        with self._killed_on_failure():
            line = self._running_child().request(line_of(question), self.launch.decision_limit)
            answer = object_in(line)
            if key not in answer and not isinstance(answer.get(ERROR), str):
                raise InvalidAnswer(f"this has no {key!r}: {excerpt(line)}")
        if key not in answer:
            raise BotRaised(in_a_line(answer[ERROR], MAX_REPORT_LENGTH))
        return _answer_value(answer[key])

    def _running_child(self) -> Child:
        self._forget_inherited()
        if self._child is None:
            raise ProcessLost("the program does not run")
        return self._child

    def _forget_inherited(self) -> None:
        """Drop the program if the process that this one was forked from started it."""
        if self._child is not None and self._child.is_inherited:
            self._child.forget()
            self._child = None

    @contextmanager
    def _killed_on_failure(self) -> Iterator[None]:
        """A context after whose failure the program is killed.

        Also when interrupted: a late answer must not be taken for that to the next question.
        """
        try:
            yield
        except BaseException:
            if self._child is not None:
                self._child.kill()
                self._child = None
            raise


def _answer_value(data: object) -> object:
    """An answer from JSON data; a ForeignValue if JSON could not hold what the bot returned."""
    if isinstance(data, dict) and isinstance(data.get(FOREIGN_KEY), str) and len(data) == 1:
        return ForeignValue(data[FOREIGN_KEY])
    return data


def _check_environment(launch: BotStart) -> None:
    """Raise GameError where a bot's process fails without the bot, too."""
    if reason := failure_of(launch.trial, launch.start_limit):
        raise GameError(f"no bot of {launch.game} can be started in a process of its own: {reason}")


def _handshake(child: Child, launch: BotStart) -> Mapping[str, Any]:
    """Send "hello" and return the program's "ready" message. Raises BotError when that fails."""
    hello = {"type": "hello", "protocol": PROTOCOL, "options": json.loads(launch.options)}
    try:
        child.send(line_of(hello), launch.start_limit)
        message = _ready_message(child.receive(launch.start_limit))
    except BotProcessFailure as failure:
        log_line = child.last_log_line()
        raise BotError(f"does not start: {failure}{log_line and f' ({log_line})'}") from failure
    child.mark_started()
    return message


def _ready_message(line: bytes) -> Mapping[str, Any]:
    message = object_in(line)
    if isinstance(error := message.get(ERROR), str):
        raise BotRaised(in_a_line(error, MAX_REPORT_LENGTH))
    if message.get("type") != "ready":
        raise InvalidAnswer(f'expected "ready", got: {excerpt(line)}')
    return message
