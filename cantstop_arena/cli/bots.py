"""`arena bots`: the bots that can play here, and those that cannot."""

import json
from pathlib import Path
from typing import Any

import click

from cantstop_arena.cli.bots_check import check
from cantstop_arena.cli.bots_new import new
from cantstop_arena.cli.playing import bots_option
from cantstop_arena.system import short_path


@click.group(invoke_without_command=True)
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@bots_option
@click.pass_context
def bots(context: click.Context, as_json: bool, bots_folder: Path) -> None:
    """List the bots: built in, from installed packages, and from the folder bots/."""
    if context.invoked_subcommand is None:
        _list(as_json, bots_folder)


bots.add_command(check)
bots.add_command(new)


def _list(as_json: bool, bots_folder: Path) -> None:
    from cantstop_arena.plugins import Catalogue

    known, broken = Catalogue(bots_folder).everything()
    rows, failures = [], [{"name": b.name, "origin": b.origin, "reason": b.reason} for b in broken]
    for spec in known:
        try:
            rows.append(_row(spec))
        except Exception as error:
            failures.append({"name": spec.name, "origin": spec.origin, "reason": str(error)})
    if as_json:
        click.echo(json.dumps({"bots": rows, "broken": failures}, indent=2))
        return
    _print(rows, failures)


def _row(spec: Any) -> dict[str, Any]:
    origin = str(spec.path) if spec.path else spec.origin
    return {
        "name": spec.name,
        "origin": short_path(origin),
        "lane": spec.lane,
        "summary": spec.summary,
        "options": spec.defaults,
    }


def _print(rows: list[dict[str, Any]], failures: list[dict[str, str]]) -> None:
    from tabulate import tabulate

    columns = ("name", "origin", "lane", "summary")
    table = [[row[column] for column in columns] for row in rows]
    click.echo(tabulate(table, headers=columns, disable_numparse=True))
    if failures:
        click.echo("\nCannot be used:")
    for failure in failures:
        click.echo(f"  {failure['name']} ({short_path(failure['origin'])}): {failure['reason']}")
