"""The machine code of a bot of Cubus: of its own functions, or champion's search."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from cantstop_arena.extensions.cubus.bots.champion import ChampionBuild
from cantstop_arena.extensions.cubus.chance import CubusKeys
from cantstop_arena.extensions.cubus.compiled_games import (
    CompiledGames,
    CountedGames,
    CubusMachineCode,
    WatchedNumbers,
    workspace,
)
from cantstop_arena.extensions.cubus.engine.engine_cache import ENGINE_CACHE
from cantstop_arena.extensions.cubus.engine.entry_points import champion
from cantstop_arena.extensions.cubus.rules import RuleSet
from cantstop_arena.native.kernel_code import compiled_bot
from cantstop_arena.table.seated_bot import SeatedBot


def machine_code(bot: SeatedBot, rules: RuleSet, players: int) -> CubusMachineCode | None:
    """The machine code of a bot, loaded or compiled; None if it plays as plain Python.

    Raises BotError when it does not compile.
    """
    build, knock = getattr(bot.player, "build", None), getattr(bot.player, "knock", None)
    compiled = partial(_compiled, bot, rules, players)
    built = _champion(build, players) or compiled("build", build)
    knocks = compiled("knock", knock) if knock and built else None
    if built is None or (knock and knocks is None):
        return None
    if knocks is None:
        return built
    return built._replace(knock=knocks.build, owners=(*built.owners, *knocks.owners))


def _compiled(
    bot: SeatedBot, rules: RuleSet, players: int, decision: str, function: Any
) -> CubusMachineCode | None:
    seen = workspace(rules, players)
    code = compiled_bot(function, decision, seen, bot.name, bot.digest, ENGINE_CACHE)
    return CubusMachineCode(code.address, owners=(code,)) if code else None


def _champion(build: Any, players: int) -> CubusMachineCode | None:
    """The search of champion with its net; None for other bots."""
    if not isinstance(build, ChampionBuild):
        return None
    search, net = champion(), build.nets[players].net
    record = np.array([net], net.dtype)
    return CubusMachineCode(search.addresses["champion"], net=record, owners=(search,))


def play_all(rules: RuleSet, bots: Sequence[SeatedBot], keys: Sequence[CubusKeys]) -> CountedGames:
    """Play a game of these compiled bots, by seat, for each set of keys. Raises BotError.

    The kernel must be able to play the rules, and all bots must be compiled.
    """
    seats, compiled = tuple(range(len(bots))), [machine_code(bot, rules, len(bots)) for bot in bots]
    shown = WatchedNumbers(np.zeros(16, np.int64).data, range(5), range(3))
    games = CompiledGames(rules, len(bots), shown)
    codes = [code for code in compiled if code]
    _, counted, error = games.play(codes, [seats] * len(keys), keys)
    if error:
        raise error
    return counted
