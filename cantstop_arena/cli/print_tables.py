"""Printing of a tournament's tables, with colours and in the width of a terminal."""

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from cantstop_arena.cli.terminal.tty import supports_colours
from cantstop_arena.tables.names import TABLES
from cantstop_arena.views.command_tables import TableOutput, print_text

if TYPE_CHECKING:
    from cantstop_arena.tables.analysis import Analysis
    from cantstop_arena.tables.column import Table


def print_tables(analysis: "Analysis", output: TableOutput, before: "Sequence[Table]" = ()) -> None:
    """Print the chosen tables; those `before` the tournament's are chosen by name, too.

    Without a choice the answer to the command's question is printed first, in a line.
    """
    from cantstop_arena.reports.headline import headline
    from cantstop_arena.tables import all_tables

    chosen = output.chosen or TABLES
    first = "" if output.chosen else headline(analysis)
    if output.is_text and sys.stdout.isatty():
        text = all_tables.terminal_text(analysis, chosen, supports_colours(), output.width, first)
        click.echo(text, nl=False, color=True)
    else:
        print_text(all_tables.as_format(analysis, output.form, chosen, before, first))
