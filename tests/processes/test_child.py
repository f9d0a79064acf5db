"""A child ends with the arena, whatever state its processes are in."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from helpers.time_limit import TIME_LIMIT

# Starts a child that waits, and prints the number of the process that supervises it.
ARENA = """
import time
from cantstop_arena.processes.child_start import Policy, start_entry
child = start_entry(Policy("{start}"), "cantstop_arena.processes.isolated_call:serve", bool)
print(child.pid, flush=True)
time.sleep(60)
"""


def state_of(pid: int) -> str:
    """The letter of a process's state; Z if it has ended, whether or not anybody has noted it."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return "Z"


def only_child(supervisor: int) -> int:
    """The process that this one has started; on a busy machine that takes a while."""
    children = Path(f"/proc/{supervisor}/task/{supervisor}/children")
    while not (pids := children.read_text().split()):
        time.sleep(0.01)
    (pid,) = pids
    return int(pid)


@pytest.mark.skipif(sys.platform != "linux", reason="processes are looked up in /proc")
@pytest.mark.parametrize("start", ["fork", "fresh"])
def test_a_stopped_child_does_not_outlive_an_arena_that_is_killed(start: str) -> None:
    words = [sys.executable, "-c", ARENA.format(start=start)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as arena:
        assert arena.stdout
        supervisor = int(arena.stdout.readline())
        child = only_child(supervisor)
        os.kill(supervisor, signal.SIGSTOP)
        while state_of(supervisor) != "T":
            time.sleep(0.01)
        arena.kill()
        arena.wait()
    deadline = time.monotonic() + TIME_LIMIT
    processes = [supervisor, child]
    while (left := [pid for pid in processes if state_of(pid) != "Z"]) and (
        time.monotonic() < deadline
    ):
        time.sleep(0.01)
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    assert not left
