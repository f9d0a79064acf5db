"""`arena compare`: what rule changes do to the game."""

from itertools import count
from pathlib import Path

import click

from cantstop_arena.cli.options import GivenOptions, luck_option, options
from cantstop_arena.cli.print_tables import TEXT, format_option
from cantstop_arena.cli.terminal.run_screen import RunScreen
from cantstop_arena.processes import shutdown


@click.command(short_help="Play a comparison and say what each rule set changes.")
@click.argument("file", type=click.Path(path_type=Path))
@options
@luck_option
@format_option
def compare(
    file: Path,
    given: GivenOptions,
    luck_removed: bool,
    form: str,
) -> None:
    """Play the comparison of FILE and say what each rule set changes.

    The same bots play the same deals under all rule sets. Run it again to continue with more
    games, or after an interruption.
    """
    from cantstop_arena.api.comparisons import play_comparison, read_comparison
    from cantstop_arena.reports.comparison_report import (
        FILES,
        as_format,
        content,
        write_comparison_page,
    )

    comparison, catalogue, folder = read_comparison(
        file,
        games=given.games,
        seed=given.seed,
        bots_folder=given.bots_folder,
        results=given.results,
    )
    comparison = comparison.without_luck() if luck_removed else comparison
    numbers, parts = count(1), len(comparison.players) * len(comparison.rules)

    def screen_for(name: str) -> RunScreen:
        title = f"{name} ({next(numbers)} of {parts})"
        return RunScreen(name, given.quiet, aside=form != TEXT, title=title, standings=False)

    shutdown.announce_resume()
    answers = play_comparison(comparison, catalogue, folder, given.run_options(), screen_for)
    data = as_format(answers, form).encode(errors="backslashreplace")
    click.echo(data, nl=False)  # as bytes: names stay as they are
    files = [folder / name for name in FILES]
    screen = RunScreen(comparison.name, given.quiet, aside=form != TEXT)
    if given.page:
        with screen.going_on_without():
            files.append(write_comparison_page(content(answers), folder))
    screen.echo_paths(folder, files)
