"""The progress of commands: a live display on a terminal, a line now and then elsewhere.

A run shows games played, speed, remaining time and the standings, and prints messages around its
tables.
"""

import contextlib
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cantstop_arena.cli.terminal.tty import (
    is_in_front,
    supports_colours,
    supports_escape_codes,
    supports_unicode,
)
from cantstop_arena.errors import PageError
from cantstop_arena.texts import how_many, significant, time_text
from cantstop_arena.tournaments.run_observer import LLR, Look, RunObserver

if TYPE_CHECKING:
    from cantstop_arena.cli.terminal.live_table import LiveTable
    from cantstop_arena.deals.outcomes import TournamentTotals
    from cantstop_arena.tables.interim import Interim
    from cantstop_arena.tournaments.ledger.cover import QueryPlan


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

    @contextlib.contextmanager
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
    and `games` the number of games at the next look. `machines` is a text on others that play,
    `part` one on what is played of several tournaments.
    """

    def __init__(self, aim: str, clock: Clock, unit: str = "games") -> None:
        self.played = self.games = 0
        self.reached = self.machines = self.part = ""
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
        return ", ".join(parts) + (f"; {self.part}" if self.part else "")


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
        self._lacking: int | None = None  # games of the present one of several tournaments

    def on_whole(self, games: int) -> None:
        """Count the games of several tournaments together."""
        self._progress.stands(0, games)
        self._lacking = 0

    def on_compile(self, names: list[str]) -> None:
        """Print the names of the bots that are being compiled."""
        self.on_notice(f"Compiling {', '.join(names)} (only the first time) ...")

    def on_start(self, played: int, games: int) -> None:
        """Set how much is done already, and the total."""
        if self._lacking is None:
            self._progress.stands(played, games)
        else:
            self._lacking = games - played

    def on_progress(self, games: int) -> None:
        """Add to what is done."""
        self._progress.add_games(games)
        if self._lacking is not None:
            self._lacking -= games

    def on_total(self, played: int, games: int) -> None:
        """Replace the counts, as those of a disqualified bot's games no longer apply."""
        if self._lacking is None:
            self._progress.stands(played, games)
        else:
            self._progress.games += games - played - self._lacking
            self._lacking = games - played

    def on_notice(self, text: str) -> None:
        """Print a message."""
        if not self.quiet:
            self.close()
            click.echo(text, err=True)

    def on_tick(self, totals: Totals | None = None) -> None:
        """Update the display, once there is a total."""
        if self.quiet or not self._progress.games:
            return
        if self._display is None:  # not earlier: the clock must not count compilation
            self._display = ProgressDisplay(self.title, self._progress, self.standings, self._clock)
        self._display.update(totals)

    def close(self) -> None:
        """Erase the live display."""
        if self._display is not None:
            self._display.wipe()


class RunScreen(ProgressScreen):
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
        super().__init__(title or name, "games", quiet, aim=aim, standings=standings, clock=clock)
        self.name = name
        self.aside = aside
        self.aim = aim
        self.bounds = bounds

    def begin_part(self, name: str, number: str) -> None:
        """Name the one of several tournaments that is played next, such as `2 of 6`."""
        self.name = name
        self._progress.part = f"{name} ({number})"

    def on_plan(self, plan: "QueryPlan") -> None:
        """Print what the ledger has, and what will be played."""
        if self.quiet:
            return
        from cantstop_arena.tables.plan_text import plan_text

        self.echo(f"{self.name}: {plan_text(plan, self.aim)}")

    def on_cluster(self, machines: int, processes: int) -> None:
        """Store how many other machines play."""
        machine_text = f"{how_many(machines, 'machine')} with {processes:,} processes"
        self._progress.machines = machine_text if machines else "no machine yet"

    def on_look(self, look: Look) -> None:
        """Print the present width of the intervals, or the log-likelihood ratio of a test."""
        from cantstop_arena.tables.column import half_away
        from cantstop_arena.tables.notes import extent_for

        if look.measure == LLR:
            bound = self.bounds[look.value > 0]
            text = f"LLR {half_away(look.value, 2):.2f} of {bound:.2f}"
            self._progress.reached = text
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

    @contextlib.contextmanager
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
