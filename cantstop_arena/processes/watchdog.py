"""How long a process has let others wait, and whether that is its own doing.

Time is a process's *own* while it computes or sleeps. While it waits for a processor, for a disk,
for a debugger or for whoever stopped it, time is the machine's, and nobody is charged for it: so a
bot is found too slow after the same time on a busy machine as on a quiet one.
"""

import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

_PROC = Path("/proc")

_LOOKS = 10  # within a limit, so that what lies between two of them weighs little
_SHORTEST_PULSE, _MAX_PULSE_SECONDS = 0.005, 0.05
_BREAK = 4
"""Pulses that count at most between two looks: after a longer break of our own, perhaps of the
whole machine, nobody knows what the process did."""

_STARVED, _STARVED_LEAST = 10, 5.0
"""A process that gets no processor is waited for ten times its limit, and five seconds at least.
At a load of ten for each core it has had its limit by then; longer waits would stop the run."""


def pulse(limit: float) -> float:
    """Seconds between two looks at a process that has `limit` seconds."""
    return min(max(limit / _LOOKS, _SHORTEST_PULSE), _MAX_PULSE_SECONDS)


def counted_seconds(passed: float, pulse: float) -> float:
    """Of the seconds that passed between two looks, those that count."""
    return min(passed, _BREAK * pulse)


def wall_limit(limit: float) -> float:
    """Seconds after which a process that has `limit` seconds is waited for no longer."""
    return max(_STARVED * limit, limit + _STARVED_LEAST)


class Watchdog:
    """Watches one process with all that descend from it."""

    def __init__(self, pid: int) -> None:
        self.idle = 0.0
        """Seconds for which nothing was seen to move."""
        self.own = 0.0
        """Of these, the seconds in which the process computed or slept."""
        self.halted = 0.0
        """The last of these, for which somebody has stopped the process."""
        self._pid = pid
        self._family: tuple[int, ...] = (pid,)
        self._step: tuple[int, ...] = ()
        self.begin()

    def meet(self) -> None:
        """Get to know the processes that there are before anything is waited for."""
        self._family = tuple(family_states(self._pid)) or (self._pid,)

    def begin(self) -> None:
        """Something else is waited for from now on."""
        self.idle = self.own = self.halted = 0.0
        self._states: dict[int, str] = {}
        self._slept = True
        self._times = processor_times(self._family)

    def observe(self, step: tuple[int, ...], passed: float) -> None:
        """Look whether something has moved: then `step` is another. `passed`: see `look`."""
        if step == self._step:
            self.check(passed)
        else:
            self._step = step
            self.begin()

    def check(self, passed: float) -> None:
        """Look at the processes; `passed` are the seconds since the last look, or the beginning."""
        states = family_states(self._pid)
        times = processor_times(states)
        before = times | self._times  # a process first seen now counts from now on
        computed = sum(spent - before[pid] for pid, spent in times.items())
        self._states, self._times = states, before | times
        slept = self._letters == {"S"}
        self.idle += passed
        self.own += passed if slept and self._slept else min(computed, passed)
        self._slept = slept
        self.halted = self.halted + passed if self.stopped else 0.0

    @property
    def _letters(self) -> set[str]:
        return set("".join(self._states.values()))

    @property
    def stopped(self) -> bool:
        """Whether somebody has stopped the process, by a signal or in a debugger."""
        return not set("Tt").isdisjoint(self._states.get(self._pid, ""))

    def proven(self, limit: float) -> bool:
        """Whether the process itself has let so many seconds pass."""
        return self.own >= limit

    def overdue(self, limit: float) -> bool:
        """Whether `limit` seconds are over, of its own time where that can be told.

        It cannot be told of a process that was stopped, or where the system tells nothing.
        """
        if self.idle < limit or self.proven(limit):
            return self.idle >= limit
        told = self._letters and self._letters.isdisjoint("Tt")
        return not told or self.idle >= wall_limit(limit)


class AnswerTimer:
    """Keeps the time of one question after the other to a process."""

    def __init__(self, pid: int) -> None:
        self._watchdog = Watchdog(pid)
        self._limit = self._pulse = 0.0
        self._looked = 0.0

    def meet(self) -> None:
        """Get to know the processes that there are before the first question."""
        self._watchdog.meet()

    def begin(self, limit: float) -> None:
        """A question is put, to be answered within `limit` seconds."""
        self._limit, self._pulse = limit, pulse(limit)
        self._watchdog.begin()
        self._looked = time.monotonic()

    def pause(self) -> float:
        """Milliseconds until the next look."""
        return max(0.0, self._looked + self._pulse - time.monotonic()) * 1000

    def is_over(self) -> bool:
        """Whether the time is up, after a look at the processes if one is due."""
        now = time.monotonic()
        if now >= self._looked + self._pulse:
            self._watchdog.check(counted_seconds(now - self._looked, self._pulse))
            self._looked = now
        return self._watchdog.overdue(self._limit)

    def halted(self) -> float:
        """For how many seconds somebody has stopped the process, up to now."""
        return self._watchdog.halted

    def proven(self) -> bool:
        """Whether it is certain that the process itself let the time pass."""
        return self._watchdog.proven(self._limit)

    def verdict(self) -> str:
        """What to say once the time is up."""
        told = f"no answer within {self._limit:g} s"
        excuse = "the program was stopped, or the machine was busy"
        return told if self.proven() else f"{told}, and perhaps {excuse}"


def processor_times(pids: Iterable[int]) -> dict[int, float]:
    """The seconds of processor time that each process has used, of those that can be asked."""
    times = {}
    if sys.platform == "linux":
        for pid in pids:
            try:
                times[pid] = time.clock_gettime(~pid << 3 | 2)  # as clock_getcpuclockid(3) does
            except OSError:
                continue
    return times


def family_states(pid: int) -> dict[int, str]:
    """The states (a letter for each thread) of a process and all that descend from it.

    Empty where they cannot all be seen; dead processes are left out.
    """
    try:
        states = dict(_walk(pid))
    except (OSError, ValueError):
        return {}
    return {one: letters for one, letters in states.items() if not set(letters) & set("ZX")}


def _walk(pid: int) -> Iterator[tuple[int, str]]:
    threads = _PROC / str(pid) / "task"
    letters, children = "", ""
    for thread in threads.iterdir():
        letters += _state(thread / "stat")
        children += (thread / "children").read_text()
    yield pid, letters
    for child in children.split():
        yield from _walk(int(child))


def _state(stat: Path) -> str:
    """The letter after the name, which is in brackets and may hold anything."""
    return stat.read_bytes().rpartition(b") ")[2][:1].decode("ascii")
