"""Who is out: a bot with too many faults, counted so that every run of a tournament agrees.

Workers finish deals in any order. The judge counts faults deal after deal, in each group after
group, and waits for what has not been played yet; so blocks, and how many games were asked for at
first, are nothing to it. When a bot is out, all its games are void, and so are the faults that
others committed in them.
"""

from collections.abc import Iterable, Iterator
from heapq import heappop, heappush, heapreplace
from itertools import count

import msgspec

from cantstop_arena.deals.outcomes import Block, Fault, merge_faults
from cantstop_arena.deals.seatings import Group

_Position = tuple[int, Group]  # in the order of counting: a deal, and a group
_END: _Position = (1 << 62, ())


class Disqualification(msgspec.Struct, frozen=True):
    """A bot that is out, and its faults up to that moment, one for each kind."""

    bot: int
    faults: tuple[Fault, ...]


class FaultCounter:
    """Hears of blocks and faults, and tells which bots are out."""

    def __init__(self, max_faults: int, out: Iterable[int] = ()) -> None:
        self.out = set(out)
        self._max_faults = max_faults
        self._reported: list[tuple[_Position, int, Fault]] = []
        self._numbers = count()
        self._counted: dict[int, list[Fault]] = {}
        self._unplayed: dict[Block, dict[int, int]] = {}  # first deal to last + 1 of what is played
        self._waiting: list[tuple[_Position, Block]] = []  # at least all that are unplayed
        self._reached: _Position = (0, ())

    def is_void(self, group: Group) -> bool:
        """Whether a group's games do not count, since one of its bots is out."""
        return not self.out.isdisjoint(group)

    def scheduled(self, rounds: Iterable[tuple[int, Iterable[Block]]]) -> Iterator[Block]:
        """The blocks that are worth playing, noted as they are taken from a schedule.

        With each round comes the deal before which it has no block, and later ones have none. Its
        groups ascend.
        """
        for first, blocks in rounds:
            for block in blocks:
                self._reached = (first, _in_order(block.group))
                if not self.is_void(block.group):
                    self._unplayed[block] = {}
                    heappush(self._waiting, (self._waits_at(block), block))
                    self._bring_up()
                    yield block
        self.close()

    def close(self) -> None:
        """Nothing more is scheduled: whatever does not wait for a block is counted."""
        self._reached = _END

    def add_faults(
        self, faults: Iterable[Fault], played: Block | None = None, of: Block | None = None
    ) -> None:
        """Take note of faults, and that a part of a scheduled block has been played."""
        for fault in faults:
            positions = (fault.deal, _in_order(fault.seating))
            heappush(self._reported, (positions, next(self._numbers), fault))
        if played is None or of is None or of not in self._unplayed:
            return
        parts = self._unplayed[of]
        parts[played.first] = played.end
        if sum(end - first for first, end in parts.items()) == of.deals:
            del self._unplayed[of]

    def disqualifications(self) -> Iterator[Disqualification]:
        """The bots that are out by now."""
        while self._reported and self._reported[0][0] < self._horizon():
            _, _, fault = heappop(self._reported)
            if self.is_void(fault.seating):
                continue
            self._counted.setdefault(fault.bot, []).append(fault)
            if sum(item.count for item in self._counted[fault.bot]) >= self._max_faults:
                yield self._disqualification(fault.bot)

    def _horizon(self) -> _Position:
        """Where something that is scheduled, or may be, has not been played."""
        self._bring_up()
        return min(self._reached, self._waiting[0][0]) if self._waiting else self._reached

    def _bring_up(self) -> None:
        """Have on top of those that wait the one that waits at the earliest place."""
        while self._waiting:
            positions, block = self._waiting[0]
            if block not in self._unplayed:
                heappop(self._waiting)
            elif (now := self._waits_at(block)) != positions:
                heapreplace(self._waiting, (now, block))
            else:
                return

    def _waits_at(self, block: Block) -> _Position:
        deal = block.first
        while deal in self._unplayed[block]:
            deal = self._unplayed[block][deal]
        return deal, _in_order(block.group)

    def _disqualification(self, bot: int) -> Disqualification:
        disqualification = Disqualification(bot, tuple(merge_faults(self._counted[bot])))
        self.out.add(bot)
        for block in [block for block in self._unplayed if bot in block.group]:
            del self._unplayed[block]
        for other, faults in self._counted.items():
            self._counted[other] = [fault for fault in faults if bot not in fault.seating]
        return disqualification


def _in_order(bots: Group) -> Group:
    """A group, whoever sits where."""
    return tuple(sorted(bots))
