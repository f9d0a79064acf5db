"""Workers that are killed, hang or misbehave, and the judge who counts what bots do."""

import os
import random
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any

import multiprocess
import pytest
from helpers.parameters import slow_but
from helpers.workers import BLOCKS, CALM, WINDOW, Fake, Referee, result, results_of
from hypothesis import given, settings
from hypothesis import strategies as st

from cantstop_arena.deals.outcomes import DIED, TOO_SLOW, Block, BlockResult, Fault
from cantstop_arena.deals.seatings import Group
from cantstop_arena.errors import WorkerPoolError
from cantstop_arena.tournaments.pool.blame import FaultCounter
from cantstop_arena.tournaments.pool.worker_pool import PoolOptions, WorkerPool


def worked(
    folder: Path,
    plan: dict[tuple[int, int], tuple[str, int]] | None = None,
    workers: int = 2,
    patience: float = 0.3,
) -> dict[Block, BlockResult]:
    """What workers make of BLOCKS under a plan."""
    options = PoolOptions(workers, "fork")
    return results_of(partial(Fake, folder, plan or {}), options, Referee(patience))


@pytest.mark.parametrize("workers", slow_but([0, 1], [1, 2, 12]))
def test_every_block_is_played_once_by_any_number_of_workers(tmp_path: Path, workers: int) -> None:
    assert worked(tmp_path, workers=workers) == CALM


@pytest.mark.parametrize("what", slow_but([0], ["killed", "stopped"]))
def test_workers_lost_by_accident_are_replaced_and_nobody_is_charged(
    tmp_path: Path, what: str
) -> None:
    plan = {(deal, deal % 2): (what, 2) for deal in (0, 3, 4, 49)}
    assert worked(tmp_path, plan) == CALM
    assert len(list(tmp_path.iterdir())) == 8


@pytest.mark.parametrize(
    ("what", "times", "kind", "told"),
    slow_but(
        (0, 2, 4),
        [
            ("exits", 1, DIED, "ask ended its process with exit code 3 (in 1)"),
            ("signalled", 1, DIED, "ask ended its process by signal 40 (in 1)"),
            ("killed", 3, DIED, "ask ended its process by SIGKILL (in 1)"),
            ("spins", 1, TOO_SLOW, "ask gave no answer within 0.3 s (in 1)"),
            ("sleeps", 1, TOO_SLOW, "ask gave no answer within 0.3 s (in 1)"),
            ("stopped", 3, TOO_SLOW, "ask gave no answer within 0.3 s (in 1)"),
        ],
    ),
)
def test_a_bot_is_charged_when_it_was_seen_or_does_it_again_and_again(
    tmp_path: Path, what: str, times: int, kind: str, told: str
) -> None:
    patience = 0.3 if kind == TOO_SLOW else 60  # on a busy machine an end takes its time, too
    found = worked(tmp_path, {(12, 1): (what, 99)}, patience=patience)
    assert len(list(tmp_path.iterdir())) <= 3
    assert len(list(tmp_path.iterdir())) >= times or what in ("spins", "sleeps")
    fault = Fault(1, kind, told, (1, 0), 12, 1)
    block = Block((0, 1), 10, 5)
    assert found == {**CALM, block: result(block, [fault])}


@pytest.mark.slow
def test_a_worker_that_stalls_where_nobody_decides_ends_the_work_with_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cantstop_arena.tournaments.pool.worker_pool._GRACE", 0.2)
    assert worked(tmp_path, {(7, 0): ("waits", 2)}) == CALM
    with pytest.raises(WorkerPoolError, match=r"5 workers in turn failed at .*stalled"):
        worked(tmp_path, {(8, 0): ("waits", 99)})
    assert not multiprocess.active_children()


def test_a_player_that_fails_ends_the_work_with_its_traceback(tmp_path: Path) -> None:
    with pytest.raises(WorkerPoolError, match=r"(?s)Traceback.*ValueError: as expected"):
        worked(tmp_path, {(2, 0): ("fails", 99)})


def leaves(memory: Any) -> Any:
    """A worker that does not get far."""
    os._exit(1)


def test_a_recipe_that_fails_ends_the_work() -> None:
    with (
        pytest.raises(WorkerPoolError, match="exit code 1"),
        WorkerPool(leaves, WINDOW, Referee(), PoolOptions(2, "fork")) as pool,
    ):
        list(pool.play(iter(BLOCKS)))


def test_work_that_is_left_leaves_no_process_behind(tmp_path: Path) -> None:
    factory = partial(Fake, tmp_path, {})
    with WorkerPool(factory, WINDOW, Referee(), PoolOptions(2, "fork")) as pool:
        next(pool.play(iter(BLOCKS)))
        assert len(multiprocess.active_children()) == 2
    assert not multiprocess.active_children()


