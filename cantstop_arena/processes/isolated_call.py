"""Calls of functions that run foreign code, each in a process of its own, under a trusted one.

The arena starts *supervisors*, which never run foreign code themselves, and distributes the calls
among them. For each of its calls, one after the other, a supervisor forks a child in a session of
its own, with a deadline, a memory limit and standard files on the null device, reads its report,
and ends it with all its descendants. So no call can harm another, and one that kills its parent
kills a supervisor: the arena starts the next.
"""

import contextlib
import importlib
import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from cantstop_arena.errors import ERROR
from cantstop_arena.processes import process_tree, shutdown, system, watchdog
from cantstop_arena.processes.system import python_module
from cantstop_arena.processes.watchdog import AnswerTimer
from cantstop_arena.texts import attribute_text, type_name

Keywords = Mapping[str, Any]

TRIES = 3
"""How often a call is tried when somebody else may have ended its process."""
MAX_PARALLEL_CALLS = 4
"""How many calls run at the same time: most of the slow ones wait, or compute without end."""
MAX_MEMORY_BYTES = 4 << 30
"""Bytes of memory that a call may take beyond what the arena has."""
_MAX_REPORT_BYTES = 1 << 24
_MAX_HALT_SECONDS = 5.0
"""Seconds to wait for a stopped process, which somebody else may have stopped."""
_CLEANUP_SECONDS = 10.0  # for a supervisor to end all processes of a call
_UNSENT = "its result cannot be sent: "
_CHUNK_BYTES = 1 << 16
_REPORT = "report"
_FAILURE = "failure"
_KILLED = "killed"


class IsolatedCall(msgspec.Struct, frozen=True):
    """A function to call in another process: "module:function", and its keyword arguments.

    Arguments and result must be JSON. `limit` is in seconds of computing and sleeping; time in
    which the machine was busy with other work does not count.
    """

    function: str
    keywords: Keywords
    limit: float


class CallFailed(Exception):
    """A call has no result. The message says how its process ended, in one printable line."""


def run_all(
    calls: Sequence[IsolatedCall],
    on_tick: Callable[[], None] = lambda: None,
    at_once: int = MAX_PARALLEL_CALLS,
) -> Iterator[Any]:
    """The result of each call, in their order, or the CallFailed that says why it has none.

    `at_once` calls run at the same time; `on_tick` is called some ten times a second.
    """
    count = min(at_once, len(calls))
    with process_tree.end_orphans_after(), contextlib.ExitStack() as stack:
        queues = [
            stack.enter_context(_CallQueue(calls[first::count], on_tick)) for first in range(count)
        ]
        for number in range(len(calls)):
            outcome = queues[number % count].outcome()
            yield CallFailed(outcome[_FAILURE]) if _FAILURE in outcome else outcome[_REPORT]


def run_isolated(call: IsolatedCall, on_tick: Callable[[], None] = lambda: None) -> Any:
    """The result of one call. Raises CallFailed."""
    (outcome,) = run_all([call], on_tick)
    if isinstance(outcome, CallFailed):
        raise outcome
    return outcome


# --- The arena's side -----------------------------------------------------------------------------


class _CallQueue:
    """Calls that are made one after the other, and their present supervisor."""

    def __init__(self, calls: Sequence[IsolatedCall], on_tick: Callable[[], None]) -> None:
        self._waiting = list(calls)
        self._on_tick = on_tick
        self._supervisor = _Supervisor(calls, on_tick)

    def __enter__(self) -> "_CallQueue":
        return self

    def __exit__(self, *exception: object) -> None:
        self._supervisor.end()

    def outcome(self) -> Mapping[str, Any]:
        """The outcome of the next call, tried again when others may have ended its process."""
        for attempt in range(1, TRIES + 1):
            outcome = self._supervisor.outcome(self._waiting[0])
            is_final = attempt == TRIES or not outcome[_KILLED]
            if is_final:
                del self._waiting[0]
            if outcome[_KILLED]:
                self._supervisor.end()
                self._supervisor = _Supervisor(self._waiting, self._on_tick)
            if is_final:
                break
        return outcome


