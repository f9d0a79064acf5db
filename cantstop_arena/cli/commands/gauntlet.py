"""`arena gauntlet`: one bot against a field."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cantstop_arena.cli import completing
from cantstop_arena.cli.commands.rules import rules_called, rules_option
from cantstop_arena.cli.options import (
    bots_option,
    catalogue_for,
    game_option,
    luck_option,
    results_option,
    seed_option,
    terms_of,
    workers_option,
)
from cantstop_arena.cli.results_folder import page_option, write_results
from cantstop_arena.cli.table_options import TEXT, show, table_options
from cantstop_arena.cli.terminals.screen import Screen
from cantstop_arena.runtime import shutdown

if TYPE_CHECKING:
    from cantstop_arena.deals.seeds import Seed

GAMES = 10_000


@click.command(short_help="Let one bot meet a field, and say its place.")
@click.argument("challenger", shell_complete=completing.bots)
@click.option(
    "--against",
    multiple=True,
    metavar="BOT",
    shell_complete=completing.bots,
    help="A bot of the field; may be given several times. Default: all that are built in.",
)
@click.option("--players", type=int, default=2, show_default=True, help="Seats at a table.")
@click.option(
    "--games",
    type=click.IntRange(1, 10**12),
    default=GAMES,
    show_default=True,
    help="Games for each group of bots that meets.",
)
@rules_option
@game_option
@seed_option("Default: one that nobody can guess.")
@workers_option
@luck_option
@results_option
@bots_option
@click.option("--fresh", is_flag=True, help="Forget earlier results of this gauntlet.")
@click.option("--quiet", is_flag=True, help="Print the tables and nothing else.")
@page_option
@table_options
def gauntlet(
    challenger: str,
    against: Sequence[str],
    players: int,
    games: int,
    rules_name: str | None,
    game_name: str,
    seed: "Seed | None",
    workers: int | None,
    luck_removed: bool,
    results: Path,
    bots_folder: Path,
    fresh: bool,
    quiet: bool,
    page: bool,
    form: str,
    chosen: Sequence[str],
) -> None:
    """Let CHALLENGER play each bot of a field, and say its place among them.

    The bots of the field do not play each other. A bot is a name or a path, with options behind a
    colon (rule28:threshold=30), or a version of a file that has played before (patient@previous).
    """
    from cantstop_arena.documents.analysis import Analysis
    from cantstop_arena.tournament import gauntlet as gauntlets
    from cantstop_arena.tournament.run import play, settled

    catalogue = catalogue_for(bots_folder, game_name, results)
    _check_players(players, game_name)
    rules, game = rules_called(rules_name, catalogue), catalogue.game
    field = against or [bot for bot in game.bots if not game.refusal(bot, rules, players)]
    tournament = gauntlets.gauntlet(
        challenger, field, catalogue, rules, players, games, seed, results
    )
    tournament = tournament.without_luck() if luck_removed else tournament
    folder = results / tournament.name
    tournament = settled(tournament, folder, fresh)
    screen = Screen(tournament.name, quiet, form != TEXT)
    shutdown.say_how_to_go_on()
    try:
        outcome = play(tournament, catalogue, folder, terms_of(workers, None, None), screen, fresh)
    finally:
        screen.close()
    analysis = Analysis(outcome)
    said = partial(show, analysis, form, chosen)
    paths = write_results(analysis, tournament, catalogue, folder, screen, page, said)
    screen.written(folder, paths)


def _check_players(players: int, game_name: str) -> None:
    from cantstop_arena.games.registry import game_called

    seats = [number for number in game_called(game_name).players if number > 1]
    if players not in seats:
        told = f"{seats[0]} to {seats[-1]}"
        raise click.BadParameter(f"a table has {told} seats, not {players}", param_hint="--players")
