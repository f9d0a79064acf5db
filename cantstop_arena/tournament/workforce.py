"""Worker processes that play blocks, and a parent that hands out work and survives their deaths.

A pool would wait for ever for a worker that was killed; here the parent waits on pipes and
process sentinels alike, and looks at the games meanwhile. A worker that dies or stalls is
replaced. Its block is cut up, so that the deal in question is played again on its own; a bot that
stops the same game once more and once more, or that was clearly seen to do it, is charged, and
the game is lost by it unplayed.
"""

import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import wait
from typing import Any, Protocol

from cantstop_arena import stopping, system
from cantstop_arena.errors import WorkforceError
from cantstop_arena.outcomes import DIED, TOO_SLOW, Block, BlockResult, Fault, Group, seatings
from cantstop_arena.texts import last_line
from cantstop_arena.tournament.vigil import Vigil
from cantstop_arena.tournament.worker import READY, TRIES, Recipe, Window, Worker, start_methods

_STRIKES = 3  # before a bot is charged on suspicion
_PULSE = 0.05  # seconds between looks, or less for short limits
_TENDING, _TENDING_SOON = 1.0, 0.1  # seconds between two times; soon where a worker stands still
_START = 120.0  # seconds that a worker may need to get ready
_GRACE = 5.0  # seconds without any sign of life, beyond ten times the time of a block


class Bots(Protocol):
    """What the parent has to know of the bots to judge what it sees."""

    def patience(self, bot: int) -> float:
        """The seconds after which a decision of this bot is too slow."""

    def place(self, bot: int, asked: str) -> str:
        """Where a bot's function stands, as a message says it; empty where that is unknown."""

    def suspects(self, group: Group) -> list[int]:
        """The bots of a group that could do something to the process besides answering."""

    def divisible(self, group: Group) -> bool:
        """Whether a block of this group may be played in parts: not where a bot learns."""

    def tend(self) -> None:
        """Keep in bounds what bots leave behind while they play."""


@dataclass(frozen=True)
class Terms:
    """How workers are kept: how many, started how, with how many more bytes of memory each."""

    workers: int
    method: str = start_methods()[0]
    memory: int | None = None


@dataclass
class _Piece:
    """A block, or what is left of one, on its way through the workers."""

    block: Block
    whole: Block
    failures: int = 0

    def split(self, deal: int) -> list["_Piece"]:
        """This piece in three: what lies before a deal, the deal, and what comes after it."""
        first, end = self.block.first, self.block.end
        cuts = [(first, deal), (deal, deal + 1), (deal + 1, end)]
        return [_Piece(self.block.part(*cut), self.whole) for cut in cuts if cut[0] < cut[1]]


@dataclass(frozen=True)
class Played:
    """The result of a block, or of a part of it."""

    result: BlockResult
    whole: Block


class _Employee:
    """A worker, what it is doing, and how long it has been seen to do nothing."""

    def __init__(self, worker: Worker) -> None:
        self.worker = worker
        self.piece: _Piece | None = None
        self.since = 0.0
        self.vigil = Vigil()


