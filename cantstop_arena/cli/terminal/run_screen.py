"""The progress of a run on the terminal, and the messages around its tables."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cantstop_arena.cli.terminal.progress_screen import Clock, ProgressScreen
from cantstop_arena.errors import PageError
from cantstop_arena.texts import how_many
from cantstop_arena.tournaments.run_observer import LLR, Look

if TYPE_CHECKING:
    from cantstop_arena.tournaments.ledger.cover import QueryPlan


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

    def on_plan(self, plan: "QueryPlan") -> None:
        """Print what the ledger has, and what will be played."""
        if self.quiet:
            return
        from cantstop_arena.tables.plan_text import plan_text

        self.echo(f"{self.name}: {plan_text(plan, self.aim)}")

    def on_cluster(self, machines: int, processes: int) -> None:
        """Store how many machines of a cluster play."""
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
