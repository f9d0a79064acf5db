"""What commands that play leave in a folder of results: tables, telling games, a page."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from cantstop_arena.runtime import shutdown

if TYPE_CHECKING:
    from cantstop_arena.api.results import Results
    from cantstop_arena.api.settings import Settings
    from cantstop_arena.api.tournaments import PlannedTournament
    from cantstop_arena.cli.terminals.screen import Screen

page_option = click.option(
    "--page/--no-page",
    default=True,
    envvar="CANTSTOP_ARENA_PAGE",
    show_envvar=True,
    help="Write report.html, which takes about a second. Default: yes.",
)


def play_and_write(
    planned: "PlannedTournament",
    settings: "Settings",
    screen: "Screen",
    page: bool,
    show: "Callable[[Results], None]",
) -> None:
    """Play, show the results, and say what was written. What is quick comes first."""
    shutdown.say_how_to_go_on()
    results = planned.play(settings)
    show(results)
    paths = list(results.written)
    if games := results.record_games():
        paths.append(games[0].parent)
    if page:
        with screen.going_on_without():
            paths.append(results.write_page())
    screen.written(planned.folder, paths)
