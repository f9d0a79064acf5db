"""`arena history`: all versions of a bot that a tournament's ledger has, rated together."""

from pathlib import Path

import click

from cantstop_arena.cli import shell_complete
from cantstop_arena.cli.options import Given, announce, options
from cantstop_arena.cli.terminal.progress_screen import RunScreen
from cantstop_arena.processes import shutdown
from cantstop_arena.views.command_options import print_plain_tables


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
@click.option(
    "--play", is_flag=True, help="First play the games that versions lack against the field."
)
@options("history")
def history(bot: str, folder: Path, play: bool, given: Given) -> None:
    """Rate all versions of BOT that have played in a tournament, as its results folder has them.

    The field is the other bots of the last run. Versions do not meet each other: "better than
    before" compares each with the one before it on the same deals. The table and its chart are
    written beside the ledger, history-BOT.csv and history-BOT.html.

    With --play versions play from the copies in that folder, isolated as they were, and their games
    are added to its ledger; --dry-run prints how many.
    """
    from cantstop_arena.api.histories import BotHistory, MissingGames
    from cantstop_arena.tournaments.version_history import version_history

    screen = RunScreen(folder.name, given.quiet, given.aside)
    bots_folder = given.tournament["bots_folder"]
    if given.dry_run:
        announce(MissingGames(folder, bot, bots_folder), given, screen)
        return
    if play:
        shutdown.announce_resume()
        MissingGames(folder, bot, bots_folder).play(given.run_options, screen)
    bot_history = BotHistory(version_history(folder, bot), folder)
    bot_history.write_table()
    if given.page:
        with screen.reporting_page_error():
            bot_history.write_page()
    file_names = ", ".join(path.name for path in bot_history.output_files)
    note = f"{bot_history.missing_text} Written to {folder}: {file_names}."
    print_plain_tables(
        [bot_history.versions.table], given.tables, note.lstrip(), headline=bot_history.headline
    )
