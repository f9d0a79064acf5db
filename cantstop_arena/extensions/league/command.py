"""`arena league`: participants' bots are checked, ranked and marked."""

import os
from contextlib import nullcontext
from math import inf
from pathlib import Path

import click

from cantstop_arena.cli.options import Given, options_of
from cantstop_arena.errors import UsageError
from cantstop_arena.exit_codes import ExitCode
from cantstop_arena.extensions.league.keys import OF_COMMAND
from cantstop_arena.extensions.league.league_screen import LeagueScreen
from cantstop_arena.processes import shutdown
from cantstop_arena.views.command_options import print_plain_tables


def _seconds(context: click.Context, parameter: click.Parameter, text: str | None) -> float:
    from cantstop_arena.processes.system import seconds_of

    try:
        return inf if text is None else seconds_of(text)
    except ValueError:
        raise click.BadParameter(f"invalid time {text!r}: use 90s, 30m or 2h") from None


@click.command(short_help="Check, rank and mark the bots of participants.")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--for",
    "seconds",
    callback=_seconds,
    metavar="TIME",
    help="Begin no further round after this time, such as 30m.",
)
@click.option(
    "--tokens",
    is_flag=True,
    help="Write tokens.csv, a secret word for each participant, for uploads in arena serve.",
)
@click.option(
    "--watch",
    "is_watched",
    is_flag=True,
    help="Run again whenever the file or a submission changes.",
)
@options_of(OF_COMMAND)
def league(file: Path, seconds: float, tokens: bool, is_watched: bool, given: Given) -> ExitCode:
    """Play the league of FILE: check new submissions, rank all bots, and mark them.

    Only games that no earlier run has played are played. Run the command again when participants
    have handed in new versions; only public/ of the results is to be published.
    """
    from cantstop_arena.cli.watching import (
        REPORT,
        child_arguments,
        reporting_files,
        rerun_on_changes,
    )
    from cantstop_arena.extensions.league.api import read_league
    from cantstop_arena.extensions.league.league_files import write_tokens

    for option, is_given in {"--dry-run": given.dry_run, "--tokens": tokens}.items():
        if is_watched and is_given:
            what = f"{option} and --watch cannot be used together"
            raise UsageError(f"{what}: one plays, one does not")
    if is_watched and file.exists():
        rerun_on_changes(file, child_arguments(False), given.quiet)
    folders = (given.tournament[key] for key in ("bots_folder", "results"))
    is_watching = bool(os.environ.get(REPORT))  # the parent, which started this run
    with reporting_files(file, *folders) if is_watching else nullcontext() as report:
        planned = read_league(file, **given.tournament)
        if report:
            report.add_folder(planned.league.folder)
    screen = LeagueScreen(planned.league.name, given.quiet, not given.tables.is_text)
    if tokens:
        screen.echo(f"Written to {write_tokens(planned.league, planned.results)}")
        return ExitCode.DONE
    if given.dry_run:
        for line in planned.plan(given.run_options, screen):
            click.echo(line)
        return ExitCode.DONE
    shutdown.announce_resume()
    results = planned.run(given.run_options, screen, screen.echo, seconds)
    screen.echo("")
    print_plain_tables([results.table], given.tables)
    file_names = list(results.files)
    with screen.reporting_page_error():
        results.write_pages()
        file_names.insert(0, "public/")
    screen.echo(f"\nWritten to {results.folder}: {', '.join(file_names)}")
    return ExitCode.DONE
