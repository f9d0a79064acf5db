"""`arena run`: play a tournament and print its tables."""

import shlex
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from cantstop_arena import stopping
from cantstop_arena.cli.tables import TEXT, show, table_options
from cantstop_arena.errors import PageError
from cantstop_arena.system import bytes_of

if TYPE_CHECKING:
    from click._termui_impl import ProgressBar

    from cantstop_arena.tournament.until import Look
    from cantstop_arena.tournament.workforce import Terms

Command = TypeVar("Command", bound=Callable[..., Any])

bots_option = click.option(
    "--bots",
    "bots_folder",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("bots"),
    show_default=True,
    metavar="DIR",
    help="Folder whose files are bots.",
)


def _bytes(context: click.Context, parameter: click.Parameter, text: str | None) -> int | None:
    try:
        return None if text is None else bytes_of(text)
    except ValueError:
        raise click.BadParameter(f"{text!r} is no size like 512M or 2G") from None


class Screen:
    """Shows how a run goes on: a bar on a terminal, hardly anything elsewhere.

    Where programs read the tables, words for people go `aside`, to the standard error.
    """

    def __init__(self, name: str, quiet: bool, aside: bool, aim: str = "") -> None:
        self.name = name
        self.quiet = quiet
        self.aside = aside
        self.aim = aim
        self.games = 0
        self.missing = 0
        self._bar: ProgressBar[int] | None = None
        self._aimed = False

    def compiling(self, names: list[str]) -> None:
        """Say what takes so long the first time."""
        if not self.quiet:
            told = ", ".join(names)
            click.echo(f"Compiling {told} (only the first time) ...", err=True)

    def begins(self, played: int, games: int) -> None:
        """Say what is there, and what is to come."""
        self.games, self.missing = games, games - played
        if self.aim:
            self._aims(played)
        elif not self.missing:
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

    def looks(self, look: "Look") -> None:
        """Say how narrow the intervals are by now."""
        from cantstop_arena.reports.ending import extent

        self.close()
        if look.bot:
            told = extent(look.measure, look.measured)
            self.say(f"{look.games:,} games of each group: {told} for {look.bot}.")

    def weighs(self, deals: int, ratio: float) -> None:
        """Say how a test stands by now."""
        self.close()
        self.say(f"{deals:,} deals: LLR {round(ratio, 2) + 0.0:.2f}.")

    def written(self, folder: Path, paths: Sequence[Path]) -> None:
        """Say what was written."""
        self.say(f"\nWritten to {folder}: {', '.join(path.name for path in paths)}.")

    @contextmanager
    def going_on_without(self) -> Iterator[None]:
        """Say that there is nothing to draw the page with: the other results are there."""
        try:
            yield
        except PageError as error:
            click.echo(str(error), err=True)

    def say(self, words: str) -> None:
        """Say something, unless nothing is to be said."""
        if not self.quiet:
            click.echo(words, err=self.aside)

    def advances(self, games: int) -> None:
        """Move the bar."""
        if self.quiet or not sys.stderr.isatty():
            return
        if self._bar is None:
            self._bar = click.progressbar(length=self.missing, label="Playing", file=sys.stderr)
            self._bar.__enter__()
        self._bar.update(games)

    def close(self) -> None:
        """End the bar's line."""
        if self._bar is not None:
            self._bar.__exit__(None, None, None)
            self._bar = None


workers_option = click.option(
    "--workers", type=click.IntRange(1), help="Processes that play. Default: all cores."
)
results_option = click.option(
    "--results",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("results"),
    show_default=True,
    metavar="DIR",
    help="Where the folder with the results goes.",
)
PLAYING = (
    workers_option,
    click.option(
        "--start-method",
        type=click.Choice(["fork", "forkserver", "spawn"]),
        help="How workers are started. Default: fork where that is safe, else spawn.",
    ),
    click.option(
        "--memory",
        callback=_bytes,
        metavar="SIZE",
        help="What each worker may take beyond what it starts with, such as 512M or 2G.",
    ),
    click.option("--games", type=int, help="Games for each group of bots that meets."),
    click.option("--seed", type=int, help="Seed of the dice."),
    results_option,
    bots_option,
    click.option("--fresh", is_flag=True, help="Forget earlier results of this name."),
    click.option("--quiet", is_flag=True, help="Print the tables and nothing else."),
)


def playing_options(command: Command) -> Command:
    """The options of commands that play what a file describes."""
    for option in reversed(PLAYING):
        command = option(command)
    return command


def say_how_to_go_on() -> None:
    """From now on a user who stops the run is told how to continue it."""
    again = shlex.join(["arena", *(word for word in sys.argv[1:] if word != "--fresh")])
    stopping.say_at_the_end(f"\nStopped. Nothing finished is lost; go on with:\n  {again}")


def terms_of(workers: int | None, start_method: str | None, memory: int | None) -> "Terms":
    """The terms on which workers play, with defaults for what is not given."""
    from cantstop_arena.tournament.worker import start_methods, worker_count
    from cantstop_arena.tournament.workforce import Terms

    return Terms(workers or worker_count(), start_method or start_methods()[0], memory)


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@playing_options
@table_options
def run(
    file: Path,
    workers: int | None,
    start_method: str | None,
    memory: int | None,
    games: int | None,
    seed: int | None,
    results: Path,
    bots_folder: Path,
    fresh: bool,
    quiet: bool,
    form: str,
    chosen: Sequence[str],
) -> None:
    """Play the tournament of FILE and print its standings.

    All groups of bots meet on the same deals, in every seating. Results are the same for any
    number of workers. Run it again to continue with more games, or after an interruption.
    """
    from cantstop_arena.plugins import Catalogue
    from cantstop_arena.reports import files
    from cantstop_arena.reports.analysis import Analysis
    from cantstop_arena.reports.ending import until_text
    from cantstop_arena.reports.telling import GAMES, record_games
    from cantstop_arena.tournament import config
    from cantstop_arena.tournament.replaying import replayed
    from cantstop_arena.tournament.until import play

    catalogue = Catalogue(bots_folder)
    tournament = config.read(file, catalogue, config.Overrides(games, seed))
    folder = results / tournament.name
    aim = until_text(tournament.until) if tournament.until else ""
    screen = Screen(tournament.name, quiet, form != TEXT, aim)
    say_how_to_go_on()
    try:
        terms = terms_of(workers, start_method, memory)
        outcome = play(tournament, catalogue, folder, terms, screen, fresh=fresh)
    finally:
        screen.close()
    if aim:
        screen.say("")
    analysis = Analysis(outcome)
    paths = files.write_reports(analysis, folder)
    show(analysis, form, chosen)
    if record_games(analysis, folder, partial(replayed, tournament, catalogue, silent=True)):
        paths.append(folder / GAMES)
    with screen.going_on_without():
        paths.append(files.write_page(analysis, folder))
    screen.written(folder, paths)
