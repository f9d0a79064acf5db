"""What a game has to say of its own bots under the rules of a tournament."""

from collections.abc import Mapping
from typing import Any

from cantstop_arena.games.registry import game_called


def remarks_on(identity: Mapping[str, Any]) -> tuple[str, ...]:
    """A sentence for each bot of which there is something to say."""
    game, told = game_called(identity["game"]), identity["rules"]
    if not told.keys() >= {*game.rules.parameters}:
        return ()
    rules, players = game.rules.from_dict(told), identity["players"]
    own = [bot for bot in identity["bots"] if bot.get("origin") == "built-in"]
    said = {
        bot["name"]: game.remark(bot["bot"], bot.get("options", {}), rules, players) for bot in own
    }
    return tuple(f"{name} {remark}." for name, remark in said.items() if remark)