class _Supervisor:
    """The arena's handle of a process that supervises calls."""

    def __init__(self, calls: Sequence[IsolatedCall], on_tick: Callable[[], None]) -> None:
        self._on_tick = on_tick
        self._pid, self._pipe = _fork_supervisor(calls) if _FORKS else _spawn_supervisor(calls)
        process_tree.supervised.add(self._pid)
        self._unread = b""

    def end(self) -> None:
        """End the process."""
        os.close(self._pipe)
        process_tree.end(self._pid)
        process_tree.supervised.discard(self._pid)

    def outcome(self, call: IsolatedCall) -> Mapping[str, Any]:
        """The outcome of the next call; "killed" when the supervisor itself has failed."""
        line = self._line(time.monotonic() + watchdog.wall_limit(call.limit) + _CLEANUP_SECONDS)
        outcome = None if line is None else _outcome_in(line)
        return outcome or {_FAILURE: "ended the process that supervised it", _KILLED: True}

    def _line(self, deadline: float) -> bytes | None:
        """The next line, or None when the pipe or the time ends before it."""
        while b"\n" not in self._unread:
            shutdown.check()
            self._on_tick()
            left = deadline - time.monotonic()
            if left < 0:
                return None
            with contextlib.suppress(OSError):  # it has ended, which reading its pipe will show
                os.kill(self._pid, signal.SIGCONT)  # a call may have stopped it
            if _is_readable(self._pipe, min(left, 0.1)):
                chunk = os.read(self._pipe, _CHUNK_BYTES)
                if not chunk or len(self._unread) > 2 * _MAX_REPORT_BYTES:
                    return None
                self._unread += chunk
        line, _, self._unread = self._unread.partition(b"\n")
        return line


def _outcome_in(line: bytes) -> dict[str, Any] | None:
    """The outcome in a supervisor's line; None when a call has written into its pipe."""
    try:
        data = json.loads(line)
    except (ValueError, RecursionError):
        return None
    is_outcome = isinstance(data, dict) and isinstance(data.get(_KILLED), bool)
    return data if is_outcome and (_REPORT in data or _FAILURE in data) else None


_FORKS = sys.platform == "linux"  # on other systems, system libraries do not survive a fork


def _fork_supervisor(calls: Sequence[IsolatedCall]) -> tuple[int, int]:
    """Fork a supervisor, which shares the modules that are imported here already."""
    for call in calls:
        importlib.import_module(call.function.partition(":")[0])
    read_end, write_end = os.pipe()
    arena_pid = os.getpid()
    _flush_output()
    pid = os.fork()
    if pid:
        os.close(write_end)
        return pid, read_end
    try:
        _supervise(calls, write_end, arena_pid)
    finally:
        os._exit(1)


def _spawn_supervisor(calls: Sequence[IsolatedCall]) -> tuple[int, int]:
    """Start a supervisor in a new interpreter."""
    read_end, write_end = os.pipe()
    text = json.dumps([[call.function, call.keywords, call.limit] for call in calls])
    arguments = python_module(__name__, str(write_end), str(os.getpid()))
    process = subprocess.Popen(arguments, stdin=subprocess.PIPE, pass_fds=(write_end,))
    os.close(write_end)
    assert process.stdin
    with contextlib.suppress(BrokenPipeError), process.stdin as pipe:
        pipe.write(text.encode())
    return process.pid, read_end


