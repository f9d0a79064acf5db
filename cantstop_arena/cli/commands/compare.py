"""`arena compare`: what rule changes do to the game."""

from itertools import count
from pathlib import Path

import click

from cantstop_arena.cli.options import Playing, luck_option, playing_options
from cantstop_arena.cli.table_options import TEXT, format_option
from cantstop_arena.cli.terminals.screen import Screen
from cantstop_arena.runtime import shutdown


@click.command(short_help="Play a comparison and say what each rule set changes.")
@click.argument("file", type=click.Path(path_type=Path))
@playing_options
@luck_option
@format_option
def compare(
    file: Path,
    playing: Playing,
    luck_removed: bool,
    form: str,
) -> None:
    """Play the comparison of FILE and say what each rule set changes.

    The same bots play the same deals under all rule sets. Run it again to continue with more
    games, or after an interruption.
    """
    from cantstop_arena.api.comparisons import answered, planned
    from cantstop_arena.reports.comparison import FILES, content, write_comparison_page, written

    comparison, catalogue, folder = planned(
        file,
        games=playing.games,
        seed=playing.seed,
        bots_folder=playing.bots_folder,
        results=playing.results,
    )
    comparison = comparison.without_luck() if luck_removed else comparison
    numbers, parts = count(1), len(comparison.players) * len(comparison.rules)

    def screen_for(name: str) -> Screen:
        title = f"{name} ({next(numbers)} of {parts})"
        return Screen(name, playing.quiet, aside=form != TEXT, title=title, standings=False)

    shutdown.say_how_to_go_on()
    answers = answered(comparison, catalogue, folder, playing.settings(screen_for))
    told = written(answers, form).encode(errors="backslashreplace")
    click.echo(told, nl=False)  # as bytes: names stay as they are
    files = [folder / name for name in FILES]
    screen = Screen(comparison.name, playing.quiet, aside=form != TEXT)
    if playing.page:
        with screen.going_on_without():
            files.append(write_comparison_page(content(answers), folder))
    screen.written(folder, files)
