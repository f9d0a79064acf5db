"""Worker processes that play blocks, and a parent that hands out work and survives their deaths.

A pool would wait for ever for a worker that was killed; here the parent waits on pipes and
process sentinels alike, starts a new worker in a dead one's place, and plays its block again.
"""

import contextlib
import os
import signal
import traceback
from collections import deque
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection, wait
from typing import Any, Protocol

import multiprocess

from cantstop_arena.errors import WorkforceError
from cantstop_arena.outcomes import Block, BlockResult

_TRIES = 3


class Player(Protocol):
    """Whoever plays blocks: a table of some game."""

    def play(self, block: Block) -> BlockResult:
        """Play a block's deals, each in every seating of its group."""


Recipe = Callable[[], Player]


def worker_count() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def default_start_method() -> str:
    """Fork where the system has it, since a forked worker finds everything compiled."""
    methods = multiprocess.get_all_start_methods()
    return "fork" if "fork" in methods else "spawn"


class _Worker:
    """One process, its pipe, and the block it plays."""

    def __init__(self, recipe: Recipe, others: list["_Worker"]) -> None:
        context = multiprocess.get_context(default_start_method())
        self.pipe, theirs = context.Pipe()
        inherited = [worker.pipe for worker in [*others, self]]
        self.process = context.Process(
            target=_work,
            args=(theirs, inherited if context.get_start_method() == "fork" else [], recipe),
            daemon=True,
        )
        self.process.start()
        theirs.close()
        self.block: Block | None = None

    def give(self, block: Block) -> None:
        self.block = block
        with contextlib.suppress(OSError):  # it is dead; its sentinel will say so
            self.pipe.send(block)

    def dismiss(self) -> None:
        self.process.kill()
        self.process.join()
        self.pipe.close()


def _work(pipe: Connection, inherited: list[Connection], recipe: Recipe) -> None:
    """What a worker does: play block after block until the parent closes the pipe or dies."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for connection in inherited:  # else the pipe of a dead parent would never look closed
        connection.close()
    player = recipe()
    while True:
        try:
            block = pipe.recv()
        except (EOFError, OSError):
            return
        try:
            answer: Any = player.play(block)
        except Exception:
            answer = traceback.format_exc()
        try:
            pipe.send(answer)
        except OSError:
            return


class Workforce:
    """Plays a stream of blocks on several processes. Use it as a context manager."""

    def __init__(self, recipe: Recipe, workers: int) -> None:
        self._recipe = recipe
        self._workers: list[_Worker] = []
        self._count = workers
        self._again: deque[Block] = deque()
        self._failures: dict[Block, int] = {}

    def __enter__(self) -> "Workforce":
        return self

    def __exit__(self, *problem: object) -> None:
        for worker in self._workers:
            worker.dismiss()
        self._workers.clear()

    def play(self, blocks: Iterator[Block]) -> Iterator[BlockResult]:
        """Yield the results of the blocks in the order in which they get done.

        Raises WorkforceError when a block has cost three workers their lives.
        """
        self._hand_out(blocks)
        while any(worker.block for worker in self._workers):
            for worker in self._ready():
                result = self._collect(worker)
                self._hand_out(blocks)
                if result is not None:
                    yield result

    def _hand_out(self, blocks: Iterator[Block]) -> None:
        """Give every idle worker a block, hiring while there is more work than workers."""
        while True:
            idle = next((worker for worker in self._workers if worker.block is None), None)
            if idle is None and len(self._workers) >= self._count:
                return
            block = self._again.popleft() if self._again else next(blocks, None)
            if block is None:
                return
            if idle is None:
                idle = _Worker(self._recipe, self._workers)
                self._workers.append(idle)
            idle.give(block)

    def _ready(self) -> list[_Worker]:
        """Wait until workers have something to say, or have died."""
        busy = [worker for worker in self._workers if worker.block]
        signs: dict[Any, _Worker] = {worker.pipe: worker for worker in busy}
        signs |= {worker.process.sentinel: worker for worker in busy}
        return list({id(signs[sign]): signs[sign] for sign in wait(list(signs))}.values())

    def _collect(self, worker: _Worker) -> BlockResult | None:
        """A worker's result; None where it died, and its block is to be played again."""
        block, worker.block = worker.block, None
        try:
            answer = worker.pipe.recv()
        except (EOFError, OSError):
            self._replace(worker, block)
            return None
        if isinstance(answer, str):
            raise WorkforceError(f"a worker failed at {block}:\n{answer}")
        result: BlockResult = answer
        return result

    def _replace(self, worker: _Worker, block: Block | None) -> None:
        self._workers.remove(worker)
        worker.dismiss()
        if block is None:
            return
        self._failures[block] = self._failures.get(block, 0) + 1
        if self._failures[block] == _TRIES:
            raise WorkforceError(f"{_TRIES} workers in turn died playing {block}")
        self._again.append(block)