def _flush_output() -> None:
    """Flush the output streams; else a child would print their buffers again."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()


def _is_readable(pipe: int, seconds: float) -> bool:
    poller = select.poll()
    poller.register(pipe, select.POLLIN)
    return bool(poller.poll(max(0.0, seconds) * 1000))


# --- The supervisor's side ------------------------------------------------------------------------


def _supervise(calls: Sequence[IsolatedCall], report: int, arena_pid: int) -> None:
    """Run the calls one after the other, write their outcomes to `report`, and exit."""
    system.die_with_parent(arena_pid)
    os.setsid()
    process_tree.adopt_orphans()
    for number in (signal.SIGTERM, signal.SIGALRM):
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the arena
    _close_files_except(report)
    for call in calls:
        line = memoryview(json.dumps(_outcome(call, report)).encode() + b"\n")
        while line:
            line = line[os.write(report, line) :]
    os._exit(0)


def _close_files_except(descriptor: int) -> None:
    """Close every file but one; the standard files become the null device."""
    null_device = os.open(os.devnull, os.O_RDWR)
    for standard in range(3):
        os.dup2(null_device, standard)
    os.closerange(3, descriptor)
    os.closerange(descriptor + 1, os.sysconf("SC_OPEN_MAX"))
    sys.stdin, sys.stdout, sys.stderr = (open(n, "rw"[n > 0], closefd=False) for n in range(3))  # noqa: SIM115


def _outcome(call: IsolatedCall, report: int) -> dict[str, Any]:
    """The outcome of a call, after all its processes have ended."""
    read_end, write_end = os.pipe()
    pid = os.fork()
    if not pid:
        os.close(report)
        os.close(read_end)
        _make_call(call, write_end)
    os.close(write_end)
    timer = AnswerTimer(pid)
    data = _next_line(read_end, timer, call.limit)
    os.close(read_end)
    code = process_tree.end(pid, killed=data is None)
    process_tree.end_all()
    if data is None:
        return _overdue_outcome(timer, call.limit)
    try:
        return {_REPORT: json.loads(data), _KILLED: False}
    except (ValueError, RecursionError):
        is_foreign_signal = code is not None and -code in system.FOREIGN_SIGNALS
        text = _protocol_fault(data) if data else system.ending(code)
        return {_FAILURE: text, _KILLED: is_foreign_signal and not data}


def _overdue_outcome(timer: AnswerTimer, limit: float) -> dict[str, Any]:
    """The outcome of a call whose time is up."""
    if not timer.stopped_seconds():
        return {_FAILURE: f"is not done within {limit:g} s", _KILLED: False}
    waited = min(limit, _MAX_HALT_SECONDS)
    return {_FAILURE: f"was stopped, and is not done within {waited:g} s", _KILLED: True}


def _protocol_fault(data: bytes) -> str:
    if len(data) <= _MAX_REPORT_BYTES:
        return "sent an invalid message"
    return f"sent more than {_MAX_REPORT_BYTES >> 20} MiB"


def _next_line(pipe: int, timer: AnswerTimer, limit: float) -> bytes | None:
    """The line that a call writes, cut at a maximal length; None when the time is up before."""
    data = b""
    timer.begin(limit)
    while len(data) <= _MAX_REPORT_BYTES and b"\n" not in data:
        if not _is_readable(pipe, timer.pause() / 1000):
            if timer.is_over() or timer.stopped_seconds() >= _MAX_HALT_SECONDS:
                return None
            continue
        chunk = os.read(pipe, _CHUNK_BYTES)
        if not chunk:
            break
        data += chunk
    return data.partition(b"\n")[0]


# --- The call's side ------------------------------------------------------------------------------


def _make_call(call: IsolatedCall, report: int) -> None:
    """Make the call and write its result, in the call's process.

    All functions used later are looked up first, as foreign code may replace them in their modules.
    """
    encode, write, exit_process = json.JSONEncoder().encode, os.write, os._exit
    quote = json.encoder.encode_basestring_ascii
    text_of, name_of = attribute_text, type_name
    try:
        system.die_with_parent(os.getppid())
        os.setsid()
        system.refuse_cores()
        system.limit_memory(MAX_MEMORY_BYTES)
        text = encode(_function(call)(**call.keywords))
    except BaseException as error:
        text = f'{{"{ERROR}": {quote(_UNSENT + name_of(error) + ": " + text_of(error, str))}}}'
    try:
        unwritten = memoryview(text.encode() + b"\n")
        while unwritten:
            unwritten = unwritten[write(report, unwritten) :]
        exit_process(0)
    except BaseException:
        exit_process(1)


def _function(call: IsolatedCall) -> Callable[..., Any]:
    module, _, name = call.function.partition(":")
    function: Callable[..., Any] = getattr(importlib.import_module(module), name)
    return function


def main() -> None:
    """Supervise the calls that the standard input lists."""
    report, arena_pid = map(int, sys.argv[1:])
    data = json.loads(sys.stdin.buffer.read())
    _supervise([IsolatedCall(*arguments) for arguments in data], report, arena_pid)


if __name__ == "__main__":
    main()
