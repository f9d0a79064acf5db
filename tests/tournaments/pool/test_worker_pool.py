"""Workers that start slowly, say too much, or fail in games that are lost already."""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from helpers.time_limit import TIME_LIMIT
from helpers.workers import BLOCKS, CALM, WINDOW, Fake, Referee, result, results_of

from cantstop_arena.deals.outcomes import Block, BlockResult, Fault
from cantstop_arena.deals.seatings import Group
from cantstop_arena.errors import WorkerPoolError
from cantstop_arena.game_api.watched import BOT
from cantstop_arena.processes import watchdog
from cantstop_arena.tournaments.pool.worker import start_methods
from cantstop_arena.tournaments.pool.worker_messages import (
    BlockPlayed,
    Play,
    Ready,
    worker_broken,
)
from cantstop_arena.tournaments.pool.worker_pool import PoolOptions, WorkerPool

POOL = "cantstop_arena.tournaments.pool.worker_pool"
NEVER = 3600.0  # seconds for which no test waits


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker in which no bot decides has a moment to show a sign of life."""
    monkeypatch.setattr(f"{POOL}._GRACE", 0.3)


class Patient(Referee):
    """Gives bots their time, and holds the second one for able to harm a worker at any time."""

    def __init__(self, seconds: float = 1.0) -> None:
        super().__init__(seconds)

    def suspects(self, group: Group) -> list[int]:
        return [group[1]]


def worked(
    factory: Callable[[Any], Any], options: PoolOptions, bots: Referee | None = None
) -> dict[Block, BlockResult]:
    return results_of(factory, options, bots or Patient())


def slowly(folder: Path, seconds: float, memory: Any) -> Fake:
    time.sleep(seconds)
    return Fake(folder, {}, memory)


@pytest.mark.slow
@pytest.mark.parametrize("method", start_methods())
def test_nobody_is_charged_for_a_worker_that_starts_slowly(tmp_path: Path, method: str) -> None:
    assert worked(partial(slowly, tmp_path, 1.5), PoolOptions(2, method)) == CALM


@pytest.mark.slow
def test_workers_that_never_get_ready_end_the_work_with_words(tmp_path: Path) -> None:
    terms = PoolOptions(1, "fork", start_limit=0.1)
    with pytest.raises(WorkerPoolError, match=r"did not get ready within 0.1 s \(start_limit\)"):
        worked(partial(slowly, tmp_path, 60.0), terms)


def test_a_decision_is_no_stall(tmp_path: Path) -> None:
    """Though it takes longer than a worker may stand still, and not as long as a bot may."""
    factory = partial(Fake, tmp_path, {(3, 1): ("thinks", 99)})
    assert worked(factory, PoolOptions(1, "fork")) == CALM
    assert len(list(tmp_path.iterdir())) == 1


class Lost(Fake):
    """Fails in a game although it is lost already, as it is not the game that harms it."""

    def play(self, block: Block, condemned: Iterable[Fault] = ()) -> BlockResult:
        if block.first <= 7 < block.end:
            self.numbers[:] = 2 * (7 - block.first), 1, 1
            os._exit(3)
        return result(block, condemned)


def test_a_game_that_is_lost_and_fails_again_ends_the_work(tmp_path: Path) -> None:
    with pytest.raises(WorkerPoolError, match=r"5 workers in turn failed at .*exit code 3"):
        worked(partial(Lost, tmp_path, {}), PoolOptions(2, "fork"))


Said: TypeAlias = Callable[[Block], list[Any]]


class Talks(Fake):
    """Says something else than the result of a block, once."""

    def __init__(self, said: Said, folder: Path, memory: Any) -> None:
        super().__init__(folder, {}, memory)
        self.said = said

    def play(self, block: Block, condemned: Iterable[Fault] = ()) -> Any:
        if block.first == 5 and not list(self.folder.iterdir()):
            (self.folder / "said").touch()
            return self.at_once(self.said(block))
        return super().play(block, condemned)

    def at_once(self, messages: list[Any]) -> Iterator[Any]:
        yield from messages
        time.sleep(60)


SAID: dict[str, Said] = {
    "a result twice": lambda block: [BlockPlayed(result(block))] * 2,
    "an error twice": lambda block: [worker_broken("no")] * 2,
    "what a worker never sends": lambda block: [BlockPlayed(result(block)), Play(block)],
    "another result": lambda block: [BlockPlayed(result(block.part(0, 5))), Ready()],
}


@pytest.mark.parametrize("said", SAID.values(), ids=SAID)
def test_a_worker_that_says_too_much_is_replaced_and_its_block_played(
    tmp_path: Path, said: Said
) -> None:
    assert worked(partial(Talks, said, tmp_path), PoolOptions(1, "fork")) == CALM


def test_a_worker_that_was_stopped_is_not_waited_for(tmp_path: Path) -> None:
    factory = partial(Fake, tmp_path, {(4, 0): ("stopped", 2)})
    assert worked(factory, PoolOptions(1, "fork"), Patient(NEVER)) == CALM
    assert len(list(tmp_path.iterdir())) == 2


class BesideASpinningThread(Fake):
    """Computes for most of its time in one game, while a thread that somebody has left spins."""

    def happens(self, what: str, times: int, game: tuple[int, int]) -> None:
        if game == (4, 0):
            threading.Thread(target=self.spin, daemon=True).start()
            end = time.thread_time() + 0.4
            while time.thread_time() < end:
                pass

    def spin(self) -> None:
        while True:
            pass


@pytest.mark.slow
def test_the_time_of_another_thread_is_no_part_of_a_decision(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watchdog, "_WALL_LIMIT_FACTOR", 1000)  # a busy machine decides nothing here
    factory = partial(BesideASpinningThread, tmp_path, {})
    assert worked(factory, PoolOptions(1, "fork"), Referee(0.5)) == CALM


class Misbehaves(Fake):
    """Ends its process, or sends something, when it has played the first block.

    The second takes until others are handed out.
    """

    def __init__(self, folder: Path, end: bool, memory: Any) -> None:
        super().__init__(folder, {}, memory)
        self.end = end

    def play(self, block: Block, condemned: Iterable[Fault] = ()) -> Any:
        if block.first == BLOCKS[1].first:
            self.numbers[1] = BOT  # which may take an hour; between decisions it would stall
            while not (self.folder / "others").exists():
                time.sleep(0.01)
        yield BlockPlayed(super().play(block, condemned))
        if block.first == BLOCKS[0].first:
            while not (self.folder / "received").exists():
                time.sleep(0.01)
            (self.folder / f"worker-{os.getpid()}").touch()
            if self.end:
                os._exit(3)
            yield Ready()


class TwoAndLaterMore:
    """Two blocks, and the others when the first one's worker has been replaced, or much later.

    It has been when the pool has waited for its end. A worker that is only ending can still be
    given a block on a busy machine.
    """

    def __init__(self, folder: Path) -> None:
        self.folder, self.left, self.latest = folder, list(BLOCKS), time.monotonic() + TIME_LIMIT

    def __iter__(self) -> "TwoAndLaterMore":
        return self

    def __next__(self) -> Block:
        if len(self.left) == len(BLOCKS) - 2:
            if not self.is_replaced() and time.monotonic() < self.latest:
                raise StopIteration
            (self.folder / "others").touch()
        if not self.left:
            raise StopIteration
        return self.left.pop(0)

    def is_replaced(self) -> bool:
        """Whether the first one's worker is no process any more, not even one that has ended."""
        for file in self.folder.glob("worker-*"):
            try:
                os.kill(int(file.name.partition("-")[2]), 0)
            except ProcessLookupError:
                return True
        return False


