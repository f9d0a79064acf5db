"""A process that runs foreign code: how it is spoken to and watched, and how it ends."""

import contextlib
import os
import select
import signal
import subprocess
from collections import deque
from collections.abc import Sequence
from typing import Generic, Literal, Protocol, TypeVar

import msgspec

from cantstop_arena.processes import process_tree, system
from cantstop_arena.processes.channel import (
    Channel,
    ChannelClosed,
    ProtocolError,
)
from cantstop_arena.processes.child_output import ChildOutput
from cantstop_arena.processes.scratch_files import ScratchFiles
from cantstop_arena.processes.tree_memory import tree_memory
from cantstop_arena.processes.watchdog import AnswerTimer

_Report = TypeVar("_Report")
LOCATE = signal.SIGUSR1
"""The signal that asks a child for the line of code that is running; its parent forwards it."""
_TO_END = 10.0  # seconds for a process that is ending already, on a busy machine
_GRACE_SECONDS = 1.0  # for a child to end by itself
MAX_HALT_SECONDS = 5.0
"""Seconds to wait for a stopped process, which somebody else may have stopped."""


class ChildFailure(msgspec.Struct, frozen=True):
    """Why a child has not answered, in one printable line.

    `proven` is true when its code certainly caused it: nobody else has ended or stopped it, and
    it had its time.
    """

    kind: Literal["died", "too slow", "invalid"]
    text: str
    proven: bool


class ChildFailed(Exception):
    """A child has not answered; it can only be killed."""

    def __init__(self, failure: ChildFailure) -> None:
        self.failure = failure
        super().__init__(failure.text)


class ChildProcess(Protocol):
    """A process as Child needs it; `subprocess.Popen` is one."""

    pid: int

    def poll(self) -> int | None: ...
    def wait(self, timeout: float | None = None) -> int: ...


