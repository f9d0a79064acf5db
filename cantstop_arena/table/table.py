"""A table: bots around one game, played decision by decision, or block by block."""

from collections.abc import Iterable

from cantstop_arena.deals.outcomes import Block, BlockResult, Fault
from cantstop_arena.table.block_loop import play_block
from cantstop_arena.table.table_base import TableBase


class Table(TableBase):
    """A table at which whole blocks are played."""

    def play(self, block: Block, forfeits: Iterable[Fault] = ()) -> BlockResult:
        """Play a block: its deals, each in every seating of its group.

        The games of the `forfeits` are lost unplayed by the bots that these name.
        """
        return play_block(self, block, tuple(forfeits))
