"""`arena games`: the installed games."""

from textwrap import fill

import click

from cantstop_arena.cli.commands.games_check import check
from cantstop_arena.cli.commands.games_new import new
from cantstop_arena.views.command_options import TableOutput, format_options, print_plain_tables

_WIDTH = 45  # columns for the names of rule sets, so that the table fits a terminal of 80


@click.group(
    invoke_without_command=True, short_help="List the games with their seats and rule sets."
)
@format_options
@click.pass_context
def games(context: click.Context, output: TableOutput) -> None:
    """List the games with their names, numbers of seats and rule sets."""
    if context.invoked_subcommand is None:
        _list(output)


games.add_command(check)
games.add_command(new)


def _list(output: TableOutput) -> None:
    from tabulate import tabulate

    from cantstop_arena.games.registry import all_games, broken_games
    from cantstop_arena.tables.column import Column, Table

    headings = ("name", "title", "seats", "rules")
    rows = [
        [game.name, game.title, _seats(game.players), ", ".join(game.rules.named)]
        for game in all_games()
    ]
    if output.is_text:
        narrow = [[*row[:-1], fill(row[-1], _WIDTH)] for row in rows]
        click.echo(tabulate(narrow, headers=headings, disable_numparse=True))
    else:
        columns = [Column(heading, heading) for heading in headings]
        print_plain_tables([Table("games", "", columns, rows)], output)
    for name, reason in broken_games().items():
        click.echo(f"Cannot be used: {name}: {reason}", err=True)


def _seats(players: range) -> str:
    return f"{players[0]} to {players[-1]}" if len(players) > 1 else str(players[0])
