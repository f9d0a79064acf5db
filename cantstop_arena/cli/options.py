"""Options that several commands share, and the run that they start."""

from collections.abc import Callable, Sequence
from functools import wraps
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from cantstop_arena.bots.versions import RESULTS
from cantstop_arena.cli import shell_complete
from cantstop_arena.errors import UsageError
from cantstop_arena.exit_codes import ExitCode
from cantstop_arena.processes import shutdown
from cantstop_arena.processes.system import bytes_of

if TYPE_CHECKING:
    from cantstop_arena.api.results import Results
    from cantstop_arena.api.tournaments import PlannedTournament
    from cantstop_arena.bots.catalogue import Catalogue
    from cantstop_arena.bots.isolation import Isolation
    from cantstop_arena.cli.terminal.run_screen import RunScreen
    from cantstop_arena.comparisons.comparison_results import ComparisonTotals
    from cantstop_arena.deals.seeds import Seed
    from cantstop_arena.tournaments.cluster.address import ClusterAddress
    from cantstop_arena.tournaments.run_options import RunOptions

page_option = click.option(
    "--page/--no-page",
    default=True,
    envvar="CANTSTOP_ARENA_PAGE",
    show_envvar=True,
    help="Whether to write report.html, which takes about a second. Default: --page.",
)


def play_and_write(
    planned: "PlannedTournament",
    options: "RunOptions",
    screen: "RunScreen",
    page: bool,
    show: "Callable[[Results], None]",
) -> "Results":
    """Play, print the results, and name the folder; the page comes last, as it is slow."""
    from cantstop_arena.bots.compiled_copies import outdated_text

    shutdown.announce_resume()
    for path in dict.fromkeys(entrant.bot.path for entrant in planned.tournament.entrants):
        if text := outdated_text(path):
            screen.on_notice(text)
    results = planned.play(options, screen)
    screen.echo("")
    show(results)
    results.record_games()
    written_page = None
    if page:
        with screen.reporting_page_error():
            written_page = results.write_page()
    screen.echo_folder(planned.folder, written_page)
    return results


def exit_code_of(results: "Results | ComparisonTotals") -> ExitCode:
    """The exit code of a command that has finished with these results."""
    return ExitCode.DISQUALIFIED if results.disqualified else ExitCode.DONE


bots_option = click.option(
    "--bots",
    "bots_folder",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("bots"),
    show_default=True,
    metavar="DIR",
    help="Folder with bot files.",
)


game_option = click.option(
    "--game",
    "game_name",
    default="cantstop",
    show_default=True,
    metavar="NAME",
    shell_complete=shell_complete.games,
    help="The game to play; see arena games.",
)


players_option = click.option(
    "--players", type=int, default=2, show_default=True, metavar="N", help="Number of seats."
)


def catalogue_for(
    bots_folder: Path,
    game_name: str,
    results: Path = RESULTS,
    isolation: "Isolation | None" = None,
) -> "Catalogue":
    """The catalogue of a game's bots, with earlier versions of them from `results`.

    Its foreign bots are isolated like this. Raises UsageError for an unknown game.
    """
    from cantstop_arena.bots.catalogue import Catalogue
    from cantstop_arena.bots.isolation import Isolation
    from cantstop_arena.games.registry import game_named

    isolation = isolation or Isolation.NONE
    return Catalogue(bots_folder, game_named(game_name), results=results, isolation=isolation)


def _bytes(context: click.Context, parameter: click.Parameter, text: str | None) -> int | None:
    try:
        return None if text is None else bytes_of(text)
    except ValueError:
        raise click.BadParameter(
            f"invalid size {text!r}: use bytes, or a number with K, M or G"
        ) from None


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


def _isolation(context: click.Context, parameter: click.Parameter, chosen: bool) -> "Isolation":
    """Where the foreign bots of a command play; checked before any of them is opened."""
    from cantstop_arena.bots.isolation import chosen_isolation

    return chosen_isolation(chosen)


isolate_option = click.option(
    "--isolate",
    is_flag=True,
    callback=_isolation,
    help="Run all bots from files and packages in a sandbox, from their first line on.",
)


