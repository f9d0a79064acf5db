"""Disqualification of bots with too many faults, which is the same in every run of a tournament.

Workers finish deals in any order. Faults are counted deal by deal, and within a deal group by
group; counting stops at the first game that has not been played yet. So the result does not depend
on how deals are cut into blocks, or on how many games were requested first. All games of a
disqualified bot are void, and with them the faults of other bots in these games.

Bots of one version play the same games, so their faults count together, and all of them are out.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from heapq import heappop, heappush, heapreplace
from itertools import count

import msgspec
from msgspec.structs import replace

from cantstop_arena.deals.outcomes import Block, Fault, merge_faults
from cantstop_arena.deals.seatings import Group

Position = tuple[int, Group]  # in the order of counting: deal, then group
END: Position = (1 << 62, ())


class Disqualification(msgspec.Struct, frozen=True):
    """A disqualified bot, and its faults up to that moment, one for each kind.

    Of bots of one version it is the first.
    """

    bot: int
    faults: tuple[Fault, ...]


class FaultCounter:
    """Counts faults of played blocks, and decides which bots are `disqualified`."""

    def __init__(self, max_faults: int, copies: Sequence[int] = ()) -> None:
        """`copies` has for each bot the first one of its version; without it, each is alone."""
        self.disqualified: dict[int, list[Fault]] = {}
        self._max_faults = max_faults
        self._copies = copies
        self._queue: list[tuple[Position, int, str, int, Fault]] = []
        self._numbers = count()
        self._counted: dict[int, list[Fault]] = {}
        self._unplayed: dict[Block, dict[int, int]] = {}  # played parts: first deal to last + 1
        self._waiting: list[tuple[Position, Block]] = []  # a heap, with all unplayed blocks
        self._reached: Position = (0, ())

    def is_void(self, group: Group) -> bool:
        """Whether a group's games are void, since one of its bots is disqualified."""
        return not self.disqualified.keys().isdisjoint(group)

    def scheduled(self, rounds: Iterable[tuple[int, Iterable[Block]]]) -> Iterator[Block]:
        """Yield the blocks of a schedule that are not void, and record them as unplayed.

        A round is its first deal, before which this and later rounds have no block, and its blocks,
        with groups in ascending order.
        """
        for first, blocks in rounds:
            for block in blocks:
                self._reached = (first, _in_order(block.group))
                if not self.is_void(block.group):
                    self._unplayed[block] = {}
                    heappush(self._waiting, (self._first_unplayed(block), block))
                    self._update_first()
                    yield block
        self.close()

    def advance(self, reached: Position) -> None:
        """All games before this position have been played."""
        self._reached = reached

    def close(self) -> None:
        """End the schedule: all faults count that do not come after an unplayed block."""
        self._reached = END

    def drop(self, is_complete: Callable[[Group], bool]) -> None:
        """Forget the unplayed blocks of groups that are complete without them."""
        for block in [block for block in self._unplayed if is_complete(block.group)]:
            del self._unplayed[block]

    def add_faults(
        self, faults: Iterable[Fault], played: Block | None = None, of: Block | None = None
    ) -> None:
        """Add faults, and record that a part of a scheduled block has been played."""
        for fault in faults:
            position = (fault.deal, _in_order(fault.seating))
            entry = (position, fault.bot, fault.kind, next(self._numbers), fault)
            heappush(self._queue, entry)
        if played is None or of is None or of not in self._unplayed:
            return
        parts = self._unplayed[of]
        parts[played.first] = played.end
        if sum(end - first for first, end in parts.items()) == of.deals:
            del self._unplayed[of]

    def disqualifications(self) -> Iterator[Disqualification]:
        """Count as far as possible, and yield the bots that are disqualified by it."""
        while self._queue and self._queue[0][0] < self._horizon():
            *_, fault = heappop(self._queue)
            if self.is_void(fault.seating):
                continue
            bot = self._first_twin(fault.bot)
            faults = self._counted.setdefault(bot, [])
            faults.append(fault)
            if sum(counted.count for counted in faults) >= self._max_faults:
                yield self._disqualify(bot)

    def _first_twin(self, bot: int) -> int:
        return self._copies[bot] if self._copies else bot

    def _horizon(self) -> Position:
        """The first position with a game that is scheduled, or may be, and unplayed."""
        self._update_first()
        return min(self._reached, self._waiting[0][0]) if self._waiting else self._reached

    def _update_first(self) -> None:
        """Bring the block with the earliest unplayed deal to the top of the heap."""
        while self._waiting:
            position, block = self._waiting[0]
            if block not in self._unplayed:
                heappop(self._waiting)
            elif (now := self._first_unplayed(block)) != position:
                heapreplace(self._waiting, (now, block))
            else:
                return

    def _first_unplayed(self, block: Block) -> Position:
        deal = block.first
        while deal in self._unplayed[block]:
            deal = self._unplayed[block][deal]
        return deal, _in_order(block.group)

    def _disqualify(self, bot: int) -> Disqualification:
        disqualification = Disqualification(bot, tuple(merge_faults(self._counted[bot])))
        copies = [twin for twin, first in enumerate(self._copies) if first == bot] or [bot]
        for twin in copies:
            as_its_own = (_as_of(twin, fault) for fault in self._counted[bot])
            self.disqualified[twin] = merge_faults(as_its_own)
        for block in [block for block in self._unplayed if self.is_void(block.group)]:
            del self._unplayed[block]
        for other, faults in self._counted.items():
            self._counted[other] = [fault for fault in faults if not self.is_void(fault.seating)]
        return disqualification


def _as_of(twin: int, fault: Fault) -> Fault:
    """A fault as it was in the same game of another bot of that version."""
    names = {fault.bot: twin, twin: fault.bot}
    seating = tuple(names.get(bot, bot) for bot in fault.seating)
    return replace(fault, bot=twin, seating=seating)


def _in_order(bots: Group) -> Group:
    """The bots of a seating as a group, in ascending order."""
    return tuple(sorted(bots))
