"""Workers that start slowly, say too much, or fail in games that are lost already."""

import multiprocessing
import os
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from helpers.workers import BLOCKS, CALM, WINDOW, Fake, Referee, result

from cantstop_arena.deals.outcomes import Block, BlockResult, Fault, join_parts
from cantstop_arena.deals.seatings import Group
from cantstop_arena.errors import WorkerPoolError
from cantstop_arena.tournaments.pool.worker import start_methods
from cantstop_arena.tournaments.pool.worker_messages import (
    BlockPlayed,
    Message,
    Ready,
    worker_broken,
)
from cantstop_arena.tournaments.pool.worker_pool import PoolOptions, WorkerPool

POOL = "cantstop_arena.tournaments.pool.worker_pool"


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker in which no bot decides has a moment to show a sign of life."""
    monkeypatch.setattr(f"{POOL}._GRACE", 0.3)


class Patient(Referee):
    """Gives bots a second, and holds the second one for able to harm a worker at any time."""

    def decision_limit(self, bot: int) -> float:
        return 1.0

    def suspects(self, group: Group) -> list[int]:
        return [group[1]]


def worked(
    factory: Callable[[Any], Any], terms: PoolOptions, bots: Referee | None = None
) -> dict[Block, BlockResult]:
    parts: dict[Block, list[BlockResult]] = {}
    with WorkerPool(factory, WINDOW, bots or Patient(), terms) as pool:
        for played in pool.play(iter(BLOCKS)):
            parts.setdefault(played.full_block, []).append(played.result)
    assert not multiprocessing.active_children()
    return {whole: join_parts(whole, results) for whole, results in parts.items()}


def slowly(folder: Path, seconds: float, memory: Any) -> Fake:
    time.sleep(seconds)
    return Fake(folder, {}, memory)


@pytest.mark.parametrize("method", start_methods())
def test_nobody_is_charged_for_a_worker_that_starts_slowly(tmp_path: Path, method: str) -> None:
    assert worked(partial(slowly, tmp_path, 1.5), PoolOptions(2, method)) == CALM


def test_workers_that_never_get_ready_end_the_work_with_words(tmp_path: Path) -> None:
    terms = PoolOptions(1, "fork", start_limit=0.1)
    with pytest.raises(WorkerPoolError, match=r"did not get ready within 0.1 s \(start_limit\)"):
        worked(partial(slowly, tmp_path, 60.0), terms)


class Thinks(Fake):
    """Its bots think for longer than a worker may stand still, and not as long as they may."""

    def happens(self, what: str, times: int, game: tuple[int, int]) -> None:
        if game == (3, 1):
            (self.folder / f"{time.monotonic()}").touch()
            time.sleep(0.6)


def test_a_decision_is_no_stall(tmp_path: Path) -> None:
    assert worked(partial(Thinks, tmp_path, {}), PoolOptions(1, "fork")) == CALM
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


class Talks(Fake):
    """Says something else than the result of a block, once."""

    def __init__(self, said: Callable[[Block], list[Message]], folder: Path, memory: Any) -> None:
        super().__init__(folder, {}, memory)
        self.said = said

    def play(self, block: Block, condemned: Iterable[Fault] = ()) -> Any:
        if block.first == 5 and not list(self.folder.iterdir()):
            (self.folder / "said").touch()
            return self.at_once(self.said(block))
        return super().play(block, condemned)

    def at_once(self, messages: list[Message]) -> Iterator[Message]:
        yield from messages
        time.sleep(60)


def twice(block: Block) -> list[Message]:
    return [BlockPlayed(result(block)), BlockPlayed(result(block))]


def with_a_report(block: Block) -> list[Message]:
    return [worker_broken("no"), worker_broken("no")]


def of_another_block(block: Block) -> list[Message]:
    return [BlockPlayed(result(block.part(0, 5))), Ready()]


@pytest.mark.parametrize("said", [twice, with_a_report, of_another_block])
def test_a_worker_that_says_too_much_is_replaced_and_its_block_played(
    tmp_path: Path, said: Callable[[Block], list[Message]]
) -> None:
    assert worked(partial(Talks, said, tmp_path), PoolOptions(1, "fork")) == CALM


class Stops(Fake):
    """Is stopped by somebody, twice, while a bot is to decide."""

    def happens(self, what: str, times: int, game: tuple[int, int]) -> None:
        super().happens(*(("stopped", 2) if game == (4, 0) else ("", 0)), game)


class VeryPatient(Patient):
    """Gives bots a time that no test waits for."""

    def decision_limit(self, bot: int) -> float:
        return 3600.0


def test_a_worker_that_was_stopped_is_not_waited_for(tmp_path: Path) -> None:
    assert worked(partial(Stops, tmp_path, {}), PoolOptions(1, "fork"), VeryPatient()) == CALM
    assert len(list(tmp_path.iterdir())) == 2
