"""Progress in scripts and notebooks: a line on the standard error, and a bar in notebooks."""

import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

from cantstop_arena.tables.column import half_away
from cantstop_arena.texts import how_many
from cantstop_arena.tournaments.run_observer import LLR, Look, RunObserver

if TYPE_CHECKING:
    from cantstop_arena.deals.outcomes import TournamentTotals

_INTERVAL = 0.5  # seconds between two updates of the line
_WIDTH = 79  # characters: the line is padded, to overwrite a longer one


Progress: TypeAlias = bool | Callable[[str], RunObserver]
"""Whether to print progress to the standard error, or a function from a name to an observer."""


def observer_for(progress: Progress, name: str, unit: str = "games") -> RunObserver:
    """The observer for the tournament, or other work, of this name; lines count in this unit."""
    if not isinstance(progress, bool):
        return progress(name)
    if not progress:
        return RunObserver()
    return NotebookBar(name, unit) if "ipykernel" in sys.modules else ProgressLines(name, unit)


class ProgressLines(RunObserver):
    """Updates a line on the standard error, on terminals and in notebooks alike."""

    def __init__(self, name: str, unit: str = "games") -> None:
        self._name, self._unit = name, unit
        self._played = self._games = self._stored = 0
        self._suffix = ""
        self._start_time = 0.0  # of the first game: compiling comes before it
        self._last_write = time.monotonic()

    def on_compile(self, names: list[str]) -> None:
        """Print the names of the bots that are being compiled."""
        sys.stderr.write(f"Compiling {', '.join(names)} (only the first time) ...\n")

    def on_start(self, played: int, games: int) -> None:
        """Start counting at the number of stored games."""
        self._played = self._stored = played
        self._games, self._start_time = games, 0.0

    def on_progress(self, games: int) -> None:
        """Add games to the count."""
        self._played += games

    def on_total(self, played: int, games: int) -> None:
        """Replace the counts, as those of a disqualified bot's games no longer apply."""
        self._played, self._games = played, games

    def on_tick(self, totals: "Callable[[], TournamentTotals] | None" = None) -> None:
        """Update the line when the interval is over."""
        self._start_time = self._start_time or time.monotonic()
        if time.monotonic() - self._last_write >= _INTERVAL:
            self._write_line()

    def on_look(self, look: Look) -> None:
        """Store the width of intervals, or the log-likelihood ratio of a test."""
        if look.measure == LLR:
            self._suffix = f", LLR {half_away(look.value, 2):.2f}"
        else:
            self._suffix = f", {look.measure} of {look.bot} {look.value:.4g}" if look.bot else ""

    def on_cluster(self, machines: int, processes: int) -> None:
        """Store the number of machines that play."""
        self._suffix = f", {how_many(machines, 'machine')}"

    def on_notice(self, text: str) -> None:
        """Print a message about the run."""
        sys.stderr.write(f"\n{text}\n")

    def close(self) -> None:
        """Update the line a last time, and end it."""
        self._write_line()
        sys.stderr.write("\n")

    def _write_line(self) -> None:
        self._last_write = time.monotonic()
        seconds = self._last_write - (self._start_time or self._last_write)
        pace = (self._played - self._stored) / max(seconds, 1e-3)
        line = (
            f"{self._name}: {self._played:,} of {self._games:,} {self._unit}, {pace:,.0f} a second"
        )
        sys.stderr.write(f"\r{line + self._suffix:<{_WIDTH}}")
        sys.stderr.flush()


class NotebookBar(ProgressLines):
    """Updates the line, and IPython's bar below it."""

    _bar: Any = None

    def _write_line(self) -> None:
        super()._write_line()
        from IPython import display

        if self._bar is None:
            self._bar = display.ProgressBar(self._games)  # type: ignore[no-untyped-call]
            self._bar.display()
        self._bar.total, self._bar.progress = self._games, self._played  # draws it again
