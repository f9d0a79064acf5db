"""One sandbox for many calls: each runs in a fork of its own, in turn, and leaves nothing behind.

A fork of a process that has imported the arena takes a tenth of the time of a fresh interpreter.
"""

import contextlib
import ctypes
import os
import signal
import socket
import subprocess
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, NoReturn

import msgspec

from cantstop_arena.processes.channel import MAX_SANDBOX_BYTES, Channel, ChildEnd
from cantstop_arena.processes.child import Child, ChildFailed
from cantstop_arena.processes.child_start import Policy, start_entry
from cantstop_arena.processes.isolated_call import REPORTS, serve
from cantstop_arena.processes.sandbox import SCRATCH_FOLDERS

_FORKS = 32  # of a sandbox, before a new one is started
_TO_CLEAR = 2.0  # seconds
_POLL_SECONDS = 0.002
_PR_SET_DUMPABLE = 4


class ForkEnded(msgspec.Struct, tag=True, frozen=True):
    """A fork has ended with this exit code, and what it left behind is gone."""

    code: int


class ForkingSandbox:
    """A sandbox in which `start` starts children that serve a call, one after another.

    `entry` is a name of `serve_forks` in a module that the calls need, so that it is imported once.
    Use it as a context manager. A new sandbox is started when a child does not end.
    """

    def __init__(self, policy: Policy, entry: str) -> None:
        self._policy = policy
        self._entry = entry
        self._child: Child[ForkEnded] | None = None
        self._ends: deque[socket.socket] = deque()
        self._codes: list[int] = []
        self._started = 0

    def __enter__(self) -> "ForkingSandbox":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def start(self) -> Child[Any]:
        """A child that serves a call, after the one before has ended."""
        if not self._ends or self._child is None:
            self.close()
            self._open()
        assert self._child
        fork = _Fork(self, self._child, self._started)
        self._started += 1
        return _ForkedChild(fork, self._ends.popleft(), self, self._policy.limits.scratch_files)

    def _open(self) -> None:
        pairs = [socket.socketpair() for _ in range(_FORKS)]
        files = [child_end.fileno() for _, child_end in pairs]
        self._started, self._codes = 0, []
        try:
            self._child = start_entry(self._policy, self._entry, ForkEnded, files=files)
        finally:
            for _, child_end in pairs:
                child_end.close()
        self._ends.extend(arena_end for arena_end, _ in pairs)

    def code(self, child: Child[ForkEnded], number: int, seconds: float) -> int | None:
        """The exit code of a fork of the sandbox `child`, waited for at most so long."""
        if child is not self._child:
            return -signal.SIGKILL
        deadline = time.monotonic() + seconds
        while len(self._codes) <= number:
            try:
                message = child.next_message(max(0.0, deadline - time.monotonic()))
            except ChildFailed:
                self.close()
                return -signal.SIGKILL
            if message:
                self._codes.append(message.code)
            elif time.monotonic() >= deadline:
                return None
        return self._codes[number]

    def close(self) -> None:
        """End the sandbox with all that runs in it."""
        if self._child:
            self._child.kill()
            self._child = None
        while self._ends:
            self._ends.popleft().close()


class _Fork:
    """A fork in a sandbox, as Child needs a process; times are those of the whole sandbox."""

    def __init__(self, sandbox: ForkingSandbox, child: Child[ForkEnded], number: int) -> None:
        self.pid = child.pid
        self._sandbox = sandbox
        self._child = child
        self._number = number

    def poll(self) -> int | None:
        """The exit code, or minus a signal; None while it runs."""
        return self._sandbox.code(self._child, self._number, 0.0)

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end. Raises subprocess.TimeoutExpired."""
        code = self._sandbox.code(self._child, self._number, timeout or _TO_CLEAR)
        if code is None:
            raise subprocess.TimeoutExpired("fork", timeout or _TO_CLEAR)
        return code


class _ForkedChild(Child[Any]):
    """A child in a sandbox that goes on when the child has ended, and else ends with it."""

    def __init__(
        self, fork: _Fork, end: socket.socket, sandbox: ForkingSandbox, max_files: int
    ) -> None:
        channel: Channel[Any] = Channel(end, REPORTS, MAX_SANDBOX_BYTES)
        super().__init__(fork, channel, has_own_parent=False, max_files=max_files)
        self._sandbox = sandbox
        self._fork = fork

    def kill(self) -> None:
        """End the child; all others of the sandbox, too, unless it has ended by itself."""
        self.channel.close()
        if self._fork.poll() is None:
            self._sandbox.close()
        self.forget()


# --- In the sandbox -------------------------------------------------------------------------------


def serve_forks(end: socket.socket, *ends: int) -> None:
    """Serve a call from each of these sockets in a fork, one after another; report their ends.

    A fork sees its own socket only, and its message is in no other process. Returns early when
    something is left behind.
    """
    # The processes of one user could read each other's memory.
    ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
    channel: ChildEnd[Any] = ChildEnd(end, ForkEnded)
    initial = {*_scratch_paths()}
    for number, call_end in enumerate(ends):
        pid = os.fork()
        if not pid:
            _serve_call(call_end, [end.fileno(), *ends[number + 1 :]])
        os.close(call_end)
        _, status = os.waitpid(pid, 0)
        if not (_end_all_others() and _is_cleared(initial)):
            return
        channel.send(ForkEnded(os.waitstatus_to_exitcode(status)))


def _serve_call(call_end: int, others: Sequence[int]) -> NoReturn:
    exit_process: Callable[[int], NoReturn] = os._exit  # foreign code may replace it
    try:
        for other in others:
            os.close(other)
        serve(socket.socket(fileno=call_end))
        exit_process(0)
    finally:
        exit_process(1)


def _end_all_others() -> bool:
    """Kill all other processes in the sandbox; whether they are gone."""
    deadline = time.monotonic() + _TO_CLEAR
    while time.monotonic() < deadline:
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        try:
            os.kill(-1, signal.SIGKILL)
        except ProcessLookupError:
            return True
        time.sleep(_POLL_SECONDS)
    return False


def _is_cleared(initial: set[Path]) -> bool:
    """Delete all files but the `initial` ones; whether no other is left."""
    for path in sorted({*_scratch_paths()} - initial, reverse=True):  # files before their folders
        with contextlib.suppress(OSError):
            path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()
    return {*_scratch_paths()} == initial


def _scratch_paths() -> Iterator[Path]:
    """All files and folders in the temporary folders, but for those that are shown there."""
    for scratch in SCRATCH_FOLDERS:
        device = os.lstat(scratch).st_dev
        for parent, folders, names in os.walk(scratch):
            folders[:] = [name for name in folders if Path(parent, name).lstat().st_dev == device]
            yield from (Path(parent, name) for name in (*folders, *names))
