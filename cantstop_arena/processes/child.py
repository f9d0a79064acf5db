"""A program connected by pipes, with time limits for its answers; it ends with the arena."""

import contextlib
import os
import select
import signal
import subprocess
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

from cantstop_arena.errors import BotError
from cantstop_arena.processes import system
from cantstop_arena.processes.child_command import (
    ChildCommand,
    environment,
    sandbox_environment,
)
from cantstop_arena.processes.child_output import ChildOutput
from cantstop_arena.processes.failures import DecisionTimeout, InvalidAnswer, ProcessLost
from cantstop_arena.processes.json_lines import MAX_LINE_BYTES, excerpt
from cantstop_arena.processes.sandbox import Sandbox, SandboxView
from cantstop_arena.processes.tree_memory import tree_memory
from cantstop_arena.processes.watchdog import AnswerTimer
from cantstop_arena.texts import in_a_line

MAX_REASON_LENGTH = 300  # characters of the line with which a failing program ends
_GRACE_SECONDS = 1.0  # for a program to end by itself, and to end when killed
_EXIT_SECONDS = 10.0  # for a process that is ending already, on a busy machine


class Child:
    """A running program. After any exception its answers no longer match the questions: end it."""

    def __init__(self, command: ChildCommand, view: SandboxView | None = None) -> None:
        """Start the program, with a `view` in the sandbox, where it sees nothing else.

        Raises BotError when it cannot be started, NoSandbox where there is no sandbox.
        """
        self._starter_pid = os.getpid()
        self._max_memory = command.limits.memory if view else None
        self._output = ChildOutput(command.log)
        self._process = self._start(command, view)
        assert self._process.stdin and self._process.stdout
        self._questions = self._process.stdin.fileno()
        self._answers = self._process.stdout.fileno()
        for pipe in (self._questions, self._answers):
            os.set_blocking(pipe, False)
        self._writable, self._readable = select.poll(), select.poll()
        self._writable.register(self._questions, select.POLLOUT)
        self._readable.register(self._answers, select.POLLIN)
        for poller in (self._writable, self._readable):
            poller.register(self._output, select.POLLIN)
        self._unread = bytearray()
        self._timer = AnswerTimer(self._process.pid)

    def _start(self, command: ChildCommand, view: SandboxView | None) -> subprocess.Popen[bytes]:
        try:
            with _popen_arguments(command, view) as arguments:
                return subprocess.Popen(
                    **arguments,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=self._output.write_end,
                    bufsize=0,
                    start_new_session=True,
                    preexec_fn=_limiter(None if view else command.limits.memory),
                )
        except (OSError, ValueError, subprocess.SubprocessError) as error:
            self._output.close()
            raise BotError(f"cannot be started: {_reason(error)}") from error
        finally:
            self._output.close_write_end()

    @property
    def is_inherited(self) -> bool:
        """Whether the process that this one was forked from has started the program."""
        return self._starter_pid != os.getpid()

    # Messages

    def send(self, line: bytes, limit: float) -> None:
        """Send a line that needs no answer. Raises ProcessLost or DecisionTimeout."""
        self._timer.begin(limit)
        self._write(line)

    def request(self, line: bytes, limit: float) -> bytes:
        """Send a line and return the answer to it, waiting at most `limit` seconds.

        Raises ProcessLost, DecisionTimeout or InvalidAnswer.
        """
        self._refuse_unexpected()
        self._timer.begin(limit)
        self._write(line)
        return self._read_line()

    def receive(self, limit: float) -> bytes:
        """The next line, waiting at most `limit` seconds.

        Raises ProcessLost, DecisionTimeout or InvalidAnswer.
        """
        self._timer.begin(limit)
        return self._read_line()

    def mark_started(self) -> None:
        """Note the processes of the program now that it has started and all of them run."""
        self._timer.meet()

    def _write(self, line: bytes) -> None:
        while line:
            try:
                line = line[os.write(self._questions, line) :]
            except BlockingIOError:
                self._wait(self._writable)
            except OSError:
                raise self._process_lost() from None

    def _read_line(self) -> bytes:
        while (end := self._unread.find(b"\n")) < 0 and len(self._unread) <= MAX_LINE_BYTES:
            self._wait(self._readable)
            self._read()
            if b"\n" not in self._unread:
                self._check_time()
        if not 0 <= end <= MAX_LINE_BYTES:
            start = excerpt(bytes(self._unread[:MAX_LINE_BYTES]))
            raise InvalidAnswer(f"a line of more than {MAX_LINE_BYTES} bytes: {start}")
        line = bytes(self._unread[:end])
        del self._unread[: end + 1]
        return line

    def _read(self) -> None:
        chunk = os.read(self._answers, MAX_LINE_BYTES)
        if not chunk:
            raise self._process_lost()
        self._unread += chunk

    def _refuse_unexpected(self) -> None:
        """Raise InvalidAnswer for bytes before the question, which could pass for its answer."""
        with contextlib.suppress(BlockingIOError):
            self._read()
        if self._unread:
            raise InvalidAnswer(f"unexpected message: {excerpt(bytes(self._unread))}")

    def _wait(self, pipe: select.poll) -> None:
        """Wait until a pipe is ready.

        Raises DecisionTimeout, or ProcessLost when the program has ended.
        """
        while not self._is_ready(pipe, self._timer.pause()):
            # A process that the program has left behind may hold the pipe open.
            if self._process.poll() is not None and not self._is_ready(pipe, 0):
                raise self._process_lost()
            self._check_time()

    def _is_ready(self, pipe: select.poll, milliseconds: float) -> bool:
        """Whether a pipe is ready within a time; what the program prints is taken meanwhile."""
        events = pipe.poll(milliseconds)
        output = self._output.fileno()
        if any(descriptor == output for descriptor, _ in events) and not self._output.drain():
            for poller in (self._writable, self._readable):
                with contextlib.suppress(KeyError):
                    poller.unregister(output)
        return any(descriptor != output for descriptor, _ in events)

    def _check_time(self) -> None:
        if self._timer.is_over():
            raise DecisionTimeout(self._timer.verdict(), self._timer.proven())
        if self._max_memory is not None and tree_memory(self._process.pid) > self._max_memory:
            text = f"the program took more than {self._max_memory >> 20:,} MiB"
            raise ProcessLost(text, proven=True)

    def _process_lost(self) -> ProcessLost:
        if system.is_ending(self._process.pid):
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(_EXIT_SECONDS)
        code = self._process.poll()
        text = f"the program {system.ending(code)}"
        return ProcessLost(text, proven=code is not None and -code not in system.FOREIGN_SIGNALS)

    # Ending

    def end(self) -> None:
        """Close the pipe, which tells the program to end, and kill it after a second."""
        self._close_questions()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_GRACE_SECONDS)
        self.kill()

    def kill(self) -> None:
        """Kill the process group of the program."""
        with contextlib.suppress(OSError):  # the group is empty
            os.killpg(self._process.pid, signal.SIGKILL)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_GRACE_SECONDS)
        self.forget()

    def forget(self) -> None:
        """Close the pipes and the log without ending the program."""
        self._close_questions()
        assert self._process.stdout
        self._process.stdout.close()
        self._output.close()

    def _close_questions(self) -> None:
        assert self._process.stdin
        with contextlib.suppress(OSError):
            self._process.stdin.close()

    # The log

    def trim_log(self) -> None:
        """Take what the program has printed."""
        self._output.drain()

    def last_log_line(self) -> str:
        """The last line that the program printed, printable; empty without one."""
        return self._output.last_line()


