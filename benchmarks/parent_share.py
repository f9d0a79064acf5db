"""How busy the arena's own process is with 1, 2 and 64 workers: `make bench`.

Processor time. Games of two rule28 on a board of three columns with one space each take almost no
time, but as much of the arena's own process as any other. So its seconds for a million games, with
each number of workers, are compared with a worker's for a million under the classic rules (the
first line). Start-up and reading of results are subtracted: a run of few games, and `rate`.
"""

import resource
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import cantstop_arena as ca

CLASSIC_GAMES, TRIVIAL_GAMES = 4_000_000, 40_000_000
FEW_GAMES = 1000
TRIVIAL_RULES = "{sides: 2, column_lengths: [1, 1, 1], columns_to_win: 1, runners: 1}"


class Spent(NamedTuple):
    """Seconds of processor time."""

    own: float
    workers: float


def time_of(work: Callable[[], object]) -> Spent:
    """Processor time of a function, in this process and in its finished children."""
    before = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    work()
    after = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return Spent(
        *(
            end.ru_utime + end.ru_stime - start.ru_utime - start.ru_stime
            for start, end in zip(before, after, strict=True)
        )
    )


def time_per_million(folder: Path, rules: str, games: int, workers: int) -> Spent:
    """Processor time of a million games, without start-up and reading of results."""

    def run(count: int) -> None:
        bots = "[rule28, {bot: rule28, as: twin}]"
        file = folder / "share.yaml"
        file.write_text(f"games: {count}\nseed: 1980\nrules: {rules}\nbots: {bots}\n")
        ca.run(file, workers=workers, results=folder, fresh=True)

    run(FEW_GAMES)  # imports and compiles
    short, long = time_of(lambda: run(FEW_GAMES)), time_of(lambda: run(games))
    reading = time_of(lambda: ca.rate(folder / "share"))
    own = max(0.0, long.own - short.own - reading.own)
    return Spent(own / games * 1e6, (long.workers - short.workers) / games * 1e6)


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        base = time_per_million(folder, "classic", CLASSIC_GAMES, 1)
        print(f"a million games: {base.workers:.2f} s of a worker's, {base.own:.3f} s of its own")
        for workers in (1, 2, 64):
            own = time_per_million(folder, TRIVIAL_RULES, TRIVIAL_GAMES, workers).own
            share = own / base.workers * workers
            print(f"{workers} workers: {own:.3f} s of its own, busy for {share:.1%} of the time")


if __name__ == "__main__":
    main()
