"""The bots that can take a seat at a table."""

import hashlib
from collections.abc import Callable
from typing import Any

import msgspec

from cantstop_arena.deals.seatings import Group


class GameStart(msgspec.Struct, frozen=True):
    """What a bot is told when it sits down to a game.

    `key` is that of its random numbers; `anew` says that it is to forget all earlier games. The
    `group` that meets is for whoever seats the bot: another group meets on the same deals.
    """

    seat: int
    players: int
    rules: Any
    key: int
    is_fresh: bool
    group: Group


class SeatedBot(msgspec.Struct, frozen=True):
    """A bot that can sit down; `digest` stands for its sources and options in the code cache.

    A bot that is asked from Python sits down to each game by `sit`, which makes it anew: nothing
    that it kept reaches the next game. If it `learns`, that happens once for each block of deals.
    """

    name: str
    player: Any
    digest: str
    make_player: Callable[[GameStart], Any] | None = None
    learns: bool = False


def code_digest(*parts: str) -> str:
    """A name for the code of a bot: a hash of where it comes from, its sources and options."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]
