"""Some games are played twice, since a bot may answer otherwise when asked the same again."""

import zlib
from collections.abc import Iterable
from itertools import zip_longest
from typing import NamedTuple

from cantstop_arena.games.cantstop import kernel
from cantstop_arena.games.cantstop.asking import Misplay, misplay_of
from cantstop_arena.games.cantstop.state import FAULT, MOVED, OVER, ROLL
from cantstop_arena.games.cantstop.table import Seating
from cantstop_arena.outcomes import Block, Fault, seatings

_MANY = 4096  # games of compiled bots, beside which two watched ones weigh nothing


class _Event(NamedTuple):
    """Something that happened, and whose answer it was."""

    seat: int
    told: tuple[object, ...]


class Sample:
    """One game of a block, played before all others and again after them."""

    def __init__(self, table: Seating, block: Block, condemned: Iterable[Fault]) -> None:
        self.table = table
        self.block = block
        orders = tuple(seatings(block.group))
        self.order = zlib.crc32(repr(block).encode()) % len(orders)
        self.seats = orders[self.order]
        known = any(f.deal == block.first and f.seating == self.seats for f in condemned)
        self._before = None if known or not _worthwhile(table, block, len(orders)) else self._play()

    def differing(self) -> tuple[int, ...]:
        """The bot whose answer is the first to differ, if any does."""
        if self._before is None or (after := self._play()) is None:
            return ()
        last = self.seats[0]
        for event, other in zip_longest(self._before, after):
            if event != other:
                return (last if event is None or other is None else self._blamed(event, other),)
            last = self.seats[event.seat]
        return ()

    def _blamed(self, event: _Event, other: _Event) -> int:
        return self.seats[other.seat if other.told[0] == "fault" else event.seat]

    def _play(self) -> list[_Event] | None:
        """What happens in the game; None where it is doubtful why it could not be played."""
        game, events = self.table.games[0], list[_Event]()
        game.cursor = self.order
        game.bots[: len(self.seats)] = [self.block.group.index(bot) for bot in self.seats]
        self.table.tidy_up()
        try:
            self.table.start(self.seats, self.block.first)
            game.watched = 1
            self._watch(events)
        except Misplay as misplay:
            if misplay.doubtful:
                return None
            events.append(_Event(self.table.asker.seat, ("fault", misplay.kind)))
        except Exception as error:
            events.append(_Event(self.table.asker.seat, ("fault", misplay_of(error).kind)))
        finally:
            game.watched = 0
            self.table.tidy_up()
        return events

    def _watch(self, events: list[_Event]) -> None:
        """Play on. A roll follows from the answer of whoever moved last, as its absence does."""
        game, handle, ask = self.table.games[0], self.table.handle, self.table.asker.ask
        answer, last = -1, 0
        while (now := kernel.advance(handle, answer)) != OVER:
            answer = -1
            seat = int(game.seat)
            if now == ROLL:
                events.append(_Event(last, ("roll", int(game.turn), int(game.rolls))))
            elif now == MOVED:
                events.append(_Event(seat, ("move", int(game.chosen))))
                last = seat
            else:
                answer = ask(self.table.sitting, now)
        if game.ending == FAULT:
            events.append(_Event(int(game.seat), ("fault", "")))


def _worthwhile(table: Seating, block: Block, orders: int) -> bool:
    """Whether to sample a block. Compiled bots keep nothing, so of theirs some will do."""
    games, draw = block.deals * orders, zlib.crc32(f"{block.group}/{block.first}".encode())
    if games == 0:
        return False
    if not all(table.native[bot] for bot in block.group):
        return block.first == 0 or games >= 64 or draw % 16 == 0
    first = block.first == 0 and block.group[0] == 0
    return first or draw % (16 if games >= _MANY else 256) == 0
