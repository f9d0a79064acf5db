"""Plays a sample of games twice, to detect bots and games that are not reproducible."""

import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, NamedTuple

from cantstop_arena.deals.outcomes import Block, Fault
from cantstop_arena.deals.seatings import Group, lineups
from cantstop_arena.errors import GameError
from cantstop_arena.table.bot_faults import BotFault

if TYPE_CHECKING:
    from cantstop_arena.table.table import GameTable

# Deals from one that may be sampled to the next: two games more take no time in comparison.
_STEPS = {"compiled": 2048, "plain": 128}
_SHARE = 16  # of those of compiled bots, which have no state: one of so many is sampled
_FEW = 8  # bots of which each group is sampled once at least
_FAULT = "fault"
_REPETITIONS = 2  # without bots; one alone may be the same by chance


class TraceStep(NamedTuple):
    """A step of a game, to compare with another play: the seat that answered, its answer, and what
    the game has shown before; None if it is the arena's own."""

    seat: int
    answer: object
    visible: object = None


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
        self._winners = 0
        """A mask of the seats that have won the game when it was last played alone."""
        self._before = None if deal is None or is_forfeit else self._play()

    def differing(self, winners: int | None = None) -> tuple[int, ...]:
        """The bot with the first differing answer, as a tuple; empty if none differs.

        `winners` are those that the game has in the block, as a mask of seats, where that was
        played otherwise, in step: if it has others alone, the batched bots differ.

        Raises GameError when the game itself differs after the same answers.
        """
        if self._before is None or (after := self._play()) is None:
            return ()
        last = 0
        for number, (step, other) in enumerate(zip_longest(self._before, after)):
            if step != other:
                if _is_of_game(step, other):
                    self._check_game(number)
                return (self.table.by_seat(self.seats)[_blamed(step, other, last)],)
            last = step.seat
        if winners is not None and winners != self._winners:
            return self.table.batched_among(self.seats)
        return ()

    def _check_game(self, number: int) -> None:
        """Raise GameError unless the game repeats itself without its bots, with their answers.

        Then a bot has changed what belongs to the game.
        """
        if all(self._repeats() for _ in range(_REPETITIONS)):
            return
        names = ", ".join(self.table.seated_bots[bot].name for bot in self.seats)
        raise GameError(
            f"{self.table.game.title} does not repeat itself in deal {self.deal} ({names}): the"
            f" same answers lead elsewhere, first at answer {number}; it draws from something else"
            " than Chance or deal.stream, or keeps something between games"
        )

    def _repeats(self) -> bool:
        """Whether the game shows the same without its bots, with their answers."""
        before = self._before or []
        scripts = [_Script(seat, before) for seat in range(len(self.table.side_by_seat))]
        again = self._play(lambda: self.table.start_with(scripts, self.seats, self.deal))
        return again is not None and [s.visible for s in again] == [s.visible for s in before]

    def _play(self, start: Callable[[], None] | None = None) -> list[TraceStep] | None:
        """The steps of the game; None when it failed for a doubtful reason."""
        everybody = (1 << len(self.seats)) - 1
        steps: list[TraceStep] = []
        positions = tuple(map(self.block.group.index, self.table.by_seat(self.seats)))
        games = (self.deal - self.block.first) * len(self.table.orders)
        self.table.mark_game(games + self.order, positions)
        self.table.restore_process()
        try:
            if start:
                start()
            else:
                self.table.start(self.seats, self.deal)
            steps.extend(self.table.trace())
        except BotFault as fault:
            if fault.doubtful:
                return None
            steps.append(TraceStep(self.table.seat, (_FAULT, fault.kind)))
            self._winners = everybody & ~(1 << self.table.side_by_seat[self.table.seat])
        else:
            if self.table.batched_among(self.seats):  # only their games are compared
                seats = self.table.ending()["winners"]
                sides = {self.table.side_by_seat[seat] for seat in seats}
                self._winners = sum(1 << side for side in sides) or everybody
        finally:
            self.table.restore_process()
        return steps


class _Script:
    """A player that answers as the seat has answered in a game."""

    def __init__(self, seat: int, steps: Sequence[TraceStep]) -> None:
        answers = [step.answer for step in steps if step.seat == seat]
        self._answers = iter([answer[1] for answer in answers if isinstance(answer, tuple)])

    def __getattr__(self, decision: str) -> Callable[..., Any]:
        return lambda *view: next(self._answers)


def _is_of_game(step: TraceStep | None, other: TraceStep | None) -> bool:
    """Whether a difference is in what a game has shown."""
    return (
        step is not None
        and other is not None
        and None not in (step.visible, other.visible)
        and step.visible != other.visible
    )


def _blamed(step: TraceStep | None, other: TraceStep | None, last: int) -> int:
    """The seat to blame for a difference; `last` is that of the last equal step."""
    if step is None or other is None:
        return last
    failed = isinstance(other.answer, tuple) and other.answer[:1] == (_FAULT,)
    return other.seat if failed else step.seat


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
