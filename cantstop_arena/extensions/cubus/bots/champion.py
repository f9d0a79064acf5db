"""A small net and a search of two turns: the strongest bot."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from cantstop_arena.errors import BotError, UsageError
from cantstop_arena.extensions.cubus.bots import greedy
from cantstop_arena.extensions.cubus.nets.cubus_net_files import SHIPPED, CubusNet, nets_with
from cantstop_arena.game_api.bot_options import FilePath
from cantstop_arena.hookspecs import Bot, BotFunctions, compiled, hookimpl


class ChampionBuild:
    """The build that the search likes best; `engine.champion_build` has the same compiled."""

    def __init__(self, nets: Mapping[int, CubusNet]) -> None:
        self.nets = nets
        """Nets by number of seats."""

    def __call__(self, view: Any) -> Any:
        """The build for a view, or None."""
        if view.owner is None:  # the pool: nobody comes next
            return greedy.build(view)
        from cantstop_arena.extensions.cubus.choices.searched_build import searched_build

        return searched_build(view, self.nets[view.players].net)


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
    return champion_with(by_seats)


def champion_with(nets: Mapping[int, CubusNet]) -> BotFunctions:
    """The champion with these nets, by number of seats."""
    return BotFunctions(build=compiled(ChampionBuild(nets)), knock=greedy.build)


@hookimpl
def register_bots() -> list[Bot]:
    """The champion."""
    return [Bot("champion", champion)]
