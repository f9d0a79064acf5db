"""One bot, for people: what it does, its options with their defaults, and where it comes from."""

import ast
import inspect
from collections.abc import Iterator
from importlib import import_module

from cantstop_arena.bots.bot_files import read_source
from cantstop_arena.bots.known_bot import BotDescription
from cantstop_arena.errors import BotError
from cantstop_arena.game_api.bot_options import Option
from cantstop_arena.game_api.game import Game
from cantstop_arena.processes.system import short_path
from cantstop_arena.texts import printable


def bot_text(bot: BotDescription, game: Game) -> str:
    """All that is known of a bot, in lines."""
    facts = {"plays": game.title, "lane": bot.backend, "source": _origin(bot, game)}
    lines = [f"{bot.name}: {bot.summary}" if bot.summary else bot.name, ""]
    lines += [f"{key:<8}{value}" for key, value in facts.items() if value]
    if bot.learns:
        lines.append("learns  yes: it remembers 256 games in a row")
    lines += ["", *_options(bot), *_details(bot, game)]
    return printable("\n".join(lines).rstrip()) + "\n"


def _origin(bot: BotDescription, game: Game) -> str:
    if bot.path:
        return short_path(str(bot.path))
    return f"built in, {game.bots[bot.name]}" if bot.name in game.bots else f"package {bot.package}"


def _options(bot: BotDescription) -> Iterator[str]:
    """Each option with its default, and the values that it can have."""
    if not bot.options:
        yield "It has no options."
    for name, option in bot.options.items():
        yield f"option  {name}, default {option.default!r}{_choices(option)}"


def _choices(option: Option) -> str:
    return f", one of {', '.join(map(repr, option.choices))}" if option.choices else ""


def _details(bot: BotDescription, game: Game) -> list[str]:
    """What its source says of it beyond its first line; a file is read and not run."""
    if bot.path:
        text = _docstring_of(bot)
    else:
        text = import_module(game.bots[bot.name]).__doc__ if bot.name in game.bots else None
    _, _, more = inspect.cleandoc(text or "").partition("\n")
    return ["", more.strip()] if more.strip() else []


def _docstring_of(bot: BotDescription) -> str | None:
    try:
        return ast.get_docstring(ast.parse(read_source(bot.path))) if bot.path else None
    except (BotError, SyntaxError, ValueError, RecursionError, MemoryError):
        return None
