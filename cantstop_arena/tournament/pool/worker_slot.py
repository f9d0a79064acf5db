"""A place for a worker process: which one holds it, what it plays, and since when nothing moves."""

import time
from collections.abc import Collection

import msgspec

from cantstop_arena.deals.outcomes import Block, Fault
from cantstop_arena.runtime.watchdog import Watchdog
from cantstop_arena.tournament.pool.messages import Building
from cantstop_arena.tournament.pool.worker import Worker


class Piece(msgspec.Struct):
    """A block, or what is left of one, on its way through the workers."""

    block: Block
    whole: Block
    failures: int = 0

    def split(self, deal: int) -> list["Piece"]:
        """This piece in three: what lies before a deal, the deal, and what comes after it."""
        first, end = self.block.first, self.block.end
        cuts = [(first, deal), (deal, deal + 1), (deal + 1, end)]
        parts = [self.block.part(*cut) for cut in cuts if cut[0] < cut[1]]
        return [Piece(part, self.whole, self.failures) for part in parts]


class WorkerSlot:
    """A worker, what it is doing, and how long it has been seen to do nothing."""

    def __init__(self, worker: Worker) -> None:
        self.worker = worker
        self.piece: Piece | None = None
        self.since = 0.0
        self.watchdog = Watchdog(worker.process.pid)

    def give(self, piece: Piece, forfeits: tuple[Fault, ...]) -> None:
        """Have a piece played, some of its games being lost already."""
        self.piece = piece
        self._begin()
        self.worker.give(piece.block, forfeits)

    def builds(self, message: Building, foreign: Collection[int]) -> None:
        """It goes on to the next bot, whose own time begins. Raises Nonsense."""
        self.worker.construction.note(message, foreign)
        self._begin()

    def gets_ready(self) -> None:
        """It has started: only now time begins to count for the bots."""
        self.worker.ready = True
        self._begin()

    def _begin(self) -> None:
        self.since = time.monotonic()
        self.watchdog.begin()
