"""What users are told of a run while it goes on, and beside its tables."""

import contextlib
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cantstop_arena.cli.terminal.pace import Clock, Progress, RateLimiter, time_text
from cantstop_arena.cli.terminal.tty import (
    is_clever,
    is_in_front,
    speaks_unicode,
    takes_colours,
)
from cantstop_arena.errors import PageError
from cantstop_arena.tournaments.run_observer import LLR, RunObserver

if TYPE_CHECKING:
    from cantstop_arena.cli.terminal.live_table import LiveTable
    from cantstop_arena.deals.outcomes import TournamentTotals
    from cantstop_arena.tables.interim import Interim
    from cantstop_arena.tournaments.run import Look


class RunScreen(RunObserver):
    """Tells how a run goes on: a live table on a terminal, a line now and then elsewhere.

    Where programs read the tables, words for people go `aside`, to the standard error. A run whose
    end the games decide has an `aim`; a test has `bounds` for its log-likelihood ratio. The live
    table has a `title`, by default the name, and standings unless it is to do without.
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
        self._aimed = False

    def on_compile(self, names: list[str]) -> None:
        """Say what takes so long the first time."""
        if not self.quiet:
            self.close()
            text = ", ".join(names)
            click.echo(f"Compiling {text} (only the first time) ...", err=True)

    def on_start(self, played: int, games: int) -> None:
        """Say what is there, and what is to come."""
        self._progress.stands(played, games)
        if self.aim:
            self._aims(played)
        elif played == games:
            self.echo(f"{self.name} is complete: all {games:,} games have been played.\n")
        elif played:
            self.echo(f"{self.name} goes on: {played:,} of {games:,} games have been played.\n")
        else:
            self.echo(f"{self.name}: {games:,} games to play.\n")

    def _aims(self, played: int) -> None:
        """Say once until when games are played; how many that will be nobody knows."""
        if not self._aimed:
            so_far = f" {played:,} games have been played." if played else ""
            self.echo(f"{self.name}: plays until {self.aim}.{so_far}")
        self._aimed = True

    def on_progress(self, games: int) -> None:
        """Count the games."""
        self._progress.add_games(games)

    def on_total(self, played: int, games: int) -> None:
        """Count anew, without the games of a bot that is out."""
        self._progress.stands(played, games)

    def on_cluster(self, machines: int, processes: int) -> None:
        """Say how many machines of a cluster play."""
        text = f"{machines:,} machine{'s'[: machines != 1]} with {processes:,} processes"
        self._progress.machines = text if machines else "no machine yet"

    def on_notice(self, text: str) -> None:
        """Say what has happened to one of them."""
        if not self.quiet:
            self.close()
            click.echo(text, err=True)

    def on_tick(self, totals: "Callable[[], TournamentTotals] | None" = None) -> None:
        """Show how far the run is."""
        if self.quiet or totals is None:
            return
        if self._display is None:  # not before: things may have to be compiled first
            self._display = RunProgress(self.title, self._progress, self.standings, self._clock)
        self._display.update(totals)

    def on_look(self, look: "Look") -> None:
        """Say how narrow the intervals are by now, or how a test stands."""
        from cantstop_arena.tables.notes import extent_for

        if look.measure == LLR:
            text = f"LLR {round(look.value, 2) + 0.0:.2f}"
            lower, upper = self.bounds
            self._progress.reached = f"{text}; {lower:.2f} or {upper:.2f} decides"
            self.echo(f"{look.games // 2:,} deals: {text}.")
        elif look.bot:
            text = extent_for(look.measure, look.value, look.bot)
            self._progress.reached = text
            self.echo(f"{look.games:,} games of each group: {text}.")

    def echo_paths(self, folder: Path, paths: Sequence[Path]) -> None:
        """Say what was written."""
        self.echo(f"\nWritten to {folder}: {', '.join(path.name for path in paths)}.")

    @contextmanager
    def going_on_without(self) -> Iterator[None]:
        """Say why there is no page, where it cannot be drawn: the other results are there."""
        try:
            yield
        except PageError as error:
            click.echo(str(error), err=True)

    def echo(self, text: str) -> None:
        """Say something, unless nothing is to be said."""
        if not self.quiet:
            self.close()
            click.echo(text, err=self.aside)

    def close(self) -> None:
        """Wipe what is live."""
        if self._display is not None:
            self._display.wipe()


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
        self._line = RateLimiter(LINE, 0, clock)
        self._drawing = RateLimiter(DRAWING, TIMES, clock)
        self._reckoning = RateLimiter(RECKONING, TIMES, clock)
        self._live: LiveTable | None = None
        self._interim: Interim | None = None
        self._computed_at = 0.0
        self._computed_games = -1  # games played when the standings were reckoned
        progress.start()

    def update(self, results: "Callable[[], TournamentTotals]") -> None:
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

    def _draws(self, results: "Callable[[], TournamentTotals]") -> None:
        if not self._drawing.due():
            return
        from cantstop_arena.cli.terminal.live_table import LiveFrame, LiveTable

        if (
            self._standings
            and self._computed_games != self._progress.played
            and self._reckoning.due()
        ):
            self._reckons(results)
        progress = self._progress
        old = f"{time_text(self._clock() - self._computed_at)} ago"
        scene = LiveFrame(self._title, progress.share, progress.lines(), self._interim, old)
        with self._drawing.spent(), contextlib.suppress(OSError):  # the terminal may be gone
            if self._live is None:
                self._live = LiveTable(takes_colours())
            self._live.show(scene)

    def _reckons(self, results: "Callable[[], TournamentTotals]") -> None:
        from cantstop_arena.tables.interim import interim

        with self._reckoning.spent():
            self._interim = interim(results())
        self._computed_at, self._computed_games = self._clock(), self._progress.played
        if self._interim.extent:
            self._progress.reached = self._interim.extent
