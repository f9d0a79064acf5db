"""Printing of a tournament's tables, with colours and in the width of a terminal."""

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from cantstop_arena.cli.terminal.tty import supports_colours
from cantstop_arena.tables.names import MATCH_TABLE, TABLES
from cantstop_arena.views.command_tables import TableOutput, print_text, with_table_options

if TYPE_CHECKING:
    from cantstop_arena.tables.analysis import Analysis
    from cantstop_arena.tables.column import Table


def table_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --format, --table and --wide to a command, which gets them as `output`."""
    return with_table_options(*TABLES)(command)


def match_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the same to a command with a match, whose result is a table, too."""
    return with_table_options(MATCH_TABLE, *TABLES, usual="the match")(command)


def print_tables(analysis: "Analysis", output: TableOutput, before: "Sequence[Table]" = ()) -> None:
    """Print the chosen tables; those `before` the tournament's are chosen by name, too."""
    from cantstop_arena.tables import all_tables

    chosen = output.chosen or TABLES
    if output.is_text and sys.stdout.isatty():
        text = all_tables.terminal_text(analysis, chosen, supports_colours(), output.width)
        click.echo(text, nl=False, color=True)
    else:
        print_text(all_tables.as_format(analysis, output.form, chosen, before))