class Workforce:
    """Plays a stream of blocks on several processes. Use it as a context manager."""

    def __init__(self, recipe: Recipe, window: Window, bots: Bots, terms: Terms) -> None:
        self._recipe = recipe
        self._window = window
        self._bots = bots
        self._terms = terms
        self._employees: list[_Employee] = []
        self._again: deque[_Piece] = deque()
        self._strikes: Counter[tuple[Group, int, int]] = Counter()
        self._condemned: dict[tuple[Group, int], Fault] = {}
        self._blocks, self._seconds = 0, 0.0
        self._looked = self._tended = time.monotonic()

    def __enter__(self) -> "Workforce":
        return self

    def __exit__(self, *problem: object) -> None:
        for employee in self._employees:
            employee.worker.dismiss()
        self._employees.clear()

    def play(
        self, blocks: Iterator[Block], meanwhile: Callable[[], None] = lambda: None
    ) -> Iterator[Played]:
        """Yield the results of the blocks, or of their parts, in the order of getting done.

        Whatever is to be done `meanwhile` is done once in a pulse, while all workers are at work.

        Raises WorkforceError when workers keep dying before they play, and Interrupted.
        """
        self._hand_out(blocks)
        while any(employee.piece for employee in self._employees):
            stopping.check()
            for employee in self._signalling():
                result = self._collect(employee)
                self._hand_out(blocks)
                if result is not None:
                    yield result
            self._look_around()
            self._hand_out(blocks)
            meanwhile()

    def drop(self, void: Callable[[Group], bool]) -> None:
        """Forget what is being played, or waits to be played again, by groups that are void."""
        self._again = deque(piece for piece in self._again if not void(piece.block.group))
        for employee in list(self._employees):
            if employee.piece and void(employee.piece.block.group):
                self._let_go(employee)

    # Handing out and collecting

    def _hand_out(self, blocks: Iterator[Block]) -> None:
        """Give every idle worker a piece, hiring while there is more work than workers."""
        while True:
            idle = next((one for one in self._employees if one.piece is None), None)
            if idle is None and len(self._employees) >= self._terms.workers:
                return
            piece = self._next(blocks)
            if piece is None:
                return
            if idle is None:
                idle = self._hire()
            self._give(idle, piece)

    def _next(self, blocks: Iterator[Block]) -> _Piece | None:
        if self._again:
            return self._again.popleft()
        block = next(blocks, None)
        return _Piece(block, block) if block else None

    def _hire(self) -> _Employee:
        others = [employee.worker for employee in self._employees]
        terms = self._terms
        worker = Worker(self._recipe, self._window, terms.method, terms.memory, others)
        self._employees.append(_Employee(worker))
        return self._employees[-1]

    def _give(self, employee: _Employee, piece: _Piece) -> None:
        block = piece.block
        condemned = [
            fault
            for (seating, deal), fault in self._condemned.items()
            if block.first <= deal < block.end and tuple(sorted(seating)) == block.group
        ]
        employee.piece, employee.since = piece, time.monotonic()
        employee.vigil = Vigil()
        employee.worker.give(block, tuple(condemned))

    def _signalling(self) -> list[_Employee]:
        """Wait a moment for workers that have something to say, or have died."""
        busy = [employee for employee in self._employees if employee.piece]
        signs: dict[Any, _Employee] = {one.worker.pipe: one for one in busy}
        signs |= {one.worker.process.sentinel: one for one in busy}
        found = wait(list(signs), self._pulse(busy))
        return list({id(signs[sign]): signs[sign] for sign in found}.values())

    def _pulse(self, busy: list[_Employee]) -> float:
        groups = {one.piece.block.group for one in busy if one.piece}
        limits = [self._bots.patience(bot) for group in groups for bot in group]
        return max(0.005, min([_PULSE, *(limit / 10 for limit in limits)]))

    def _collect(self, employee: _Employee) -> Played | None:
        """A worker's result; None where there is none yet, or its piece has to be played again."""
        if employee not in self._employees or employee.piece is None:
            return None  # let go in the meantime
        try:
            messages = employee.worker.post()
        except EOFError:
            self._died(employee, employee.piece)
            return None
        for message in messages:
            if message == READY:
                employee.worker.ready, employee.since = True, time.monotonic()
            elif isinstance(message, BlockResult):
                return self._done(employee, employee.piece, message)
            else:
                self._broke(employee, employee.piece, str(message))
        return None

    def _done(self, employee: _Employee, piece: _Piece, result: BlockResult) -> Played:
        employee.piece = None
        self._blocks += 1
        self._seconds += time.monotonic() - employee.since
        return Played(result, piece.whole)

    # Watching

    def _look_around(self) -> None:
        """Look at every game, and act where nothing has moved for too long."""
        now = time.monotonic()
        busy = [employee for employee in self._employees if employee.piece]
        # After a break of our own we do not know what the workers did.
        passed = min(now - self._looked, 4 * self._pulse(busy))
        self._looked = now
        for employee in busy:
            activity = system.activity(employee.worker.process.pid)
            employee.vigil.look(employee.worker.look(), activity, passed)
            if employee.piece:
                self._judge(employee, employee.piece)
        self._tend(any(employee.vigil.still for employee in busy))

    def _tend(self, soon: bool) -> None:
        """A bot can print without end in a single decision: it must not fill the disk."""
        if self._looked - self._tended > (_TENDING_SOON if soon else _TENDING):
            self._tended = self._looked
            self._bots.tend()

    def _judge(self, employee: _Employee, piece: _Piece) -> None:
        worker, vigil = employee.worker, employee.vigil
        glimpse = worker.look()
        limit = self._bots.patience(_seated(piece.block.group, glimpse.place))
        if glimpse.deciding and worker.ready and vigil.still > limit:
            told = f"{glimpse.asked} gave no answer within {limit:g} s"
            self._failed(employee, piece, TOO_SLOW, told, vigil.proven)
        elif vigil.still > (limit if vigil.stopped else self._deadline(worker)):
            self._failed(employee, piece, TOO_SLOW, "stalled between two decisions", False)

    def _deadline(self, worker: Worker) -> float:
        """How long a worker may show no sign of life while no bot is deciding."""
        pace = self._seconds / self._blocks if self._blocks else 0.0
        return _GRACE + 10 * pace if worker.ready else _START

    def _died(self, employee: _Employee, piece: _Piece) -> None:
        code = employee.worker.ended()
        asked = employee.worker.look().asked
        told = f"{asked} {system.ending(code)}".lstrip()
        self._failed(employee, piece, DIED, told, code is not None and -code not in system.FOREIGN)

    def _broke(self, employee: _Employee, piece: _Piece, report: str) -> None:
        """A worker's own code failed, which a bot can have brought about, or which is our fault."""
        if not self._bots.suspects(piece.block.group):
            raise WorkforceError(f"a worker failed at {piece.block}:\n{report}")
        self._failed(employee, piece, DIED, f"broke its process: {last_line(report)}", False)

    def _failed(
        self, employee: _Employee, piece: _Piece, kind: str, told: str, proven: bool
    ) -> None:
        """Replace a worker, and have its piece played again, without a game that is lost."""
        glimpse, ready = employee.worker.look(), employee.worker.ready
        self._let_go(employee)
        if not ready:
            self._unexplained(piece, told)
            return
        orders = list(seatings(piece.block.group))
        index, order = divmod(glimpse.cursor, len(orders))
        deal = min(max(piece.block.first, piece.block.first + index), piece.block.end - 1)
        last = _seated(piece.block.group, glimpse.place)
        bot = last if glimpse.deciding else self._suspect(piece.block.group, last)
        if bot is None:
            self._unexplained(piece, told)
            return
        self._strikes[orders[order], deal, bot] += _STRIKES if proven and glimpse.deciding else 1
        if self._strikes[orders[order], deal, bot] >= _STRIKES:
            message = told + self._bots.place(bot, glimpse.asked)
            fault = Fault(bot, kind, message, orders[order], deal, 1)
            self._condemned[orders[order], deal] = fault
        divisible = self._bots.divisible(piece.block.group)
        self._again.extendleft(reversed(piece.split(deal) if divisible else [piece]))

    def _suspect(self, group: Group, last: int) -> int | None:
        """A bot that can do harm while it is not asked, best the one that was asked last."""
        suspects = self._bots.suspects(group)
        return last if last in suspects else next(iter(suspects), None)

    def _unexplained(self, piece: _Piece, told: str) -> None:
        piece.failures += 1
        if piece.failures == TRIES:
            raise WorkforceError(f"{TRIES} workers in turn failed at {piece.block}: {told}")
        self._again.append(piece)

    def _let_go(self, employee: _Employee) -> None:
        self._employees.remove(employee)
        employee.worker.dismiss()


def _seated(group: Group, place: int) -> int:
    """The bot at a position, which a bot may have overwritten."""
    return group[place % len(group)]
