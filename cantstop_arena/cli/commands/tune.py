"""`arena tune`: tuning of a bot's options."""

from pathlib import Path

import click

from cantstop_arena.cli.options import Given, options
from cantstop_arena.cli.terminal.progress_screen import ProgressScreen, RunScreen
from cantstop_arena.views.command_options import (
    file_option,
    number_seed_option,
    print_text,
)

MAX_SEED = 2**31


@click.command(short_help="Find better values for the options of a bot.")
@click.argument("bot")
@click.argument("search_spaces", nargs=-1, metavar="OPTION[=LOW..HIGH]...")
@click.option(
    "--against",
    multiple=True,
    metavar="BOT",
    help="An opponent; can be repeated. Default: BOT with its present options.",
)
@click.option(
    "--games",
    type=click.IntRange(1, 10**10),
    default=20_000,
    show_default=True,
    help="Games of the search.",
)
@number_seed_option(MAX_SEED)
@file_option("--html", "Also write the page to this file.")
@options("tune")
def tune(
    bot: str,
    search_spaces: tuple[str, ...],
    against: tuple[str, ...],
    games: int,
    seed: int,
    html: Path | None,
    given: Given,
) -> None:
    """Find better values for options of BOT.

    \b
    arena tune rule28 threshold=18..46 --against glenn-aloi
    arena tune rule28 threshold=24..34 prefer           a number, and a choice
    arena tune tuned numbers --against glenn-aloi       a list of numbers

    One to three options are tuned by rounds of trials and a curve fitted to all of them; more
    options, and lists, by an evolution strategy (CMA-ES). The tuned bot then plays BOT with its
    present options on new deals until a sequential test of 0 against 10 Elo is decided. Options are
    recommended only if it shows that they are stronger. The folder of the results has tuning.json
    and the page, report.html.
    """
    from cantstop_arena.api.tuning import tune as tuned
    from cantstop_arena.atomic_files import check_output_file, write_atomically

    if html is not None:
        check_output_file(html)
    results = tuned(
        bot,
        *search_spaces,
        against=against,
        games=games,
        seed=seed,
        progress=lambda name: ProgressScreen(name, "games", given.quiet),
        **given.tournament,
        **given.run,
    )
    print_text(results.as_format(given.tables.form))
    if html is not None:
        write_atomically(html, results.page)
    screen = RunScreen(results.folder.name, given.quiet, aside=not given.tables.is_text)
    page = None
    if given.page:
        with screen.reporting_page_error():
            page = results.write_page()
    screen.echo_folder(results.folder, page)
