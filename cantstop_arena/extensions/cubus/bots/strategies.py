"""The built-in bots by name, and what they answer to a view."""

from collections.abc import Callable
from typing import Any, NamedTuple

from cantstop_arena.extensions.cubus.bots import deny, eager, frugal, greedy, hasty, random
from cantstop_arena.extensions.cubus.bots.champion import champion
from cantstop_arena.extensions.cubus.choices.takedown import usual_take

Decide = Callable[[Any], Any]


class Strategy(NamedTuple):
    """A bot's functions. Without `knock` it never knocks, without `take` it uses `usual_take`."""

    name: str
    build: Decide
    knock: Decide | None = None
    take: Decide | None = None


def decide(bot: Strategy, view: Any) -> Any:
    """The answer of a bot to the decision of a view."""
    if view.asked == "knock":
        return bot.knock(view) if bot.knock else None
    if view.asked == "take":
        return bot.take(view) if bot.take else usual_take(view.table, view.rules.box)
    return bot.build(view)


BOTS = {
    bot.name: bot
    for bot in (
        Strategy("greedy", greedy.build, greedy.knock),
        Strategy("frugal", frugal.build, frugal.knock),
        Strategy("random", random.build),
        Strategy("eager", eager.build, eager.knock),
        Strategy("hasty", hasty.build, hasty.knock),
        Strategy("deny", deny.build, deny.knock),
        Strategy("champion", champion().build, greedy.build),
    )
}
