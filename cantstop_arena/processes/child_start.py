"""Starts children: an entry, forked or in a fresh interpreter, or a command.

An *entry* is a function "module:function" that gets the child's end of the channel. It runs below
a parent of its own, which never runs foreign code and ends all descendants that the child leaves
behind. So it can at most end that parent, and never the arena. In the sandbox it needs no such
parent. A command runs in a session of its own, and perhaps in the sandbox.
"""

import contextlib
import importlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NoReturn, TypeVar

import msgspec

from cantstop_arena.errors import BotError
from cantstop_arena.processes import process_tree, system
from cantstop_arena.processes.channel import MAX_SANDBOX_BYTES, Channel, Connection
from cantstop_arena.processes.child import LOCATE, Child, ChildProcess
from cantstop_arena.processes.child_command import ChildCommand, environment, sandbox_environment
from cantstop_arena.processes.child_limits import ChildLimits
from cantstop_arena.processes.child_output import ChildOutput
from cantstop_arena.processes.sandbox import Sandbox, SandboxView
from cantstop_arena.processes.system import python_module
from cantstop_arena.texts import in_a_line

_Report = TypeVar("_Report")
_STANDARD_FILES = 3
_NO_ARENA = 0  # in place of the arena's process id, which nobody sees in the sandbox
_POLL_SECONDS = 0.002
MAX_REASON_LENGTH = 300  # characters of the line with which a failing program ends


class Policy(msgspec.Struct, frozen=True):
    """How a child starts, and its limits.

    It is forked from the arena, or a fresh interpreter, or one in the sandbox, where it has a view.
    `memory` is in bytes beyond what it begins with; `variables` are added to the environment of an
    interpreter, and `limits` hold in the sandbox.
    """

    start: Literal["fork", "fresh"] | SandboxView
    memory: int | None = None
    variables: Mapping[str, str] = {}
    limits: ChildLimits = ChildLimits()

    @property
    def view(self) -> SandboxView | None:
        """What it sees in the sandbox; None if it starts elsewhere."""
        return self.start if isinstance(self.start, SandboxView) else None


FORKED = Policy("fork" if sys.platform == "linux" else "fresh")
"""Forked from the arena, with its modules; on other systems libraries do not survive a fork."""


# --- Entries --------------------------------------------------------------------------------------


def start_entry(
    policy: Policy,
    entry: str,
    received: Any,
    output: ChildOutput | None = None,
    files: Sequence[int] = (),
) -> Child[Any]:
    """A child that runs an entry, which gets its end of the channel and copies of open `files`.

    `received` is the type of its messages. What it prints is lost without an `output`. Raises
    NoSandbox where the policy needs one and there is none.
    """
    arena_end, child_end = socket.socketpair()  # no process can open it again, unlike a pipe
    start = _fork if policy.start == "fork" else _start_interpreter
    if policy.view is not None:
        start = _start_in_sandbox
    with child_end, _write_end(output) as printed:
        process = start(policy, entry, [child_end.fileno(), *files], printed)
    if policy.view is None:
        return Child(process, Channel(arena_end, received), output)
    channel: Channel[Any] = Channel(arena_end, received, MAX_SANDBOX_BYTES)
    return Child(process, channel, output, False, max_files=policy.limits.scratch_files)


@contextlib.contextmanager
def _write_end(output: ChildOutput | None) -> Iterator[int]:
    """The file for what a child prints."""
    if output:
        try:
            yield output.write_end
        finally:
            output.close_write_end()
    else:
        with Path(os.devnull).open("wb") as null_device:
            yield null_device.fileno()


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


def _fork(policy: Policy, entry: str, files: Sequence[int], output: int) -> ChildProcess:
    """Fork a child, which shares the modules that are imported here already."""
    work = function_named(entry)
    arena_pid = os.getpid()
    for stream in (sys.stdout, sys.stderr):  # else the child would print their buffers again
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    pid = os.fork()
    if pid:
        return _ForkedProcess(pid)
    try:
        system.remove_hooks()
        _run(work, _only_files(files, output), policy.memory, arena_pid)
    finally:
        os._exit(1)


def _start_interpreter(
    policy: Policy, entry: str, files: Sequence[int], output: int
) -> ChildProcess:
    return subprocess.Popen(
        _interpreter(policy, entry, os.getpid(), files),
        env={**os.environ, **policy.variables},
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=output,
        pass_fds=files,
        process_group=0,
    )


