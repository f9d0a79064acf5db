"""A process that runs foreign code: how it starts, how it is spoken to and watched, how it ends.

A child runs an *entry*, a function "module:function" that gets the child's end of the channel. It
runs below a parent of its own, which never runs foreign code and ends all descendants that the
child leaves behind. So a child can at most end that parent, and never the arena.
"""

import contextlib
import importlib
import os
import select
import signal
import socket
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, Literal, NoReturn, Protocol, TypeVar

import msgspec

from cantstop_arena.processes import process_tree, system
from cantstop_arena.processes.channel import Channel, ChannelClosed, ProtocolError
from cantstop_arena.processes.system import python_module
from cantstop_arena.processes.watchdog import AnswerTimer

_Report = TypeVar("_Report")
_LOCATE: int | None = getattr(signal, "SIGUSR1", None)
"""The signal that asks a child for the line of code that is running; its parent forwards it."""
_STANDARD_FILES = 3
_CHUNK_BYTES, _MAX_CHUNKS = 1 << 16, 64  # of output that are read at a time
_TO_END = 10.0  # seconds for a process that is ending already, on a busy machine
_POLL_SECONDS = 0.002
_GRACE_SECONDS = 1.0  # for a child to end by itself
MAX_HALT_SECONDS = 5.0
"""Seconds to wait for a stopped process, which somebody else may have stopped."""


class Policy(msgspec.Struct, frozen=True):
    """How a child starts: forked from the arena, or as a fresh interpreter; and its limits.

    `memory` is in bytes beyond what it begins with; `variables` are added to the environment of a
    fresh interpreter.
    """

    start: Literal["fork", "fresh"]
    memory: int | None = None
    variables: Mapping[str, str] = {}


FORKED = Policy("fork" if sys.platform == "linux" else "fresh")
"""Forked from the arena, with its modules; on other systems libraries do not survive a fork."""


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


class _Process(Protocol):
    """What Child needs of a process; `subprocess.Popen` has it."""

    pid: int

    def poll(self) -> int | None: ...
    def wait(self, timeout: float | None = None) -> int: ...


