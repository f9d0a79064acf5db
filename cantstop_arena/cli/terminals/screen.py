"""What users are told of a run while it goes on, and beside its tables."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cantstop_arena.cli.terminals.pace import Clock, Progress
from cantstop_arena.cli.terminals.progress import RunProgress
from cantstop_arena.errors import PageError

if TYPE_CHECKING:
    from cantstop_arena.deals.outcomes import Results
    from cantstop_arena.tournament.until import Look


class Screen:
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
        self._shown: RunProgress | None = None
        self._aimed = False

    def compiling(self, names: list[str]) -> None:
        """Say what takes so long the first time."""
        if not self.quiet:
            self.close()
            told = ", ".join(names)
            click.echo(f"Compiling {told} (only the first time) ...", err=True)

    def begins(self, played: int, games: int) -> None:
        """Say what is there, and what is to come."""
        self._progress.stands(played, games)
        if self.aim:
            self._aims(played)
        elif played == games:
            self.say(f"{self.name} is complete: all {games:,} games have been played.\n")
        elif played:
            self.say(f"{self.name} goes on: {played:,} of {games:,} games have been played.\n")
        else:
            self.say(f"{self.name}: {games:,} games to play.\n")

    def _aims(self, played: int) -> None:
        """Say once until when games are played; how many that will be nobody knows."""
        if not self._aimed:
            so_far = f" {played:,} games have been played." if played else ""
            self.say(f"{self.name}: plays until {self.aim}.{so_far}")
        self._aimed = True

    def advances(self, games: int) -> None:
        """Count the games."""
        self._progress.advances(games)

    def shrinks(self, played: int, games: int) -> None:
        """Count anew, without the games of a bot that is out."""
        self._progress.stands(played, games)

    def plays_on(self, machines: int, processes: int) -> None:
        """Say how many machines of a cluster play."""
        told = f"{machines:,} machine{'s'[: machines != 1]} with {processes:,} processes"
        self._progress.machines = told if machines else "no machine yet"

    def remarks(self, words: str) -> None:
        """Say what has happened to one of them."""
        if not self.quiet:
            self.close()
            click.echo(words, err=True)

    def passes(self, results: "Callable[[], Results]") -> None:
        """Show how far the run is."""
        if self.quiet:
            return
        if self._shown is None:  # not before: things may have to be compiled first
            self._shown = RunProgress(self.title, self._progress, self.standings, self._clock)
        self._shown.passes(results)

    def looks(self, look: "Look") -> None:
        """Say how narrow the intervals are by now."""
        from cantstop_arena.documents.until_words import extent_for

        if look.bot:
            told = extent_for(look.measure, look.measured, look.bot)
            self._progress.reached = told
            self.say(f"{look.games:,} games of each group: {told}.")

    def weighs(self, deals: int, ratio: float) -> None:
        """Say how a test stands by now."""
        told = f"LLR {round(ratio, 2) + 0.0:.2f}"
        lower, upper = self.bounds
        self._progress.reached = f"{told}; {lower:.2f} or {upper:.2f} decides"
        self.say(f"{deals:,} deals: {told}.")

    def written(self, folder: Path, paths: Sequence[Path]) -> None:
        """Say what was written."""
        self.say(f"\nWritten to {folder}: {', '.join(path.name for path in paths)}.")

    @contextmanager
    def going_on_without(self) -> Iterator[None]:
        """Say why there is no page, where it cannot be drawn: the other results are there."""
        try:
            yield
        except PageError as error:
            click.echo(str(error), err=True)

    def say(self, words: str) -> None:
        """Say something, unless nothing is to be said."""
        if not self.quiet:
            self.close()
            click.echo(words, err=self.aside)

    def close(self) -> None:
        """Wipe what is live."""
        if self._shown is not None:
            self._shown.wipe()
