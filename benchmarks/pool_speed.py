"""What a block costs between the arena's process and its workers: `make bench`.

Blocks of 16 deals whose result is prepared beforehand go through a pool of workers and back, so
that only messages, their validation and the watching of workers take time. Prints blocks a second,
and processor time a block in the arena's process (workers' starts subtracted) and in a worker.
"""

import argparse
import resource
import time
from collections.abc import Collection, Iterator
from functools import partial
from itertools import islice
from typing import Any

from msgspec.structs import replace

from cantstop_arena.deals.outcomes import Block, BlockResult, Fault, Tally, packed
from cantstop_arena.deals.seatings import Group, Orders, standard_orders
from cantstop_arena.game_api.watched import shared_window
from cantstop_arena.tournaments.pool.worker_pool import PoolOptions, WorkerPool

BLOCKS, FEW_BLOCKS, DEALS = 5000, 50, 16
GROUP: Group = (0, 1)
ORDERS: Orders = standard_orders(len(GROUP))
COUNTS = ("turns", "rolls", "busts", "steps", "columns", "busted turns")


class PreparedPlayer:
    """Answers each block with the same result, of that block."""

    def __init__(self, memory: Any) -> None:
        self._result = prepared_result()

    def play(self, block: Block, forfeits: tuple[Fault, ...] = ()) -> BlockResult:
        """The result of a block, without playing it."""
        return replace(self._result, block=block)


class CarefreeBots:
    """Limits of plain bots that never fail."""

    orders = ORDERS
    game_limit = 10.0
    sharing: Group = ()

    def decision_limit(self, bot: int) -> float:
        """The default's seconds."""
        return 10.0

    def suspects(self, group: Group) -> list[int]:
        """All of them, so that workers are observed as often as with any plain bots."""
        return list(group)

    def source_line(self, bot: int, decision: str) -> str:
        """Nothing."""
        return ""

    def with_own_processes(self, bots: Collection[int]) -> "CarefreeBots":
        """The same."""
        return self

    def divisible(self, group: Group) -> bool:
        """Always."""
        return True

    def trim_logs(self) -> None:
        """There are none."""

    def note_fault(self, fault: object) -> None:
        """There are none."""


def prepared_result() -> BlockResult:
    """A possible result of a block, of the size that two heuristics have."""
    numbers = {name: (150 + index, 140 + index) for index, name in enumerate(COUNTS)}
    squares = {name: 9000 + index for index, name in enumerate(COUNTS)}
    tally = Tally(
        games=DEALS,
        wins=(30 * DEALS, 30 * DEALS),
        unfinished=0,
        forfeits=0,
        counts=numbers,
        squares=squares,
        lengths=dict.fromkeys(range(DEALS), (1, 0)),
        highlights={"comeback": (7, 0), "longest": (30, 0)},
    )
    games = DEALS * len(ORDERS)
    winners = packed(bytes(1 + number % 2 for number in range(games)))
    return BlockResult(Block(GROUP, 0, DEALS), (tally,) * len(ORDERS), winners)


def blocks() -> Iterator[Block]:
    """Blocks without end; all of them the one that the result is of."""
    while True:
        yield Block(GROUP, 0, DEALS)


def seconds_of(who: int) -> float:
    """Processor time of this process, or of its finished children."""
    used = resource.getrusage(who)
    return used.ru_utime + used.ru_stime


def play(count: int, options: PoolOptions) -> tuple[float, float, float]:
    """The seconds for so many blocks: by the clock, of this process and of the workers."""
    window = shared_window("Prepared", ("decide",))
    own, workers = seconds_of(resource.RUSAGE_SELF), seconds_of(resource.RUSAGE_CHILDREN)
    with WorkerPool(partial(PreparedPlayer), window, CarefreeBots(), options) as pool:
        begin = time.perf_counter()
        assert sum(1 for _ in pool.play(islice(blocks(), count))) == count
        elapsed = time.perf_counter() - begin
    return (
        elapsed,
        seconds_of(resource.RUSAGE_SELF) - own,
        seconds_of(resource.RUSAGE_CHILDREN) - workers,
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--workers", type=int, nargs="*", default=[1, 2])
    for workers in parser.parse_args().workers:
        options = PoolOptions(workers)
        few = play(FEW_BLOCKS, options)
        elapsed, own, worker_time = (
            (long - short) / (BLOCKS - FEW_BLOCKS)
            for long, short in zip(play(BLOCKS, options), few, strict=True)
        )
        print(
            f"{workers} workers: {1 / elapsed:,.0f} blocks/s,"
            f" {own * 1e6:.0f} µs a block in the arena's process,"
            f" {worker_time * 1e6:.0f} in a worker"
        )


if __name__ == "__main__":
    main()
