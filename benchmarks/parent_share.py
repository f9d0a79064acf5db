"""How much of the time the arena's own process is busy, with 1, 2 and 64 workers: `make bench`.

Processor time. Games of two rule28 on a board of three columns with one space each are over at
once: what the arena's process does for each block of them is what it does for any other, so 64
processes that play them bring it as much work as that many cores would with games under the
classic rules, of which the first line tells the pace. Starts and the reading of results are taken
off: a run of few games, and the ledger read once more.
"""

import resource
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import cantstop_arena as ca

REAL, TRIVIAL = 4_000_000, 40_000_000
FEW = 1000
AT_ONCE = "{sides: 2, column_lengths: [1, 1, 1], columns_to_win: 1, runners: 1}"


class Spent(NamedTuple):
    """Seconds of processor time."""

    own: float
    workers: float


def spent(work: Callable[[], object]) -> Spent:
    """What something takes, here and in the processes that it waits for."""
    before = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    work()
    after = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return Spent(
        *(
            there.ru_utime + there.ru_stime - here.ru_utime - here.ru_stime
            for here, there in zip(before, after, strict=True)
        )
    )


def of_a_million(folder: Path, rules: str, games: int, workers: int) -> Spent:
    """What a million games take while they are played."""

    def run(count: int) -> None:
        bots = "[rule28, {bot: rule28, as: twin}]"
        file = folder / "share.yaml"
        file.write_text(f"games: {count}\nseed: 1980\nrules: {rules}\nbots: {bots}\n")
        ca.run(file, workers=workers, results=folder, fresh=True)

    run(FEW)  # whatever is imported and compiled
    few, many = spent(lambda: run(FEW)), spent(lambda: run(games))
    reading = spent(lambda: ca.rate(folder / "share"))
    own = max(0.0, many.own - few.own - reading.own)
    return Spent(own / games * 1e6, (many.workers - few.workers) / games * 1e6)


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        real = of_a_million(folder, "classic", REAL, 1)
        print(f"a million games: {real.workers:.2f} s of a worker's, {real.own:.3f} s of its own")
        for workers in (1, 2, 64):
            own = of_a_million(folder, AT_ONCE, TRIVIAL, workers).own
            share = own / real.workers * workers
            print(f"{workers} workers: {own:.3f} s of its own, busy for {share:.1%} of the time")


if __name__ == "__main__":
    main()
