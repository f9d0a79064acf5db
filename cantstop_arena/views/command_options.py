"""Options of commands, made from `tournaments.file.keys`, and how commands print tables."""

import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import wraps
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from cantstop_arena.errors import UsageError
from cantstop_arena.tables.names import FORMATS, MATCH_TABLE, TABLES
from cantstop_arena.tournaments.file.keys import BY_NAME, Key, Seconds

if TYPE_CHECKING:
    from cantstop_arena.bots.bot_start import Isolation
    from cantstop_arena.deals.outcomes import LuckRemoved
    from cantstop_arena.deals.seeds import Seed
    from cantstop_arena.tables.column import Table
    from cantstop_arena.tournaments.pool.remote_pools import PoolAddress


Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


class FiniteRange(click.FloatRange):
    """A finite number in a range; click's own FloatRange accepts nan in every range."""

    def convert(
        self, value: Any, parameter: click.Parameter | None, context: click.Context | None
    ) -> float:
        number: float = super().convert(value, parameter, context)
        if not isfinite(number):
            self.fail(f"{value} is not a finite number", parameter, context)
        return number


class WholeNumber(click.IntRange):
    """An integer in a range, which may be written as 1e3, as in files."""

    def convert(
        self, value: Any, parameter: click.Parameter | None, context: click.Context | None
    ) -> int:
        if isinstance(value, str) and "e" in value.lower() and not value.lower().startswith("0x"):
            with suppress(ValueError, OverflowError):
                number = float(value)
                value = int(number) if number.is_integer() else value
        converted: int = super().convert(value, parameter, context)
        return converted


def key_option(key: Key | str, command: str = "", **changes: Any) -> Decorator:
    """The option of a key, or of the key of this name, with its help text in a command.

    `changes` are words for `click.option` that differ from those of the key.
    """
    key = BY_NAME[key] if isinstance(key, str) else key
    arguments = {"help": key.help_of(command), "default": key.default, **_form(key, command)}
    decorator = click.option(*key.cli, **{**arguments, **key.option, **changes})
    if key.kind != "format":
        return decorator
    return lambda command: decorator(_json_for_format(command))


def only_game_option(name: str) -> Decorator:
    """The option --game of a command about one game: it refuses others in a sentence."""

    def check(context: click.Context, _: click.Parameter, value: str) -> None:
        from cantstop_arena.games.registry import game_named

        if value != name:
            raise UsageError(f"{context.command_path} is for {game_named(name).title} only")

    return click.option(
        "--game", default=name, hidden=True, expose_value=False, is_eager=True, callback=check
    )


def seats_option(maximum: int) -> Decorator:
    """The option --players of a command that is about one table, not about lineups."""
    seats = click.IntRange(1, maximum)
    return key_option(
        "players", type=seats, default=2, show_default=True, metavar=None, help="Number of seats."
    )


def number_seed_option(maximum: int = 2**63 - 1) -> Decorator:
    """The option --seed of a command whose seed is a number, and the same by default each time."""
    return key_option(
        "seed",
        type=click.IntRange(0, maximum),
        callback=None,
        default=1,
        show_default=True,
        metavar=None,
        help="Seed of all random numbers.",
    )


changes_option = click.option(
    "--change",
    "changes",
    multiple=True,
    metavar="KEY=VALUE",
    help="Change a parameter of the rules; can be repeated.",
)


def file_option(name: str, help: str, **changes: Any) -> Decorator:
    """An option for a file that the command writes."""
    return click.option(name, type=click.Path(dir_okay=False, path_type=Path), help=help, **changes)


def folder_option(name: str, help: str) -> Decorator:
    """An option for a folder."""
    return click.option(
        name, type=click.Path(file_okay=False, path_type=Path), help=help, metavar="DIR"
    )


def _form(key: Key, command: str) -> Mapping[str, Any]:
    """What click must know to read the values of a key."""
    kind = key.kind
    if kind is bool:
        return {"is_flag": True}
    if isinstance(kind, range):
        return {"type": WholeNumber(kind[0], kind[-1])}
    if isinstance(kind, Seconds):
        return {"type": FiniteRange(0, kind.maximum)}
    if isinstance(kind, tuple):
        return {"type": click.Choice(kind)}
    if kind == "tables":
        return {"type": click.Choice([MATCH_TABLE] * (command == "match") + [*TABLES])}
    return _FORMS.get(kind, {"type": kind if isinstance(kind, type) else None})


