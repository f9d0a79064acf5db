"""Stand-ins for what a pool of workers needs: players, a referee, results."""

import os
import signal
import time
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import Any

import multiprocess
import numpy as np

from cantstop_arena.deals.outcomes import (
    Block,
    BlockResult,
    Fault,
    SharedWindow,
    Snapshot,
    Tally,
    join_parts,
    packed,
)
from cantstop_arena.deals.seatings import Group, Orders
from cantstop_arena.game_api.watched import ARENA, BOT
from cantstop_arena.tournaments.pool.worker_pool import PoolOptions, WorkerPool

BLOCKS = [Block((0, 1), first, 5) for first in range(0, 50, 5)]


ORDERS: Orders = ((0, 1), (1, 0))


def result(block: Block, faults: Iterable[Fault] = ()) -> BlockResult:
    """A block as it might have been played; parts of a block add up to it."""
    tally = Tally(block.deals, (60 * block.deals, 0), 0, 0, {"turns": (block.end, 1)}, {})
    deals = range(block.first, block.end)
    tallies = tuple(
        Tally(block.deals, tally.wins, order, 0, {"turns": (sum(deals), order)}, {})
        for order in (0, 0)
    )
    winners = packed(bytes(number % 3 for deal in deals for number in (deal, 1)))
    measures = np.array(deals, "<u4").tobytes()
    return BlockResult(block, tallies, winners, measures, tuple(faults))


def snapshot_reader(memory: Any) -> Any:
    """Where the fakes write which game they are in, and whose code runs: its first bot's."""
    numbers = np.frombuffer(memory, np.int64, 3)

    def look() -> Snapshot:
        cursor, phase, steps = numbers.tolist()
        place = cursor % 2
        return Snapshot(cursor, place, "ask", phase, (cursor, phase, steps))

    return look


WINDOW = SharedWindow(24, snapshot_reader, "Fake")


class Fake:
    """Plays games that take no time, but for those of which a plan says something else.

    A plan says for (deal, order) what happens there, and how often: the folder remembers.
    """

    def __init__(self, folder: Path, plan: dict[tuple[int, int], tuple[str, int]], memory: Any):
        self.folder, self.plan = folder, plan
        self.numbers = np.frombuffer(memory, np.int64, 3)

    def play(self, block: Block, condemned: Iterable[Fault] = ()) -> BlockResult:
        lost = {(fault.deal, ORDERS.index(fault.seating)) for fault in condemned}
        for cursor in range(2 * block.deals):
            game = (block.first + cursor // 2, cursor % 2)
            self.numbers[:] = cursor, BOT, self.numbers[2] + 1
            if game not in lost:
                self.happens(*self.plan.get(game, ("", 0)), game)
            self.numbers[1] = ARENA
        self.numbers[2] += 1
        return result(block, condemned)

    def happens(self, what: str, times: int, game: tuple[int, int]) -> None:
        """Something that harms the process, for the first `times` times."""
        marks = list(self.folder.glob(f"{game[0]}-{game[1]}.*"))
        if not what or len(marks) >= times:
            return
        (self.folder / f"{game[0]}-{game[1]}.{len(marks)}").touch()
        if what == "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        elif what == "signalled":
            os.kill(os.getpid(), 40)  # a real-time signal, which has no name
        elif what == "exits":
            os._exit(3)
        elif what == "stopped":
            os.kill(os.getpid(), signal.SIGSTOP)
        elif what in ("sleeps", "thinks"):
            time.sleep(60 if what == "sleeps" else 0.6)
        elif what == "spins":
            while True:
                pass
        elif what == "waits":
            self.numbers[1] = ARENA
            time.sleep(60)
        elif what == "fails":
            raise ValueError("as expected")


class Referee:
    """What the worker pool asks about bots."""

    orders = ORDERS
    game_limit = 10.0
    sharing: Group = ()

    def __init__(self, patient: float = 0.3) -> None:
        self._patience = patient

    def decision_limit(self, bot: int) -> float:
        return self._patience

    def source_line(self, bot: int, asked: str) -> str:
        return f" (in {bot})"

    def suspects(self, group: Group) -> list[int]:
        return []

    def with_own_processes(self, bots: Collection[int]) -> "Referee":
        return self

    def divisible(self, group: Group) -> bool:
        return True

    def trim_logs(self) -> None:
        pass

    def note_fault(self, fault: Fault) -> None:
        pass


CALM = {block: result(block) for block in BLOCKS}


def results_of(
    factory: Callable[[Any], Any], options: PoolOptions, bots: Referee
) -> dict[Block, BlockResult]:
    """What workers make of BLOCKS, the parts put together; none of them is left."""
    parts: dict[Block, list[BlockResult]] = {}
    with WorkerPool(factory, WINDOW, bots, options) as pool:
        for played in pool.play(iter(BLOCKS)):
            parts.setdefault(played.full_block, []).append(played.result)
    assert not multiprocess.active_children()
    return {whole: join_parts(whole, results) for whole, results in parts.items()}
