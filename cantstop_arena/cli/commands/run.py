"""`arena run`: play a tournament and print its tables."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import click

from cantstop_arena.cli.options import Playing, luck_option, playing_options
from cantstop_arena.cli.results_folder import write_results
from cantstop_arena.cli.table_options import TEXT, show, table_options
from cantstop_arena.cli.terminals.screen import Screen
from cantstop_arena.runtime import shutdown


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
    from cantstop_arena.bot_sources.catalogue import Catalogue
    from cantstop_arena.documents.analysis import Analysis
    from cantstop_arena.documents.until_words import until_text
    from cantstop_arena.tournament.files import config
    from cantstop_arena.tournament.run import settled
    from cantstop_arena.tournament.until import play

    catalogue = Catalogue(playing.bots_folder, results=playing.results)
    tournament = config.read(file, catalogue, playing.overrides)
    tournament = tournament.without_luck() if luck_removed else tournament
    folder = playing.results / tournament.name
    tournament = settled(tournament, folder, playing.fresh)
    aim = until_text(tournament.until) if tournament.until else ""
    screen = Screen(tournament.name, playing.quiet, form != TEXT, aim)
    shutdown.say_how_to_go_on()
    try:
        outcome = play(tournament, catalogue, folder, playing.terms, screen, fresh=playing.fresh)
    finally:
        screen.close()
    if aim:
        screen.say("")
    analysis = Analysis(outcome)
    said = partial(show, analysis, form, chosen)
    paths = write_results(analysis, tournament, catalogue, folder, screen, playing.page, said)
    screen.written(folder, paths)
