"""`arena profile`: what a game is like."""

from pathlib import Path

import click

from cantstop_arena.cli import shell_complete
from cantstop_arena.cli.options import Given, options_of
from cantstop_arena.cli.terminal.progress_screen import ProgressScreen
from cantstop_arena.extensions.design.keys import PROFILE_COMMAND
from cantstop_arena.views.command_options import file_option, print_plain_tables


@click.command(short_help="Describe a game as bots play it: luck, skill, drama, seats.")
@click.argument("bots", nargs=-1, metavar="[BOT]...", shell_complete=shell_complete.bots)
@file_option("--html", "Also write an HTML page to this file.")
@options_of(PROFILE_COMMAND)
def profile(bots: tuple[str, ...], html: Path | None, given: Given) -> None:
    """Describe a game as the BOTs play it; without a BOT, as its usual bots do.

    \b
    arena profile rule28 glenn-aloi
    arena profile honest caller --game kuhn-poker --games 200

    Some rows come from whole games: luck in a single game, the first seat, lengths. Others come
    from playouts, games that are played on from each position of some games: how much depends on
    luck and on decisions, when a game is decided, and who comes back.
    docs/reference/measures.md explains all rows.
    """
    from cantstop_arena.atomic_files import check_output_file
    from cantstop_arena.extensions.design.api import profile as profiled

    if html is not None:
        check_output_file(html)
    results = profiled(
        bots,
        progress=lambda name: ProgressScreen(name, "games", given.quiet),
        **given.tournament,
        **given.run,
    )
    is_data = given.tables.form in ("csv", "json")
    table = results.table.table if is_data else results.table.display
    print_plain_tables([table], given.tables, headline=results.headline)
    if html is not None:
        results.write_page(html)
