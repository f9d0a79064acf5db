"""What users say of playing: options that commands share, and how a run is taken up again."""

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from cantstop_arena.bot_sources.versions import RESULTS
from cantstop_arena.cli import completing
from cantstop_arena.cli.results_folder import page_option
from cantstop_arena.errors import UsageError
from cantstop_arena.runtime.system import bytes_of

if TYPE_CHECKING:
    from cantstop_arena.api.settings import Settings
    from cantstop_arena.bot_sources.catalogue import Catalogue
    from cantstop_arena.cli.terminals.screen import Screen
    from cantstop_arena.deals.seeds import Seed
    from cantstop_arena.tournament.pool.cluster_address import Address

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
    shell_complete=completing.games,
    help="The game that is played; see arena games.",
)


def catalogue_for(bots_folder: Path, game_name: str, results: Path = RESULTS) -> "Catalogue":
    """What can be used to play a game, with versions of bots from earlier `results`.

    Raises UsageError for a game that there is not.
    """
    from cantstop_arena.bot_sources.catalogue import Catalogue
    from cantstop_arena.games.registry import game_called

    return Catalogue(bots_folder, game_called(game_name), results=results)


def _bytes(context: click.Context, parameter: click.Parameter, text: str | None) -> int | None:
    try:
        return None if text is None else bytes_of(text)
    except ValueError:
        raise click.BadParameter(f"{text!r} is no size like 512M or 2G") from None


def _seed(context: click.Context, parameter: click.Parameter, text: str | None) -> "Seed | None":
    from cantstop_arena.deals.seeds import WANTED, seed_of
    from cantstop_arena.tournament.files.yaml_reader import fitted, shown
    from cantstop_arena.tournament.files.yaml_text import plain_value

    if text is None:
        return None
    seed = seed_of(fitted(plain_value(text), 0))
    if seed is None:
        raise UsageError(f"--seed must be {WANTED}, not {shown(text)}")
    return seed


def _cluster(
    context: click.Context, parameter: click.Parameter, text: str | None
) -> "Address | None":
    from cantstop_arena.tournament.pool.cluster_address import address_in

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


class Playing(NamedTuple):
    """How what a file describes is to be played, as the options say."""

    workers: int | None
    cluster: "Address | None"
    start_method: str | None
    memory: int | None
    games: int | None
    seed: "Seed | None"
    results: Path
    bots_folder: Path
    fresh: bool
    quiet: bool
    page: bool

    def settings(self, progress: "Callable[[str], Screen]") -> "Settings":
        """How it is played, and told of on screens by the name of what is played."""
        from cantstop_arena.api.settings import Settings

        return Settings(
            self.workers, self.start_method, self.memory, progress, self.fresh, self.cluster
        )


def playing_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options of commands that play what a file describes, which they get as `playing`."""

    @wraps(command)
    def told(**words: Any) -> Any:
        playing = Playing(**{name: words.pop(name) for name in Playing._fields})
        return command(playing=playing, **words)

    for option in reversed(_OPTIONS):
        told = option(told)
    return told
