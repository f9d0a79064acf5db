"""Measures how long a process has been awaited, and how much of that time it used itself.

Time is a process's *own* while it computes or sleeps. While it waits for a processor, for a disk,
for a debugger or while it is stopped, time does not count: so a bot is too slow after the same time
on a busy machine as on a quiet one.
"""

import contextlib
import sys
import time
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

_PROC = Path("/proc")

_CHECKS = 10  # in a limit; with more checks each interval matters less
_MIN_PULSE_SECONDS, _MAX_PULSE_SECONDS = 0.005, 0.05
_MAX_COUNTED_PULSES = 4
"""Pulses that count at most between two checks: after a longer break of this process, perhaps of
the machine, what the other process did in it is unknown.
"""

_WALL_LIMIT_FACTOR, _WALL_LIMIT_MARGIN_SECONDS = 10, 5.0
"""A process that gets no processor may take ten times its limit, and at least five seconds more.
At a load of ten for each core it has had its limit by then; longer waits would stop the run.
"""


def pulse(limit: float) -> float:
    """Seconds between two checks of a process that has `limit` seconds."""
    return min(max(limit / _CHECKS, _MIN_PULSE_SECONDS), _MAX_PULSE_SECONDS)


def counted_seconds(elapsed: float, pulse: float) -> float:
    """The seconds that count of those elapsed between two checks."""
    return min(elapsed, _MAX_COUNTED_PULSES * pulse)


def wall_limit(limit: float) -> float:
    """Seconds of wall-clock time after which a process with `limit` seconds is given up."""
    return max(_WALL_LIMIT_FACTOR * limit, limit + _WALL_LIMIT_MARGIN_SECONDS)


class Watchdog:
    """Watches one process with all its descendants."""

    def __init__(self, pid: int) -> None:
        self.idle_seconds = 0.0
        """Seconds since the last step."""
        self.own_seconds = 0.0
        """Of these, the seconds in which the process computed or slept itself."""
        self.stopped_seconds = 0.0
        """Of these, the seconds for which the process has been stopped, up to now."""
        self._pid = pid
        self._family: tuple[int, ...] = (pid,)
        self._step: tuple[int, ...] = ()
        self.begin()

    def meet(self) -> None:
        """Record the present processes, before the first wait."""
        self._family = tuple(self._read_states()) or (self._pid,)

    def begin(self) -> None:
        """Start a new wait: all counts are 0 again."""
        self.idle_seconds = self.own_seconds = self.stopped_seconds = 0.0
        self._states: dict[int, str] = {}
        self._was_asleep = True
        self._times = self._read_times(self._family)

    def observe(self, step: tuple[int, ...], elapsed: float) -> None:
        """Check the processes (see `check`), or start a new wait if `step` has changed."""
        if step == self._step:
            self.check(elapsed)
        else:
            self._step = step
            self.begin()

    def check(self, elapsed: float) -> None:
        """Read the state of the processes; `elapsed` is the seconds since the last check."""
        states = self._read_states()
        times = self._read_times(states)
        earlier_times = times | self._times  # a new process counts from now on
        computed = sum(seconds - earlier_times[pid] for pid, seconds in times.items())
        self._states, self._times = states, earlier_times | times
        is_asleep = self._thread_states == {"S"}
        self.idle_seconds += elapsed
        self.own_seconds += elapsed if is_asleep and self._was_asleep else min(computed, elapsed)
        self._was_asleep = is_asleep
        self.stopped_seconds = self.stopped_seconds + elapsed if self.stopped else 0.0

    def _read_states(self) -> dict[int, str]:
        """The states of all threads that count, by process id; empty when unknown."""
        return family_states(self._pid)

    def _read_times(self, pids: Iterable[int]) -> dict[int, float]:
        """Seconds of processor time that count, by process id."""
        return processor_times(pids)

    @property
    def _thread_states(self) -> set[str]:
        return set("".join(self._states.values()))

    @property
    def stopped(self) -> bool:
        """Whether one of the processes is stopped, by a signal or in a debugger."""
        return not self._thread_states.isdisjoint("Tt")

    def proven(self, limit: float) -> bool:
        """Whether the process has used `limit` seconds of its own time."""
        return self.own_seconds >= limit

    def overdue(self, limit: float) -> bool:
        """Whether `limit` seconds are over, of the process's own time where that is known.

        It is unknown of a process that was stopped, and on systems without process states.
        """
        if self.idle_seconds < limit or self.proven(limit):
            return self.idle_seconds >= limit
        is_unstopped = self._thread_states and self._thread_states.isdisjoint("Tt")
        return not is_unstopped or self.idle_seconds >= wall_limit(limit)


