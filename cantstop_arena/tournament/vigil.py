"""Watching a worker: since when nothing has moved, and whether that is the bot's own doing.

What counts is the time that was seen to pass, so that a break of the whole machine, or of the
parent, is not held against anybody.
"""

from cantstop_arena.outcomes import Glimpse
from cantstop_arena.system import Activity

_BUSY = 0.8  # the share of a processor that a bot has to use to be called slow
_SAMPLES = 5  # in which a bot has to be asleep to be called slow


class Vigil:
    """One worker under watch."""

    def __init__(self) -> None:
        self.still = 0.0
        """Seconds for which nothing was seen to move."""
        self._step: tuple[int, ...] = ()
        self._first: Activity | None = None
        self._last: Activity | None = None
        self._states: list[str] = []

    def look(self, glimpse: Glimpse, activity: Activity | None, passed: float) -> None:
        """Note what is seen; `passed` are the seconds since the last look."""
        self._last = activity
        if glimpse.step != self._step:
            self._step, self._first, self._states = glimpse.step, activity, []
            self.still = 0.0
        else:
            self.still += passed
            self._states.append(activity.state if activity else "?")

    @property
    def proven(self) -> bool:
        """Whether the bot has used the time itself: it was busy all along, or asleep."""
        if self._first is None or self._last is None:
            return False
        if self._last.seconds - self._first.seconds >= _BUSY * self.still:
            return True
        return len(self._states) >= _SAMPLES and set(self._states) == {"S"}

    @property
    def stopped(self) -> bool:
        """Whether somebody has stopped the process, by a signal or in a debugger."""
        return bool(self._states) and self._states[-1] in ("T", "t")
