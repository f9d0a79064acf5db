"""`arena replay`: any game of a tournament again, written down."""

import json
from pathlib import Path

import click

from cantstop_arena.cli.run import bots_option

LAST_DEAL = 2**63 - 1  # that the engine can count; no tournament comes near


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("bots", nargs=-1, required=True, metavar="BOT...")
@click.option(
    "--deal", type=click.IntRange(0, LAST_DEAL), required=True, help="The deal, counted from 0."
)
@click.option("--seed", type=int, help="Seed of the dice, if not the file's.")
@click.option("--json", "as_json", is_flag=True, help="As JSON Lines, one event a line.")
@bots_option
def replay(
    file: Path, bots: tuple[str, ...], deal: int, seed: int | None, as_json: bool, bots_folder: Path
) -> None:
    """Play one game of the tournament in FILE again, the BOTs in seat order.

    A BOT is one of the tournament's names, or of any bot that `arena bots` lists.
    """
    from cantstop_arena.games.cantstop.drawing import tell_game
    from cantstop_arena.games.cantstop.notation import record
    from cantstop_arena.plugins import Catalogue
    from cantstop_arena.tournament import config
    from cantstop_arena.tournament.recipes import table_for

    catalogue = Catalogue(bots_folder)
    tournament = config.read(file, catalogue, config.Overrides(seed=seed))
    table, seats = table_for(tournament, catalogue, bots)
    events = record(table, seats, deal, lambda complaint: click.echo(complaint, err=True))
    for line in map(json.dumps, events) if as_json else tell_game(events):
        click.echo(line)
