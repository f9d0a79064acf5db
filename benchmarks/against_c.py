"""Runs of compiled bots against C that plays the same games, of each bot its own: `make bench`.

Processor time, in pairs taken in turn: `arena run` of many games less that of a hundred, by one
worker and without a page, against the bot in C (folder in_c) with as many games. Every figure is a
ratio of nanoseconds a roll, C's to the bot's. With `--check` it fails where a ratio is more than
5 % below that in ratios.json, which `--record` writes anew. Processors differ by more than that:
ratios are kept for each kind, and on another the check says that it goes by the last one recorded.
"""

import argparse
import json
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
RATIOS = HERE / "ratios.json"
ARENA = [sys.executable, "-c", "from cantstop_arena.cli import main; main()"]
FEW = 100
SEED = 1980
OWN = "mine"
BOTS = ("rule28", "glenn-aloi", "tuned", OWN)
C = ["gcc", "-O3", "-march=native", "-ffp-contract=off"]  # sums are rounded as the engine's are
ALLOWED = 0.95


def timed(command: Sequence[str | Path], folder: Path) -> tuple[float, str]:
    """Seconds of processor time that a command takes, with all its processes; what it prints."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    told = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, told


def built(folder: Path, bot: str) -> Path:
    """The C program that plays as a bot does, compiled."""
    program = folder / bot
    source = HERE / "in_c" / f"{bot.replace('-', '_')}.c"
    subprocess.run([*C, source, "-o", program], check=True)
    return program


def run(folder: Path, bot: str, games: int) -> tuple[float, Any]:
    """Seconds that a run of a bot against itself takes, and its tables."""
    file = folder / f"{bot}-{games}.yaml"
    file.write_text(f"games: {games}\nseed: {SEED}\nbots: [{bot}, {{bot: {bot}, as: twin}}]\n")
    words = ["run", file.name, "--fresh", "--no-page", "--workers", "1", "--quiet"]
    seconds, told = timed([*ARENA, *words, "--format", "json"], folder)
    return seconds, json.loads(told)


def bot_pace(folder: Path, bot: str, games: int) -> tuple[float, Any]:
    """Nanoseconds a roll, without the start, and the tables."""
    few, _ = run(folder, bot, FEW)
    many, tables = run(folder, bot, games)
    styles = tables["styles"]["rows"]
    rolls = games * sum(row["turns_per_game"] * row["rolls_per_turn"] for row in styles)
    return (many - few) / rolls * 1e9, tables


def c_pace(folder: Path, program: Path, games: int) -> tuple[float, int]:
    """Nanoseconds a roll of C, and the games that its first seat won."""
    seconds, told = timed([program, str(games // 2), str(SEED)], folder)
    won, _, rolls = map(int, told.split())
    return seconds / rolls * 1e9, won


def measured(folder: Path, bot: str, games: int, rounds: int) -> float:
    """The ratio of C's pace to the bot's, the median of some pairs."""
    program, ratios = built(folder, bot), []
    run(folder, bot, FEW)  # compiled, where it is not yet
    for _ in range(rounds):
        (theirs, won), (ours, tables) = c_pace(folder, program, games), bot_pace(folder, bot, games)
        if round(tables["seats"]["rows"][0]["score"] * games) != won:
            raise SystemExit(f"{bot} and its C have not played the same games")
        ratios.append(theirs / ours)
        print(f"{bot}: {ours:.1f} ns a roll, C {theirs:.1f}, ratio {ratios[-1]:.2f}", flush=True)
    return round(statistics.median(ratios), 3)


def main() -> None:
    """Measure, and compare or record if that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--record", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        subprocess.run([*ARENA, "bots", "new", OWN, "--compiled"], cwd=folder, check=True)
        ratios = {bot: measured(folder, bot, options.games, options.rounds) for bot in BOTS}
    for bot, ratio in ratios.items():
        print(f"{bot}: {ratio:.2f} of C's pace")
    if options.check and (slower := _slower(ratios)):
        raise SystemExit(f"slower than recorded by more than 5 %: {', '.join(slower)}")
    if options.record:
        record(ratios)


def processor() -> str:
    """What kind of processor this is, in Linux's words."""
    lines = (line.partition(":") for line in Path("/proc/cpuinfo").read_text().splitlines())
    told = {key.strip(): value.strip() for key, _, value in reversed([*lines])}
    parts = ("model name", "cpu family", "model", "stepping")
    return ", ".join(told.get(part, "unknown") for part in parts)


def recorded() -> dict[str, dict[str, float]]:
    """The ratios of each kind of processor, the last recorded one last."""
    kept: dict[str, dict[str, float]] = json.loads(RATIOS.read_text(encoding="utf-8"))
    return kept


def record(ratios: dict[str, float]) -> None:
    """Keep the ratios as those of this kind of processor."""
    others = {kind: kept for kind, kept in recorded().items() if kind != processor()}
    text = json.dumps(others | {processor(): ratios}, indent=2)
    RATIOS.write_text(f"{text}\n", encoding="utf-8")


def _slower(ratios: dict[str, float]) -> list[str]:
    kept = recorded()
    kind = processor() if processor() in kept else [*kept][-1]
    if kind != processor():
        print(f"nothing is recorded for {processor()}: compared with {kind}")
    return [bot for bot, ratio in ratios.items() if ratio < ALLOWED * kept[kind][bot]]


if __name__ == "__main__":
    main()