class Child(Generic[_Report]):
    """A running child, which answers with messages of the type `received`.

    What it prints is passed to `on_output`, a piece at a time, or else lost. The entry gets the
    end of the channel, and copies of the open `files`.
    """

    def __init__(
        self,
        policy: Policy,
        entry: str,
        received: Any,
        on_output: Callable[[bytes], None] | None = None,
        files: Sequence[int] = (),
    ) -> None:
        ours, theirs = socket.socketpair()  # no process can open it again, unlike a pipe
        self._output, output = os.pipe() if on_output else (-1, os.open(os.devnull, os.O_WRONLY))
        self._on_output = on_output
        start = _fork if policy.start == "fork" else _start_interpreter
        with theirs:
            self._process: _Process = start(policy, entry, [theirs.fileno(), *files], output)
        os.close(output)
        self.pid = self._process.pid
        self.channel: Channel[_Report] = Channel(ours, received)
        self._poller = select.poll()
        self._poller.register(self.channel, select.POLLIN)
        if on_output:
            os.set_blocking(self._output, False)
            self._poller.register(self._output, select.POLLIN)
        self._timer = AnswerTimer(self.pid)
        self._received: deque[_Report] = deque()
        process_tree.supervised.add(self.pid)

    def send(self, message: object, limit: float) -> None:
        """Send a question, which has to be answered within `limit` seconds of its own time."""
        self._timer.begin(limit)
        self.channel.send(message)

    def receive(self, seconds: float) -> _Report | None:
        """The answer, waited for at most `seconds`; None if none has arrived.

        Raises ChildFailed when there will be none, or the time is up.
        """
        message = self.next_message(min(seconds, self._timer.pause() / 1000))
        if message is None:
            self._check_time()
        return message

    def next_message(self, seconds: float) -> _Report | None:
        """The next message, waited for at most `seconds`, whatever its time is; None if none.

        Raises ChildFailed when there will be none.
        """
        if not self._received:
            has_ended = not self._poller.poll(seconds * 1000) and self._process.poll() is not None
            self._drain()
            self._receive()
            if has_ended and not self._received:  # others, which it has started, hold the channel
                raise ChildFailed(self._ending())
        return self._received.popleft() if self._received else None

    def _drain(self) -> None:
        """Read what the child has printed."""
        if self._on_output is None:
            return
        with contextlib.suppress(BlockingIOError):
            for _ in range(_MAX_CHUNKS):
                chunk = os.read(self._output, _CHUNK_BYTES)
                if not chunk:  # nobody can print any more
                    self._poller.unregister(self._output)
                    self._on_output = None
                    break
                self._on_output(chunk)

    def _receive(self) -> None:
        try:
            self.channel.flush()
            self._received.extend(self.channel.receive())
        except ChannelClosed:
            raise ChildFailed(self._ending()) from None
        except ProtocolError:
            raise ChildFailed(ChildFailure("invalid", "sent an invalid message", True)) from None

    def _check_time(self) -> None:
        """Raise ChildFailed when the time is up."""
        if self._timer.is_over() or self._timer.stopped_seconds() >= MAX_HALT_SECONDS:
            failure = ChildFailure("too slow", self._timer.verdict(), self._timer.proven())
            raise ChildFailed(failure)

    def _ending(self) -> ChildFailure:
        """How the process ended, once its channel has closed."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_TO_END if system.is_ending(self.pid) else _GRACE_SECONDS)
        self._drain()
        code = self._process.poll()
        proven = code is not None and -code not in system.FOREIGN_SIGNALS
        return ChildFailure("died", system.ending(code), proven)

    def ask_location(self) -> None:
        """Send the child SIGUSR1, on which it may report the line that is running."""
        with contextlib.suppress(OSError):
            os.kill(self.pid, _LOCATE or 0)

    @property
    def is_stopped(self) -> bool:
        """Whether its time was up while it was stopped, perhaps by somebody else."""
        return self._timer.stopped_seconds() > 0

    def end(self) -> None:
        """Close the channel, which tells the child to end, and kill it after a second."""
        self.channel.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_GRACE_SECONDS)
        self.kill()

    def kill(self) -> None:
        """Kill the child with all its descendants."""
        self.channel.close()
        for number, seconds in ((signal.SIGTERM, _TO_END), (signal.SIGKILL, _TO_END)):
            if self._process.poll() is not None:
                break
            for sent in (signal.SIGCONT, number):  # its code may have stopped its parent
                with contextlib.suppress(OSError):
                    os.kill(self.pid, sent)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(seconds)
        self._drain()
        if self._output >= 0:
            os.close(self._output)
            self._output, self._on_output = -1, None
        process_tree.supervised.discard(self.pid)


# --- Starting -------------------------------------------------------------------------------------


class _ForkedProcess:
    """A child that this process has forked."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._code: int | None = None

    def poll(self) -> int | None:
        """The exit code, or minus a signal; None while it runs."""
        return self._wait(os.WNOHANG)

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end. Raises subprocess.TimeoutExpired."""
        deadline = None if timeout is None else time.monotonic() + timeout
        while (code := self._wait(os.WNOHANG if deadline else 0)) is None:
            if deadline and time.monotonic() > deadline:
                raise subprocess.TimeoutExpired("fork", timeout or 0.0)
            time.sleep(_POLL_SECONDS)
        return code

    def _wait(self, flags: int) -> int | None:
        if self._code is None:
            try:
                pid, status = os.waitpid(self.pid, flags)
            except ChildProcessError:  # somebody else has waited for it
                self._code = -signal.SIGKILL
            else:
                self._code = os.waitstatus_to_exitcode(status) if pid else None
        return self._code


def _fork(policy: Policy, entry: str, files: Sequence[int], output: int) -> _Process:
    """Fork a child, which shares the modules that are imported here already."""
    work = _function(entry)
    arena_pid = os.getpid()
    for stream in (sys.stdout, sys.stderr):  # else the child would print their buffers again
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    pid = os.fork()
    if pid:
        return _ForkedProcess(pid)
    try:
        _run(work, _only_files(files, output), policy.memory, arena_pid)
    finally:
        os._exit(1)


def _start_interpreter(policy: Policy, entry: str, files: Sequence[int], output: int) -> _Process:
    arguments = (entry, policy.memory or 0, os.getpid(), *files)
    return subprocess.Popen(
        python_module(__name__, *map(str, arguments)),
        env={**os.environ, **policy.variables},
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=output,
        pass_fds=files,
        start_new_session=True,
    )


def _only_files(files: Sequence[int], output: int) -> list[int]:
    """Close every file but these; return their new numbers. What is printed goes to `output`."""
    null_device = os.open(os.devnull, os.O_RDONLY)
    kept = [os.dup(number) for number in (null_device, output, output, *files)]
    for number, file in enumerate(kept):
        os.dup2(file, number, inheritable=number < _STANDARD_FILES)
    os.closerange(len(kept), os.sysconf("SC_OPEN_MAX"))
    sys.stdin, sys.stdout, sys.stderr = (open(n, "rw"[n > 0], closefd=False) for n in range(3))  # noqa: SIM115
    return [*range(_STANDARD_FILES, len(kept))]


def _run(
    work: Callable[..., None], files: Sequence[int], memory: int | None, arena_pid: int
) -> NoReturn:
    """The main function of a child: run its entry, and exit."""
    system.die_with_parent(arena_pid, signal.SIGTERM)
    if os.getsid(0) != os.getpid():
        os.setsid()
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the arena
    process_tree.supervise_descendants(_LOCATE)
    system.refuse_cores()
    if memory:
        system.limit_memory(memory)
    exit_process = os._exit  # foreign code may replace it
    try:
        end, *others = files
        work(socket.socket(fileno=end), *others)
        exit_process(0)
    except BaseException:
        exit_process(1)
    raise AssertionError


def _function(entry: str) -> Callable[..., Any]:
    module, _, name = entry.partition(":")
    function: Callable[..., Any] = getattr(importlib.import_module(module), name)
    return function


def main() -> None:
    """Run the entry of a child in this fresh interpreter."""
    entry, memory, arena_pid, *files = sys.argv[1:]
    for file in map(int, files):
        os.set_inheritable(file, False)
    _run(_function(entry), [*map(int, files)], int(memory), int(arena_pid))


if __name__ == "__main__":
    main()
