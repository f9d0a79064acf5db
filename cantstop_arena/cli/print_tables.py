"""Printing of tables in the chosen format, with colours and in the width of a terminal."""

import shutil
import sys
from collections.abc import Callable, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from cantstop_arena.cli.terminal.tty import supports_colours
from cantstop_arena.tables.names import FORMATS, MATCH_TABLE, TABLES

if TYPE_CHECKING:
    from cantstop_arena.tables.analysis import Analysis
    from cantstop_arena.tables.column import Table

TEXT = "text"


format_option = click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    default=TEXT,
    show_default=True,
    help="Format of the tables.",
)


def json_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --json, another way to say --format json, to a command with that option."""

    @wraps(command)
    def wrapper(as_json: bool, form: str, **keywords: Any) -> Any:
        return command(form="json" if as_json else form, **keywords)

    return click.option("--json", "as_json", is_flag=True, help="The same as --format json.")(
        wrapper
    )


class TableOutput(NamedTuple):
    """How tables are printed: the format, the names of the tables (none: the usual ones), `wide`.

    Tables that are not `wide` fit the terminal, if they are printed on one.
    """

    form: str
    chosen: Sequence[str] = ()
    wide: bool = False

    @property
    def is_text(self) -> bool:
        """Whether the output is for people, and messages may stand beside it."""
        return self.form == TEXT

    @property
    def width(self) -> int:
        """The columns of the terminal to fit; 0: any width."""
        fits = self.is_text and not self.wide and sys.stdout.isatty()
        return shutil.get_terminal_size().columns if fits else 0


def format_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --format and --wide to a command, which gets them as `output`."""
    return _with_output(command, ())


def table_options(
    command: Callable[..., Any], names: Sequence[str] = TABLES, usual: str = "all tables"
) -> Callable[..., Any]:
    """Add --format, --table and --wide to a command, which gets them as `output`."""
    chosen = click.option(
        "--table",
        "chosen",
        type=click.Choice(names),
        multiple=True,
        help=f"Print only this table; can be repeated. Default: {usual}.",
    )
    return _with_output(command, [chosen])


def match_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the same to a command with a match, whose result is a table, too."""
    return table_options(command, (MATCH_TABLE, *TABLES), "the match")


def _with_output(
    command: Callable[..., Any], more: Sequence[Callable[..., Any]]
) -> Callable[..., Any]:
    @wraps(command)
    def wrapper(form: str, wide: bool, chosen: Sequence[str] = (), **keywords: Any) -> Any:
        return command(output=TableOutput(form, chosen, wide), **keywords)

    wide_option = click.option(
        "--wide", is_flag=True, help="Print complete tables, also on a narrow terminal."
    )
    for option in (wide_option, *more, format_option):
        wrapper = option(wrapper)
    return wrapper


def print_tables(analysis: "Analysis", output: TableOutput, before: "Sequence[Table]" = ()) -> None:
    """Print the chosen tables; those `before` the tournament's are chosen by name, too."""
    from cantstop_arena.tables import all_tables

    chosen = output.chosen or TABLES
    if output.is_text and sys.stdout.isatty():
        text = all_tables.terminal_text(analysis, chosen, supports_colours(), output.width)
        click.echo(text, nl=False, color=True)
    else:
        print_text(all_tables.as_format(analysis, output.form, chosen, before))


def print_text(text: str) -> None:
    """Print a text as bytes: click would strip terminal codes from names."""
    click.echo(text.encode(errors="backslashreplace"), nl=False)
