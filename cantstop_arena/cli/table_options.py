"""How commands print tables: in the format asked for, coloured on a terminal."""

import shutil
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from cantstop_arena.cli.terminals.terminal import takes_colours
from cantstop_arena.documents.formats.choices import FORMATS, TABLES

if TYPE_CHECKING:
    from cantstop_arena.documents.analysis import Analysis

TEXT = "text"

format_option = click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    default=TEXT,
    show_default=True,
    help="How tables are printed.",
)


def table_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --format and --table to a command."""
    chosen = click.option(
        "--table",
        "chosen",
        type=click.Choice(TABLES),
        multiple=True,
        default=TABLES,
        help="Print this table only; may be given several times. Default: all.",
    )
    return format_option(chosen(command))


def show(analysis: "Analysis", form: str, chosen: Sequence[str]) -> None:
    """Print the chosen tables."""
    from cantstop_arena.documents.tables import all_tables

    if form == TEXT and sys.stdout.isatty():
        width = shutil.get_terminal_size().columns
        click.echo(all_tables.shown(analysis, chosen, takes_colours(), width), nl=False, color=True)
    else:
        told = all_tables.written(analysis, form, chosen).encode(errors="backslashreplace")
        click.echo(told, nl=False)  # as bytes: programs get terminal codes in names as they are
