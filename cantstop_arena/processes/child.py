"""A program with a pipe to it: never waited for longer than a limit, and ended for certain."""

import contextlib
import os
import select
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from cantstop_arena.errors import BotError
from cantstop_arena.processes import system
from cantstop_arena.processes.channel import MAX_LINE_BYTES, excerpt
from cantstop_arena.processes.child_command import ChildCommand, environment
from cantstop_arena.processes.failures import DecisionTimeout, Nonsense, ProcessLost
from cantstop_arena.processes.sandbox import sandbox_command
from cantstop_arena.processes.watchdog import AnswerTimer
from cantstop_arena.texts import in_a_line

MAX_LOG_BYTES = 1 << 20
_SECONDS_TO_END = 1.0
_SECONDS_TO_BE_GONE = 10.0  # for a process that is ending already, on the busiest machine


class Child:
    """A program that runs. Any exception leaves it out of step: it can then only be ended."""

    def __init__(self, command: ChildCommand) -> None:
        """Raises BotError where the program cannot be started."""
        self._owner = os.getpid()
        self._log = _opened(command.log)
        self._log_began = self._log_size()
        self._process = self._started(command)
        assert self._process.stdin and self._process.stdout
        self._questions = self._process.stdin.fileno()
        self._answers = self._process.stdout.fileno()
        for pipe in (self._questions, self._answers):
            os.set_blocking(pipe, False)
        self._room = select.poll()
        self._room.register(self._questions, select.POLLOUT)
        self._news = select.poll()
        self._news.register(self._answers, select.POLLIN)
        self._unread = bytearray()
        self._timer = AnswerTimer(self._process.pid)

    def _started(self, command: ChildCommand) -> subprocess.Popen[bytes]:
        try:
            return subprocess.Popen(
                sandbox_command(command),
                cwd=command.cwd,
                env=environment(),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._log or subprocess.DEVNULL,
                bufsize=0,
                start_new_session=True,
                preexec_fn=_confinement(command.memory),
            )
        except (OSError, ValueError, subprocess.SubprocessError) as error:
            self._close_log()
            raise BotError(f"cannot be started: {_reason(error)}") from error

    @property
    def is_inherited(self) -> bool:
        """Whether it belongs to the process that this one was forked from."""
        return self._owner != os.getpid()

    # Speaking

    def send(self, line: bytes, limit: float) -> None:
        """Send a line that needs no answer. Raises Lost or Overdue."""
        self._timer.begin(limit)
        self._write(line)

    def request(self, line: bytes, limit: float) -> bytes:
        """Send a line and return the one that answers it. Raises Lost, Overdue or Nonsense."""
        self._refuse_unasked()
        self._timer.begin(limit)
        self._write(line)
        return self._read_line()

    def receive(self, limit: float) -> bytes:
        """The line that comes next. Raises Lost, Overdue or Nonsense."""
        self._timer.begin(limit)
        return self._read_line()

    def mark_started(self) -> None:
        """It has begun to work: whatever processes it needs are there."""
        self._timer.meet()

    def _write(self, line: bytes) -> None:
        while line:
            try:
                line = line[os.write(self._questions, line) :]
            except BlockingIOError:
                self._wait(self._room)
            except OSError:
                raise self._fate() from None

    def _read_line(self) -> bytes:
        while (end := self._unread.find(b"\n")) < 0 and len(self._unread) <= MAX_LINE_BYTES:
            self._wait(self._news)
            self._read()
            if b"\n" not in self._unread:
                self._keep_time()
        if not 0 <= end <= MAX_LINE_BYTES:
            beginning = excerpt(bytes(self._unread[:MAX_LINE_BYTES]))
            raise Nonsense(f"a line of more than {MAX_LINE_BYTES} bytes: {beginning}")
        line = bytes(self._unread[:end])
        del self._unread[: end + 1]
        return line

    def _read(self) -> None:
        chunk = os.read(self._answers, MAX_LINE_BYTES)
        if not chunk:
            raise self._fate()
        self._unread += chunk

    def _refuse_unasked(self) -> None:
        """What came before the question must not be taken for the answer."""
        with contextlib.suppress(BlockingIOError):
            self._read()
        if self._unread:
            raise Nonsense(f"nobody asked for this: {excerpt(bytes(self._unread))}")

    def _wait(self, pipe: select.poll) -> None:
        """Wait until a pipe can be used. Raises Overdue, or Lost where nobody is left."""
        while not pipe.poll(self._timer.pause()):
            # Somebody whom the program left behind may hold the pipe open.
            if self._process.poll() is not None and not pipe.poll(0):
                raise self._fate()
            self._keep_time()

    def _keep_time(self) -> None:
        if self._timer.is_over():
            raise DecisionTimeout(self._timer.verdict(), self._timer.proven())
        self.trim_log()

    def _fate(self) -> ProcessLost:
        if system.is_ending(self._process.pid):
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(_SECONDS_TO_BE_GONE)
        code = self._process.poll()
        told = f"the program {system.ending(code)}"
        return ProcessLost(told, proven=code is not None and -code not in system.FOREIGN)

    # Ending

    def end(self) -> None:
        """Close the pipe, which asks it to end, and kill whatever has not done so soon."""
        self._close_questions()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_SECONDS_TO_END)
        self.kill()

    def kill(self) -> None:
        """Kill its whole process group."""
        with contextlib.suppress(OSError):  # nobody is left
            os.killpg(self._process.pid, signal.SIGKILL)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_SECONDS_TO_END)
        self.forget()

    def forget(self) -> None:
        """Let go of it, without ending it."""
        self._close_questions()
        assert self._process.stdout
        self._process.stdout.close()
        self.trim_log()
        self._close_log()

    def _close_questions(self) -> None:
        assert self._process.stdin
        with contextlib.suppress(OSError):
            self._process.stdin.close()

    # The log

    def trim_log(self) -> None:
        """Keep the log to its size: its beginning says most."""
        if self._log and self._log_size() > MAX_LOG_BYTES:
            os.ftruncate(self._log.fileno(), MAX_LOG_BYTES)

    def last_log_line(self) -> str:
        """The last line that it wrote to its log, printable; empty where there is none."""
        if self._log is None:
            return ""
        since = max(self._log_began, self._log_size() - MAX_LINE_BYTES)
        said = os.pread(self._log.fileno(), MAX_LINE_BYTES, since)
        lines = said.decode("utf-8", "replace").split("\n")
        return next((in_a_line(line, 200) for line in reversed(lines) if line.strip()), "")

    def _log_size(self) -> int:
        return os.fstat(self._log.fileno()).st_size if self._log else 0

    def _close_log(self) -> None:
        if self._log:
            self._log.close()
            self._log = None


def _opened(log: Path | None) -> BinaryIO | None:
    if log is None:
        return None
    try:
        return log.open("ab+", buffering=0)
    except OSError as error:
        raise BotError(f"{log} cannot be written: {error.strerror}") from error


def _confinement(memory: int | None) -> Callable[[], None]:
    """What a new process does to itself before it becomes the program."""
    import resource

    arena = os.getpid()

    def confine() -> None:
        system.die_with_parent(arena)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if memory is not None:
            highest = resource.getrlimit(resource.RLIMIT_AS)[1]
            limit = memory if highest == resource.RLIM_INFINITY else min(memory, highest)
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

    return confine


def _reason(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return str(error)


def take_pipes() -> tuple[BinaryIO, BinaryIO]:
    """The pipes from and to the arena; the bot reads nothing, and what it prints goes to stderr."""
    questions, answers = os.dup(0), os.dup(1)  # not passed on to programs that the bot starts
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return os.fdopen(questions, "rb"), os.fdopen(answers, "wb", buffering=0)
