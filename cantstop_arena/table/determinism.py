"""Plays a sample of games twice, to detect bots whose answers are not reproducible."""

import zlib
from collections.abc import Iterable, Iterator
from itertools import zip_longest
from typing import TYPE_CHECKING

from cantstop_arena.deals.outcomes import Block, Fault
from cantstop_arena.deals.seatings import Group, lineups
from cantstop_arena.table.bot_faults import BotFault

if TYPE_CHECKING:
    from cantstop_arena.table.table import GameTable

# Deals from one that may be sampled to the next: two games more take no time in comparison.
_STEPS = {"compiled": 2048, "plain": 128}
_SHARE = 16  # of those of compiled bots, which have no state: one of so many is sampled
_FEW = 8  # bots of which each group is sampled once at least
_FAULT = "fault"

_Step = tuple[int, object]  # the seat that answered, and a value to compare


class DeterminismCheck:
    """One game of a block, played before all others and again after them.

    Which one depends on the versions of the group's bots and on the deal, not on where deals are
    cut into blocks.
    """

    def __init__(self, table: "GameTable", block: Block, forfeits: Iterable[Fault]) -> None:
        self.table = table
        self.block = block
        orders = tuple(lineups(block.group, table.orders))
        deal = next(_sampled_deals(table, block), None)
        self.deal = block.first if deal is None else deal
        self.order = _draw(table, block.group, self.deal) % len(orders)
        self.seats = orders[self.order]
        is_forfeit = any(f.deal == self.deal and f.seating == self.seats for f in forfeits)
        self._before = None if deal is None or is_forfeit else self._play()

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
        games = (self.deal - self.block.first) * len(self.table.orders)
        self.table.mark_game(games + self.order, positions)
        self.table.restore_process()
        try:
            self.table.start(self.seats, self.deal)
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


def _sampled_deals(table: "GameTable", block: Block) -> Iterator[int]:
    """The deals of a block that are sampled; of compiled bots fewer suffice."""
    is_compiled = table.is_compiled(block.group)
    step = _STEPS["compiled" if is_compiled else "plain"]
    for deal in range(-(-block.first // step) * step, block.end, step):
        is_first = deal == 0 and len(table.seated_bots) <= _FEW
        if not is_compiled or is_first or _draw(table, block.group, deal) % _SHARE == 0:
            yield deal


def _draw(table: "GameTable", group: Group, deal: int) -> int:
    """A random number that depends on the versions of a group's bots and the deal."""
    digests = "/".join(table.seated_bots[bot].digest for bot in group)
    return zlib.crc32(f"{digests}/{deal}".encode())