class Child(Generic[_Report]):
    """A running child. After ChildFailed its answers no longer match the questions: kill it.

    `output` is what it prints; None if that is lost. `max_memory` are the bytes that the process
    and its descendants may use together, `max_files` the temporary files that they may keep in
    their sandbox.
    """

    def __init__(
        self,
        process: ChildProcess,
        channel: Channel[_Report],
        output: ChildOutput | None = None,
        has_own_parent: bool = True,
        max_memory: int | None = None,
        max_files: int | None = None,
    ) -> None:
        self.pid = process.pid
        self.channel = channel
        self.output = output
        self._process = process
        self._has_own_parent = has_own_parent
        self._max_memory = max_memory
        self._max_files = max_files
        self._scratch_files = ScratchFiles(self.pid)
        self._starter_pid = os.getpid()
        self._timer = AnswerTimer(self.pid)
        self._received: deque[_Report] = deque()
        self._poller = select.poll()
        self._poller.register(channel, select.POLLIN)
        if output:
            self._poller.register(output, select.POLLIN)
        process_tree.supervised.add(self.pid)

    @property
    def is_inherited(self) -> bool:
        """Whether the process that this one was forked from has started the child."""
        return self._starter_pid != os.getpid()

    # Messages

    def send(self, message: object, limit: float) -> None:
        """Send a message; if it is answered, within `limit` seconds of the child's own time."""
        self._timer.begin(limit)
        self.channel.send(message)

    def answer(self) -> _Report:
        """The answer to the message that was sent last. Raises ChildFailed.

        A child may have sent it before it was asked: answers have numbers, or `refuse_unexpected`
        is called before the question.
        """
        while (answer := self.receive(1.0)) is None:
            pass
        return answer

    def receive(self, seconds: float) -> _Report | None:
        """The answer, waited for at most `seconds`; None if none has arrived.

        Raises ChildFailed when there will be none, or the time is up.
        """
        message = self.next_message(min(seconds, self._timer.pause() / 1000))
        if message is None:
            self._check_limits()
        return message

    def next_message(self, seconds: float) -> _Report | None:
        """The next message, waited for at most `seconds`, whatever its time is; None if none.

        Raises ChildFailed when there will be none.
        """
        if not self._received:
            events = self._poller.poll(seconds * 1000)
            self._drain_if_ready(events)
            # The processes that it has started may hold the channel open when it has ended.
            has_ended = not events and self._process.poll() is not None
            if not events and self._max_files is not None:
                self._scratch_files.find()
                self.check_files()
            self._receive()
            if has_ended and not self._received:
                raise ChildFailed(self._ending())
        return self._received.popleft() if self._received else None

    def mark_started(self) -> None:
        """Note the processes of the child now that all of them run."""
        self._timer.meet()
        if self._max_files is not None:
            self._scratch_files.find()

    def _drain_if_ready(self, events: Sequence[tuple[int, int]]) -> None:
        """Take what the child has printed."""
        if self.output is None:
            return
        number = self.output.fileno()
        is_ready = any(descriptor == number for descriptor, _ in events)
        if is_ready and not self.output.drain():
            self._poller.unregister(number)

    def _receive(self) -> None:
        try:
            self.channel.flush()
            self._received.extend(self.channel.receive())
        except (ChannelClosed, ProtocolError) as error:
            raise self._failed(error) from None

    def refuse_unexpected(self) -> None:
        """Raise ChildFailed for what has come before a question, and could pass for its answer."""
        try:
            if self._received:
                raise ProtocolError("unexpected message")
            self.channel.refuse_unexpected()
        except (ChannelClosed, ProtocolError) as error:
            raise self._failed(error) from None

    def _failed(self, error: ChannelClosed | ProtocolError) -> ChildFailed:
        if isinstance(error, ChannelClosed):
            return ChildFailed(self._ending())
        return ChildFailed(ChildFailure("invalid", str(error), True))

    def _check_limits(self) -> None:
        """Raise ChildFailed when the time is up, or too much memory is used."""
        if self._timer.is_over() or self._timer.stopped_seconds() >= MAX_HALT_SECONDS:
            failure = ChildFailure("too slow", self._timer.verdict(), self._timer.proven())
            raise ChildFailed(failure)
        if self._max_memory is not None and tree_memory(self.pid) > self._max_memory:
            text = f"took more than {self._max_memory >> 20:,} MiB"
            raise ChildFailed(ChildFailure("died", text, True))

    def check_files(self) -> None:
        """Raise ChildFailed when too many temporary files are kept."""
        if self._max_files is not None and self._scratch_files.count() > self._max_files:
            text = f"kept more than {self._max_files:,} temporary files"
            raise ChildFailed(ChildFailure("died", text, True))

    def _ending(self) -> ChildFailure:
        """How the process ended, once its channel has closed."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_TO_END if system.is_ending(self.pid) else _GRACE_SECONDS)
        code = self._process.poll()
        proven = code is not None and -code not in system.FOREIGN_SIGNALS
        return ChildFailure("died", system.ending(code), proven)

    def ask_location(self) -> None:
        """Send the child SIGUSR1, on which it may report the line that is running."""
        with contextlib.suppress(OSError):
            os.kill(self.pid, LOCATE)

    @property
    def is_stopped(self) -> bool:
        """Whether its time was up while it was stopped, perhaps by somebody else."""
        return self._timer.stopped_seconds() > 0

    # Ending

    def end(self) -> None:
        """Close the channel, which tells the child to end, and kill it after a second."""
        self.channel.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_GRACE_SECONDS)
        self.kill()

    def kill(self) -> None:
        """Kill the child with all its descendants."""
        self.channel.close()
        if self._has_own_parent:
            self._end_by_its_parent()
        else:
            self._kill_group()
        self.forget()
        process_tree.supervised.discard(self.pid)

    def _end_by_its_parent(self) -> None:
        for number in (signal.SIGTERM, signal.SIGKILL):
            if self._process.poll() is not None:
                break
            for sent in (signal.SIGCONT, number):  # its code may have stopped its parent
                with contextlib.suppress(OSError):
                    os.kill(self.pid, sent)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(_TO_END)

    def _kill_group(self) -> None:
        with contextlib.suppress(OSError):  # the group is empty
            os.killpg(self.pid, signal.SIGKILL)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_GRACE_SECONDS)

    def forget(self) -> None:
        """Close the channel and the output without ending the child."""
        self.channel.close()
        self._scratch_files.close()
        if self.output:
            self.output.close()
