"""How fast a cluster is, each figure as a ratio taken in one run: `make bench`.

- two machines of one process each, both here, against two workers of a pool: games by time and by
  processor time, from the first result on, in pairs taken in turn
- what the arena's own process takes of a processor while 64 machines, which are only simulated,
  play ten blocks a second each
"""

import argparse
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from unittest.mock import patch

from msgspec.structs import replace

from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.deals.outcomes import Block, BlockResult
from cantstop_arena.deals.winners import packed
from cantstop_arena.processes.channel import Frames, frame
from cantstop_arena.tournaments import run
from cantstop_arena.tournaments.cluster import bridge_connection
from cantstop_arena.tournaments.cluster.address import ClusterAddress
from cantstop_arena.tournaments.cluster.bridge_connection import MachineConnection
from cantstop_arena.tournaments.cluster.cluster_messages import (
    BundlePlayed,
    MachineJoined,
    MachineReady,
    PlayBlocks,
    ReceivedFrom,
    SentTo,
    to_bridge,
    to_machine,
)
from cantstop_arena.tournaments.file import tournament_file
from cantstop_arena.tournaments.pool.worker import start_methods
from cantstop_arena.tournaments.pool.worker_pool import PoolOptions
from cantstop_arena.tournaments.preparation import prepare_bots
from cantstop_arena.tournaments.run_observer import RunObserver
from cantstop_arena.tournaments.table_spec import table_spec_for

TOURNAMENT = "seed: 28\nbots: [rule28, glenn-aloi]\n"
MACHINES, PROCESSES, PACE = 64, 1, 2.5  # blocks a second of each
TICKS = os.sysconf("SC_CLK_TCK")