def test_dropped_groups_are_played_no_more(tmp_path: Path) -> None:
    """One of two workers hangs in another group, until that is dropped."""
    other = Block((2, 3), 100, 5)
    factory = partial(Fake, tmp_path, {(100, 0): ("sleeps", 99)})
    found = set()
    with WorkerPool(factory, WINDOW, Referee(), PoolOptions(2, "fork")) as pool:
        for played in pool.play(iter([other, *BLOCKS])):
            pool.drop(lambda group: group == (2, 3))
            found.add(played.full_block)
    assert found == set(BLOCKS)


# --- The judge ------------------------------------------------------------------------------------


def fault(bot: int, group: Group, deal: int, count: int = 1) -> Fault:
    return Fault(bot, "exception", "no", group, deal, count)


GROUPS: list[Group] = [(0, 1), (0, 2), (1, 2)]
LONGER: dict[Group, int] = {(0, 2): 6}  # than the four deals of the others' blocks, and of a round
SCHEDULE = sorted(
    (
        Block(group, first, LONGER.get(group, 4))
        for group in GROUPS
        for first in range(0, 12, LONGER.get(group, 4))
    ),
    key=lambda block: (block.first // 4, block.group),
)


def in_order(found: dict[Block, list[Fault]], limit: int) -> list[tuple[int, int]]:
    """Who is out, after how many faults, counted deal after deal by the plainest program."""
    out: list[tuple[int, int]] = []
    counted: list[Fault] = []
    everything = [one for faults in found.values() for one in faults]
    for one in sorted(everything, key=lambda one: (one.deal, one.seating)):
        if {bot for bot, _ in out} & set(one.seating):
            continue
        counted.append(one)
        if (total := sum(f.count for f in counted if f.bot == one.bot)) >= limit:
            out.append((one.bot, total))
            counted = [f for f in counted if one.bot not in f.seating]
    return out


@settings(deadline=None)
@given(st.integers(0, 10**9), st.integers(1, 8), st.integers(1, 4))
def test_who_is_out_does_not_depend_on_the_order_of_getting_done(
    seed: int, limit: int, workers: int
) -> None:
    chance = random.Random(seed)
    found = {
        block: [
            fault(chance.choice(block.group), block.group, deal, chance.choice([1, 1, 2]))
            for deal in range(block.first, block.end)
            if chance.random() < 0.4
        ]
        for block in SCHEDULE
    }
    stored = {block for block in SCHEDULE if chance.random() < 0.3}  # by an earlier run
    judge = FaultCounter(limit)
    judge.add_faults(one for block in stored for one in found[block])
    told: list[tuple[int, int]] = []

    def listen() -> None:
        for one in judge.disqualifications():
            told.append((one.bot, sum(f.count for f in one.faults)))

    missing = [block for block in SCHEDULE if block not in stored]
    by_round = groupby(missing, lambda block: block.first // 4)
    blocks = judge.scheduled((4 * number, of) for number, of in by_round)
    working: list[tuple[Block, Block]] = []
    while True:
        while len(working) < workers and (block := next(blocks, None)):
            middle = chance.randint(block.first, block.end)
            cuts = [(block.first, middle), (middle, block.end)]
            working += [(block.part(*cut), block) for cut in cuts if cut[0] < cut[1]]
        if not working:
            break
        part, whole = working.pop(chance.randrange(len(working)))
        if not judge.is_void(whole.group):
            inside = [one for one in found[whole] if part.first <= one.deal < part.end]
            judge.add_faults(inside, part, whole)
            listen()
    listen()
    assert told == in_order(found, limit)
    assert judge.disqualified.keys() == {bot for bot, _ in told}


def test_a_bot_is_out_before_the_rest_of_a_round_is_played() -> None:
    judge = FaultCounter(1)
    blocks = judge.scheduled([(0, [Block(group, 0, 4) for group in GROUPS])])
    first, second = next(blocks), next(blocks)
    judge.add_faults([fault(0, first.group, 0)], first, first)
    assert [one.bot for one in judge.disqualifications()] == [0]
    assert judge.is_void(second.group)
    assert [block.group for block in blocks] == [(1, 2)]


@pytest.mark.parametrize(
    ("deals", "counts", "out"),
    [
        ([0, 1, 2], [2, 2, 2], True),
        ([0, 1, 3, 4], [2, 2, 2, 2], False),  # it has finished the games of deal 2
        ([0, 1, 2, 3], [2, 2, 1, 2], False),  # and one of deal 2
        ([5, 6, 7], [2, 2, 2], True),
    ],
)
def test_time_outs_in_a_row_disqualify(deals: list[int], counts: list[int], out: bool) -> None:
    judge = FaultCounter(100, groups=[(0, 1), (1, 2)], orders=2)
    judge.close()
    judge.add_faults(
        Fault(0, TOO_SLOW, "", (1, 0), deal, count)
        for deal, count in zip(deals, counts, strict=True)
    )
    assert [each.bot for each in judge.disqualifications()] == [0] * out
    judge = FaultCounter(100, groups=[(0, 1), (0, 2)], orders=2)  # of two lineups only in one
    judge.close()
    judge.add_faults(Fault(0, TOO_SLOW, "", (0, 1), deal, 2) for deal in range(10))
    assert not [*judge.disqualifications()]
