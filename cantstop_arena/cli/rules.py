"""`arena rules`: the rule sets that have a name."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cantstop_arena.errors import UsageError

if TYPE_CHECKING:
    from cantstop_arena.catalogue import Catalogue
    from cantstop_arena.games.cantstop.rules import RuleSet


def rules_called(name: str, catalogue: "Catalogue") -> "RuleSet":
    """The rule set of this name. Raises UsageError where there is none."""
    from cantstop_arena.options import did_you_mean

    if name not in catalogue.rules:
        raise UsageError(f"unknown rules {name!r}{did_you_mean(name, catalogue.rules)}")
    return catalogue.rules[name]


@click.command()
@click.argument("name", required=False)
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def rules(name: str | None, as_json: bool) -> None:
    """List the rule sets, or show every parameter of the one called NAME."""
    from cantstop_arena.catalogue import Catalogue

    catalogue = Catalogue(Path("bots"))
    named = catalogue.rules if name is None else {name: rules_called(name, catalogue)}
    shown = {key: rules.as_dict() for key, rules in named.items()}
    if as_json:
        click.echo(json.dumps(shown if name is None else shown[name], indent=2))
    elif name is None:
        _list(shown)
    else:
        for key, value in shown[name].items():
            click.echo(f"{key:<15} {value}")


def _list(shown: dict[str, dict[str, object]]) -> None:
    from tabulate import tabulate

    from cantstop_arena.games.cantstop.rules import NAMED

    columns = ("name", "stop", "landing", "columns_to_win")
    sources = {name: source for name, (_, source) in NAMED.items()}
    table = [
        [*(rules[column] for column in columns), sources.get(name, "package")]
        for name, rules in shown.items()
    ]
    click.echo(tabulate(table, headers=[*columns, "source"]))
