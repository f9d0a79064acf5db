"""`arena export`: games and decisions of a tournament as data."""

from pathlib import Path

import click

from cantstop_arena.cli import shell_complete
from cantstop_arena.cli.options import bots_option
from cantstop_arena.errors import UsageError
from cantstop_arena.processes import shutdown

_FILE = click.Path(dir_okay=False, path_type=Path)


@click.command(short_help="Write games and decisions as data.")
@click.argument("results", type=click.Path(path_type=Path), shell_complete=shell_complete.results)
@click.option("--games", type=_FILE, metavar="FILE", help="A row for each game.")
@click.option("--decisions", type=_FILE, metavar="FILE", help="A row for each decision.")
@click.option(
    "--replay/--no-replay",
    default=True,
    help="Play games again for their lengths and counts. Default: yes.",
)
@click.option("--deals", type=click.IntRange(1), help="Only the first deals. Default: all.")
@bots_option
@click.option("--quiet", is_flag=True, help="Print nothing.")
def export(
    results: Path,
    games: Path | None,
    decisions: Path | None,
    replay: bool,
    deals: int | None,
    bots_folder: Path,
    quiet: bool,
) -> None:
    """Write the games of the folder RESULTS, or the decisions in them, to a file.

    The file's name says the format: .parquet, .csv or .jsonl. Who sat where and who won stands in
    the ledger; all else is found by playing the games again.
    """
    from cantstop_arena.api.folders import load_tournament_results

    if games is None and decisions is None:
        raise UsageError("what is to be written? --games FILE, --decisions FILE, or both")
    result = load_tournament_results(results, bots_folder=bots_folder)
    shutdown.set_end_message("Stopped; nothing was written.")
    reports = []
    if games is not None:
        reports.append(result.export_games(games, replay=replay, deals=deals, progress=not quiet))
    if decisions is not None:
        reports.append(result.export_decisions(decisions, deals=deals, progress=not quiet))
    for report in reports if not quiet else ():
        click.echo(report)