def seed_option(default: str) -> Callable[..., Any]:
    """The option for the seed, a number or a text as in a file; `default` ends its help text."""
    return click.option(
        "--seed",
        callback=_seed,
        metavar="SEED",
        help=f"Seed of all random numbers: a number or a text. {default}",
    )


workers_option = click.option(
    "--workers", type=click.IntRange(1), help="Number of worker processes. Default: all cores."
)
results_option = click.option(
    "--results",
    type=click.Path(file_okay=False, path_type=Path),
    default=RESULTS,
    show_default=True,
    metavar="DIR",
    help="Folder in which the results folder is created.",
)
versions_option = click.option(
    "--results",
    type=click.Path(file_okay=False, path_type=Path),
    default=RESULTS,
    show_default=True,
    metavar="DIR",
    help="Folder of results, with the versions that runs have stored.",
)
luck_option = click.option(
    "--luck-removed",
    is_flag=True,
    help="Measure the luck of rolls and subtract it from scores and Elo: narrower intervals.",
)


class FiniteRange(click.FloatRange):
    """A finite number in a range; click's own FloatRange accepts nan in every range."""

    def convert(
        self, value: Any, parameter: click.Parameter | None, context: click.Context | None
    ) -> float:
        number: float = super().convert(value, parameter, context)
        if not isfinite(number):
            self.fail(f"{value} is not a finite number", parameter, context)
        return number


_POOL_OPTIONS = (
    workers_option,
    click.option(
        "--cluster",
        callback=_cluster,
        metavar="ADDRESS",
        help="Play on a Dask cluster: tcp://HOST:PORT, tls://HOST:PORT, file:SCHEDULER.json"
        " or local:N.",
    ),
    click.option(
        "--cluster-wait",
        type=FiniteRange(0),
        metavar="SECONDS",
        help="How long to wait for a machine of the cluster that can play. Default: 30.",
    ),
    click.option(
        "--start-method",
        type=click.Choice(["fork", "spawn"]),
        help="How to start worker processes. Default: fork where that is safe, else spawn.",
    ),
    click.option(
        "--memory",
        callback=_bytes,
        metavar="SIZE",
        help="Memory that each worker may allocate after its start, such as 512M or 2G.",
    ),
)
_OPTIONS = (
    click.option("--games", type=int, help="Games for each lineup. Default: those of the file."),
    seed_option("Default: the seed of the file, or a random one."),
    results_option,
    bots_option,
    click.option("--fresh", is_flag=True, help="Discard earlier results of this name."),
    click.option("--quiet", is_flag=True, help="Print only the tables."),
    page_option,
)


class PoolChoice(NamedTuple):
    """The values of the options that say where games are played, and by how many workers."""

    workers: int | None
    cluster: "ClusterAddress | None"
    cluster_wait: float | None
    start_method: str | None
    memory: int | None

    def run_options(self, fresh: bool) -> "RunOptions":
        """The options that a run needs."""
        from cantstop_arena.tournaments.run_options import RunOptions

        return RunOptions(fresh=fresh, **self._asdict())


class SharedOptions(NamedTuple):
    """The values of the options that `arena run` and `arena compare` share."""

    pool: PoolChoice
    games: int | None
    seed: "Seed | None"
    results: Path
    bots_folder: Path
    fresh: bool
    quiet: bool
    page: bool

    def run_options(self) -> "RunOptions":
        """The options that the run needs."""
        return self.pool.run_options(self.fresh)


def pool_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of a `PoolChoice` to a command, which gets their values as `pool`."""
    return _with_options(command, _POOL_OPTIONS, PoolChoice, "pool")


def options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the shared options to a command, which gets their values as `shared`."""
    return pool_options(_with_options(command, _OPTIONS, SharedOptions, "shared"))


def _with_options(
    command: Callable[..., Any], options: Sequence[Any], values: Any, name: str
) -> Callable[..., Any]:
    """Add options to a command, which gets the named tuple of their `values` as `name`."""

    @wraps(command)
    def wrapper(**keywords: Any) -> Any:
        gathered = values(**{field: keywords.pop(field) for field in values._fields})
        return command(**{name: gathered}, **keywords)

    for option in reversed(options):
        wrapper = option(wrapper)
    return wrapper
