"""`arena history`: all versions of a bot that a tournament's ledger has, rated together."""

from pathlib import Path

import click

from cantstop_arena.cli import shell_complete
from cantstop_arena.views.command_tables import TableOutput, format_options, print_plain_tables


@click.command(short_help="Rate all versions of a bot that have played in a tournament.")
@click.argument("bot", shell_complete=shell_complete.bots)
@click.option(
    "--in",
    "folder",
    type=click.Path(path_type=Path),
    required=True,
    metavar="RESULTS",
    shell_complete=shell_complete.results,
    help="The results folder of the tournament.",
)
@format_options
def history(bot: str, folder: Path, output: TableOutput) -> None:
    """Rate all versions of BOT that have played in a tournament, as its results folder has them.

    The field is the other bots of the last run. Versions do not meet each other: "better than
    before" compares each with the one before it on the same deals. The ledger is only read, and
    history-BOT.csv is written beside it.
    """
    from cantstop_arena.atomic_files import check_results_folder
    from cantstop_arena.reports import history_report
    from cantstop_arena.tournaments.version_history import version_history

    found = version_history(folder, bot)
    check_results_folder(folder)
    table = history_report.history_table(found, history_report.analysis_of(found, folder))
    path = history_report.write_history(table, folder, bot)
    missing = history_report.missing_text(found.versions)
    written = f"Written to {folder}: {path.name}."
    print_plain_tables([table], output, f"{missing} {written}".lstrip())
