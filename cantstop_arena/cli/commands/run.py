"""`arena run`: play a tournament and print its tables."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cantstop_arena.cli.options import Playing, luck_option, playing_options
from cantstop_arena.cli.results_folder import play_and_write
from cantstop_arena.cli.table_options import TEXT, show, table_options
from cantstop_arena.cli.terminals.screen import Screen

if TYPE_CHECKING:
    from cantstop_arena.api.results import Results


@click.command(short_help="Play a tournament and print its standings.")
@click.argument("file", type=click.Path(path_type=Path))
@playing_options
@luck_option
@table_options
def run(
    file: Path,
    playing: Playing,
    luck_removed: bool,
    form: str,
    chosen: Sequence[str],
) -> None:
    """Play the tournament of FILE and print its standings.

    All groups of bots meet on the same deals, in every seating. Results are the same for any
    number of workers. Run it again to continue with more games, or after an interruption.
    """
    from cantstop_arena.api.tournaments import from_file
    from cantstop_arena.documents.until_words import until_text

    planned = from_file(
        file,
        games=playing.games,
        seed=playing.seed,
        bots_folder=playing.bots_folder,
        results=playing.results,
    )
    planned = planned.without_luck() if luck_removed else planned
    until = planned.tournament.until
    aim = until_text(until) if until else ""
    screen = Screen(planned.name, playing.quiet, form != TEXT, aim)

    def told(results: "Results") -> None:
        if aim:
            screen.say("")
        show(results.analysis, form, chosen)

    play_and_write(planned, playing.settings(lambda _: screen), screen, playing.page, told)
