"""`arena rules`: the named rule sets."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cantstop_arena.cli import shell_complete
from cantstop_arena.cli.options import catalogue_for, game_option

if TYPE_CHECKING:
    from cantstop_arena.bots.catalogue import Catalogue

rules_option = click.option(
    "--rules",
    "rules_name",
    metavar="NAME",
    shell_complete=shell_complete.rules,
    help="Rule set; see arena rules. Default: the game's default, classic in Can't Stop.",
)


@click.command(short_help="List the rule sets, or show the parameters of one.")
@click.argument("name", required=False, shell_complete=shell_complete.rules)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@game_option
def rules(name: str | None, as_json: bool, game_name: str) -> None:
    """List the rule sets, or show all parameters of the rule set NAME."""
    catalogue = catalogue_for(Path("bots"), game_name)
    named = catalogue.rules if name is None else {name: catalogue.rules_called(name)}
    parameters = {key: catalogue.game.rules.as_dict(rules) for key, rules in named.items()}
    if as_json:
        click.echo(json.dumps(parameters if name is None else parameters[name], indent=2))
    elif name is None:
        _list(parameters, catalogue)
    else:
        for key, value in parameters[name].items():
            click.echo(f"{key:<15} {value}")


def _list(parameters: dict[str, dict[str, Any]], catalogue: "Catalogue") -> None:
    from tabulate import tabulate

    book = catalogue.game.rules
    columns = ("name", *(book.listed_parameters or book.parameters))
    sources = {name: named.source for name, named in book.named.items()}
    table = [
        [*(rules[column] for column in columns), sources.get(name, "package")]
        for name, rules in parameters.items()
    ]
    click.echo(tabulate(table, headers=[*columns, "source"]))
    if book.sources:
        click.echo()
    for letter, source in book.sources.items():
        click.echo(f"{letter}: {source}")
