"""Progress in scripts and notebooks: a line on the standard error, where it is asked for."""

import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from cantstop_arena.texts import how_many
from cantstop_arena.tournaments.run_observer import LLR, RunObserver

if TYPE_CHECKING:
    from cantstop_arena.deals.outcomes import TournamentTotals
    from cantstop_arena.tournaments.run import Look

_BETWEEN = 0.5  # seconds between two times that a line is written anew
_WIDTH = 79  # so that nothing is left of a longer line


Progress: TypeAlias = bool | Callable[[str], RunObserver]
"""Whether to print lines to the standard error, or a function that makes an observer for a name."""


def observer_for(progress: Progress, name: str) -> RunObserver:
    """The observer of what is played under a name."""
    if not isinstance(progress, bool):
        return progress(name)
    return ProgressLines(name) if progress else RunObserver()


class ProgressLines(RunObserver):
    """Keeps a line on the standard error up to date, on terminals and in notebooks alike."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._played = self._games = self._before = 0
        self._aside = ""
        self._began = 0.0  # when the first game could; things may have to be compiled before
        self._output_at = time.monotonic()

    def on_compile(self, names: list[str]) -> None:
        """Say what takes so long the first time."""
        sys.stderr.write(f"Compiling {', '.join(names)} (only the first time) ...\n")

    def on_start(self, played: int, games: int) -> None:
        """Games begin; so many stand there already."""
        self._played = self._before = played
        self._games, self._began = games, 0.0

    def on_progress(self, games: int) -> None:
        """Count the games."""
        self._played += games

    def on_total(self, played: int, games: int) -> None:
        """Count anew, without the games of a bot that is out."""
        self._played, self._games = played, games

    def on_tick(self, totals: "Callable[[], TournamentTotals] | None" = None) -> None:
        """Write the line anew, now and then."""
        self._began = self._began or time.monotonic()
        if time.monotonic() - self._output_at >= _BETWEEN:
            self._write_line()

    def on_look(self, look: "Look") -> None:
        """Keep how narrow intervals are, or how the test stands."""
        if look.measure == LLR:
            self._aside = f", LLR {look.value:.2f}"
        else:
            self._aside = f", {look.measure} of {look.bot} {look.value:.4g}" if look.bot else ""

    def on_cluster(self, machines: int, processes: int) -> None:
        """Keep how many machines of a cluster play."""
        self._aside = f", {how_many(machines, 'machine')}"

    def on_notice(self, text: str) -> None:
        """Say what a cluster has to say."""
        sys.stderr.write(f"\n{text}\n")

    def close(self) -> None:
        """Write it a last time, and leave it."""
        self._write_line()
        sys.stderr.write("\n")

    def _write_line(self) -> None:
        self._output_at = time.monotonic()
        seconds = self._output_at - (self._began or self._output_at)
        pace = (self._played - self._before) / max(seconds, 1e-3)
        line = f"{self._name}: {self._played:,} of {self._games:,} games, {pace:,.0f} a second"
        sys.stderr.write(f"\r{line + self._aside:<{_WIDTH}}")
        sys.stderr.flush()
