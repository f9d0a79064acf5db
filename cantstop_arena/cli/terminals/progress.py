"""How far a run is, for people to see: when that is drawn live, and when it is a line."""

import contextlib
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from cantstop_arena.cli.terminals.pace import Budget, Clock, Progress, time_text
from cantstop_arena.cli.terminals.terminal import (
    is_clever,
    is_in_front,
    speaks_unicode,
    takes_colours,
)

if TYPE_CHECKING:
    from cantstop_arena.cli.terminals.live import LiveTable
    from cantstop_arena.deals.outcomes import Results
    from cantstop_arena.documents.tables.interim import Interim

LINE = 30.0  # seconds between two lines
DRAWING, RECKONING = 0.25, 1.0  # seconds at least between two times
TIMES = 100  # as long as they take: neither costs more than 1% of the time


class RunProgress:
    """Shows the progress of a run on the standard error: live, if that is a terminal.

    The standings are reckoned, and everything drawn, while the workers play: so seldom that they
    hardly notice.
    """

    def __init__(self, title: str, progress: Progress, standings: bool, clock: Clock) -> None:
        self._title, self._progress = title, progress
        self._standings, self._clock = standings, clock
        self._line = Budget(LINE, 0, clock)
        self._drawing = Budget(DRAWING, TIMES, clock)
        self._reckoning = Budget(RECKONING, TIMES, clock)
        self._live: LiveTable | None = None
        self._interim: Interim | None = None
        self._reckoned = 0.0
        self._seen = -1  # games played when the standings were reckoned
        progress.begins()

    def passes(self, results: "Callable[[], Results]") -> None:
        """Show, now and then, how far the run is."""
        if self._is_live():
            self._draws(results)
        elif self._line.due():
            with self._line.spent(), contextlib.suppress(OSError):
                click.echo(str(self._progress), err=True)

    def wipe(self) -> None:
        """Leave the terminal as if nothing had been drawn."""
        live, self._live = self._live, None
        if live is not None:
            with contextlib.suppress(OSError):  # the terminal is gone
                live.wipe()

    def _is_live(self) -> bool:
        """Whether a terminal is there that is ours at the moment, and not the shell's."""
        here = sys.stderr and sys.stderr.isatty()
        able = bool(here) and is_clever() and speaks_unicode(sys.stderr)
        ours = able and is_in_front(sys.stderr)
        if not ours:
            self._live = None  # nor is what stands there ours to wipe
        return ours

    def _draws(self, results: "Callable[[], Results]") -> None:
        if not self._drawing.due():
            return
        from cantstop_arena.cli.terminals.live import LiveTable, Scene

        if self._standings and self._seen != self._progress.played and self._reckoning.due():
            self._reckons(results)
        progress = self._progress
        old = f"{time_text(self._clock() - self._reckoned)} ago"
        scene = Scene(self._title, progress.share, progress.lines(), self._interim, old)
        with self._drawing.spent(), contextlib.suppress(OSError):  # the terminal may be gone
            if self._live is None:
                self._live = LiveTable(takes_colours())
            self._live.show(scene)

    def _reckons(self, results: "Callable[[], Results]") -> None:
        from cantstop_arena.documents.tables.interim import interim

        with self._reckoning.spent():
            self._interim = interim(results())
        self._reckoned, self._seen = self._clock(), self._progress.played
        if self._interim.extent:
            self._progress.reached = self._interim.extent