class MainThreadWatchdog(Watchdog):
    """Watches the main thread of a process that bots share.

    The processor time of other threads and processes is not charged: another bot may have left
    them behind. While such a thread runs, the main thread may be waiting for it, so does not sleep.
    """

    def _read_states(self) -> dict[int, str]:
        return process_states(self._pid)

    def _read_times(self, pids: Iterable[int]) -> dict[int, float]:
        return main_thread_times(pids)


class AnswerTimer:
    """Measures the time that a process takes for each of a series of questions."""

    def __init__(self, pid: int) -> None:
        self._watchdog = Watchdog(pid)
        self._limit = self._pulse = 0.0
        self._checked_at = 0.0

    def meet(self) -> None:
        """Record the present processes, before the first question."""
        self._watchdog.meet()

    def begin(self, limit: float) -> None:
        """Start the time of a question, which has to be answered within `limit` seconds."""
        self._limit, self._pulse = limit, pulse(limit)
        self._watchdog.begin()
        self._checked_at = time.monotonic()

    def pause(self) -> float:
        """Milliseconds until the next check."""
        return max(0.0, self._checked_at + self._pulse - time.monotonic()) * 1000

    def is_over(self) -> bool:
        """Whether the time is up; checks the processes first if a check is due."""
        now = time.monotonic()
        if now >= self._checked_at + self._pulse:
            self._watchdog.check(counted_seconds(now - self._checked_at, self._pulse))
            self._checked_at = now
        return self._watchdog.overdue(self._limit)

    def stopped_seconds(self) -> float:
        """Seconds for which the process has been stopped, up to now."""
        return self._watchdog.stopped_seconds

    def proven(self) -> bool:
        """Whether the process certainly used the time itself."""
        return self._watchdog.proven(self._limit)

    def verdict(self) -> str:
        """The message for a question whose time is up."""
        text = f"no answer within {self._limit:g} s"
        excuse = "the program was stopped, or the machine was busy"
        return text if self.proven() else f"{text}, and perhaps {excuse}"


def processor_times(pids: Iterable[int]) -> dict[int, float]:
    """Seconds of processor time that each process has used; unreadable ones are left out."""
    times = {}
    if sys.platform == "linux":
        for pid in pids:
            try:
                times[pid] = time.clock_gettime(~pid << 3 | 2)  # as clock_getcpuclockid(3) does
            except OSError:
                continue
    return times


def main_thread_times(pids: Iterable[int]) -> dict[int, float]:
    """Seconds that the main thread of each process has used; of the process where unreadable."""
    pids = list(pids)
    times = processor_times(pids)
    for pid in pids:
        with contextlib.suppress(OSError, ValueError, IndexError):
            schedstat = (_PROC / str(pid) / "task" / str(pid) / "schedstat").read_bytes()
            times[pid] = int(schedstat.split()[0]) / 1e9
    return times


def family_states(pid: int) -> dict[int, str]:
    """The states (a letter for each thread) of a process and all its descendants, by process id.

    Empty when one of them cannot be read; dead processes are left out.
    """
    return _living(_tree_states(pid))


def process_states(pid: int) -> dict[int, str]:
    """The states of one process as in `family_states`, without its descendants."""
    return _living(islice(_tree_states(pid), 1))


def _living(states_by_pid: Iterator[tuple[int, str]]) -> dict[int, str]:
    try:
        return {pid: states for pid, states in states_by_pid if set(states).isdisjoint("ZX")}
    except (OSError, ValueError):
        return {}


def _tree_states(pid: int) -> Iterator[tuple[int, str]]:
    threads = list((_PROC / str(pid) / "task").iterdir())
    yield pid, "".join(_thread_state(thread / "stat") for thread in threads)
    for thread in threads:
        for child in (thread / "children").read_text().split():
            yield from _tree_states(int(child))


def _thread_state(stat: Path) -> str:
    """The state's letter, which follows the name in brackets; the name can hold any byte."""
    return stat.read_bytes().rpartition(b") ")[2][:1].decode("ascii")
