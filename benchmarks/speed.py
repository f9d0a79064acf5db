"""The speed of the arena, each figure as a ratio taken in one run: `make bench`.

- two rule28 in plain Python against the same with the compiler switched off
- compiled bots under the parent's watch, some games played twice, against bare play in one process
- two workers against one, on a run of a million games or more
- a run of 100 games from process start, with warm caches: with its page against without, and the
  processor time of both with all their processes: 1.0 and 0.6 s at most
- the page of a tournament of 40 bots, from process start
- `arena bots` with 20 files, from process start: 1.5 s at most
- a run of 20 games with a bot of a file, from process start, against one of built-in bots
"""

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from functools import partial
from itertools import islice
from pathlib import Path

ARENA = [sys.executable, "-c", "from cantstop_arena.cli import main; main()"]
PLAIN_RULE28 = """
from cantstop_arena.games.cantstop.bots.rule28 import rule28
player = rule28()
def choose_move(turn, moves):
    return player.choose_move(turn, moves)
def roll_again(turn):
    return player.roll_again(turn)
"""


def bench(bot: str, folder: Path, **environment: str) -> float:
    """Games a second of a bot against itself, by `arena bench`."""
    command = [*ARENA, "bench", bot, "--bots", str(folder), "--seconds", "1.5"]
    output = subprocess.run(
        command, capture_output=True, text=True, check=True, env={**os.environ, **environment}
    ).stdout
    return float(output.split()[-2].replace(",", ""))


def run(folder: Path, games: int, workers: int, page: str = "--no-page") -> float:
    """Seconds that a run takes, from process start to the tables."""
    file = folder / "speed.yaml"
    file.write_text(f"games: {games}\nbots: [rule28, glenn-aloi]\n")
    command = [*ARENA, "run", str(file), "--results", str(folder), "--fresh", page]
    start = time.perf_counter()
    subprocess.run([*command, "--workers", str(workers)], capture_output=True, check=True)
    return time.perf_counter() - start


