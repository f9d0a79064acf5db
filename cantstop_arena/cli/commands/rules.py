"""`arena rules`: the rule sets that have a name."""

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
    help="By name; see arena rules. Default: the game's own, classic in Can't Stop.",
)


@click.command(short_help="List the rule sets, or show one.")
@click.argument("name", required=False, shell_complete=shell_complete.rules)
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@game_option
def rules(name: str | None, as_json: bool, game_name: str) -> None:
    """List the rule sets, or show every parameter of the one called NAME."""
    catalogue = catalogue_for(Path("bots"), game_name)
    named = catalogue.rules if name is None else {name: catalogue.rules_called(name)}
    visible = {key: catalogue.game.rules.as_dict(rules) for key, rules in named.items()}
    if as_json:
        click.echo(json.dumps(visible if name is None else visible[name], indent=2))
    elif name is None:
        _list(visible, catalogue)
    else:
        for key, value in visible[name].items():
            click.echo(f"{key:<15} {value}")


def _list(visible: dict[str, dict[str, Any]], catalogue: "Catalogue") -> None:
    from tabulate import tabulate

    book = catalogue.game.rules
    columns = ("name", *(book.listed_parameters or book.parameters))
    sources = {name: named.source for name, named in book.named.items()}
    table = [
        [*(rules[column] for column in columns), sources.get(name, "package")]
        for name, rules in visible.items()
    ]
    click.echo(tabulate(table, headers=[*columns, "source"]))
    if book.sources:
        click.echo()
    for letter, source in book.sources.items():
        click.echo(f"{letter}: {source}")