def processor_time() -> float:
    """Seconds of processor time of this process and all that descend from it."""
    parents, spent = {}, {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        pid = int(stat.parent.name)
        parents[pid], spent[pid] = int(fields[1]), sum(map(int, fields[11:15])) / TICKS

    def is_ours(pid: int) -> bool:
        return pid == os.getpid() or (pid in parents and is_ours(parents[pid]))

    return sum(seconds for pid, seconds in spent.items() if is_ours(pid))


@dataclass
class Stopwatch(RunObserver):
    """A watch that knows when the first and the last result came."""

    clock: Callable[[], float]
    marks: list[tuple[int, float, float]] = field(default_factory=list)
    games: int = 0

    def on_progress(self, games: int) -> None:
        """Look at the clock."""
        self.games += games
        now = time.perf_counter()
        if not self.marks or now - self.marks[-1][1] > 0.1:
            self.marks.append((self.games, now, self.clock()))

    def rates(self) -> tuple[float, float]:
        """Games by time, and games by what the clock shows."""
        first, last = self.marks[0], self.marks[-1]
        games, seconds, spent = (late - soon for soon, late in zip(first, last, strict=True))
        return games / seconds, games / spent

    def on_notice(self, text: str) -> None:
        """Say it."""
        print(text)


def played(folder: Path, games: int, terms: PoolOptions, clock: Callable[[], float]) -> Stopwatch:
    """A run of the tournament, as it was watched."""
    file = folder / "cup.yaml"
    file.write_text(f"games: {games}\n{TOURNAMENT}")
    watch, catalogue = Stopwatch(clock), Catalogue(folder / "bots")
    run.run_tournament(
        tournament_file.read(file, catalogue), catalogue, folder / "cup", terms, watch, fresh=True
    )
    return watch


def against_a_pool(folder: Path, games: int) -> tuple[float, float]:
    """What a cluster of two processes plays for each game of a pool's, by time and by work."""
    method = start_methods()[0]
    pool = played(folder, games, PoolOptions(2, method), processor_time).rates()
    terms = PoolOptions(1, method, cluster=ClusterAddress("local", "2"))
    cluster = played(folder, games, terms, processor_time).rates()
    return cluster[0] / pool[0], cluster[1] / pool[1]


# --- Machines that are simulated ------------------------------------------------------------------


def of_a_processor(folder: Path, games: int) -> float:
    """What the arena's own process takes of a processor while many machines play."""
    simulated = (sys.executable, __file__, "--simulate")
    terms = PoolOptions(1, cluster=ClusterAddress("local", "1"))
    with patch.object(
        bridge_connection,
        "line_to",
        lambda *told: MachineConnection(simulated, "nowhere", told[-1]),
    ):
        watch = played(folder, games, terms, time.process_time)
    by_time, by_work = watch.rates()
    return by_time / by_work


def a_result() -> BlockResult:
    """What came of a block of the tournament."""
    with tempfile.TemporaryDirectory() as place:
        file = Path(place, "cup.yaml")
        file.write_text(TOURNAMENT)
        catalogue = Catalogue(Path(place))
        spec = table_spec_for(tournament_file.read(file, catalogue), catalogue)
        prepare_bots(spec, lambda names: None)
        result: BlockResult = spec.table().play(Block((0, 1), 0, 32_768))
        return result


def like(result: BlockResult, block: Block) -> BlockResult:
    """The result as if it were that of another block."""
    tallies = tuple(
        replace(tally, games=block.deals, lengths={}, highlights={}) for tally in result.tallies
    )
    winners = packed(result.masks()[: block.deals].tobytes())
    return replace(result, block=block, tallies=tallies, winners=winners, measures=b"")


def simulate() -> None:
    """Be a courier whose machines need no time but PACE, and tell what they have once a second."""
    result, frames = a_result(), Frames(to_bridge, 1 << 32)
    waiting: dict[str, list[Block]] = {f"tcp://10.0.0.{n}:40000": [] for n in range(MACHINES)}
    for machine in waiting:
        tell(MachineJoined(machine, PROCESSES))
        tell(ReceivedFrom(machine, frame(MachineReady())))
    begun = [time.monotonic()] * MACHINES
    while True:
        for letter in received(frames):
            if isinstance(letter, SentTo):
                for order in Frames(to_machine).taken(letter.content):
                    if isinstance(order, PlayBlocks):
                        waiting[letter.machine].extend(order.blocks)
        for number, (machine, blocks) in enumerate(waiting.items()):
            count = min(len(blocks), int((time.monotonic() - begun[number]) * PACE))
            if count >= min(PACE, len(blocks) or PACE):
                done, blocks[:count] = blocks[:count], []
                begun[number] = time.monotonic()
                tell(
                    ReceivedFrom(
                        machine,
                        frame(BundlePlayed(tuple((one, like(result, one)) for one in done))),
                    )
                )
        time.sleep(0.02)


def received(frames: "Frames[SentTo]") -> Iterator[object]:
    """What the arena says, without waiting for it."""
    try:
        yield from frames.receive(0)
    except EOFError:
        sys.exit()


def tell(letter: object) -> None:
    """Say something to the arena."""
    sys.stdout.buffer.write(frame(letter))
    sys.stdout.buffer.flush()


def main() -> None:
    """Print the figures, or simulate machines."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--simulate", action="store_true")
    parser.add_argument("--games", type=int, default=2_000_000)
    parser.add_argument("--pairs", type=int, default=5)
    asked = parser.parse_args()
    if asked.simulate:
        simulate()
    with tempfile.TemporaryDirectory() as place:
        pairs = [against_a_pool(Path(place), asked.games) for _ in range(asked.pairs)]
        for what, ratios in zip(("time", "processor time"), zip(*pairs, strict=True), strict=True):
            median, least = statistics.median(ratios), min(ratios)
            print(f"cluster of two against pool, by {what}: {median:.2f} (least {least:.2f})")
        share = of_a_processor(Path(place), int(MACHINES * 65_536 * PACE * 15))
        print(f"the arena's own process with {MACHINES} machines: {share:.2f} of a processor")


if __name__ == "__main__":
    main()