def processor_time(folder: Path, page: str) -> float:
    """Milliseconds of processor time of a run of 100 games, in all its processes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run(folder, 100, 2, page)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return 1000 * spent


def watched_and_bare(folder: Path, games: int) -> Iterator[tuple[float, float]]:
    """Games a second of compiled bots in a watched worker, and in this process alone."""
    from cantstop_arena.bots.catalogue import Catalogue
    from cantstop_arena.deals.outcomes import Block
    from cantstop_arena.table.block_loop import _Play
    from cantstop_arena.tournaments.file import tournament_file
    from cantstop_arena.tournaments.pool.bot_logs import BotLogs
    from cantstop_arena.tournaments.pool.worker_pool import PoolOptions, WorkerPool
    from cantstop_arena.tournaments.preparation import BotFacts, prepare_bots
    from cantstop_arena.tournaments.table_spec import table_spec_for
    from cantstop_arena.tournaments.tournament import FaultPolicy

    file = folder / "watched.yaml"
    file.write_text("bots: [rule28, glenn-aloi]\n")
    catalogue = Catalogue(folder)
    table_spec = table_spec_for(tournament_file.read(file, catalogue), catalogue)
    table, size = table_spec.table(), 8192
    parts = prepare_bots(table_spec, lambda _: None)
    blocks = [Block((0, 1), first, size) for first in range(0, games // 2, size)]
    played = 2 * size * len(blocks)
    logs = BotLogs(folder, ["rule28", "glenn-aloi"])
    at_work = partial(table_spec.at_work, logs)
    while True:
        start = time.perf_counter()
        bots = BotFacts(parts, FaultPolicy(), frozenset(), logs, catalogue.game.orders(2))
        with WorkerPool(at_work, catalogue.game.window, bots, PoolOptions(1)) as pool:
            deals = sum(part.result.block.deals for part in pool.play(iter(blocks)))
        middle = time.perf_counter()
        assert 2 * deals == played
        for block in blocks:
            table.group = block.group
            _Play(table, block, ()).result()
        yield played / (middle - start), played / (time.perf_counter() - middle)


def page_of_forty(folder: Path) -> float:
    """Seconds of `arena report` for a tournament of 40 bots, from process start."""
    bots = ", ".join(f"{{bot: rule28, as: bot{number}}}" for number in range(40))
    file = folder / "forty.yaml"
    file.write_text(f"games: 200\nbots: [{bots}]\n")
    command = [*ARENA, "run", str(file), "--results", str(folder), "--no-page"]
    subprocess.run(command, capture_output=True, check=True)
    start = time.perf_counter()
    subprocess.run([*ARENA, "report", str(folder / "forty")], capture_output=True, check=True)
    return time.perf_counter() - start


def listing(folder: Path) -> float:
    """Seconds of `arena bots` with 20 files, from process start."""
    for number in range(20):
        (folder / f"listed{number}.py").write_text(PLAIN_RULE28)
    start = time.perf_counter()
    subprocess.run([*ARENA, "bots", "--bots", str(folder)], capture_output=True, check=True)
    return time.perf_counter() - start


def start_time(folder: Path, bot: str) -> float:
    """Seconds of a run of 20 games of a bot against a built-in one, from process start."""
    file = folder / "started.yaml"
    file.write_text(f"games: 20\nbots: [rule28, {bot}]\n")
    arguments = ["run", str(file), "--bots", str(folder), "--results", str(folder), "--fresh"]
    start = time.perf_counter()
    subprocess.run([*ARENA, *arguments, "--no-page"], capture_output=True, check=True)
    return time.perf_counter() - start


def print_ratio(title: str, first: list[float], second: list[float], unit: str) -> None:
    """Print the medians of two series taken in turn, and that of their ratios."""
    ratio = statistics.median(a / b for a, b in zip(first, second, strict=True))
    medians = f"{statistics.median(first):,.1f} / {statistics.median(second):,.1f} {unit}"
    print(f"{title:<46} {medians:<36} ratio {ratio:.2f}", flush=True)


def main(games: int) -> None:
    """Measure everything, pair by pair."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "slow28.py").write_text(PLAIN_RULE28)
        run(folder, 100, 1)
        rounds = range(7)
        plain_pairs = [
            (bench("slow28", folder), bench("slow28", folder, NUMBA_DISABLE_JIT="1"))
            for _ in range(3)
        ]
        on, off = zip(*plain_pairs, strict=True)
        print_ratio("plain rule28 / compiler off", [*on], [*off], "games/s")
        watched_pairs = islice(watched_and_bare(folder, games // 2), 5)
        watched, bare = zip(*watched_pairs, strict=True)
        print_ratio("compiled, watched / bare", [*watched], [*bare], "games/s")
        pairs = [(run(folder, games, 1), run(folder, games, 2)) for _ in range(3)]
        one_worker, two_workers = zip(*pairs, strict=True)
        print_ratio(f"{games:,} games: 1 worker / 2 workers", [*one_worker], [*two_workers], "s")
        pages = [(run(folder, 100, 2, "--page"), run(folder, 100, 2)) for _ in rounds]
        with_page, without = zip(*pages, strict=True)
        print_ratio("100 games, warm caches: page / no page", [*with_page], [*without], "s")
        pairs = [
            (processor_time(folder, "--page"), processor_time(folder, "--no-page")) for _ in rounds
        ]
        with_page, without = zip(*pairs, strict=True)
        print_ratio("the same, processor time", [*with_page], [*without], "ms")
        print(f"{'the page of 40 bots':<46} {page_of_forty(folder):.1f} s")
        starts = [(start_time(folder, "slow28"), start_time(folder, "glenn-aloi")) for _ in rounds]
        from_file, built_in = zip(*starts, strict=True)
        print_ratio("a run starts: with a file / built-in only", [*from_file], [*built_in], "s")
        print(f"{'a list of 20 files, warm':<46} {min(listing(folder) for _ in range(3)):.1f} s")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 4_000_000)
