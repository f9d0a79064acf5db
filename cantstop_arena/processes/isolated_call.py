"""Foreign code at work, each piece in a process of its own, while a trusted one watches.

The arena starts *wardens*, which never run foreign code themselves, and deals the *errands* out to
them. For each of its errands, one after the other, a warden forks a child in a session of its own,
with a deadline, a memory limit and standard files that lead nowhere, hears what it has to say, and
ends it and all that it has left behind. So no errand can harm another, and one that ends its parent
ends a warden: the arena starts the next.
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
"""How often an errand is tried whose process somebody else may have ended."""
AT_ONCE = 4
"""How many errands are done at once: most of them wait, or compute without end."""
MEMORY = 4 << 30
"""Bytes that an errand may take beyond what the arena has."""
_MAX_LENGTH = 1 << 24  # bytes of a report
_MAX_HALT_SECONDS = 5.0
"""Seconds for which a stopped process is waited for, which somebody else may have stopped."""
_SPARE = 10.0  # seconds in which a warden clears up after an errand
_UNTOLD = "what it holds cannot be told: "
_AT_ONCE = 1 << 16
_REPORT = "report"
_FAILURE = "failure"
_KILLED = "killed"


class IsolatedCall(msgspec.Struct, frozen=True):
    """A function to be called elsewhere: "module:function", and its keyword arguments as JSON.

    What it returns has to be JSON, too. It may compute and sleep for so many seconds; for the
    machine's being busy it is not charged.
    """

    function: str
    keywords: Keywords
    limit: float


class CallFailed(Exception):
    """An errand has told nothing. The message says how its process ended, in a printable line."""


def run_all(errands: Sequence[IsolatedCall]) -> Iterator[Any]:
    """What each errand returns, in their order, or the Failed that says why there is nothing."""
    count = min(AT_ONCE, len(errands))
    with process_tree.none_left(), contextlib.ExitStack() as stack:
        rows = [stack.enter_context(_CallQueue(errands[first::count])) for first in range(count)]
        for number in range(len(errands)):
            outcome = rows[number % count].outcome()
            yield CallFailed(outcome[_FAILURE]) if _FAILURE in outcome else outcome[_REPORT]


def run_isolated(errand: IsolatedCall) -> Any:
    """What one errand returns. Raises Failed."""
    (outcome,) = run_all([errand])
    if isinstance(outcome, CallFailed):
        raise outcome
    return outcome


# --- The arena's side -----------------------------------------------------------------------------


class _CallQueue:
    """Errands, one after the other, and whoever looks after them at the moment."""

    def __init__(self, errands: Sequence[IsolatedCall]) -> None:
        self._waiting = list(errands)
        self._warden = _Supervisor(errands)

    def __enter__(self) -> "_CallQueue":
        return self

    def __exit__(self, *problem: object) -> None:
        self._warden.end()

    def outcome(self) -> Mapping[str, Any]:
        """What has become of the next one, which is tried again where others may have ended it."""
        for tries in range(1, TRIES + 1):
            outcome = self._warden.outcome(self._waiting[0])
            is_over = tries == TRIES or not outcome[_KILLED]
            if is_over:
                del self._waiting[0]
            if outcome[_KILLED]:
                self._warden.end()
                self._warden = _Supervisor(self._waiting)
            if is_over:
                break
        return outcome


class _Supervisor:
    """The process that looks after errands, as the arena sees it."""

    def __init__(self, errands: Sequence[IsolatedCall]) -> None:
        self._pid, self._pipe = _forked(errands) if _FORKS else _spawned(errands)
        process_tree.supervised.add(self._pid)
        self._unread = b""

    def end(self) -> None:
        """End it."""
        os.close(self._pipe)
        process_tree.end(self._pid)
        process_tree.supervised.discard(self._pid)

    def outcome(self, errand: IsolatedCall) -> Mapping[str, Any]:
        """What has become of the next errand: killed, where the warden comes to grief."""
        line = self._line(time.monotonic() + watchdog.wall_limit(errand.limit) + _SPARE)
        outcome = None if line is None else _outcome_in(line)
        return outcome or {_FAILURE: "ended the process that looked after it", _KILLED: True}

    def _line(self, deadline: float) -> bytes | None:
        """The next line; None where none comes."""
        while b"\n" not in self._unread:
            shutdown.check()
            left = deadline - time.monotonic()
            if left < 0:
                return None
            with contextlib.suppress(OSError):  # it is gone; its pipe will say so
                os.kill(self._pid, signal.SIGCONT)  # an errand may have stopped it
            if _is_readable(self._pipe, min(left, 0.1)):
                chunk = os.read(self._pipe, _AT_ONCE)
                if not chunk or len(self._unread) > 2 * _MAX_LENGTH:
                    return None
                self._unread += chunk
        line, _, self._unread = self._unread.partition(b"\n")
        return line


def _outcome_in(line: bytes) -> dict[str, Any] | None:
    """The outcome that a warden told; None where an errand has got hold of its pipe."""
    try:
        told = json.loads(line)
    except (ValueError, RecursionError):
        return None
    is_outcome = isinstance(told, dict) and isinstance(told.get(_KILLED), bool)
    return told if is_outcome and (_REPORT in told or _FAILURE in told) else None


_FORKS = sys.platform == "linux"  # elsewhere system libraries do not survive a fork


def _forked(errands: Sequence[IsolatedCall]) -> tuple[int, int]:
    """A warden that finds here what it needs, which takes it no time to import."""
    for errand in errands:
        importlib.import_module(errand.function.partition(":")[0])
    ours, theirs = os.pipe()
    arena = os.getpid()
    _flush()
    pid = os.fork()
    if pid:
        os.close(theirs)
        return pid, ours
    try:
        _look_after(errands, theirs, arena)
    finally:
        os._exit(1)


def _spawned(errands: Sequence[IsolatedCall]) -> tuple[int, int]:
    """A warden in a fresh interpreter."""
    ours, theirs = os.pipe()
    told = json.dumps([[errand.function, errand.keywords, errand.limit] for errand in errands])
    words = python_module(__name__, str(theirs), str(os.getpid()))
    process = subprocess.Popen(words, stdin=subprocess.PIPE, pass_fds=(theirs,))
    os.close(theirs)
    assert process.stdin
    with contextlib.suppress(BrokenPipeError), process.stdin as pipe:
        pipe.write(told.encode())
    return process.pid, ours


def _flush() -> None:
    """Print what waits to be printed, lest a child prints it again."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()


