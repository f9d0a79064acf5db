"""`arena export`: games and decisions of a tournament as data files."""

from pathlib import Path

import click

from cantstop_arena.cli import shell_complete
from cantstop_arena.cli.options import bots_option, workers_option
from cantstop_arena.cli.terminal.progress_screen import ProgressScreen
from cantstop_arena.errors import UsageError
from cantstop_arena.processes import shutdown
from cantstop_arena.views.command_options import file_option, key_option


@click.command(short_help="Export games and decisions as Parquet, CSV or JSON Lines.")
@click.argument("results", type=click.Path(path_type=Path), shell_complete=shell_complete.results)
@file_option("--games", "Write a row for each game.")
@file_option("--rolls", "Write a row for each roll of dice.")
@file_option("--decisions", "Write a row for each decision.")
@click.option(
    "--replay/--no-replay",
    default=True,
    help="Whether to replay games for their lengths and counts. Default: --replay.",
)
@click.option("--deals", type=click.IntRange(1), help="Export only the first deals. Default: all.")
@workers_option
@bots_option
@key_option("quiet", help="Print nothing.")
def export(
    results: Path,
    games: Path | None,
    rolls: Path | None,
    decisions: Path | None,
    replay: bool,
    deals: int | None,
    workers: int | None,
    bots_folder: Path,
    quiet: bool,
) -> None:
    """Export the games in the results folder RESULTS, their rolls or decisions, to files.

    The suffix of a file sets its format: .parquet, .csv or .jsonl. Seats and winners are read from
    the ledger; everything else is computed by replaying the games.
    """
    from cantstop_arena.api.folders import load_tournament_results
    from cantstop_arena.export.row_files import opener_of

    paths = [path for path in (games, rolls, decisions) if path]
    if not paths:
        raise UsageError("nothing to export: give --games, --rolls or --decisions FILE")
    stored = load_tournament_results(results, bots_folder=bots_folder)
    for target in paths:
        opener_of(target)  # refuses a name before the work for another file begins
    shutdown.set_end_message("Stopped; nothing was written.")

    def screen_for(name: str) -> ProgressScreen:
        return ProgressScreen(f"Replaying {name}", "games", quiet)

    reports = []
    if games is not None:
        reports.append(
            stored.export_games(
                games, replay=replay, deals=deals, progress=screen_for, workers=workers
            )
        )
    for path, export_table in (
        (rolls, stored.export_rolls),
        (decisions, stored.export_decisions),
    ):
        if path is not None:
            reports.append(export_table(path, deals=deals, progress=screen_for, workers=workers))
    for report in reports if not quiet else ():
        click.echo(report)