def failure_of(command: ChildCommand, limit: float, view: SandboxView | None = None) -> str:
    """Why a command without input fails, from its last line; empty if it succeeds."""
    try:
        with _popen_arguments(command, view) as arguments:
            result = subprocess.run(
                **arguments,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                timeout=limit,
            )
    except subprocess.TimeoutExpired:
        return f"it takes more than {limit:g} s"
    except OSError as error:
        return _reason(error)
    if not result.returncode:
        return ""
    (*_, last_line) = result.stderr.decode(errors="replace").splitlines() or [""]
    return in_a_line(last_line, MAX_REASON_LENGTH) or system.ending(result.returncode)


@contextlib.contextmanager
def _popen_arguments(command: ChildCommand, view: SandboxView | None) -> Iterator[dict[str, Any]]:
    """The arguments that start a command, in the sandbox if it has a view."""
    if view is None:
        yield {"args": command.argv, "cwd": command.cwd, "env": environment()}
        return
    argv, descriptors = Sandbox.here().command(
        command.argv, view, command.limits, sandbox_environment()
    )
    try:
        # Processes inside could read bubblewrap's own environment.
        yield {"args": argv, "cwd": os.sep, "env": {}, "pass_fds": descriptors}
    finally:
        for descriptor in descriptors:
            os.close(descriptor)


def _limiter(memory: int | None) -> Callable[[], None]:
    """The function that limits a new process before it becomes the program."""
    import resource

    arena_pid = os.getpid()

    def limit_process() -> None:
        system.die_with_parent(arena_pid)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if memory is not None:
            hard_limit = resource.getrlimit(resource.RLIMIT_AS)[1]
            limit = memory if hard_limit == resource.RLIM_INFINITY else min(memory, hard_limit)
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

    return limit_process


def _reason(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return str(error)


def take_pipes() -> tuple[BinaryIO, BinaryIO]:
    """The pipes from and to the arena, moved off the standard files.

    Standard input is empty from then on, and what the bot prints goes to stderr.
    """
    questions, answers = os.dup(0), os.dup(1)  # not passed on to programs that the bot starts
    null_device = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null_device, 0)
    os.close(null_device)
    os.dup2(2, 1)
    return os.fdopen(questions, "rb"), os.fdopen(answers, "wb", buffering=0)
