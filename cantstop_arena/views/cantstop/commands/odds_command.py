"""`arena odds`: exact probabilities of rolls."""

import json
from pathlib import Path

import click

from cantstop_arena.errors import UsageError


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
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def odds(runners: tuple[int, ...], claimed: tuple[int, ...], name: str, as_json: bool) -> None:
    """Count the rolls that make each column, and those that are not a bust.

    While there are free runners, a roll can use every open column.
    """
    from cantstop_arena.bots.catalogue import Catalogue
    from cantstop_arena.game_api.bot_options import did_you_mean
    from cantstop_arena.games.cantstop.dice_odds import hit_count, success_count

    rule_sets = Catalogue(Path("bots")).rules
    if name not in rule_sets:
        raise UsageError(f"unknown rules {name!r}{did_you_mean(name, rule_sets)}")
    rules = rule_sets[name]
    _check(rules.columns, rules.runners, runners, claimed)
    total = rules.sides**4
    success = success_count(rules, runners, claimed)
    columns = {column: hit_count(rules.sides, [column]) for column in rules.columns}
    if as_json:
        click.echo(json.dumps({"rolls": total, "success": success, "columns": columns}))
        return
    click.echo("column  rolls  chance")
    for column, count in columns.items():
        state = "  claimed" if column in claimed else "  runner" if column in runners else ""
        click.echo(f"{column:>6}  {count:>5}  {count / total:>6.2%}{state}")
    click.echo(f"\nA roll succeeds in {success} of {total} cases ({success / total:.2%}),")
    click.echo(f"and is a bust in {total - success} ({1 - success / total:.2%}).")


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
