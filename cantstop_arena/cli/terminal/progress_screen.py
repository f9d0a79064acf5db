"""The progress of commands: a live display on a terminal, a line now and then elsewhere."""

import contextlib
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from cantstop_arena.cli.terminal.pace import Clock, Progress, RateLimiter
from cantstop_arena.cli.terminal.tty import (
    is_in_front,
    supports_colours,
    supports_escape_codes,
    supports_unicode,
)
from cantstop_arena.texts import time_text
from cantstop_arena.tournaments.run_observer import RunObserver

if TYPE_CHECKING:
    from cantstop_arena.cli.terminal.live_table import LiveTable
    from cantstop_arena.deals.outcomes import TournamentTotals
    from cantstop_arena.tables.interim import Interim

LINE_INTERVAL = 30.0  # seconds between two lines of progress
DRAWING, COMPUTING = 0.25, 1.0  # minimal seconds between two drawings, two computed standings
# Times their duration is the pause: drawing takes at most 1% of the time, computing 5%.
DRAWING_RATIO, COMPUTING_RATIO = 100, 20

Totals = Callable[[], "TournamentTotals"]


class ProgressDisplay:
    """Shows progress on the standard error, as a live table if that is a terminal, else as lines.

    Standings are computed and drawn while the workers play, so the share of time is limited.
    """

    def __init__(self, title: str, progress: Progress, standings: bool, clock: Clock) -> None:
        self._title, self._progress = title, progress
        self._standings, self._clock = standings, clock
        self._line = RateLimiter(LINE_INTERVAL, 0, clock)
        self._drawing = RateLimiter(DRAWING, DRAWING_RATIO, clock)
        self._computing = RateLimiter(COMPUTING, COMPUTING_RATIO, clock)
        self._live: LiveTable | None = None
        self._interim: Interim | None = None
        self._computed_at = 0.0
        self._computed_games = -1  # games played when the standings were computed
        progress.start()

    def update(self, results: Totals | None = None) -> None:
        """Draw the live table or print a line, when it is due."""
        if self._is_live():
            self._draw(results)
        elif self._line.due():
            with self._line.spent(), contextlib.suppress(OSError):
                click.echo(f"{self._title}: {self._progress}", err=True)

    def wipe(self) -> None:
        """Erase the live table."""
        live, self._live = self._live, None
        if live is not None:
            with contextlib.suppress(OSError):  # the terminal is gone
                live.wipe()

    def _is_live(self) -> bool:
        """Whether the standard error is a capable terminal, and this process in its foreground."""
        is_terminal = sys.stderr and sys.stderr.isatty()
        is_capable = bool(is_terminal) and supports_escape_codes() and supports_unicode(sys.stderr)
        is_ours = is_capable and is_in_front(sys.stderr)
        if not is_ours:
            self._live = None  # without erasing: other programs have written there since
        return is_ours

    def _draw(self, results: Totals | None) -> None:
        if not self._drawing.due():
            return
        from cantstop_arena.cli.terminal.live_table import LiveFrame, LiveTable

        if (
            results
            and self._standings
            and self._computed_games != self._progress.played
            and self._computing.due()
        ):
            self._compute_standings(results)
        progress = self._progress
        old = f"{time_text(self._clock() - self._computed_at)} ago"
        scene = LiveFrame(self._title, progress.share, progress.lines(), self._interim, old)
        with self._drawing.spent(), contextlib.suppress(OSError):  # the terminal may be gone
            if self._live is None:
                self._live = LiveTable(supports_colours())
            self._live.show(scene)

    def _compute_standings(self, results: Totals) -> None:
        from cantstop_arena.tables.interim import interim  # not in the time that is measured

        with self._computing.spent():
            self._interim = interim(results())
        self._computed_at, self._computed_games = self._clock(), self._progress.played
        if self._interim.extent:
            self._progress.reached = self._interim.extent


class ProgressScreen(RunObserver):
    """Shows how much of some work is done, in its `unit`, on the standard error.

    Commands of games get it from `views.command_progress`. With `standings` it shows those, too,
    of a run whose results `on_tick` gets. `aim` is for work whose amount depends on its results.
    """

    def __init__(
        self,
        title: str,
        unit: str,
        quiet: bool = False,
        *,
        aim: str = "",
        standings: bool = False,
        clock: Clock = time.monotonic,
    ) -> None:
        self.title = title
        self.quiet = quiet
        self.standings = standings
        self._clock = clock
        self._progress = Progress(aim, clock, unit)
        self._display: ProgressDisplay | None = None

    def on_compile(self, names: list[str]) -> None:
        """Print the names of the bots that are being compiled."""
        self.on_notice(f"Compiling {', '.join(names)} (only the first time) ...")

    def on_start(self, played: int, games: int) -> None:
        """Set how much is done already, and the total."""
        self._progress.stands(played, games)

    def on_progress(self, games: int) -> None:
        """Add to what is done."""
        self._progress.add_games(games)

    def on_total(self, played: int, games: int) -> None:
        """Replace the counts, as those of a disqualified bot's games no longer apply."""
        self._progress.stands(played, games)

    def on_notice(self, text: str) -> None:
        """Print a message."""
        if not self.quiet:
            self.close()
            click.echo(text, err=True)

    def on_tick(self, totals: Totals | None = None) -> None:
        """Update the display."""
        if self.quiet:
            return
        if self._display is None:  # not earlier: the clock must not count compilation
            self._display = ProgressDisplay(self.title, self._progress, self.standings, self._clock)
        self._display.update(totals)

    def close(self) -> None:
        """Erase the live display."""
        if self._display is not None:
            self._display.wipe()