def _start_in_sandbox(
    policy: Policy, entry: str, files: Sequence[int], output: int
) -> ChildProcess:
    argv = _interpreter(policy, entry, _NO_ARENA, files)
    command = ChildCommand(argv, Path(os.sep), policy.limits)
    with _popen_arguments(command, policy.view, policy.variables) as arguments:
        arguments["pass_fds"] += [*files]
        return subprocess.Popen(
            **arguments,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
            preexec_fn=_limiter(None),
        )


def _interpreter(
    policy: Policy, entry: str, arena_pid: int, files: Sequence[int]
) -> tuple[str, ...]:
    """The command of a fresh interpreter that runs an entry."""
    return python_module(__name__, *map(str, (entry, policy.memory or 0, arena_pid, *files)))


def _only_files(files: Sequence[int], output: int) -> list[int]:
    """Close every file but these; return their new numbers. What is printed goes to `output`."""
    null_device = os.open(os.devnull, os.O_RDONLY)
    copies = [os.dup(number) for number in (null_device, output, output, *files)]
    for number, file in enumerate(copies):
        os.dup2(file, number, inheritable=number < _STANDARD_FILES)
    os.closerange(len(copies), os.sysconf("SC_OPEN_MAX"))
    sys.stdin, sys.stdout, sys.stderr = (open(n, "rw"[n > 0], closefd=False) for n in range(3))  # noqa: SIM115
    return [*range(_STANDARD_FILES, len(copies))]


def _run(
    work: Callable[..., None], files: Sequence[int], memory: int | None, arena_pid: int
) -> NoReturn:
    """The main function of a child: run its entry, and exit."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the arena
    is_in_sandbox = arena_pid == _NO_ARENA
    if not is_in_sandbox:  # whose first process takes all others with it
        system.die_with_parent(arena_pid, signal.SIGTERM)
        # A group of its own in the arena's session: if the arena is killed while this process is
        # stopped, the system continues it, as of a group that nobody watches any more.
        if os.getpgid(0) != os.getpid():
            os.setpgid(0, 0)
        process_tree.supervise_descendants(LOCATE)
        system.refuse_cores()
    if memory:
        system.limit_memory(memory, for_good=is_in_sandbox)
    exit_process = os._exit  # foreign code may replace it
    try:
        end, *others = files
        work(socket.socket(fileno=end), *others)
        exit_process(0)
    except BaseException:
        exit_process(1)
    raise AssertionError


def function_named(text: str) -> Callable[..., Any]:
    """The function of a text "module:function"."""
    module, _, name = text.partition(":")
    function: Callable[..., Any] = getattr(importlib.import_module(module), name)
    return function


def main() -> None:
    """Run the entry of a child in this fresh interpreter."""
    entry, memory, arena_pid, *files = sys.argv[1:]
    for file in map(int, files):
        os.set_inheritable(file, False)
    _run(function_named(entry), [*map(int, files)], int(memory), int(arena_pid))


# --- Commands -------------------------------------------------------------------------------------


def start_command(
    command: ChildCommand, view: SandboxView | None, connection: Connection[_Report]
) -> Child[_Report]:
    """A child that runs a command, with a `view` in the sandbox, where it sees nothing else.

    Raises BotError when it cannot be started, NoSandbox where there is no sandbox.
    """
    output = ChildOutput(command.log)
    try:
        with (
            connection,
            _write_end(output) as printed,
            _popen_arguments(command, view) as arguments,
        ):
            arguments |= connection.standard_files(printed)
            arguments |= {"stderr": printed, "start_new_session": True}
            arguments["preexec_fn"] = _limiter(None if view else command.limits.memory)
            process: subprocess.Popen[bytes] = subprocess.Popen(**arguments)
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        output.close()
        connection.channel.close()
        raise BotError(f"cannot be started: {_reason(error)}") from error
    limits = command.limits
    if view is None:
        return Child(process, connection.channel, output, False)
    return Child(process, connection.channel, output, False, limits.memory, limits.scratch_files)


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
def _popen_arguments(
    command: ChildCommand, view: SandboxView | None, variables: Mapping[str, str] = {}
) -> Iterator[dict[str, Any]]:
    """The arguments that start a command, in the sandbox if it has a view.

    There `variables` are added to its environment.
    """
    if view is None:
        yield {"args": command.argv, "cwd": command.cwd, "env": environment()}
        return
    argv, descriptors = Sandbox.here().command(
        command.argv, view, command.limits, {**sandbox_environment(), **variables}
    )
    try:
        # Processes inside could read bubblewrap's own environment.
        yield {"args": argv, "cwd": os.sep, "env": {}, "pass_fds": [*descriptors]}
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


if __name__ == "__main__":
    main()
