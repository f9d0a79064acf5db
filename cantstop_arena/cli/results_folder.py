"""What commands that play leave in a folder of results: tables, telling games, a page."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from cantstop_arena.bot_sources.catalogue import Catalogue
    from cantstop_arena.cli.terminals.screen import Screen
    from cantstop_arena.documents.analysis import Analysis
    from cantstop_arena.tournament.files.config import Tournament

page_option = click.option(
    "--page/--no-page",
    default=True,
    envvar="CANTSTOP_ARENA_PAGE",
    show_envvar=True,
    help="Write report.html, which takes about a second. Default: yes.",
)


def write_results(
    analysis: "Analysis",
    tournament: "Tournament",
    catalogue: "Catalogue",
    folder: Path,
    screen: "Screen",
    page: bool,
    show: Callable[[], None],
) -> list[Path]:
    """Write all of it; the paths. What is quick comes first, and then results are shown."""
    from cantstop_arena.reports import files
    from cantstop_arena.reports.highlights import GAMES, record_games
    from cantstop_arena.tournament.ledgers.guard import guarded
    from cantstop_arena.tournament.replaying import recorded
    from cantstop_arena.tournament.run import KEPT

    paths = files.write_reports(analysis, folder)
    show()
    with guarded(folder):
        again = partial(recorded, tournament, catalogue, folder / KEPT)
        if record_games(analysis, folder, again):
            paths.append(folder / GAMES)
    if page:
        with screen.going_on_without():
            paths.append(files.write_page(analysis, folder))
    return paths
