"""The description of one bot as text: its summary, its options with defaults, and its origin."""

import ast
import inspect
from collections.abc import Iterator, Sequence
from importlib import import_module

from cantstop_arena.bots.bot_files import read_source
from cantstop_arena.bots.bot_paths import bot_path
from cantstop_arena.bots.known_bot import PRINTED_BACKENDS, BotDescription
from cantstop_arena.bots.versions import StoredVersion, version_name
from cantstop_arena.errors import BotError
from cantstop_arena.game_api.bot_options import Option
from cantstop_arena.game_api.game import Game
from cantstop_arena.processes.system import short_path
from cantstop_arena.texts import beginning_of, printable_lines

_MAX_VALUE_LENGTH = 2000  # characters


def bot_text(bot: BotDescription, game: Game, versions: Sequence[StoredVersion] = ()) -> str:
    """The description of a bot as text, in lines, with its stored versions."""
    title = game.title if bot.backend else ""  # programs do not say what they play
    fields = {"plays": title, "backend": backend_text(bot, game), "source": _origin(bot, game)}
    lines = [f"{bot.name}: {bot.summary}" if bot.summary else bot.name, ""]
    lines += [f"{key:<9}{value}" for key, value in fields.items() if value]
    if bot.learns:
        lines.append("learns   yes: it remembers 256 games in a row")
    lines += ["", *_options(bot), *_versions(bot, versions), *_details(bot, game)]
    return printable_lines("\n".join(lines).rstrip()) + "\n"


def backend_text(bot: BotDescription, game: Game) -> str:
    """What plays the bot: "compiled" code, or "python"; empty for a program."""
    by_game = not bot.origin.is_foreign and bot.name in game.compiled_bots
    return PRINTED_BACKENDS.get("compiled" if by_game else bot.backend, "")


def _origin(bot: BotDescription, game: Game) -> str:
    if bot.path:
        return short_path(str(bot_path(bot.path)))
    if bot.package:
        return f"package {bot.package}"
    return bot.origin.text if bot.origin.is_foreign else f"built in, {game.bots[bot.name]}"


def _options(bot: BotDescription) -> Iterator[str]:
    """A line for each option, with its default and its choices."""
    if not bot.options:
        yield "It has no options."
    for name, option in bot.options.items():
        value = beginning_of(repr(option.default), _MAX_VALUE_LENGTH)
        yield f"option   {name}, default {value}{_choices(option)}"


def _versions(bot: BotDescription, versions: Sequence[StoredVersion]) -> Iterator[str]:
    """A line for each stored version: its name, when it first played, and where."""
    for version in versions:
        runs = ", ".join(map(str, version.runs))
        this = " (this one)" if version.digest == bot.digest else ""
        name = version_name(bot.name, version.digest)
        yield f"version  {name}, first played {version.time:%Y-%m-%d %H:%M} in {runs}{this}"


def _choices(option: Option) -> str:
    values = beginning_of(", ".join(map(repr, option.choices)), _MAX_VALUE_LENGTH)
    return f", one of {values}" if values else ""


def _details(bot: BotDescription, game: Game) -> list[str]:
    """The docstring of its module beyond the first line, in lines; a file is parsed, not run."""
    if bot.path:
        docstring = _docstring_of(bot)
    else:
        docstring = import_module(game.bots[bot.name]).__doc__ if bot.name in game.bots else None
    _, _, details = inspect.cleandoc(docstring or "").partition("\n")
    return ["", details.strip()] if details.strip() else []


def _docstring_of(bot: BotDescription) -> str | None:
    try:
        return ast.get_docstring(ast.parse(read_source(bot.path))) if bot.path else None
    except (BotError, SyntaxError, ValueError, RecursionError, MemoryError):
        return None
