"""Bots of Cubus at a table."""

from collections.abc import Sequence
from typing import Any

from cantstop_arena.extensions.cubus import compiled_bots
from cantstop_arena.extensions.cubus.bots.champion import ChampionBuild
from cantstop_arena.extensions.cubus.bots.strategies import BOTS
from cantstop_arena.extensions.cubus.chance import CubusKeys
from cantstop_arena.extensions.cubus.compiled_games import CountedGames
from cantstop_arena.extensions.cubus.nets.cubus_net_files import CubusNet
from cantstop_arena.extensions.cubus.rules import RuleSet
from cantstop_arena.hookspecs import BotFunctions
from cantstop_arena.table.seated_bot import SeatedBot


def contestant(name: str, net: CubusNet | None = None) -> SeatedBot:
    """A baseline bot; champion may have another net."""
    bot = BOTS[name]
    build: Any = ChampionBuild({net.players: net}) if net and name == "champion" else bot.build
    functions = {"build": build} | ({"knock": bot.knock} if bot.knock else {})
    return SeatedBot(name, BotFunctions(**functions), name)


def play_all(
    rules: RuleSet, names: Sequence[str], keys: Sequence[CubusKeys], net: CubusNet | None = None
) -> CountedGames:
    """A compiled game of these baseline bots, by seat, for each set of keys."""
    return compiled_bots.play_all(rules, [contestant(name, net) for name in names], keys)