def _is_readable(pipe: int, seconds: float) -> bool:
    room = select.poll()
    room.register(pipe, select.POLLIN)
    return bool(room.poll(max(0.0, seconds) * 1000))


# --- The warden's side ----------------------------------------------------------------------------


def _look_after(errands: Sequence[IsolatedCall], report: int, arena: int) -> None:
    """What a warden does."""
    system.die_with_parent(arena)
    os.setsid()
    process_tree.adopt_orphans()
    for number in (signal.SIGTERM, signal.SIGALRM):
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the arena
    _leave_files(report)
    for errand in errands:
        line = memoryview(json.dumps(_outcome(errand, report)).encode() + b"\n")
        while line:
            line = line[os.write(report, line) :]
    os._exit(0)


def _leave_files(kept: int) -> None:
    """Let go of every file but one; the standard files lead nowhere."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for standard in range(3):
        os.dup2(nowhere, standard)
    os.closerange(3, kept)
    os.closerange(kept + 1, os.sysconf("SC_OPEN_MAX"))
    sys.stdin, sys.stdout, sys.stderr = (open(n, "rw"[n > 0], closefd=False) for n in range(3))  # noqa: SIM115


def _outcome(errand: IsolatedCall, report: int) -> dict[str, Any]:
    """What has become of an errand, when nothing is left of it."""
    ours, theirs = os.pipe()
    pid = os.fork()
    if not pid:
        os.close(report)
        os.close(ours)
        _do(errand, theirs)
    os.close(theirs)
    timer = AnswerTimer(pid)
    said = _heard(ours, timer, errand.limit)
    os.close(ours)
    code = process_tree.end(pid, killed=said is None)
    process_tree.end_all()
    if said is None:
        return _overdue(timer, errand.limit)
    try:
        return {_REPORT: json.loads(said), _KILLED: False}
    except (ValueError, RecursionError):
        by_others = code is not None and -code in system.FOREIGN
        told = _nonsense(said) if said else system.ending(code)
        return {_FAILURE: told, _KILLED: by_others and not said}


def _overdue(timer: AnswerTimer, limit: float) -> dict[str, Any]:
    """What has become of an errand that was waited for in vain."""
    if not timer.halted():
        return {_FAILURE: f"is not done within {limit:g} s", _KILLED: False}
    waited = min(limit, _MAX_HALT_SECONDS)
    return {_FAILURE: f"was stopped, and is not done within {waited:g} s", _KILLED: True}


def _nonsense(said: bytes) -> str:
    return (
        "tells nonsense" if len(said) <= _MAX_LENGTH else f"tells more than {_MAX_LENGTH >> 20} MiB"
    )


def _heard(pipe: int, timer: AnswerTimer, limit: float) -> bytes | None:
    """The line that an errand says, up to a length; None when time is up before it is whole."""
    said = b""
    timer.begin(limit)
    while len(said) <= _MAX_LENGTH and b"\n" not in said:
        if not _is_readable(pipe, timer.pause() / 1000):
            if timer.is_over() or timer.halted() >= _MAX_HALT_SECONDS:
                return None
            continue
        chunk = os.read(pipe, _AT_ONCE)
        if not chunk:
            break
        said += chunk
    return said.partition(b"\n")[0]


# --- The errand's side ----------------------------------------------------------------------------


def _do(errand: IsolatedCall, report: int) -> None:
    """What an errand's process does. Its own tools are at hand before foreign code runs."""
    encode, write, leave = json.JSONEncoder().encode, os.write, os._exit
    quoted = json.encoder.encode_basestring_ascii
    tell, name_of = attribute_text, type_name
    try:
        system.die_with_parent(os.getppid())
        os.setsid()
        system.refuse_cores()
        system.limit_memory(MEMORY)
        told = encode(_function(errand)(**errand.keywords))
    except BaseException as error:
        told = f'{{"{ERROR}": {quoted(_UNTOLD + name_of(error) + ": " + tell(error, str))}}}'
    try:
        left = memoryview(told.encode() + b"\n")
        while left:
            left = left[write(report, left) :]
        leave(0)
    except BaseException:
        leave(1)


def _function(errand: IsolatedCall) -> Callable[..., Any]:
    module, _, name = errand.function.partition(":")
    function: Callable[..., Any] = getattr(importlib.import_module(module), name)
    return function


def main() -> None:
    """Look after the errands that the standard input names."""
    report, arena = map(int, sys.argv[1:])
    told = json.loads(sys.stdin.buffer.read())
    _look_after([IsolatedCall(*words) for words in told], report, arena)


if __name__ == "__main__":
    main()
