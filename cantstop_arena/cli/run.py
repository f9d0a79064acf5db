"""`arena run`: play a tournament and print its tables."""

import shlex
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from cantstop_arena import stopping
from cantstop_arena.cli.screen import Screen
from cantstop_arena.cli.tables import TEXT, show, table_options
from cantstop_arena.system import bytes_of

if TYPE_CHECKING:
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
    click.option(
        "--page/--no-page",
        default=True,
        envvar="CANTSTOP_ARENA_PAGE",
        show_envvar=True,
        help="Write report.html, which takes about a second. Default: yes.",
    ),
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
    page: bool,
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
    from cantstop_arena.tournament.replaying import recorded
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
    if record_games(analysis, folder, partial(recorded, tournament, catalogue)):
        paths.append(folder / GAMES)
    if page:
        with screen.going_on_without():
            paths.append(files.write_page(analysis, folder))
    screen.written(folder, paths)
