"""The progress of a run in numbers: games played, speed, and remaining time."""

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from cantstop_arena.texts import significant, time_text

Clock = Callable[[], float]

WINDOW = 10.0  # seconds over which the rate is averaged
MIN_SECONDS = 1.0  # of play before there is a rate


class RateLimiter:
    """Limits the share of time that a repeated action takes.

    The action is due again after `pause` seconds, and not before `times` its own duration.
    """

    def __init__(self, pause: float, times: float, clock: Clock) -> None:
        self._pause, self._times, self._clock = pause, times, clock
        self._next = clock() + pause

    def due(self) -> bool:
        """Whether the action may run now."""
        return self._clock() >= self._next

    @contextmanager
    def spent(self) -> Iterator[None]:
        """A context that measures the duration of the action."""
        started = self._clock()
        try:
            yield
        finally:
            now = self._clock()
            self._next = now + max(self._pause, self._times * (now - started))


class Pace:
    """The number of games per second, averaged over the last WINDOW seconds."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._games = 0
        self._marks: deque[tuple[float, int]] = deque()

    def start(self) -> None:
        """Start the clock, if it is not running."""
        if not self._marks:
            self._marks.append((self._clock(), 0))

    def add_games(self, games: int) -> None:
        """Add the games played since the last call."""
        self.start()
        self._games += games
        now = self._clock()
        self._marks.append((now, self._games))
        while now - self._marks[1][0] >= WINDOW:
            self._marks.popleft()

    def rate(self) -> float | None:
        """Games per second; None while there are too few data.

        Games arrive in blocks, so the time since the last block counts only when it is longer than
        the time of the blocks in the window.
        """
        if not self._games:
            return None
        (first_time, first_games), (last_time, games) = self._marks[0], self._marks[-1]
        seconds = max(last_time - first_time, self._clock() - last_time)
        return (games - first_games) / seconds if seconds >= MIN_SECONDS else None


class Progress:
    """The games played, the total, and the remaining time; `unit` may be another than games.

    A run whose end depends on the results has an `aim`: `reached` is a text on how close it is,
    and `games` the number of games at the next look. `machines` is a text on those of a cluster.
    """

    def __init__(self, aim: str, clock: Clock, unit: str = "games") -> None:
        self.played = self.games = 0
        self.reached = self.machines = ""
        self._aim, self._unit = aim, unit
        self._pace = Pace(clock)

    def stands(self, played: int, games: int) -> None:
        """Set the games played and the total."""
        self.played, self.games = played, games

    def start(self) -> None:
        """Start the clock."""
        self._pace.start()

    def add_games(self, games: int) -> None:
        """Add the games played since the last call."""
        self.played += games
        self._pace.add_games(games)

    @property
    def share(self) -> float:
        """The fraction of the games that have been played."""
        return self.played / self.games if self.games else 0.0

    def lines(self) -> tuple[str, ...]:
        """The progress as one line, or two when there is an aim."""
        if not self._aim:
            return (str(self),)
        return str(self), f"until {self._aim}" + (f"; so far {self.reached}" * bool(self.reached))

    def __str__(self) -> str:
        of_all = "" if self._aim else f" of {self.games:,}"
        parts = [f"{self.played:,}{of_all} {self._unit}"]
        rate = self._pace.rate()
        if rate:
            parts.append(f"{significant(rate, 2)} {self._unit}/s")
        if self._aim:
            parts.append(f"next look at {self.games:,}")
        elif rate:
            parts.append(f"{time_text((self.games - self.played) / rate)} left")
        if self.machines:
            parts.append(f"on {self.machines}")
        return ", ".join(parts)
