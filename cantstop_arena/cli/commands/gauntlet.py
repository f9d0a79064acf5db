"""`arena gauntlet`: one bot against a field of bots."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cantstop_arena.cli import shell_complete
from cantstop_arena.cli.commands.rules import rules_option
from cantstop_arena.cli.options import (
    PoolChoice,
    bots_option,
    exit_code_of,
    game_option,
    isolate_option,
    luck_option,
    page_option,
    play_and_write,
    players_option,
    pool_options,
    results_option,
    seed_option,
)
from cantstop_arena.cli.print_tables import print_tables, table_options
from cantstop_arena.cli.terminal.run_screen import RunScreen
from cantstop_arena.exit_codes import ExitCode
from cantstop_arena.views.command_tables import TableOutput

if TYPE_CHECKING:
    from cantstop_arena.bots.isolation import Isolation
    from cantstop_arena.deals.seeds import Seed


@click.command(short_help="Play one bot against a field of bots and rank it.")
@click.argument("challenger", shell_complete=shell_complete.bots)
@click.option(
    "--against",
    multiple=True,
    metavar="BOT",
    shell_complete=shell_complete.bots,
    help="A bot of the field; can be repeated. Default: all built-in bots.",
)
@players_option
@click.option(
    "--games",
    type=click.IntRange(1, 10**12),
    help="Games for each lineup. Default: 10,000.",
)
@rules_option
@game_option
@seed_option("Default: a random one.")
@pool_options
@luck_option
@isolate_option
@results_option
@bots_option
@click.option("--fresh", is_flag=True, help="Discard earlier results of this gauntlet.")
@click.option("--quiet", is_flag=True, help="Print only the tables.")
@page_option
@table_options
def gauntlet(
    challenger: str,
    against: Sequence[str],
    players: int,
    games: int | None,
    rules_name: str | None,
    game_name: str,
    seed: "Seed | None",
    pool: PoolChoice,
    luck_removed: bool,
    isolate: "Isolation",
    results: Path,
    bots_folder: Path,
    fresh: bool,
    quiet: bool,
    page: bool,
    output: TableOutput,
) -> ExitCode:
    """Play CHALLENGER against each bot of a field and rank it among them.

    The bots of the field do not play each other. A bot is a name or a path, with options after a
    colon (rule28:threshold=30), or an earlier version of a bot file (patient@previous).
    """
    from cantstop_arena.api.tournaments import gauntlet as planned_gauntlet

    planned = planned_gauntlet(
        challenger,
        against,
        players=players,
        games=games,
        rules=rules_name,
        seed=seed,
        game=game_name,
        isolate=bool(isolate),
        bots_folder=bots_folder,
        results=results,
    )
    planned = planned.without_luck() if luck_removed else planned
    screen = RunScreen(planned.name, quiet, not output.is_text)
    played = play_and_write(
        planned,
        pool.run_options(fresh),
        screen,
        page,
        lambda results: print_tables(results.analysis, output),
    )
    return exit_code_of(played)
