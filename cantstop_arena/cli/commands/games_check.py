"""`arena games check`: whether a game keeps the contract of games."""

import click

from cantstop_arena.exit_codes import ExitCode
from cantstop_arena.views.command_options import (
    TableOutput,
    format_options,
    print_plain_tables,
)


@click.command(short_help="Check the code of a game for errors.")
@click.argument("name")
@format_options
def check(name: str, output: TableOutput) -> ExitCode:
    """Check whether the game NAME keeps the contract of games (docs/reference/game-api.md).

    Random games of all rule sets and numbers of seats are played, copied, repeated, stored and
    played in other processes, and the game's bots play. The exit code is 1 when an error was found.
    """
    from cantstop_arena.check.findings import WRONG
    from cantstop_arena.check.game_check import GameCheck
    from cantstop_arena.games.registry import game_named
    from cantstop_arena.tables.column import Column, Table

    game_check = GameCheck(game_named(name))
    if output.is_text:
        click.echo(game_check.summary())
    findings = []
    for finding in game_check.findings():
        findings.append(finding)
        if output.is_text:
            click.echo(f"  {finding.mark:<5}  {finding.subject}: {finding.text}")
    wrong = sum(finding.mark == WRONG for finding in findings)
    if output.is_text:
        click.echo(f"{wrong or 'no'} {'finding' if wrong == 1 else 'findings'}")
    else:
        columns = [Column("mark", "mark"), Column("test", "test"), Column("text", "text")]
        rows = [[finding.mark, finding.subject, finding.text] for finding in findings]
        print_plain_tables([Table("check", "", columns, rows)], output)
    return ExitCode.FAILED if wrong else ExitCode.DONE
