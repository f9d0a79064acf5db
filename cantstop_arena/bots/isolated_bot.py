"""A bot that plays in a process of its own, and the messages that the arena exchanges with it."""

from collections.abc import Sequence
from contextlib import suppress
from math import prod
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from cantstop_arena.bots.bot_messages import (
    Answer,
    BatchReport,
    BotStarted,
    Decide,
    DecideBatch,
    EndGame,
    GameReport,
    Logits,
    Report,
    StartBatches,
    StartGame,
)
from cantstop_arena.bots.bot_sandbox import start_here
from cantstop_arena.bots.bot_start import BotStart
from cantstop_arena.bots.describe import MAX_REPORT_LENGTH
from cantstop_arena.bots.program_lines import ProgramLines
from cantstop_arena.errors import BotError, GameError
from cantstop_arena.game_api.answers import IllegalAnswer
from cantstop_arena.game_api.batches import Batch, check_type
from cantstop_arena.game_api.codec import check_round_trip
from cantstop_arena.game_api.decisions import Decision, GameOver
from cantstop_arena.games.registry import game_named
from cantstop_arena.processes.channel import MAX_MESSAGE_BYTES, Connection
from cantstop_arena.processes.child import Child, ChildFailed, ChildFailure
from cantstop_arena.processes.child_start import failure_of, start_command
from cantstop_arena.processes.isolated_call import Raised
from cantstop_arena.processes.json_lines import FOREIGN_KEY, ForeignValue
from cantstop_arena.texts import in_a_line

_Answer = TypeVar("_Answer", Answer, Logits)
MAX_ANSWER_BYTES = 1 << 17
"""Bytes of a message; `bot_server` sends less than half of that, but for answers to batches."""
_SIGHT = "in the sandbox it sees only the files that its command and needs: name"


class BotRaised(Exception):
    """The bot has raised an exception, in one printable line; its process goes on."""


class IsolatedBot:
    """A process that plays one bot, game after game. It runs from its first game until `close`.

    A process that fails to answer is killed, and the next game starts a new one; one that reports
    an exception of its bot keeps running.
    """

    def __init__(self, bot_start: BotStart) -> None:
        self.bot_start = bot_start
        self.game = game_named(bot_start.bot.game)
        self._child: Child[Report] | None = None
        self._questions = 0
        self._verified: set[str] = set()
        self._batches: tuple[Any, int] | None = None
        self.started = BotStarted(listens=False)
        """What the process has said of the bot when it was ready."""

    def start(self) -> None:
        """Start the process, unless it runs.

        Raises BotError when that fails, GameError when no bot could start here.
        """
        self._forget_inherited()
        if self._child is None:
            start, view = start_here(self.bot_start)
            codec = ProgramLines(self.game) if start.command else None
            is_batched = start.backend == "batched"
            received, max_length = (
                (BatchReport, MAX_MESSAGE_BYTES) if is_batched else (GameReport, MAX_ANSWER_BYTES)
            )
            self._child = start_command(
                start.process, view, Connection(received, codec, max_length)
            )
            try:
                self.started = _started(self._child, start)
                self._batches = None
            except BaseException as error:
                self._kill()
                if not isinstance(error, BotError):
                    raise
                if not _is_too_slow(error.__cause__):
                    _check_environment(self.bot_start)
                if view is not None and start.command:
                    raise BotError(f"{error}; {_SIGHT}") from error.__cause__
                raise

    def begin(
        self,
        seat: int,
        players: int,
        rules: Any,
        key: int,
        is_fresh: bool = True,
    ) -> None:
        """Announce a new game; if it `is_fresh`, a new instance of the bot plays it.

        Raises BotError or GameError like `start`, ChildFailed if the process keeps too many files.
        """
        self.game.prepare(rules, players)  # the sandbox can store no compiled code
        self.start()
        try:
            self._running_child().check_files()  # not at each decision: it takes as long as one
        except ChildFailed:
            self._kill()
            raise
        rules_data = self.game.rules.as_dict(rules)
        message = StartGame(seat, players, is_fresh, rules_data, key)
        self._running_child().send(message, self.bot_start.decision_limit)

    def decide(self, decision: Decision, view: Any, moves: Sequence[Any] | None = None) -> object:
        """The bot's answer to a decision, unchecked.

        Raises ChildFailed, BotRaised or IllegalAnswer when there is none, GameError when the view
        cannot be sent.
        """
        data = None if moves is None else self.game.codec.moves_as_json(moves)
        self._questions += 1
        view_data = self._view_as_json(decision, view)
        answer = self._answer_to(Decide(self._questions, decision.name, view_data, data), Answer)
        _raise_error(answer.error)
        _raise_refusal(answer.refusal)
        return _answer_value(answer.value)

    def decide_batch(self, batch: Batch) -> NDArray[Any]:
        """The bot's answer to a batch: actions or logits.

        Raises ChildFailed, BotRaised and IllegalAnswer when there is none, and like `start`.
        """
        self.start()
        self._running_child().check_files()
        if self._batches != (batch.rules, batch.players):
            self._batches = batch.rules, batch.players
            rules = self.game.rules.as_dict(batch.rules)
            start = StartBatches(rules, batch.players)
            self._running_child().send(start, self.bot_start.decision_limit)
        self._questions += 1
        arrays = {name: array.tobytes() for name, array in batch.arrays().items()}
        question = DecideBatch(self._questions, **arrays)
        answer = self._answer_to(question, Logits)
        _raise_error(answer.error)
        return _array_of(answer, batch)

    def _answer_to(self, question: Decide | DecideBatch, kind: type[_Answer]) -> _Answer:
        try:
            child = self._running_child()
            if self.bot_start.command:  # the answers of a program have no number
                child.refuse_unexpected()
            child.send(question, self.bot_start.decision_limit)
            answer = child.answer()
            if not isinstance(answer, kind):
                raise ChildFailed(ChildFailure("invalid", "sent no answer", True))
            if answer.number != question.number:
                raise ChildFailed(ChildFailure("invalid", "unexpected message", True))
            return answer
        except BaseException:
            self._kill()
            raise

    def _view_as_json(self, decision: Decision, view: Any) -> Any:
        """A view as JSON data. The first view of each decision is checked by a round trip.

        Raises GameError when a view cannot be converted, or does not survive the round trip.
        """
        try:
            data = self.game.codec.view_as_json(view)
            if decision.name not in self._verified:
                check_round_trip(self.game.codec, decision, view)
                self._verified.add(decision.name)
        except Exception as error:
            reason = in_a_line(str(error), MAX_REPORT_LENGTH)
            problem = (
                f"{self.game.title} returned a value for {decision.name} that cannot be sent to"
                " another process"
            )
            raise GameError(f"{problem}: {reason}") from error
        return data

    def finish(self, result: GameOver) -> None:
        """Send the process the result of the game; there is no answer, and failures are ignored."""
        message = EndGame(result.seat, result.players, [*result.winners], [*result.points])
        with suppress(ChildFailed):
            self._running_child().send(message, self.bot_start.decision_limit)

    def close(self) -> None:
        """End the process."""
        self._forget_inherited()
        if self._child is not None:
            self._child.end()
            self._child = None

    def _running_child(self) -> Child[Report]:
        self._forget_inherited()
        if self._child is None:
            raise ChildFailed(ChildFailure("died", "does not run", False))
        return self._child

    def _forget_inherited(self) -> None:
        """Drop the process if the process that this one was forked from started it."""
        if self._child is not None and self._child.is_inherited:
            self._child.forget()
            self._child = None

    def _kill(self) -> None:
        """Kill the process, if there is one."""
        if self._child is not None:
            self._child.kill()
            self._child = None


