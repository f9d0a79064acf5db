"""Plays a sample of games twice, to detect bots whose answers are not reproducible."""

import zlib
from collections.abc import Iterable
from itertools import zip_longest
from typing import TYPE_CHECKING

from cantstop_arena.deals.outcomes import Block, Fault
from cantstop_arena.deals.seatings import lineups
from cantstop_arena.table.bot_faults import BotFault

if TYPE_CHECKING:
    from cantstop_arena.table.table import GameTable

_MANY = 4096  # games of compiled bots; two more take no time in comparison
_FAULT = "fault"

_Step = tuple[int, object]  # the seat that answered, and a value to compare


class DeterminismCheck:
    """One game of a block, played before all others and again after them."""

    def __init__(self, table: "GameTable", block: Block, forfeits: Iterable[Fault]) -> None:
        self.table = table
        self.block = block
        orders = tuple(lineups(block.group, table.orders))
        self.order = zlib.crc32(repr(block).encode()) % len(orders)
        self.seats = orders[self.order]
        is_forfeit = any(f.deal == block.first and f.seating == self.seats for f in forfeits)
        self._before = (
            None if is_forfeit or not _worthwhile(table, block, len(orders)) else self._play()
        )

    def differing(self) -> tuple[int, ...]:
        """The bot with the first differing answer, as a tuple; empty if none differs."""
        if self._before is None or (after := self._play()) is None:
            return ()
        last = 0
        for step, other in zip_longest(self._before, after):
            if step != other:
                return (self.seats[_blamed(step, other, last)],)
            last = step[0]
        return ()

    def _play(self) -> list[_Step] | None:
        """The steps of the game; None when it failed for a doubtful reason."""
        steps: list[_Step] = []
        positions = tuple(map(self.block.group.index, self.seats))
        self.table.mark_game(self.order, positions)
        self.table.restore_process()
        try:
            self.table.start(self.seats, self.block.first)
            steps.extend(self.table.trace())
        except BotFault as fault:
            if fault.doubtful:
                return None
            steps.append((self.table.seat, (_FAULT, fault.kind)))
        finally:
            self.table.restore_process()
        return steps


def _blamed(step: _Step | None, other: _Step | None, last: int) -> int:
    """The seat to blame for a difference; `last` is that of the last equal step."""
    if step is None or other is None:
        return last
    failed = isinstance(other[1], tuple) and other[1][:1] == (_FAULT,)
    return other[0] if failed else step[0]


def _worthwhile(table: "GameTable", block: Block, orders: int) -> bool:
    """Whether to sample a block. Compiled bots have no state, so fewer samples suffice."""
    games, draw = block.deals * orders, zlib.crc32(f"{block.group}/{block.first}".encode())
    if games == 0:
        return False
    if not table.is_compiled(block.group):
        return block.first == 0 or games >= 64 or draw % 16 == 0
    first = block.first == 0 and block.group[0] == 0
    return first or draw % (16 if games >= _MANY else 256) == 0
