"""Options for the format of tables, and their printing, for all commands and those of games."""

import shutil
import sys
from collections.abc import Callable, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from cantstop_arena.views.command_options import Decorator, key_option

if TYPE_CHECKING:
    from cantstop_arena.tables.column import Table

TEXT = "text"


format_option = key_option("form")
json_flag = click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
json_only_flag = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


def json_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --json, another way to say --format json, to a command with that option."""

    @wraps(command)
    def wrapper(as_json: bool, form: str, **keywords: Any) -> Any:
        return command(form="json" if as_json else form, **keywords)

    return json_flag(wrapper)


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


def table_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --format, --table and --wide to a command, which gets them as `output`."""
    return _with_output(command, [key_option("chosen", "run")])


def _with_output(command: Callable[..., Any], more: Sequence[Decorator]) -> Callable[..., Any]:
    @wraps(command)
    def wrapper(form: str, wide: bool, chosen: Sequence[str] = (), **keywords: Any) -> Any:
        return command(output=TableOutput(form, chosen, wide), **keywords)

    decorated: Callable[..., Any] = wrapper
    for option in (key_option("wide"), *more, format_option):
        decorated = option(decorated)
    return decorated


def print_plain_tables(
    tables: "Sequence[Table]", output: TableOutput, *notes: str, headline: str = ""
) -> None:
    """Print tables of a command, the main one first, and in text the notes below them.

    The `headline`, the answer to the command's question, is the first line of text, and in JSON.

    CSV has the main table alone, unless others are chosen by name.
    """
    from cantstop_arena.tables.all_tables import WRITERS
    from cantstop_arena.tables.data import all_as_json
    from cantstop_arena.tables.narrow import fitted

    usual = [table.name for table in tables][: 1 if output.form == "csv" else None]
    chosen = [table for table in tables if table.name in (output.chosen or usual)]
    if output.is_text:
        chosen = [fitted(table, output.width) for table in chosen if table.rows or output.chosen]
    is_json = output.form == "json"
    text = all_as_json(chosen, headline) if is_json else WRITERS[output.form](chosen)
    below = "".join(f"\n{note}\n" for note in notes if note and output.is_text)
    above = f"{headline}.\n\n" if headline and output.is_text else ""
    print_text(above + text + below)


def print_text(text: str) -> None:
    """Print a text as bytes: click would strip terminal codes from names."""
    click.echo(text.encode(errors="backslashreplace"), nl=False)
