"""`arena games`: the installed games."""

from textwrap import fill

import click

from cantstop_arena.cli.commands.games_check import check
from cantstop_arena.cli.commands.games_new import new

_WIDTH = 45  # columns for the names of rule sets, so that the table fits a terminal of 80


@click.group(
    invoke_without_command=True, short_help="List the games with their seats and rule sets."
)
@click.pass_context
def games(context: click.Context) -> None:
    """List the games with their names, numbers of seats and rule sets."""
    if context.invoked_subcommand is None:
        _list()


games.add_command(check)
games.add_command(new)


def _list() -> None:
    from tabulate import tabulate

    from cantstop_arena.games.registry import all_games, broken_games

    rows = [
        [game.name, game.title, _seats(game.players), fill(", ".join(game.rules.named), _WIDTH)]
        for game in all_games()
    ]
    click.echo(tabulate(rows, headers=("name", "title", "seats", "rules"), disable_numparse=True))
    for name, reason in broken_games().items():
        click.echo(f"Cannot be used: {name}: {reason}", err=True)


def _seats(players: range) -> str:
    return f"{players[0]} to {players[-1]}" if len(players) > 1 else str(players[0])
