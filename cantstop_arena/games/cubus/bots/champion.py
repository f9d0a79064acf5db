"""A small net and a search of two turns: the strongest bot."""

from functools import partial
from pathlib import Path
from typing import Annotated

from cantstop_arena.errors import BotError, UsageError
from cantstop_arena.game_api.bot_options import FilePath
from cantstop_arena.games.cubus.bots import strategies
from cantstop_arena.games.cubus.nets.cubus_net_files import SHIPPED, nets_with
from cantstop_arena.hookspecs import Bot, BotFunctions, hookimpl


def champion(nets: Annotated[str, FilePath(SHIPPED)] = "") -> BotFunctions:
    """A small net and a search of two turns; knocks as greedy.

    The net, trained by games against itself, estimates each seat's chance to win after a turn. Of
    the builds that it likes best, the bot chooses the one after which the next player's best build
    leaves most. `nets` is the path of a file of `arena train --game cubus` to play with instead.
    """
    try:
        by_seats = nets_with(Path(nets) if nets else None)
    except UsageError as error:
        raise BotError(str(error)) from error
    return BotFunctions(build=partial(strategies.champion, nets=by_seats), knock=strategies.greedy)


@hookimpl
def register_bots() -> list[Bot]:
    """The champion."""
    return [Bot("champion", champion)]
