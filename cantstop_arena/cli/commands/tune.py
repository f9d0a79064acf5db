"""`arena tune`: better options for a bot."""

from pathlib import Path

import click

from cantstop_arena.cli.commands.rules import rules_option
from cantstop_arena.cli.options import bots_option, game_option

LARGEST_SEED = 2**31


@click.command()
@click.argument("bot")
@click.argument("search_spaces", nargs=-1, metavar="OPTION[=LOW..HIGH]...")
@click.option(
    "--against",
    multiple=True,
    metavar="BOT",
    help="An opponent; may be given several times. Default: the bot as it is.",
)
@click.option("--games", type=click.IntRange(1, 10**10), default=20_000, show_default=True)
@rules_option
@game_option
@click.option("--seed", type=click.IntRange(0, LARGEST_SEED), default=1, show_default=True)
@bots_option
@click.option(
    "--html",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write a page with trials and curve to this file, too.",
)
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@click.option("--quiet", is_flag=True, help="Say nothing while it plays.")
def tune(
    bot: str,
    search_spaces: tuple[str, ...],
    against: tuple[str, ...],
    games: int,
    rules_name: str | None,
    game_name: str,
    seed: int,
    bots_folder: Path,
    html: Path | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Find better values for options of BOT.

    \b
    arena tune rule28 threshold=18..46 --against glenn-aloi
    arena tune rule28 threshold=24..34 prefer           a number, and a choice
    arena tune tuned numbers --against glenn-aloi       a list of numbers

    One to three options by trials in rounds and a quadratic fitted to all of them, more (and
    lists) by evolution (CMA-ES). What is found then plays BOT as it is on fresh deals, until a
    sequential test has decided whether it is 10 Elo stronger.
    """
    from cantstop_arena.api.tuning import tune as tuned

    tuning_results = tuned(
        bot,
        *search_spaces,
        against=against,
        games=games,
        rules=rules_name,
        game=game_name,
        seed=seed,
        progress=not quiet,
        bots_folder=bots_folder,
    )
    if html is not None:
        from cantstop_arena.atomic_files import write_atomically

        write_atomically(html, tuning_results.page)
    click.echo(tuning_results.json if as_json else tuning_results.text)
