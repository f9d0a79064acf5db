"""What users say of playing: options that commands share, and how a run is taken up again."""

from collections.abc import Callable
from functools import wraps
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from cantstop_arena.bots.versions import RESULTS
from cantstop_arena.cli import shell_complete
from cantstop_arena.errors import UsageError
from cantstop_arena.processes import shutdown
from cantstop_arena.processes.system import bytes_of

if TYPE_CHECKING:
    from cantstop_arena.api.results import Results
    from cantstop_arena.api.tournaments import PlannedTournament
    from cantstop_arena.bots.catalogue import Catalogue
    from cantstop_arena.cli.terminal.run_screen import RunScreen
    from cantstop_arena.deals.seeds import Seed
    from cantstop_arena.tournaments.cluster.address import ClusterAddress
    from cantstop_arena.tournaments.run_options import RunOptions

page_option = click.option(
    "--page/--no-page",
    default=True,
    envvar="CANTSTOP_ARENA_PAGE",
    show_envvar=True,
    help="Write report.html, which takes about a second. Default: yes.",
)


def play_and_write(
    planned: "PlannedTournament",
    options: "RunOptions",
    screen: "RunScreen",
    page: bool,
    show: "Callable[[Results], None]",
) -> None:
    """Play, show the results, and say what was written. What is quick comes first."""
    shutdown.announce_resume()
    results = planned.play(options, screen)
    show(results)
    paths = list(results.written)
    if games := results.record_games():
        paths.append(games[0].parent)
    if page:
        with screen.going_on_without():
            paths.append(results.write_page())
    screen.echo_paths(planned.folder, paths)


bots_option = click.option(
    "--bots",
    "bots_folder",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("bots"),
    show_default=True,
    metavar="DIR",
    help="Folder whose files are bots.",
)


game_option = click.option(
    "--game",
    "game_name",
    default="cantstop",
    show_default=True,
    metavar="NAME",
    shell_complete=shell_complete.games,
    help="The game that is played; see arena games.",
)


def catalogue_for(bots_folder: Path, game_name: str, results: Path = RESULTS) -> "Catalogue":
    """What can be used to play a game, with versions of bots from earlier `results`.

    Raises UsageError for a game that there is not.
    """
    from cantstop_arena.bots.catalogue import Catalogue
    from cantstop_arena.games.registry import game_named

    return Catalogue(bots_folder, game_named(game_name), results=results)


def _bytes(context: click.Context, parameter: click.Parameter, text: str | None) -> int | None:
    try:
        return None if text is None else bytes_of(text)
    except ValueError:
        raise click.BadParameter(f"{text!r} is no size like 512M or 2G") from None


def _seed(context: click.Context, parameter: click.Parameter, text: str | None) -> "Seed | None":
    from cantstop_arena.deals.seeds import SEED_FORM, seed_of
    from cantstop_arena.tournaments.file.yaml_reader import converted_losslessly, quoted
    from cantstop_arena.tournaments.file.yaml_text import plain_value

    if text is None:
        return None
    seed = seed_of(converted_losslessly(plain_value(text), 0))
    if seed is None:
        raise UsageError(f"--seed must be {SEED_FORM}, not {quoted(text)}")
    return seed


def _cluster(
    context: click.Context, parameter: click.Parameter, text: str | None
) -> "ClusterAddress | None":
    from cantstop_arena.tournaments.cluster.address import address_in

    return None if text is None else address_in(text)


def seed_option(default: str) -> Callable[..., Any]:
    """The option for the seed, a number or a text as in a file; `default` says what it is else."""
    return click.option(
        "--seed",
        callback=_seed,
        metavar="SEED",
        help=f"Of all chance: a number or a text. {default}",
    )


workers_option = click.option(
    "--workers", type=click.IntRange(1), help="Processes that play. Default: all cores."
)
results_option = click.option(
    "--results",
    type=click.Path(file_okay=False, path_type=Path),
    default=RESULTS,
    show_default=True,
    metavar="DIR",
    help="Where the folder with the results goes.",
)
luck_option = click.option(
    "--luck-removed",
    is_flag=True,
    help="Score the luck of rolls, and take it out of scores and Elo: intervals get narrower.",
)
_OPTIONS = (
    workers_option,
    click.option(
        "--cluster",
        callback=_cluster,
        metavar="ADDRESS",
        help="Play on a cluster of Dask's: tcp://HOST:PORT, file:SCHEDULER.json or local:N.",
    ),
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
    seed_option("Default: the file's, or a random one."),
    results_option,
    bots_option,
    click.option("--fresh", is_flag=True, help="Forget earlier results of this name."),
    click.option("--quiet", is_flag=True, help="Print the tables and nothing else."),
    page_option,
)


class GivenOptions(NamedTuple):
    """How what a file describes is to be played, as the options say."""

    workers: int | None
    cluster: "ClusterAddress | None"
    start_method: str | None
    memory: int | None
    games: int | None
    seed: "Seed | None"
    results: Path
    bots_folder: Path
    fresh: bool
    quiet: bool
    page: bool

    def run_options(self) -> "RunOptions":
        """The options of the run itself."""
        from cantstop_arena.tournaments.run_options import RunOptions

        return RunOptions(self.workers, self.start_method, self.memory, self.fresh, self.cluster)


def options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options of commands that play what a file describes, which they get as `given`."""

    @wraps(command)
    def wrapper(**keywords: Any) -> Any:
        given = GivenOptions(**{name: keywords.pop(name) for name in GivenOptions._fields})
        return command(given=given, **keywords)

    for option in reversed(_OPTIONS):
        wrapper = option(wrapper)
    return wrapper


class FiniteRange(click.FloatRange):
    """A number between two others; nan, which lies there too to click, is none."""

    def convert(
        self, value: Any, parameter: click.Parameter | None, context: click.Context | None
    ) -> float:
        number: float = super().convert(value, parameter, context)
        if not isfinite(number):
            self.fail(f"{value} is no number", parameter, context)
        return number
