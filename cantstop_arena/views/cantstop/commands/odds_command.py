"""`arena odds`: exact probabilities of rolls."""

import json
from pathlib import Path

import click

from cantstop_arena.errors import UsageError
from cantstop_arena.views.command_options import (
    TableOutput,
    format_options,
    only_game_option,
    print_plain_tables,
)


def _columns(context: click.Context, parameter: click.Parameter, text: str) -> tuple[int, ...]:
    try:
        return tuple(sorted({int(part) for part in text.replace(",", " ").split()}))
    except ValueError:
        raise click.BadParameter(f"invalid columns {text!r}: use a list like 6,7,8") from None


@click.command(short_help="Count the rolls that make each column, and the busts.")
@click.option(
    "--runners", callback=_columns, default="", metavar="6,7,8", help="Columns of the runners."
)
@click.option("--claimed", callback=_columns, default="", metavar="2,12", help="Claimed columns.")
@click.option("--rules", "name", default="classic", show_default=True, help="Rule set.")
@only_game_option("cantstop")
@format_options
def odds(
    runners: tuple[int, ...], claimed: tuple[int, ...], name: str, output: TableOutput
) -> None:
    """Count the rolls that make each column, and those that are not a bust.

    While there are free runners, a roll can use every open column.
    """
    from cantstop_arena.bots.catalogue import Catalogue
    from cantstop_arena.games.cantstop.dice_odds import hit_count, success_count
    from cantstop_arena.tables.column import Column, Table, number

    rules = Catalogue(Path("bots")).rules_called(name)
    _check(rules.columns, rules.runners, runners, claimed)
    total = rules.sides**4
    success = success_count(rules, runners, claimed)
    columns = {column: hit_count(rules.sides, [column]) for column in rules.columns}
    if output.form == "json":
        click.echo(json.dumps({"rolls": total, "success": success, "columns": columns}))
        return
    state = dict.fromkeys(claimed, "claimed") | dict.fromkeys(runners, "runner")
    table = Table(
        "odds",
        "",
        [
            number("column"),
            number("rolls"),
            number("chance", "chance %", 2, percent=True),
            Column("state", "state", optional=True),
        ],
        [(column, count, count / total, state.get(column)) for column, count in columns.items()],
        [
            f"A roll succeeds in {success:,} of {total:,} cases ({success / total:.2%}), and is a"
            f" bust in {total - success:,} ({1 - success / total:.2%})."
        ],
    )
    print_plain_tables([table], output)


def _check(
    columns: range, max_runners: int, runners: tuple[int, ...], claimed: tuple[int, ...]
) -> None:
    for column in (*runners, *claimed):
        if column not in columns:
            raise UsageError(f"there is no column {column}; columns are 2 to {columns[-1]}")
    if len(runners) > max_runners:
        raise UsageError(f"{len(runners)} runners are too many; these rules have {max_runners}")
    if both := set(runners) & set(claimed):
        raise UsageError(f"column {min(both)} cannot be both claimed and in --runners")
