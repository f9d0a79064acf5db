"""Ends processes, and whatever they have started, wherever it has hidden."""

import contextlib
import ctypes
import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from cantstop_arena.processes import system

_PR_SET_CHILD_SUBREAPER = 36
_MAX_END_LENGTH = 2.0  # seconds in which what is killed is to be gone
_PAUSE = 0.002

supervised: set[int] = set()
"""Children with sessions of their own that somebody here will end, perhaps another thread."""


def adopt_orphans(adopt: bool = True) -> None:
    """Let processes whose parent is gone become children of this one, where the system can."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, int(adopt), 0, 0, 0)


@contextlib.contextmanager
def none_left() -> Iterator[None]:
    """End every orphan that comes to this process in the meantime, and those that it leaves.

    Orphans are told by their sessions, which are others; children of this process's own session
    are left alone, and so are those that are `looked_after`.
    """
    known = children()
    adopt_orphans()
    try:
        yield
    finally:
        _end_orphans(known)
        adopt_orphans(False)


def _end_orphans(known: set[int]) -> None:
    deadline = time.monotonic() + _MAX_END_LENGTH
    while orphans := [pid for pid in children() - known - supervised if _is_apart(pid)]:
        for pid in orphans:
            end(pid)
        if time.monotonic() > deadline:
            return


def _is_apart(pid: int) -> bool:
    """Whether a process has another session; one that has ended already may have had."""
    try:
        return os.getsid(pid) != os.getsid(0)
    except OSError:
        return False


def children() -> set[int]:
    """The children of this process, as far as the system tells."""
    try:
        tasks = Path(f"/proc/{os.getpid()}/task").glob("*/children")
        found = [task.read_text().split() for task in tasks]
    except OSError:  # a thread has ended meanwhile
        found = []
    return {int(pid) for pids in found for pid in pids} if found else _searched()


def _searched() -> set[int]:
    """The same where the system lists no children, among all processes."""
    return {int(stat.parent.name) for stat in Path("/proc").glob("[0-9]*/stat") if _is_ours(stat)}


def _is_ours(stat: Path) -> bool:
    try:
        fields = stat.read_bytes().rpartition(b")")[2].split()
        return int(fields[1]) == os.getpid()
    except (OSError, ValueError, IndexError):
        return False


def end(pid: int, killed: bool = True) -> int | None:
    """End a child and its process group; how it ended, as `system.ending` takes it.

    One that is not to be `killed` at once is given a moment to end by itself.
    """
    code = None if killed else _awaited(pid, _MAX_END_LENGTH)
    with contextlib.suppress(OSError):  # nobody is left
        os.killpg(pid, signal.SIGKILL)
    with contextlib.suppress(OSError):
        if code is None:
            os.kill(pid, signal.SIGKILL)
    return _awaited(pid, _MAX_END_LENGTH) if code is None else code


def supervise_descendants(passed_on: int) -> None:
    """Go on in a child, while this process ends what that leaves behind, and then as that did.

    A signal of the number `passed_on` is for the child.
    """
    parent = os.getpid()
    adopt_orphans()
    signal.signal(passed_on, signal.SIG_IGN)
    pid = os.fork()
    if not pid:
        system.die_with_parent(parent)
        os.setsid()
        return
    signal.signal(passed_on, lambda number, frame: os.kill(pid, number))
    for pipe in range(3):
        os.close(pipe)  # they are the child's
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    end_all()
    _end_like(code)


def _end_like(code: int) -> None:
    """End as a child has, so that whoever waits for this process learns it."""
    if code < 0:
        with contextlib.suppress(OSError):  # SIGKILL cannot be set
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code & 0xFF)


def end_all() -> None:
    """End every child of this process, and theirs when they become its own."""
    deadline = time.monotonic() + _MAX_END_LENGTH
    while time.monotonic() < deadline:
        try:
            pid, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if not pid:
            _kill_children()
            time.sleep(_PAUSE)


def _kill_children() -> None:
    for pid in children():
        with contextlib.suppress(OSError):
            os.kill(pid, signal.SIGKILL)


def _awaited(pid: int, seconds: float) -> int | None:
    """How a child has ended; None where it has not, or somebody else has waited for it."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            found, status = os.waitpid(pid, os.WNOHANG)
        except ChildProcessError:
            return None
        if found:
            return os.waitstatus_to_exitcode(status)
        time.sleep(_PAUSE)
    return None
