"""How a run goes on, in numbers: how many games, how fast, and when to look at them again."""

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Clock = Callable[[], float]

WINDOW = 10.0  # seconds over which the pace is smoothed
SOON = 1.0  # seconds before which nothing is said about it
_UNITS = ((120, 1, "s"), (120 * 60, 60, "min"), (48 * 3600, 3600, "h"), (1e9, 86400, "d"))
"""Units of time: up to which number of seconds they are used, how many one is, and its sign."""


class RateLimiter:
    """Tells when something may be done again that takes time.

    That is after `pause` seconds, and after `times` as long as it took.
    """

    def __init__(self, pause: float, times: float, clock: Clock) -> None:
        self._pause, self._times, self._clock = pause, times, clock
        self._next = clock() + pause

    def due(self) -> bool:
        """Whether it may be done now."""
        return self._clock() >= self._next

    @contextmanager
    def spent(self) -> Iterator[None]:
        """While it is done."""
        value = self._clock()
        try:
            yield
        finally:
            now = self._clock()
            self._next = now + max(self._pause, self._times * (now - value))


class Pace:
    """How many games are played in a second, over the last ten or so."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._games = 0
        self._marks: deque[tuple[float, int]] = deque()

    def start(self) -> None:
        """Games are being played from now on."""
        if not self._marks:
            self._marks.append((self._clock(), 0))

    def add_games(self, games: int) -> None:
        """So many games have been played since the last time."""
        self.start()
        self._games += games
        now = self._clock()
        self._marks.append((now, self._games))
        while now - self._marks[1][0] >= WINDOW:
            self._marks.popleft()

    def rate(self) -> float | None:
        """Games a second; None while that cannot be told.

        Games come in blocks, so time since the last one counts only when it has been longer than
        all the others took.
        """
        if not self._games:
            return None
        (value, before), (last, games) = self._marks[0], self._marks[-1]
        seconds = max(last - value, self._clock() - last)
        return (games - before) / seconds if seconds >= SOON else None


class Progress:
    """How many of the games there are have been played, and how long the others take.

    Where games decide when the run ends, it has an `aim`, `reached` says how far they are, and
    `games` are those that are played up to the next look. The `machines` of a cluster are told.
    """

    def __init__(self, aim: str, clock: Clock) -> None:
        self.played = self.games = 0
        self.reached = self.machines = ""
        self._aim = aim
        self._pace = Pace(clock)

    def stands(self, played: int, games: int) -> None:
        """So many games of so many have been played."""
        self.played, self.games = played, games

    def start(self) -> None:
        """Games are being played from now on."""
        self._pace.start()

    def add_games(self, games: int) -> None:
        """So many more games have been played."""
        self.played += games
        self._pace.add_games(games)

    @property
    def share(self) -> float:
        """The share of the games that have been played."""
        return self.played / self.games if self.games else 0.0

    def lines(self) -> tuple[str, ...]:
        """What there is to say, on one line or two."""
        if not self._aim:
            return (str(self),)
        return str(self), f"until {self._aim}" + (f"; so far {self.reached}" * bool(self.reached))

    def __str__(self) -> str:
        of_all = "" if self._aim else f" of {self.games:,}"
        texts = [f"{self.played:,}{of_all} games"]
        rate = self._pace.rate()
        if rate:
            texts.append(f"{_rounded(rate)} games/s")
        if self._aim:
            texts.append(f"next look at {self.games:,}")
        elif rate:
            texts.append(f"{time_text((self.games - self.played) / rate)} left")
        if self.machines:
            texts.append(f"on {self.machines}")
        return ", ".join(texts)


def _rounded(rate: float) -> str:
    """A rate to two digits, which do not dance so much."""
    number = float(f"{rate:.2g}")
    return f"{number:,.0f}" if number >= 10 else f"{number:g}"


def time_text(seconds: float) -> str:
    """A stretch of time in the unit that fits it."""
    for maximum, unit, sign in _UNITS:
        if seconds <= maximum:
            return f"{max(1, round(seconds / unit))} {sign}"
    return "ages"
