"""The speed of a cluster, each figure as a ratio taken in one run: `make bench`.

- two machines of one process each, both here, against two workers of a pool: games by time and by
  processor time, from the first result after both have started, in pairs taken in turn
- the share of a processor that the arena's own process uses while 64 simulated machines play
  PACE blocks a second each

Measured on two busy cores: a game takes 1.03 times the pool's processor time (2,000,000 games,
median of 3 pairs, at most 1.11), and the arena's own process 0.05 of a processor. 400,000 games
are too few for this: they last two bundles; 9 pairs gave 0.29 to 9.96, with a median of 1.48.
"""

import argparse
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from unittest.mock import patch

from msgspec.structs import replace

from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.deals.outcomes import Block, BlockResult, packed
from cantstop_arena.deals.sampling import wins_by_deal
from cantstop_arena.extensions.cluster import bridge_connection
from cantstop_arena.extensions.cluster.address import ClusterAddress
from cantstop_arena.extensions.cluster.bridge_connection import BridgeConnection
from cantstop_arena.extensions.cluster.cluster_messages import (
    MAX_ORDER_BYTES,
    BundlePlayed,
    ClusterReached,
    MachineJoined,
    PlayBlocks,
    ReceivedFrom,
    SentTo,
    ToBridge,
    ToMachine,
)
from cantstop_arena.processes.channel import (
    Channel,
    ChannelClosed,
    Frames,
    decoder,
    frame,
    take_standard_input,
)
from cantstop_arena.tournaments import run
from cantstop_arena.tournaments.file import tournament_file
from cantstop_arena.tournaments.pool.worker import start_methods
from cantstop_arena.tournaments.pool.worker_messages import Ready
from cantstop_arena.tournaments.pool.worker_pool import PoolOptions
from cantstop_arena.tournaments.preparation import prepare_bots
from cantstop_arena.tournaments.run_observer import RunObserver
from cantstop_arena.tournaments.table_spec import table_spec_for

TOURNAMENT = "seed: 28\nbots: [rule28, glenn-aloi]\n"
MACHINES, PROCESSES, PACE = 64, 1, 2.5  # the pace in blocks a second of each machine
TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")


