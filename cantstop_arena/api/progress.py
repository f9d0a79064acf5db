"""What is told while games are played: nothing, unless it is asked for."""

import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from cantstop_arena.texts import how_many

if TYPE_CHECKING:
    from cantstop_arena.deals.outcomes import Results
    from cantstop_arena.tournament.until import Look

_BETWEEN = 0.5  # seconds between two times that a line is written anew
_WIDTH = 79  # so that nothing is left of a longer line


class Silence:
    """Says nothing."""

    def compiling(self, names: list[str]) -> None: ...
    def begins(self, played: int, games: int) -> None: ...
    def advances(self, games: int) -> None: ...
    def shrinks(self, played: int, games: int) -> None: ...
    def passes(self, results: "Callable[[], Results] | None" = None) -> None: ...
    def looks(self, look: "Look") -> None: ...
    def weighs(self, deals: int, ratio: float) -> None: ...
    def plays_on(self, machines: int, processes: int) -> None: ...
    def remarks(self, words: str) -> None: ...
    def close(self) -> None: ...


class ProgressLines(Silence):
    """Keeps a line on the standard error up to date, on terminals and in notebooks alike."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._played = self._games = self._before = 0
        self._aside = ""
        self._began = 0.0  # when the first game could; things may have to be compiled before
        self._told = time.monotonic()

    def compiling(self, names: list[str]) -> None:
        """Say what takes so long the first time."""
        sys.stderr.write(f"Compiling {', '.join(names)} (only the first time) ...\n")

    def begins(self, played: int, games: int) -> None:
        """Games begin; so many stand there already."""
        self._played = self._before = played
        self._games, self._began = games, 0.0

    def advances(self, games: int) -> None:
        """Count the games."""
        self._played += games

    def shrinks(self, played: int, games: int) -> None:
        """Count anew, without the games of a bot that is out."""
        self._played, self._games = played, games

    def passes(self, results: "Callable[[], Results] | None" = None) -> None:
        """Write the line anew, now and then."""
        self._began = self._began or time.monotonic()
        if time.monotonic() - self._told >= _BETWEEN:
            self._tell()

    def looks(self, look: "Look") -> None:
        """Keep how narrow intervals are."""
        self._aside = f", {look.measure} of {look.bot} {look.measured:.4g}" if look.bot else ""

    def weighs(self, deals: int, ratio: float) -> None:
        """Keep how the test stands."""
        self._aside = f", LLR {ratio:.2f}"

    def plays_on(self, machines: int, processes: int) -> None:
        """Keep how many machines of a cluster play."""
        self._aside = f", {how_many(machines, 'machine')}"

    def remarks(self, words: str) -> None:
        """Say what a cluster has to say."""
        sys.stderr.write(f"\n{words}\n")

    def close(self) -> None:
        """Write it a last time, and leave it."""
        self._tell()
        sys.stderr.write("\n")

    def _tell(self) -> None:
        self._told = time.monotonic()
        seconds = self._told - (self._began or self._told)
        pace = (self._played - self._before) / max(seconds, 1e-3)
        line = f"{self._name}: {self._played:,} of {self._games:,} games, {pace:,.0f} a second"
        sys.stderr.write(f"\r{line + self._aside:<{_WIDTH}}")
        sys.stderr.flush()
