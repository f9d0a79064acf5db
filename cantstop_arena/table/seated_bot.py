"""Bots at a table, and what they get at the start of a game."""

from collections.abc import Callable
from typing import Any

import msgspec

from cantstop_arena.deals.seatings import Group


class GameStart(msgspec.Struct, frozen=True):
    """The data for a bot at the start of a game.

    `number` is that of the game: its deal times the seatings of a deal, plus its seating. `key` is
    the key of its random numbers. With `is_fresh` it must forget all earlier games. The
    `group` is not passed on to the bot: versions of a rival play the same deals. The seats of
    a side have an instance each; `partner` counts them, from 0.
    """

    seat: int
    players: int
    rules: Any
    key: int
    is_fresh: bool
    group: Group
    number: int = 0
    partner: int = 0


class SeatedBot(msgspec.Struct, frozen=True):
    """A bot at a table; `digest` is the key of its sources and options in the code cache.

    For a bot called from Python, `make_player` creates a new player for each game, so that no state
    reaches the next game. If the bot `learns`, that happens once for each block of deals. Dice
    follow from its `dice_name`: see `dice_keys`.
    """

    name: str
    player: Any
    digest: str
    make_player: Callable[[GameStart], Any] | None = None
    learns: bool = False
    dice_name: str = ""