@pytest.mark.parametrize("end", [False, True])
def test_a_worker_that_ends_or_sends_something_without_a_block_is_replaced(
    tmp_path: Path, end: bool
) -> None:
    played, factory = [], partial(Misbehaves, tmp_path, end)
    with WorkerPool(factory, WINDOW, Patient(NEVER), PoolOptions(2, "fork")) as pool:
        for part in pool.play(TwoAndLaterMore(tmp_path)):
            played.append(part.result.block)
            (tmp_path / "received").touch()
    assert sorted(played, key=lambda block: block.first) == BLOCKS  # none was split


SPY = """
from threadpoolctl import threadpool_info

def choose_move(turn, moves):
    pools = [pool for pool in threadpool_info() if pool["user_api"] == "blas"]
    assert pools and all(pool["num_threads"] == 1 for pool in pools), pools
    return 0

def roll_again(turn):
    return False
"""
NOTEBOOK = """
import numpy
import cantstop_arena as ca

match = ca.match("spy", "random", games=4, workers=2, page=False)
print("faults:", len(match.faults))
"""


@pytest.mark.slow
def test_workers_of_a_notebook_compute_in_one_thread(tmp_path: Path) -> None:
    (tmp_path / "bots").mkdir()
    (tmp_path / "bots/spy.py").write_text(SPY)
    environment = {key: value for key, value in os.environ.items() if "_NUM_THREADS" not in key}
    words = [sys.executable, "-c", NOTEBOOK]
    done = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert "faults: 0" in done.stdout, done.stdout + done.stderr
