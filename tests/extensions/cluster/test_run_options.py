"""One command keeps its cluster, whatever tables it plays."""

from pathlib import Path

import pytest
from helpers.arena import Arena
from helpers.workers import BLOCKS, ORDERS, result
from msgspec.structs import replace

from cantstop_arena.extensions.cluster import cluster_pools
from cantstop_arena.extensions.cluster.address import ClusterAddress
from cantstop_arena.extensions.cluster.cluster_messages import (
    BundlePlayed,
    FromBridge,
    FromMachine,
    MachineJoined,
    PlayBlocks,
    ReceivedFrom,
    SetTable,
    ToMachine,
)
from cantstop_arena.extensions.cluster.job import unpack_job
from cantstop_arena.processes.channel import frame
from cantstop_arena.tournaments.pool.bot_logs import BotLogs
from cantstop_arena.tournaments.pool.worker_messages import Ready
from cantstop_arena.tournaments.pool.worker_pool import PoolOptions
from cantstop_arena.tournaments.preparation import BotFacts
from cantstop_arena.tournaments.run_observer import RunObserver
from cantstop_arena.tournaments.run_options import PoolOwner
from cantstop_arena.tournaments.table_spec import TableSpec
from cantstop_arena.tournaments.tournament import FaultPolicy

SPEC = TableSpec("cantstop", None, (), 2, 1, Path())
BOTS = BotFacts((), FaultPolicy(), frozenset(), BotLogs(Path("nowhere"), []), ORDERS)


class Line:
    """A connection to one machine, which plays at once; notes the seeds of its tables."""

    cluster = "nowhere"

    def __init__(self) -> None:
        self.entered, self.left = 0, 0
        self.seeds: list[object] = []
        self._inbox: list[FromBridge] = [MachineJoined("one", 1)]

    def __enter__(self) -> "Line":
        self.entered += 1
        return self

    def __exit__(self, *problem: object) -> None:
        self.left += 1

    def messages(self, seconds: float) -> list[FromBridge]:
        """What the machine has answered."""
        messages, self._inbox = self._inbox, []
        return messages

    def send(self, machine: str, message: ToMachine) -> None:
        """Play blocks, or get ready for a table."""
        answer: FromMachine = Ready()
        if isinstance(message, SetTable):
            self.seeds.append(unpack_job(message).spec.seed)
        elif isinstance(message, PlayBlocks):
            answer = BundlePlayed(tuple((block, result(block)) for block in message.blocks))
        self._inbox.append(ReceivedFrom(machine, frame(answer)))


def test_a_cluster_stays_and_gets_another_table(monkeypatch: pytest.MonkeyPatch) -> None:
    line, options = Line(), PoolOptions(1, cluster=ClusterAddress("local", "1"))
    monkeypatch.setattr(cluster_pools, "connection_to", lambda *arguments: line)
    with PoolOwner() as pools:
        for seed in (1, 1, 2):
            spec = replace(SPEC, seed=seed)
            with pools.pool(spec, BOTS, [], options, RunObserver()) as pool:
                played = [part.full_block for part in pool.play(iter(BLOCKS), lambda: None)]
            assert played == BLOCKS
        assert (line.entered, line.left) == (1, 0)
    assert line.left == 1
    assert line.seeds == [1, 2]


@pytest.mark.parametrize(
    "command",
    ["run cup.yaml", "compare cup.yaml", "match odds random", "gauntlet odds", "tune odds x=1..2"],
)
def test_commands_that_play_refuse_what_is_no_address(arena: Arena, command: str) -> None:
    error = arena(f"{command} --cluster nowhere", code=2).error
    assert "--cluster must be tcp://HOST:PORT" in error