def processor_time() -> float:
    """Seconds of processor time of this process and its descendants."""
    parents, spent = {}, {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        pid = int(stat.parent.name)
        parents[pid], spent[pid] = int(fields[1]), sum(map(int, fields[11:15])) / TICKS_PER_SECOND

    def is_ours(pid: int) -> bool:
        return pid == os.getpid() or (pid in parents and is_ours(parents[pid]))

    return sum(seconds for pid, seconds in spent.items() if is_ours(pid))


@dataclass
class Stopwatch(RunObserver):
    """An observer of a run that marks games, time and a clock, 0.1 s apart at least."""

    clock: Callable[[], float]
    marks: list[tuple[int, float, float]] = field(default_factory=list)
    games: int = 0

    def on_progress(self, games: int) -> None:
        """Add the games, and note the times."""
        self.games += games
        now = time.perf_counter()
        if not self.marks or now - self.marks[-1][1] > 0.1:
            self.marks.append((self.games, now, self.clock()))

    def on_cluster(self, machines: int, processes: int) -> None:
        """Begin again: a machine has started."""
        self.marks.clear()

    def rates(self) -> tuple[float, float]:
        """Games a second of time, and games a second of the clock, from first to last mark."""
        first, last = self.marks[0], self.marks[-1]
        games, seconds, spent = (end - start for start, end in zip(first, last, strict=True))
        return games / seconds, games / spent

    def on_notice(self, text: str) -> None:
        """Print the notice."""
        print(text)


def timed_run(
    folder: Path, games: int, options: PoolOptions, clock: Callable[[], float]
) -> Stopwatch:
    """Run the tournament; returns the stopwatch that observed it."""
    file = folder / "cup.yaml"
    file.write_text(f"games: {games}\n{TOURNAMENT}")
    stopwatch, catalogue = Stopwatch(clock), Catalogue(folder / "bots")
    run.run_tournament(
        tournament_file.read(file, catalogue),
        catalogue,
        folder / "cup",
        options,
        stopwatch,
        fresh=True,
    )
    return stopwatch


def ratios_to_pool(folder: Path, games: int) -> tuple[float, float]:
    """A cluster's rates as ratios to those of a pool of two, by time and by processor time."""
    method = start_methods()[0]
    pool = timed_run(folder, games, PoolOptions(2, method), processor_time).rates()
    options = PoolOptions(1, method, cluster=ClusterAddress("local", "2"))
    cluster = timed_run(folder, games, options, processor_time).rates()
    return cluster[0] / pool[0], cluster[1] / pool[1]


# --- Simulated machines ---------------------------------------------------------------------------


def processor_share(folder: Path, games: int) -> float:
    """The share of a processor that the arena's own process uses while the machines play."""
    simulated = (sys.executable, __file__, "--simulate")
    options = PoolOptions(1, cluster=ClusterAddress("local", "1"))
    with patch.object(
        bridge_connection,
        "connection_to",
        lambda *arguments: BridgeConnection(simulated, "nowhere", arguments[-1]),
    ):
        stopwatch = timed_run(folder, games, options, time.process_time)
    by_time, by_clock = stopwatch.rates()
    return by_time / by_clock


def sample_result() -> BlockResult:
    """The result of one block of the tournament."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "cup.yaml")
        file.write_text(TOURNAMENT)
        catalogue = Catalogue(Path(folder))
        spec = table_spec_for(tournament_file.read(file, catalogue), catalogue)
        prepare_bots(spec, lambda names: None)
        result: BlockResult = spec.table().play(Block((0, 1), 0, 32_768))
        return result


def with_block(result: BlockResult, block: Block) -> BlockResult:
    """The result of the first deals, changed to that of another block; counts are in proportion."""
    masks = result.masks()[: block.deals]
    share = block.deals / result.block.deals
    tallies = tuple(
        replace(
            tally,
            games=block.deals,
            wins=tuple(wins_by_deal(masks[:, [index]], ((0, 1),))[:, 2:].sum(axis=0).tolist()),
            unfinished=int(tally.unfinished * share),
            counts={
                name: tuple(int(number * share) for number in numbers)
                for name, numbers in tally.counts.items()
            },
            squares={name: int(square * share) for name, square in tally.squares.items()},
            lengths={},
            highlights={},
        )
        for index, tally in enumerate(result.tallies)
    )
    winners = packed(masks.tobytes())
    return replace(result, block=block, tallies=tallies, winners=winners, measures=b"")


def simulate() -> None:
    """Act as a bridge to machines that play PACE blocks a second each and send bundles."""
    result = sample_result()
    channel: Channel[ToBridge] = Channel(take_standard_input(), ToBridge, MAX_ORDER_BYTES)
    queues: dict[str, list[Block]] = {f"tcp://10.0.0.{n}:40000": [] for n in range(MACHINES)}
    channel.send(ClusterReached(tuple(queues)))
    for machine in queues:
        channel.send(MachineJoined(machine, PROCESSES))
        channel.send(ReceivedFrom(machine, frame(Ready())))
    starts = [time.monotonic()] * MACHINES
    while True:
        try:
            add_orders(channel, queues)
        except ChannelClosed:
            return
        for number, (machine, blocks) in enumerate(queues.items()):
            count = min(len(blocks), int((time.monotonic() - starts[number]) * PACE))
            if count >= min(PACE, len(blocks) or PACE):
                played, blocks[:count] = blocks[:count], []
                starts[number] = time.monotonic()
                results = tuple((block, with_block(result, block)) for block in played)
                channel.send(ReceivedFrom(machine, frame(BundlePlayed(results))))
        time.sleep(0.02)


def add_orders(channel: Channel[ToBridge], queues: dict[str, list[Block]]) -> None:
    """Add the blocks that the arena has ordered, without waiting for more."""
    orders: Frames[ToMachine] = Frames(decoder(ToMachine), MAX_ORDER_BYTES)
    channel.flush()
    for message in channel.receive():
        if isinstance(message, SentTo):
            for order in orders.messages_in(message.content):
                if isinstance(order, PlayBlocks):
                    queues[message.machine].extend(order.blocks)


def main() -> None:
    """Print the figures, or simulate machines."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--simulate", action="store_true")
    parser.add_argument("--games", type=int, default=2_000_000)
    parser.add_argument("--pairs", type=int, default=5)
    arguments = parser.parse_args()
    if arguments.simulate:
        simulate()
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        pairs = [ratios_to_pool(folder, arguments.games) for _ in range(arguments.pairs)]
        for clock, ratios in zip(("time", "processor time"), zip(*pairs, strict=True), strict=True):
            median, minimum = statistics.median(ratios), min(ratios)
            print(f"cluster of two against pool, by {clock}: {median:.2f} (least {minimum:.2f})")
        share = processor_share(folder, int(MACHINES * 65_536 * PACE * 15))
        print(f"the arena's own process with {MACHINES} machines: {share:.2f} of a processor")


if __name__ == "__main__":
    main()
