"""Whoever plays blocks for a run, on this machine or on others."""

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

import msgspec

from cantstop_arena.deals.outcomes import Block, BlockResult
from cantstop_arena.deals.seatings import Group
from cantstop_arena.errors import WorkerPoolError


class PartResult(msgspec.Struct, frozen=True):
    """The result of a block, or of a part of it."""

    result: BlockResult
    full_block: Block


class BotNotBuilt(WorkerPoolError):
    """A bot that could be built before cannot be built in a worker, which holds `others`."""

    def __init__(self, bot: int, others: Sequence[int], why: str) -> None:
        super().__init__(why)
        self.bot = bot
        self.others = others


class BlockPool(Protocol):
    """Plays streams of blocks, one after the other."""

    def play(self, blocks: Iterator[Block], meanwhile: Callable[[], None]) -> Iterator[PartResult]:
        """Yield the results of the blocks, or of their parts, in the order of getting done.

        Whatever is to be done `meanwhile` is done some twenty times a second.

        Raises WorkerPoolError when nobody can play, Unbuilt where a bot is to blame for that,
        GameError where the game itself fails, and Interrupted.
        """

    def drop(self, void: Callable[[Group], bool]) -> None:
        """Forget what is being played, or waits to be played, by groups that are void."""
