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
from collections.abc import Callable
from typing import Any, Generic, Literal, NoReturn, Protocol, TypeVar

import msgspec

from cantstop_arena.processes import process_tree, system
from cantstop_arena.processes.channel import Channel, ChannelClosed, ProtocolError
from cantstop_arena.processes.system import python_module
from cantstop_arena.processes.watchdog import AnswerTimer

_Report = TypeVar("_Report")
_TO_END = 10.0  # seconds for a process that is ending already, on a busy machine
_POLL_SECONDS = 0.002
_GRACE_SECONDS = 1.0  # for a child to end by itself
MAX_HALT_SECONDS = 5.0
"""Seconds to wait for a stopped process, which somebody else may have stopped."""


class Policy(msgspec.Struct, frozen=True):
    """How a child starts: forked from the arena, or as a fresh interpreter; and its limits.

    `memory` is in bytes beyond what it begins with.
    """

    start: Literal["fork", "fresh"]
    memory: int | None = None


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
    """A running child, which answers with messages of the type `received`."""

    def __init__(self, policy: Policy, entry: str, received: Any) -> None:
        ours, theirs = socket.socketpair()  # no process can open it again, unlike a pipe
        with theirs:
            start = _fork if policy.start == "fork" else _start_interpreter
            self._process: _Process = start(policy, entry, theirs)
        self.pid = self._process.pid
        self.channel: Channel[_Report] = Channel(ours, received)
        self._timer = AnswerTimer(self.pid)
        self._received: deque[_Report] = deque()
        process_tree.supervised.add(self.pid)

    def send(self, message: object, limit: float) -> None:
        """Send a question, which has to be answered within `limit` seconds of its own time."""
        self._timer.begin(limit)
        self.channel.send(message)

    def receive(self, seconds: float) -> _Report | None:
        """The next message, waited for at most `seconds`; None if none has arrived.

        Raises ChildFailed when there will be none, or the time is up.
        """
        poller = select.poll()
        poller.register(self.channel, select.POLLIN)
        poller.poll(min(seconds * 1000, self._timer.pause()))
        message = self._next_message()
        if message is None:
            self._check_time()
        return message

    def _next_message(self) -> _Report | None:
        try:
            self.channel.flush()
            self._received.extend(self.channel.receive())
        except ChannelClosed:
            raise ChildFailed(self._ending()) from None
        except ProtocolError:
            raise ChildFailed(ChildFailure("invalid", "sent an invalid message", True)) from None
        return self._received.popleft() if self._received else None

    def _check_time(self) -> None:
        """Raise ChildFailed when the time is up."""
        if self._timer.is_over() or self._timer.stopped_seconds() >= MAX_HALT_SECONDS:
            failure = ChildFailure("too slow", self._timer.verdict(), self._timer.proven())
            raise ChildFailed(failure)

    def _ending(self) -> ChildFailure:
        """How the process ended, once its channel has closed."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_TO_END if system.is_ending(self.pid) else _GRACE_SECONDS)
        code = self._process.poll()
        proven = code is not None and -code not in system.FOREIGN_SIGNALS
        return ChildFailure("died", system.ending(code), proven)

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


def _fork(policy: Policy, entry: str, end: socket.socket) -> _Process:
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
        _run(work, _only_file(end), policy.memory, arena_pid)
    finally:
        os._exit(1)


def _start_interpreter(policy: Policy, entry: str, end: socket.socket) -> _Process:
    arguments = (str(end.fileno()), entry, str(policy.memory or 0), str(os.getpid()))
    return subprocess.Popen(
        python_module(__name__, *arguments),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        pass_fds=(end.fileno(),),
        start_new_session=True,
    )


def _only_file(end: socket.socket) -> socket.socket:
    """Close every file but this one; the standard files become the null device."""
    null_device = os.open(os.devnull, os.O_RDWR)
    files = [os.dup(null_device) for _ in range(3)] + [os.dup(end.detach())]
    for number, file in enumerate(files):
        os.dup2(file, number)
    os.closerange(len(files), os.sysconf("SC_OPEN_MAX"))
    sys.stdin, sys.stdout, sys.stderr = (open(n, "rw"[n > 0], closefd=False) for n in range(3))  # noqa: SIM115
    return socket.socket(fileno=len(files) - 1)


def _run(
    work: Callable[[socket.socket], None], end: socket.socket, memory: int | None, arena_pid: int
) -> NoReturn:
    """The main function of a child: run its entry, and exit."""
    system.die_with_parent(arena_pid, signal.SIGTERM)
    if os.getsid(0) != os.getpid():
        os.setsid()
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the arena
    process_tree.supervise_descendants()
    system.refuse_cores()
    if memory:
        system.limit_memory(memory)
    exit_process = os._exit  # foreign code may replace it
    try:
        work(end)
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
    descriptor, entry, memory, arena_pid = sys.argv[1:]
    end = socket.socket(fileno=int(descriptor))
    end.set_inheritable(False)
    _run(_function(entry), end, int(memory), int(arena_pid))


if __name__ == "__main__":
    main()
