"""`arena run`: play a tournament and print its tables."""

import os
from contextlib import nullcontext
from pathlib import Path

import click

from cantstop_arena.cli.options import (
    Given,
    announce,
    exit_code_of,
    options,
    play_and_write,
    print_tables,
)
from cantstop_arena.cli.terminal.progress_screen import RunScreen
from cantstop_arena.errors import UsageError
from cantstop_arena.exit_codes import ExitCode


@click.command(short_help="Play a tournament and print its standings.")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--watch", "is_watched", is_flag=True, help="Run again whenever the file or a bot changes."
)
@options("run")
def run(file: Path, is_watched: bool, given: Given) -> ExitCode:
    """Play the tournament of FILE and print its standings.

    Every lineup of bots plays each deal in every seating. The results are the same for any number
    of workers. Run the command again to continue with more games, or after an interruption.
    """
    from cantstop_arena.api.tournaments import from_file
    from cantstop_arena.cli.watching import (
        REPORT,
        child_arguments,
        echo_changed_bots,
        reporting_files,
        rerun_on_changes,
    )
    from cantstop_arena.tables.notes import until_text
    from cantstop_arena.tournaments.tournament import RESOLVED

    if (file / RESOLVED).is_file():
        raise UsageError(f"{file} is a folder of results; write: arena run {file / RESOLVED}")
    if not file.exists() and (other := _other_ending(file)):
        raise UsageError(f"there is no tournament file {file}; did you mean {other}?")
    if not file.exists() and not file.suffix:
        raise UsageError(
            f"there is no tournament file {file}; to let two bots play: arena match {file} BOT"
        )
    if is_watched and given.run["fresh"]:
        raise UsageError("--fresh and --watch cannot be used together: run once with --fresh first")
    if is_watched and given.dry_run:
        raise UsageError("--dry-run and --watch cannot be used together: one plays, one does not")
    if is_watched and file.exists():
        arguments = child_arguments(given.tables.is_text and not given.tables.chosen)
        rerun_on_changes(file, arguments, given.quiet)
    folders = (given.tournament[key] for key in ("bots_folder", "results"))
    is_watching = bool(os.environ.get(REPORT))  # the parent, which started this run
    with reporting_files(file, *folders) if is_watching else nullcontext() as report:
        planned = from_file(file, **given.tournament)
        if report:
            report.add(planned.tournament)
    until = planned.tournament.until
    aim = until_text(until) if until else ""
    screen = RunScreen(planned.name, given.quiet, given.aside, aim)
    if given.dry_run:
        return announce(planned, given, screen)
    changed = echo_changed_bots(planned.folder, screen.echo) if is_watching else nullcontext()
    with changed:
        played = play_and_write(
            planned, given, screen, lambda results: print_tables(results.analysis, given.tables)
        )
    return exit_code_of(played)


def _other_ending(file: Path) -> Path | None:
    """The file of the same name with another ending of YAML files; None if there is none."""
    return next(filter(Path.is_file, map(file.with_suffix, (".yaml", ".yml"))), None)
