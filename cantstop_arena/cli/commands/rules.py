"""`arena rules`: the named rule sets."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cantstop_arena.cli import shell_complete
from cantstop_arena.cli.options import catalogue_for, game_option
from cantstop_arena.views.command_options import (
    TableOutput,
    format_options,
    print_plain_tables,
)

if TYPE_CHECKING:
    from cantstop_arena.game_api.rulebook import RuleBook
    from cantstop_arena.tables.column import Table


@click.command(short_help="List the rule sets, or show the parameters of one.")
@click.argument("name", required=False, shell_complete=shell_complete.rules)
@format_options
@game_option
def rules(name: str | None, game_name: str, output: TableOutput) -> None:
    """List the rule sets, or show all parameters of the rule set NAME."""
    catalogue = catalogue_for(Path("bots"), game_name)
    named = catalogue.rules if name is None else {name: catalogue.rules_called(name)}
    parameters = {key: catalogue.game.rules.as_dict(rules) for key, rules in named.items()}
    if output.form == "json":
        click.echo(json.dumps(parameters if name is None else parameters[name], indent=2))
    elif name is None:
        book = catalogue.game.rules
        sources = "\n".join(f"{letter}: {source}" for letter, source in book.sources.items())
        print_plain_tables([_list(parameters, book)], output, sources)
    else:
        print_plain_tables([_parameters(parameters[name])], output)


def _list(parameters: dict[str, dict[str, Any]], book: "RuleBook[Any]") -> "Table":
    """A row for each rule set, with the parameters that a game lists."""
    from cantstop_arena.tables.column import Column, Kind, Table

    names = book.listed_parameters or book.parameters
    sources = {name: named.source for name, named in book.named.items()}
    rows = [
        [name, *(_cell(rules[key]) for key in names), sources.get(name, "package")]
        for name, rules in parameters.items()
    ]
    kinds = [
        Kind.TEXT if any(isinstance(row[index], str) for row in rows) else Kind.NUMBER
        for index in range(1, len(names) + 1)
    ]
    columns = [Column(key, key, kind) for key, kind in zip(names, kinds, strict=True)]
    return Table("rules", "", [Column("name", "name"), *columns, Column("source", "source")], rows)


def _parameters(rules: dict[str, Any]) -> "Table":
    """A row for each parameter of a rule set."""
    from cantstop_arena.tables.column import Column, Table

    columns = [Column("parameter", "parameter"), Column("value", "value")]
    return Table("parameters", "", columns, [[key, str(value)] for key, value in rules.items()])


def _cell(value: Any) -> int | str:
    return value if type(value) is int else str(value)
