"""Printing of tables in the chosen format, with colours on a terminal."""

import shutil
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from cantstop_arena.cli.terminal.tty import supports_colours
from cantstop_arena.tables.names import FORMATS, TABLES

if TYPE_CHECKING:
    from cantstop_arena.tables.analysis import Analysis

TEXT = "text"

format_option = click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    default=TEXT,
    show_default=True,
    help="Format of the tables.",
)


def table_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --format and --table to a command."""
    chosen = click.option(
        "--table",
        "chosen",
        type=click.Choice(TABLES),
        multiple=True,
        default=TABLES,
        help="Print only this table; can be repeated. Default: all tables.",
    )
    return format_option(chosen(command))


def print_tables(analysis: "Analysis", form: str, chosen: Sequence[str]) -> None:
    """Print the chosen tables."""
    from cantstop_arena.tables import all_tables

    if form == TEXT and sys.stdout.isatty():
        width = shutil.get_terminal_size().columns
        text = all_tables.terminal_text(analysis, chosen, supports_colours(), width)
        click.echo(text, nl=False, color=True)
    else:
        data = all_tables.as_format(analysis, form, chosen).encode(errors="backslashreplace")
        click.echo(data, nl=False)  # as bytes: click would strip terminal codes from names
