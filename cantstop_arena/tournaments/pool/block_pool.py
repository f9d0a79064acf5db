"""The interface of pools that play blocks for a run, on this machine or on others."""

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
    """A bot that was built before cannot be built in a worker that holds `others`."""

    def __init__(self, bot: int, others: Sequence[int], why: str) -> None:
        super().__init__(why)
        self.bot = bot
        self.others = others


class InterpreterDisturbed(WorkerPoolError):
    """One of these `bots` disturbs the process that they share: it does `what`."""

    def __init__(self, bots: Group, what: str) -> None:
        super().__init__(what)
        self.bots = bots
        self.what = what

    def text(self, names: Sequence[str]) -> str:
        """The message to the user, in which the bots have these names."""
        if len(names) == 1:
            it_does = f"{names[0]} disturbs the process that it shares: it {self.what}"
            return f"bot {it_does}. Give it isolate: processes."
        named = ", ".join(names)
        they = f"One of these bots disturbs the process that they share: {named}; it {self.what}"
        return f"{they}. Give them isolate: processes."


class BlockPool(Protocol):
    """Plays streams of blocks, one after the other."""

    def play(self, blocks: Iterator[Block], meanwhile: Callable[[], None]) -> Iterator[PartResult]:
        """Yield the results of the blocks, or of their parts, in the order in which they finish.

        `meanwhile` is called some twenty times a second.

        Raises WorkerPoolError when no worker can play, BotNotBuilt when a bot is the reason,
        InterpreterDisturbed when a bot harms others, GameError when the game itself fails, and
        Interrupted.
        """

    def drop(self, void: Callable[[Group], bool]) -> None:
        """Drop the blocks of void groups, whether they are being played or queued."""