def _seed(context: click.Context, parameter: click.Parameter, text: str | None) -> "Seed | None":
    from cantstop_arena.deals.seeds import SEED_FORM, seed_of
    from cantstop_arena.tournaments.file.yaml_reader import (
        converted_losslessly,
        plain_value,
        quoted,
    )

    if text is None:
        return None
    seed = seed_of(converted_losslessly(plain_value(text), 0))
    if seed is None:
        raise UsageError(f"--seed must be {SEED_FORM}, not {quoted(text)}")
    return seed


def _bytes(context: click.Context, parameter: click.Parameter, text: str | None) -> int | None:
    from cantstop_arena.processes.system import bytes_of

    try:
        return None if text is None else bytes_of(text)
    except ValueError:
        raise click.BadParameter(
            f"invalid size {text!r}: use bytes, or a number with K, M or G"
        ) from None


def _cluster(
    context: click.Context, parameter: click.Parameter, text: str | None
) -> "PoolAddress | None":
    from cantstop_arena.tournaments.pool.remote_pools import address_in

    return None if text is None else address_in(text)


def _isolation(context: click.Context, parameter: click.Parameter, chosen: bool) -> "Isolation":
    """Where the foreign bots of a command play; checked before any of them is opened."""
    from cantstop_arena.bots.bot_start import chosen_isolation

    return chosen_isolation(chosen)


def _format(context: click.Context, parameter: click.Parameter, name: str) -> str:
    if not context.meta.get(_JSON):
        return name
    if name not in (TEXT, "json"):
        raise UsageError(f"--json cannot be combined with --format {name}")
    return "json"


def _note_json(context: click.Context, parameter: click.Parameter, chosen: bool) -> None:
    context.meta[_JSON] = chosen


_json_for_format = click.option(
    "--json",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_note_json,
    help="The same as --format json.",
)


def _luck(context: click.Context, parameter: click.Parameter, text: str | None) -> "LuckRemoved":
    return "value" if text == "value" else text == "true"


def _openings(context: click.Context, parameter: click.Parameter, text: str | None) -> Any:
    """The value of the key `openings`: a number of plies, `game`, or else a file."""
    if text is None or text == "game":
        return text
    return {"plies": int(text)} if text.isdecimal() else {"file": text}


def with_optional_values(arguments: Sequence[str]) -> list[str]:
    """The arguments with the value of each option that can be given without one.

    click would take the argument behind it, say a bot, for its value.
    """
    joined: list[str] = []
    for argument in arguments:
        if joined and joined[-1] == f"{_LUCK}=true" and argument == "value":
            joined[-1] = f"{_LUCK}=value"
        else:
            joined.append(f"{_LUCK}=true" if argument == _LUCK else argument)
    return joined


_JSON = f"{__name__}.json"
(_LUCK,) = BY_NAME["luck_removed"].cli
_FORMS: Mapping[str, Mapping[str, Any]] = {
    "count": {"type": click.IntRange(1)},
    "folder": {"type": click.Path(file_okay=False, path_type=Path)},
    "format": {"type": click.Choice(FORMATS), "callback": _format},
    "seed": {"callback": _seed},
    "size": {"callback": _bytes},
    "cluster": {"callback": _cluster},
    "openings": {"callback": _openings},
    "isolation": {"is_flag": True, "callback": _isolation},
    "luck": {
        "type": click.Choice(["true", "value"]),
        "metavar": "[value]",
        "default": None,
        "callback": _luck,
    },
}


TEXT = "text"
MAX_WIDTH = 240  # columns of tables that are not printed on a terminal: a crosstable of ten bots


format_option = key_option("form")
json_only_flag = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
"""For commands that print no tables, which have --format."""


class TableOutput(NamedTuple):
    """How tables are printed: the format, the names of the tables (none: the usual ones), `wide`.

    Tables that are not `wide` fit the terminal, or MAX_WIDTH columns of a file or a pipe.
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
        """The columns of the output to fit; 0: any width."""
        if not self.is_text or self.wide:
            return 0
        return shutil.get_terminal_size().columns if sys.stdout.isatty() else MAX_WIDTH


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
    from cantstop_arena.tables.formats import all_as_json
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