def _raise_error(text: str | None) -> None:
    """Raise BotRaised for the text of an exception."""
    if text is not None:
        raise BotRaised(in_a_line(text, MAX_REPORT_LENGTH))


def _raise_refusal(text: str | None) -> None:
    """Raise IllegalAnswer for the reason why what the bot has returned is no answer."""
    if text is not None:
        raise IllegalAnswer(in_a_line(text, MAX_REPORT_LENGTH))


def _array_of(answer: Logits, batch: Batch) -> NDArray[Any]:
    """The array in an answer, checked. Raises IllegalAnswer, and ChildFailed if it is damaged."""
    _raise_refusal(answer.refusal)
    try:
        dtype, shape = np.dtype(answer.dtype), tuple(answer.shape)
    except (TypeError, ValueError):
        raise ChildFailed(ChildFailure("invalid", "sent no answer", True)) from None
    check_type(shape, dtype, batch)
    if len(answer.values) != dtype.itemsize * prod(shape):
        raise ChildFailed(ChildFailure("invalid", "sent no answer", True))
    return np.frombuffer(answer.values, dtype).reshape(shape)


def failure_text(failure: ChildFailure) -> str:
    """What the program of a bot did in place of an answer."""
    return f"the program {failure.text}" if failure.kind == "died" else failure.text


def _answer_value(data: object) -> object:
    """An answer; a ForeignValue if a message could not hold what the bot returned."""
    if isinstance(data, dict) and isinstance(data.get(FOREIGN_KEY), str) and len(data) == 1:
        return ForeignValue(data[FOREIGN_KEY])
    return data


def _is_too_slow(error: BaseException | None) -> bool:
    return isinstance(error, ChildFailed) and error.failure.kind == "too slow"


def _check_environment(start: BotStart) -> None:
    """Raise GameError where a bot's process fails without the bot, too."""
    trial, view = start_here(start.trial)
    if reason := failure_of(trial.process, start.start_limit, view):
        game = start.bot.game
        raise GameError(f"no bot of {game} can be started in a process of its own: {reason}")


def _started(child: Child[Report], start: BotStart) -> BotStarted:
    """The first answer of a process. Raises BotError when it fails."""
    try:
        child.send(start.message, start.start_limit)
        report = child.answer()  # which a program may have sent before
        if isinstance(report, Raised):
            raise BotRaised(in_a_line(report.text, MAX_REPORT_LENGTH))
        if not isinstance(report, BotStarted):
            raise ChildFailed(ChildFailure("invalid", "sent no answer", True))
    except (ChildFailed, BotRaised) as error:
        line = child.output.last_line() if child.output else ""
        text = failure_text(error.failure) if isinstance(error, ChildFailed) else str(error)
        raise BotError(f"does not start: {text}{line and f' ({line})'}") from error
    child.mark_started()
    return report
