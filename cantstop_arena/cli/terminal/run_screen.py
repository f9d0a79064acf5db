"""The progress of a run on the terminal, and the messages around its tables."""

import contextlib
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cantstop_arena.cli.terminal.pace import Clock, Progress, RateLimiter, time_text
from cantstop_arena.cli.terminal.tty import (
    is_in_front,
    supports_colours,
    supports_escape_codes,
    supports_unicode,
)
from cantstop_arena.errors import PageError
from cantstop_arena.tournaments.run_observer import LLR, RunObserver

if TYPE_CHECKING:
    from cantstop_arena.cli.terminal.live_table import LiveTable
    from cantstop_arena.deals.outcomes import TournamentTotals
    from cantstop_arena.tables.interim import Interim
    from cantstop_arena.tournaments.run import Look


class RunScreen(RunObserver):
    """Shows the progress of a run: a live table on a terminal, a line now and then elsewhere.

    `aside` sends messages to the standard error, when the tables on the standard output are for
    programs. A run whose end depends on its results has an `aim`; a test has `bounds` for its
    log-likelihood ratio. The `title` of the live table is by default the name; `standings=False`
    leaves the standings out.
    """

    def __init__(
        self,
        name: str,
        quiet: bool,
        aside: bool,
        aim: str = "",
        *,
        bounds: tuple[float, float] = (0.0, 0.0),
        title: str = "",
        standings: bool = True,
        clock: Clock = time.monotonic,
    ) -> None:
        self.name = name
        self.quiet = quiet
        self.aside = aside
        self.aim = aim
        self.bounds = bounds
        self.title = title or name
        self.standings = standings
        self._clock = clock
        self._progress = Progress(aim, clock)
        self._display: RunProgress | None = None
        self._aim_is_printed = False

    def on_compile(self, names: list[str]) -> None:
        """Print the names of the bots that are being compiled."""
        if not self.quiet:
            self.close()
            bot_names = ", ".join(names)
            click.echo(f"Compiling {bot_names} (only the first time) ...", err=True)

    def on_start(self, played: int, games: int) -> None:
        """Print how many games are stored and how many remain."""
        self._progress.stands(played, games)
        if self.aim:
            self._echo_aim(played)
        elif played == games:
            self.echo(f"{self.name} is complete: all {games:,} games have been played.")
        elif played:
            self.echo(f"{self.name} goes on: {played:,} of {games:,} games have been played.")
        else:
            self.echo(f"{self.name}: {games:,} games to play.")

    def _echo_aim(self, played: int) -> None:
        """Print the aim once; the number of games is not known in advance."""
        if not self._aim_is_printed:
            so_far = f" {played:,} games have been played." if played else ""
            self.echo(f"{self.name}: plays until {self.aim}.{so_far}")
        self._aim_is_printed = True

    def on_progress(self, games: int) -> None:
        """Add games to the count."""
        self._progress.add_games(games)

    def on_total(self, played: int, games: int) -> None:
        """Replace the counts, as those of a disqualified bot's games no longer apply."""
        self._progress.stands(played, games)

    def on_cluster(self, machines: int, processes: int) -> None:
        """Store how many machines of a cluster play."""
        machine_text = f"{machines:,} machine{'s'[: machines != 1]} with {processes:,} processes"
        self._progress.machines = machine_text if machines else "no machine yet"

    def on_notice(self, text: str) -> None:
        """Print a message of the cluster."""
        if not self.quiet:
            self.close()
            click.echo(text, err=True)

    def on_tick(self, totals: "Callable[[], TournamentTotals] | None" = None) -> None:
        """Update the display of the progress."""
        if self.quiet or totals is None:
            return
        if self._display is None:  # not earlier: the clock must not count compilation
            self._display = RunProgress(self.title, self._progress, self.standings, self._clock)
        self._display.update(totals)

    def on_look(self, look: "Look") -> None:
        """Print the present width of the intervals, or the log-likelihood ratio of a test."""
        from cantstop_arena.tables.notes import extent_for

        if look.measure == LLR:
            text = f"LLR {round(look.value, 2) + 0.0:.2f}"
            lower, upper = self.bounds
            self._progress.reached = f"{text}; {lower:.2f} or {upper:.2f} decides"
            self.echo(f"{look.games:,} games: {text}.")
        elif look.bot:
            text = extent_for(look.measure, look.value, look.bot)
            self._progress.reached = text
            self.echo(f"{look.games:,} games of each group: {text}.")

    def echo_folder(self, folder: Path, page: Path | None) -> None:
        """Print the folder that the files were written to, and the page, if there is one."""
        self.echo(f"\nWritten to {folder}")
        if page:
            self.echo(f"Page: {page}")

    @contextmanager
    def reporting_page_error(self) -> Iterator[None]:
        """Print a PageError instead of raising it, as all other results have been written."""
        try:
            yield
        except PageError as error:
            click.echo(str(error), err=True)

    def echo(self, text: str) -> None:
        """Print a text, unless the run is quiet."""
        if not self.quiet:
            self.close()
            click.echo(text, err=self.aside)

    def close(self) -> None:
        """Erase the live table."""
        if self._display is not None:
            self._display.wipe()


LINE_INTERVAL = 30.0  # seconds between two lines of progress
DRAWING, COMPUTING = 0.25, 1.0  # minimal seconds between two drawings, two computed standings
PAUSE_RATIO = 100  # times their duration is the pause: each takes at most 1% of the time


class RunProgress:
    """Shows the progress of a run on the standard error, as a live table if that is a terminal.

    Standings are computed and drawn while the workers play, so the share of time is limited.
    """

    def __init__(self, title: str, progress: Progress, standings: bool, clock: Clock) -> None:
        self._title, self._progress = title, progress
        self._standings, self._clock = standings, clock
        self._line = RateLimiter(LINE_INTERVAL, 0, clock)
        self._drawing = RateLimiter(DRAWING, PAUSE_RATIO, clock)
        self._computing = RateLimiter(COMPUTING, PAUSE_RATIO, clock)
        self._live: LiveTable | None = None
        self._interim: Interim | None = None
        self._computed_at = 0.0
        self._computed_games = -1  # games played when the standings were computed
        progress.start()

    def update(self, results: "Callable[[], TournamentTotals]") -> None:
        """Draw the live table or print a line, when it is due."""
        if self._is_live():
            self._draw(results)
        elif self._line.due():
            with self._line.spent(), contextlib.suppress(OSError):
                click.echo(str(self._progress), err=True)

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

    def _draw(self, results: "Callable[[], TournamentTotals]") -> None:
        if not self._drawing.due():
            return
        from cantstop_arena.cli.terminal.live_table import LiveFrame, LiveTable

        if (
            self._standings
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

    def _compute_standings(self, results: "Callable[[], TournamentTotals]") -> None:
        from cantstop_arena.tables.interim import interim

        with self._computing.spent():
            self._interim = interim(results())
        self._computed_at, self._computed_games = self._clock(), self._progress.played
        if self._interim.extent:
            self._progress.reached = self._interim.extent
