"""What a bot's processes do while its answer is awaited: the evidence when none comes."""

import sys
import time
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path

_PROC = Path("/proc")
_LOOKS = 5
_TICKS = 10
_SHORTEST_TICK, _LONGEST_TICK = 0.001, 0.05
# A process that never rests still gets a little less than all of the time.
_WHOLE = 0.95


class Watch:
    """Keeps the time of one question after the other, and looks at the bot's processes."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._family: tuple[int, ...] = (pid,)
        self._limit = self._tick = 0.0
        self._begun = self._next = 0.0
        self._before: dict[int, float] = {}
        self._used = 0.0
        self._looks: list[tuple[float, bool]] = []

    def meet(self) -> None:
        """Get to know the processes that there are before the first question."""
        self._family = tuple(family_states(self._pid)) or (self._pid,)

    def begin(self, limit: float) -> None:
        """A question is put, to be answered within `limit` seconds."""
        self._limit = limit
        self._tick = min(max(limit / _TICKS, _SHORTEST_TICK), _LONGEST_TICK)
        self._before = processor_times(self._family)
        self._used = 0.0
        self._looks.clear()
        self._begun = time.monotonic()
        self._next = self._begun + self._tick

    def pause(self) -> float:
        """Milliseconds until there is something to look at, or the time is up."""
        until = min(self._next, self._begun + self._limit)
        return max(0.0, until - time.monotonic()) * 1000

    def is_over(self) -> bool:
        """Whether the time is up, after a look at the processes if one is due."""
        now = time.monotonic()
        over = now >= self._begun + self._limit
        if over or now >= self._next:
            self._look(now)
        return over

    def proven(self) -> bool:
        """Whether it is certain that the bot itself let the time pass."""
        return self._used >= _WHOLE * self._limit or self._slept()

    def verdict(self) -> str:
        """What to say once the time is up."""
        told = f"no answer within {self._limit:g} s"
        excuse = "the program was stopped, or the machine was busy"
        return told if self.proven() else f"{told}, and perhaps {excuse}"

    def _look(self, now: float) -> None:
        self._next = now + self._tick
        states = family_states(self._pid)
        times = processor_times(states)
        self._before = times | self._before  # a process first seen now counts from now
        self._used = sum(spent - self._before[pid] for pid, spent in times.items())
        self._looks.append((now, bool(states) and set("".join(states.values())) == {"S"}))

    def _slept(self) -> bool:
        """Whether it was asleep whenever looked at, and was looked at all the time."""
        if len(self._looks) < _LOOKS:
            return False
        moments = [self._begun, *(moment for moment, _ in self._looks)]
        gaps = [later - sooner for sooner, later in pairwise(moments)]
        return all(asleep for _, asleep in self._looks) and max(gaps) <= self._limit / _LOOKS


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
