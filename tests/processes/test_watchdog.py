"""Whose doing it is that time passes: the same on a quiet machine as on a busy one."""

import os
import signal
import subprocess
import sys

import pytest

from cantstop_arena.processes import system, watchdog
from cantstop_arena.processes.watchdog import AnswerTimer, Watchdog

LIMIT, PULSE = 1.0, 0.1
Look = tuple[dict[int, str], float]
"""The states of the threads of each process, and the seconds that each has computed."""


@pytest.fixture
def looked(monkeypatch: pytest.MonkeyPatch) -> list[Look]:
    """What looks will find, one after the other: the states of threads, and the time computed."""
    found: list[Look] = [({1: "R"}, 0.0)]
    monkeypatch.setattr(watchdog, "family_states", lambda pid: found[0][0])
    monkeypatch.setattr(watchdog, "processor_times", lambda pids: dict.fromkeys(pids, found[0][1]))
    return found


def watched(looked: list[Look], looks: list[Look]) -> Watchdog:
    """A watchdog after looks, a pulse from each to the next."""
    looked[0] = ({1: "R"}, 0.0)
    watching = Watchdog(1)
    for look in looks:
        looked[0] = look
        watching.check(PULSE)
    return watching


def of_state(states: dict[int, str], share: float, looks: int) -> list[Look]:
    """Looks at processes in some states, which compute for a share of the time."""
    return [(states, share * PULSE * look) for look in range(1, looks + 1)]


@pytest.mark.parametrize(
    ("states", "share", "own"),
    [
        ({1: "R"}, 1.0, 1.0),
        ({1: "R"}, 0.25, 0.25),  # others had the processor
        ({1: "R"}, 4.0, 1.0),  # with many threads no more time passes than passes
        ({1: "S"}, 0.0, 1.0),
        ({1: "SS", 2: "S"}, 0.0, 1.0),
        ({1: "S", 2: "R"}, 0.0, 0.0),  # it waits for a child that gets no processor
        ({1: "SD"}, 0.0, 0.0),  # for a disk
        ({1: "T"}, 0.0, 0.0),
        ({}, 0.0, 0.0),
    ],
)
def test_a_process_answers_for_what_it_computes_or_sleeps(
    looked: list[Look], states: dict[int, str], share: float, own: float
) -> None:
    watching = watched(looked, of_state(states, share, 20))
    assert watching.idle_seconds == pytest.approx(2.0)
    assert watching.own_seconds == pytest.approx(2.0 * own)
    assert watching.proven(LIMIT) is (own >= 0.5)


@pytest.mark.parametrize(
    ("states", "share", "after"),
    [
        ({1: "R"}, 1.0, 11),
        ({1: "S"}, 0.0, 11),
        ({1: "R"}, 0.25, 41),  # not before it has had its time
        ({1: "R"}, 0.01, 101),  # nor is the run held up for ever
        ({1: "D"}, 0.0, 101),
        ({1: "T"}, 0.0, 11),
        ({}, 0.0, 11),  # the system tells nothing
    ],
)
def test_a_process_is_overdue_when_it_has_had_its_time(
    looked: list[Look], states: dict[int, str], share: float, after: int
) -> None:
    looks = of_state(states, share, 120)
    over = [watched(looked, looks[:number]).overdue(LIMIT) for number in range(1, 120)]
    assert abs(over.index(True) + 1 - after) <= 1
    assert all(over[over.index(True) :])


def test_sleep_that_is_broken_now_and_then_is_sleep_all_the_same(
    looked: list[Look],
) -> None:
    states = [{1: "R" if number % 5 == 4 else "S"} for number in range(30)]
    watching = watched(looked, [(state, 0.0) for state in states])
    assert watching.proven(LIMIT)


def test_a_step_begins_the_time_anew(looked: list[Look]) -> None:
    looked[0] = ({1: "S"}, 0.0)
    watching = Watchdog(1)
    for step in (1, 1, 1, 2):
        watching.observe((step,), PULSE)
    assert (watching.idle_seconds, watching.own_seconds) == (0.0, 0.0)
    watching.observe((2,), PULSE)
    assert watching.idle_seconds == watching.own_seconds == PULSE


def test_a_break_of_our_own_counts_for_little() -> None:
    assert watchdog.counted_seconds(3600.0, PULSE) == 4 * PULSE
    assert watchdog.counted_seconds(0.01, PULSE) == 0.01
    assert watchdog.pulse(60.0) == 0.05
    assert watchdog.pulse(0.3) == pytest.approx(0.03)


def test_an_answer_in_time_is_not_overdue() -> None:
    timer = AnswerTimer(os.getpid())
    timer.begin(60.0)
    assert not timer.is_over()
    assert 0 < timer.pause() <= 50


@pytest.mark.skipif(sys.platform != "linux", reason="there is no /proc")
@pytest.mark.parametrize(
    ("text", "ending"),
    [
        ("import os; os.close(1); input()", False),
        ("import os; os._exit(3)", True),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", True),
    ],
)
def test_whether_a_process_ends_is_known_as_soon_as_its_pipe_is_closed(
    text: str, ending: bool
) -> None:
    read, write = os.pipe()  # that never says anything, for input() to wait at
    for _ in range(5):
        with subprocess.Popen(
            [sys.executable, "-S", "-c", text.replace("input()", f"os.read({read}, 1)")],
            stdout=subprocess.PIPE,
            pass_fds=[read],
        ) as process:
            assert process.stdout and process.stdout.read() == b""
            assert system.is_ending(process.pid) is ending
            process.send_signal(signal.SIGKILL)
    os.close(read)
    os.close(write)
