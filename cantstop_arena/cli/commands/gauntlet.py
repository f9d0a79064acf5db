"""`arena gauntlet`: one bot against a field of bots."""

from collections.abc import Sequence

import click

from cantstop_arena.cli import shell_complete
from cantstop_arena.cli.options import (
    Given,
    announce,
    exit_code_of,
    options,
    play_and_write,
    print_tables,
)
from cantstop_arena.cli.terminal.progress_screen import RunScreen
from cantstop_arena.exit_codes import ExitCode


@click.command(short_help="Play one bot against a field of bots and rank it.")
@click.argument("challenger", shell_complete=shell_complete.bots)
@click.option(
    "--against",
    multiple=True,
    metavar="BOT",
    shell_complete=shell_complete.bots,
    help="A bot of the field; can be repeated. Default: all built-in bots.",
)
@options("gauntlet")
def gauntlet(challenger: str, against: Sequence[str], given: Given) -> ExitCode:
    """Play CHALLENGER against each bot of a field and rank it among them.

    The bots of the field do not play each other. A bot is a name or a path, with options after a
    colon (rule28:threshold=30), or an earlier version of a bot file (patient@previous).
    """
    from cantstop_arena.api.tournaments import gauntlet as planned_gauntlet

    planned = planned_gauntlet(challenger, against, **given.tournament)
    screen = RunScreen(planned.name, given.quiet, given.aside)
    if given.dry_run:
        return announce(planned, given, screen)
    played = play_and_write(
        planned, given, screen, lambda results: print_tables(results.analysis, given.tables)
    )
    return exit_code_of(played)
