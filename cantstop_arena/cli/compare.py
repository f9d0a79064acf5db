"""`arena compare`: what rule changes do to the game."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from cantstop_arena.cli.run import Screen, playing_options, say_how_to_go_on, terms_of


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@playing_options
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "markdown", "csv", "json", "latex"]),
    default="text",
    show_default=True,
    help="How the answers are printed.",
)
def compare(
    file: Path,
    workers: int | None,
    start_method: str | None,
    memory: int | None,
    games: int | None,
    seed: int | None,
    results: Path,
    bots_folder: Path,
    fresh: bool,
    quiet: bool,
    form: str,
) -> None:
    """Play the comparison of FILE and say what each rule set changes.

    The same bots play the same deals under all rule sets. Run it again to continue with more
    games, or after an interruption.
    """
    from cantstop_arena.compare import config, run
    from cantstop_arena.plugins import Catalogue
    from cantstop_arena.reports.comparison import write_comparison, written
    from cantstop_arena.tournament.config import Overrides

    @contextmanager
    def watched(name: str) -> Iterator[Screen]:
        screen = Screen(name, quiet or form != "text")
        try:
            yield screen
        finally:
            screen.close()

    catalogue = Catalogue(bots_folder)
    comparison = config.read(file, catalogue, Overrides(games, seed))
    folder = results / comparison.name
    say_how_to_go_on()
    terms = terms_of(workers, start_method, memory)
    answers = run.compare(comparison, catalogue, folder, terms, watched, fresh=fresh)
    files = write_comparison(answers, folder)
    click.echo(("\n" if form == "text" else "") + written(answers, form), nl=False)
    if not quiet and form == "text":
        click.echo(f"\nWritten to {folder}: {', '.join(path.name for path in files)}.")
