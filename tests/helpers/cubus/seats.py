"""Bots of Cubus at a table."""

from cantstop_arena.games.cubus.bots.strategies import BOTS
from cantstop_arena.hookspecs import BotFunctions
from cantstop_arena.table.seated_bot import SeatedBot


def contestant(name: str) -> SeatedBot:
    """A baseline bot."""
    bot = BOTS[name]
    functions = {"build": bot.build} | ({"knock": bot.knock} if bot.knock else {})
    return SeatedBot(name, BotFunctions(**functions), name)
