"""Opponents of a learning agent: bots by name or file, objects with decisions, policies."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from cantstop_arena.bots.bot_paths import DEFAULT_FOLDER
from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.bots.loader import Loader, batch_function
from cantstop_arena.errors import BotError, UsageError
from cantstop_arena.extensions.learn.environments.policy_bot import PolicyBot
from cantstop_arena.game_api.batches import DEFAULT_ROWS
from cantstop_arena.game_api.game import Game
from cantstop_arena.hookspecs import BotFunctions
from cantstop_arena.table.batched_bot import BatchedBot
from cantstop_arena.table.seated_bot import SeatedBot
from cantstop_arena.tournaments.bot_adapters import seat_bot
from cantstop_arena.tournaments.file.bot_references import entrant_from_reference
from cantstop_arena.tournaments.table_spec import bot_start


def opponent(who: Any, game: Game, folder: Path = DEFAULT_FOLDER) -> SeatedBot:
    """The opponent as a seated bot in this process.

    `who` is a bot as on the command line ("rule28:threshold=30", or a path), an object with the
    functions of a bot, or a policy: a function of an observation and a mask. None is the first of
    the game's usual bots; in a game without, a policy that acts at random. Raises BotError, and
    UsageError for anything else.
    """
    if who is None:
        who = game.usual_bots[0] if game.usual_bots else _random_policy
    if isinstance(who, str | Path):
        return _bot_called(str(who), game, folder)
    if (decide := batch_function(who, game)) is not None:
        player = BatchedBot(
            game, decide, getattr(who, "rows", DEFAULT_ROWS), getattr(who, "temperature", 0.0)
        )
        return SeatedBot(type(who).__name__, player, "", player.seated)
    if all(hasattr(who, decision) for decision in game.decisions):
        return _in_plain_python(who, game)
    if callable(who):
        return _in_plain_python(PolicyBot(who, game.name), game)
    raise UsageError(
        f"an opponent must be a bot's name, an object with a bot's functions or a policy function,"
        f" not {who!r:.60}"
    )


def _random_policy(observation: Any, mask: Any) -> Any:
    """Every legal action with the same weight."""
    return mask


def _bot_called(reference: str, game: Game, folder: Path) -> SeatedBot:
    entrant = entrant_from_reference(reference, Catalogue(folder, game))
    if entrant.command:
        raise BotError(f"{entrant.name} is a program; opponents here are bots in Python")
    start = bot_start(entrant.name, entrant.bot, entrant.options)
    return seat_bot(start, Loader(folder))


def _in_plain_python(bot: Any, game: Game) -> SeatedBot:
    """A seated bot from an object's functions, without compilation, which needs a file."""
    functions = {name: _plain(getattr(bot, name)) for name in game.decisions if hasattr(bot, name)}
    return SeatedBot(type(bot).__name__, BotFunctions(**functions), "")


def _plain(function: Any) -> Any:
    return lambda *arguments: function(*arguments)
