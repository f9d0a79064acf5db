"""Ends processes with all their descendants, also those that moved to sessions of their own."""

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
_MAX_END_SECONDS = 2.0  # in which a killed process should have ended
_POLL_SECONDS = 0.002

supervised: set[int] = set()
"""Children with sessions of their own that this process, perhaps in another thread, will end."""
_ENDING = (signal.SIGTERM, signal.SIGHUP)


def adopt_orphans(adopt: bool = True) -> None:
    """Let orphans among the descendants become children of this process (on Linux)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, int(adopt), 0, 0, 0)


@contextlib.contextmanager
def end_orphans_after() -> Iterator[None]:
    """End every orphan that becomes a child of this process while the block runs.

    An orphan is recognised by its session, which is another than this process's; children that
    were there before, and those in `supervised`, go on.
    """
    earlier_children = children()
    adopt_orphans()
    try:
        yield
    finally:
        _end_orphans(earlier_children)
        adopt_orphans(False)


def _end_orphans(earlier_children: set[int]) -> None:
    deadline = time.monotonic() + _MAX_END_SECONDS
    while orphans := [
        pid for pid in children() - earlier_children - supervised if _has_other_session(pid)
    ]:
        for pid in orphans:
            end(pid)
        if time.monotonic() > deadline:
            return


def _has_other_session(pid: int) -> bool:
    """Whether a process is in another session than this one; False when it has ended."""
    try:
        return os.getsid(pid) != os.getsid(0)
    except OSError:
        return False


def children() -> set[int]:
    """The process ids of the children of this process."""
    try:
        tasks = Path(f"/proc/{os.getpid()}/task").glob("*/children")
        pid_lists = [task.read_text().split() for task in tasks]
    except OSError:  # a thread has ended meanwhile
        pid_lists = []
    return {int(pid) for pids in pid_lists for pid in pids} if pid_lists else _children_by_scan()


def _children_by_scan() -> set[int]:
    """The children's process ids by a scan of all processes, for systems that list no children."""
    return {int(stat.parent.name) for stat in Path("/proc").glob("[0-9]*/stat") if _is_child(stat)}


def _is_child(stat: Path) -> bool:
    try:
        fields = stat.read_bytes().rpartition(b")")[2].split()
        return int(fields[1]) == os.getpid()
    except (OSError, ValueError, IndexError):
        return False


def end(pid: int, killed: bool = True) -> int | None:
    """End a child and its process group; return its exit code, or minus a signal.

    Without `killed` it has two seconds to end by itself.
    """
    code = None if killed else _wait(pid, _MAX_END_SECONDS)
    with contextlib.suppress(OSError):  # the group is empty
        os.killpg(pid, signal.SIGKILL)
    with contextlib.suppress(OSError):
        if code is None:
            os.kill(pid, signal.SIGKILL)
    return _wait(pid, _MAX_END_SECONDS) if code is None else code


def supervise_descendants(forwarded: int | None = None) -> None:
    """Fork, and return in the child; the parent waits and ends all descendants that it leaves.

    The parent then ends as the child did. On SIGTERM, or SIGHUP as it gets it when it is left
    behind, it kills the child first; it forwards the signal `forwarded` to the child.
    """
    parent = os.getpid()
    adopt_orphans()
    for number in (*_ENDING, forwarded or signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    pid = os.fork()
    if not pid:
        for number in _ENDING:
            signal.signal(number, signal.SIG_DFL)
        system.die_with_parent(parent)
        os.setsid()
        return
    for number in _ENDING:
        signal.signal(number, lambda number, frame: os.kill(pid, signal.SIGKILL))
    if forwarded:
        signal.signal(forwarded, lambda number, frame: os.kill(pid, number))
    _close_all_files()  # they are the child's
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    end_all()
    _end_like(code)


def _close_all_files() -> None:
    """Close the files of this process: so their other ends are closed when the child ends."""
    os.closerange(0, os.sysconf("SC_OPEN_MAX"))


def _end_like(code: int) -> None:
    """End with the exit code or signal of a child, for whoever waits for this process."""
    if code < 0:
        with contextlib.suppress(OSError):  # SIGKILL cannot be set
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code & 0xFF)


def end_all() -> None:
    """End every child of this process, and their orphans, which become its children."""
    deadline = time.monotonic() + _MAX_END_SECONDS
    while time.monotonic() < deadline:
        try:
            pid, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if not pid:
            _kill_children()
            time.sleep(_POLL_SECONDS)


def _kill_children() -> None:
    for pid in children():
        with contextlib.suppress(OSError):
            os.kill(pid, signal.SIGKILL)


def _wait(pid: int, seconds: float) -> int | None:
    """The exit code of a child, or minus a signal.

    None when it still runs, or when its status was collected elsewhere.
    """
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            number, status = os.waitpid(pid, os.WNOHANG)
        except ChildProcessError:
            return None
        if number:
            return os.waitstatus_to_exitcode(status)
        time.sleep(_POLL_SECONDS)
    return None
