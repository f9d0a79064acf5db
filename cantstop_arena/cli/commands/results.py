"""`arena results`: the folders of results, whether they are sound, and what they may forget."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from cantstop_arena.cli import shell_complete
from cantstop_arena.cli.options import versions_option
from cantstop_arena.errors import UsageError
from cantstop_arena.exit_codes import ExitCode
from cantstop_arena.texts import how_many, printable_lines
from cantstop_arena.views.command_options import (
    TableOutput,
    format_options,
    print_plain_tables,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from cantstop_arena.tournaments.ledger.forgetting import StoredBot

_MEGABYTE = 1_000_000


@click.group(
    invoke_without_command=True, short_help="List the folders of results, check or clean them."
)
@format_options
@versions_option
@click.pass_context
def results(context: click.Context, results: Path, output: TableOutput) -> None:
    """List the folders of results: games, bots, versions of bots, size and last run.

    Nothing is removed by itself: `arena results prune NAME` forgets versions of bots that are no
    longer in the tournament.
    """
    if context.invoked_subcommand is None:
        _list(results, output)


def _list(results: Path, output: TableOutput) -> None:
    from cantstop_arena.tables.column import Column, number, table_of
    from cantstop_arena.tournaments.results_folders import results_folders

    folders = list(results_folders(results))
    columns = [
        Column("name", "name"),
        number("games"),
        number("bots"),
        number("versions"),
        number("size", "size, MB", 1, of=lambda folder: folder.size / _MEGABYTE),
        Column("last_run", "last run", of=lambda folder: _time(folder.last_run)),
    ]
    notes = [f"{folder.name}: {folder.problem}" for folder in folders if folder.problem]
    if not folders and output.is_text:
        click.echo(f"No results in {results}/ yet; arena run FILE makes some.")
        return
    print_plain_tables([table_of("results", "Results", columns, folders)], output, *notes)


def _time(when: "datetime | None") -> str:
    return "" if when is None else f"{when:%Y-%m-%d %H:%M}"


_folder = click.argument(
    "folder",
    metavar="NAME",
    type=click.Path(path_type=Path),
    shell_complete=shell_complete.results,
)
_dry_run = click.option("--dry-run", is_flag=True, help="Print what would be forgotten.")


def _path(folder: Path, context: click.Context) -> Path:
    """A folder that is named by its path, or by its name below the folder of results."""
    assert context.parent
    below: Path = context.parent.params["results"] / folder
    return folder if folder.is_dir() and not below.is_dir() else below


@results.command(short_help="Check all games of a folder of results.")
@_folder
@click.pass_context
def check(context: click.Context, folder: Path) -> ExitCode:
    """Read all games of the results NAME, also those that its tournament no longer needs.

    Damaged games are printed, and the exit code is then 1.
    """
    from cantstop_arena.tournaments.ledger.forgetting import stored_games
    from cantstop_arena.tournaments.ledger.ledger_audit import wrong_rows
    from cantstop_arena.tournaments.ledger.read_ledger import look_into

    path = _path(folder, context)
    if wrong := look_into(path, lambda ledger: list(wrong_rows(ledger))):
        for text in wrong:
            click.echo(printable_lines(text))
        return ExitCode.FAILED
    games = look_into(path, stored_games)
    click.echo(f"{path}: all {how_many(games, 'game')} are as they were written.")
    return ExitCode.DONE


@results.command(short_help="Forget versions of bots that are no longer in the tournament.")
@_folder
@_dry_run
@click.pass_context
def prune(context: click.Context, folder: Path, dry_run: bool) -> None:
    """Forget the versions of bots that the last run of NAME does not have, with their copies."""
    from cantstop_arena.extension_registry import kinds_in
    from cantstop_arena.tournaments.results_folders import bots_outside, forget_bots

    path = _path(folder, context)
    for kind in kinds_in(path):
        if kind.keeps:
            raise UsageError(
                f"{path} {kind.keeps}; a version that nobody needs: arena results forget"
                f" {path.name} BOT@DIGEST"
            )
    chosen = bots_outside(path) if dry_run else forget_bots(path, lambda: bots_outside(path))
    _report(path, chosen, dry_run)


@results.command(short_help="Forget the games of a bot, or of a version of it.")
@_folder
@click.argument("bot", metavar="BOT[@VERSION]")
@_dry_run
@click.pass_context
def forget(context: click.Context, folder: Path, bot: str, dry_run: bool) -> None:
    """Forget all games of a bot in the results NAME, or those of one version of it.

    VERSION is the first digits of its digest, or "previous": the one before that of the last run.
    A bot that is in the tournament plays its games again at the next run.
    """
    from cantstop_arena.tournaments.results_folders import bots_called, forget_bots

    path = _path(folder, context)
    chosen = (
        bots_called(path, bot) if dry_run else forget_bots(path, lambda: bots_called(path, bot))
    )
    _report(path, chosen, dry_run)


def _report(path: Path, bots: "Sequence[StoredBot]", dry_run: bool) -> None:
    verb = "would forget" if dry_run else "forgot"
    if not bots:
        click.echo(f"{path}: nothing to forget.")
    for bot in bots:
        again = "; the next run plays them again" if bot.is_in_file else ""
        title = printable_lines(bot.title)
        click.echo(f"{path}: {verb} {title} ({how_many(bot.games, 'game')}{again}).")
