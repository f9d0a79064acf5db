"""`arena compare`: what rule changes do to the game."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import click

from cantstop_arena.cli.options import Playing, playing_options
from cantstop_arena.cli.table_options import TEXT, format_option
from cantstop_arena.cli.terminals.screen import Screen
from cantstop_arena.runtime import shutdown


@click.command(short_help="Play a comparison and say what each rule set changes.")
@click.argument("file", type=click.Path(path_type=Path))
@playing_options
@format_option
def compare(
    file: Path,
    playing: Playing,
    form: str,
) -> None:
    """Play the comparison of FILE and say what each rule set changes.

    The same bots play the same deals under all rule sets. Run it again to continue with more
    games, or after an interruption.
    """
    from cantstop_arena.bot_sources.catalogue import Catalogue
    from cantstop_arena.compare import config, run
    from cantstop_arena.reports.comparison import (
        content,
        write_comparison,
        write_comparison_page,
        written,
    )

    @contextmanager
    def watched(name: str) -> Iterator[Screen]:
        title = f"{name} ({next(numbers)} of {parts})"
        screen = Screen(name, playing.quiet, aside=form != TEXT, title=title, standings=False)
        try:
            yield screen
        finally:
            screen.close()

    catalogue = Catalogue(playing.bots_folder, results=playing.results)
    comparison = config.read(file, catalogue, playing.overrides)
    numbers, parts = count(1), len(comparison.players) * len(comparison.rules)
    folder = playing.results / comparison.name
    shutdown.say_how_to_go_on()
    answers = run.compare(
        comparison, catalogue, folder, playing.terms, watched, fresh=playing.fresh
    )
    files = write_comparison(answers, folder)
    told = written(answers, form).encode(errors="backslashreplace")
    click.echo(told, nl=False)  # as bytes: names stay as they are
    screen = Screen(comparison.name, playing.quiet, aside=form != TEXT)
    if playing.page:
        with screen.going_on_without():
            files.append(write_comparison_page(content(answers), folder))
    screen.written(folder, files)
