"""The speed of compiled bots against programs in C that play the same games: `make bench`.

Processor time, taken in turn: `arena run` of many games less that of a hundred, by one worker and
without a page, against the bot in C (folder in_c) with as many games. Every figure is a ratio of
nanoseconds a roll, C's to the bot's. The second one is that of C which does the same work: it keeps
the counts of the tables, too, and adds up the score of a turn at each decision. With `--check` it
fails if a first ratio is more than 5 % below that in ratios.json, which `--record` updates.
Processors differ by more than that: ratios are stored for each kind, and on an unknown one the
check prints that it uses those recorded last.
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
FEW_GAMES = 100
SEED = 1980
NEW_BOT = "mine"
BOTS = ("rule28", "glenn-aloi", "tuned", NEW_BOT)
C = ["gcc", "-O3", "-march=native", "-ffp-contract=off"]  # sums are rounded as the engine's are
SAME_WORK = "-DSAME_WORK"
MIN_SHARE = 0.95  # of the recorded ratio


def timed(command: Sequence[str | Path], folder: Path) -> tuple[float, str]:
    """Seconds of processor time that a command takes, with all its processes; what it prints."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    output = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, output


def build(folder: Path, bot: str, *options: str) -> Path:
    """The path of the C program that plays like a bot, after compiling it."""
    program = folder / f"{bot}{''.join(options)}"
    source = HERE / "in_c" / f"{bot.replace('-', '_')}.c"
    subprocess.run([*C, *options, source, "-o", program], check=True)
    return program


def run(folder: Path, bot: str, games: int) -> tuple[float, Any]:
    """Seconds of processor time of a run of a bot against itself, and its tables."""
    file = folder / f"{bot}-{games}.yaml"
    file.write_text(f"games: {games}\nseed: {SEED}\nbots: [{bot}, {{bot: {bot}, as: twin}}]\n")
    arguments = ["run", file.name, "--fresh", "--no-page", "--workers", "1", "--quiet"]
    seconds, output = timed([*ARENA, *arguments, "--format", "json"], folder)
    return seconds, json.loads(output)


def bot_pace(folder: Path, bot: str, games: int) -> tuple[float, Any]:
    """Nanoseconds a roll of a bot, without the start of the program, and the tables."""
    few_seconds, _ = run(folder, bot, FEW_GAMES)
    seconds, tables = run(folder, bot, games)
    styles = tables["styles"]["rows"]
    rolls = games * sum(row["turns_per_game"] * row["rolls_per_turn"] for row in styles)
    return (seconds - few_seconds) / rolls * 1e9, tables


def c_pace(folder: Path, program: Path, games: int) -> tuple[float, int]:
    """Nanoseconds a roll of C, and the games that its first seat won."""
    seconds, output = timed([program, str(games // 2), str(SEED)], folder)
    won, _, rolls, *_ = map(int, output.split())
    return seconds / rolls * 1e9, won


def pace_ratios(folder: Path, bot: str, games: int, rounds: int) -> tuple[float, float]:
    """The ratios of nanoseconds a roll, those of both C programs to the bot's.

    Each is the median of so many rounds.
    """
    programs, ratios = (build(folder, bot), build(folder, bot, SAME_WORK)), []
    run(folder, bot, FEW_GAMES)  # so that it is compiled before the rounds
    for _ in range(rounds):
        (c_ns, won), (same_work_ns, won_too) = (c_pace(folder, c, games) for c in programs)
        bot_ns, tables = bot_pace(folder, bot, games)
        if {round(tables["seats"]["rows"][0]["score"] * games)} != {won, won_too}:
            raise SystemExit(f"{bot} and its C have not played the same games")
        ratios.append((c_ns / bot_ns, same_work_ns / bot_ns))
        print(
            f"{bot}: {bot_ns:.1f} ns a roll, C {c_ns:.1f}, with the same work {same_work_ns:.1f}",
            flush=True,
        )
    first, second = (round(statistics.median(column), 3) for column in zip(*ratios, strict=True))
    return first, second


def main() -> None:
    """Measure, then compare or record as the options require."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--record", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        subprocess.run([*ARENA, "bots", "new", NEW_BOT, "--compiled"], cwd=folder, check=True)
        both = {bot: pace_ratios(folder, bot, options.games, options.rounds) for bot in BOTS}
    for bot, (ratio, same_work) in both.items():
        print(f"{bot}: {ratio:.2f} of C's pace, {same_work:.2f} of C's with the same work")
    ratios = {bot: ratio for bot, (ratio, _) in both.items()}
    if options.check and (slower := _slower(ratios)):
        raise SystemExit(f"slower than recorded by more than 5 %: {', '.join(slower)}")
    if options.record:
        record(ratios)


def processor() -> str:
    """The kind of this processor, from /proc/cpuinfo."""
    lines = (line.partition(":") for line in Path("/proc/cpuinfo").read_text().splitlines())
    fields = {key.strip(): value.strip() for key, _, value in reversed([*lines])}
    keys = ("model name", "cpu family", "model", "stepping")
    return ", ".join(fields.get(key, "unknown") for key in keys)


def read_ratios() -> dict[str, dict[str, float]]:
    """The recorded ratios by kind of processor and bot; the kind recorded last is last."""
    ratios: dict[str, dict[str, float]] = json.loads(RATIOS.read_text(encoding="utf-8"))
    return ratios


def record(ratios: dict[str, float]) -> None:
    """Store the ratios as those of this kind of processor."""
    others = {kind: stored for kind, stored in read_ratios().items() if kind != processor()}
    text = json.dumps(others | {processor(): ratios}, indent=2)
    RATIOS.write_text(f"{text}\n", encoding="utf-8")


def _slower(ratios: dict[str, float]) -> list[str]:
    stored = read_ratios()
    kind = processor() if processor() in stored else [*stored][-1]
    if kind != processor():
        print(f"nothing is recorded for {processor()}: compared with {kind}")
    return [bot for bot, ratio in ratios.items() if ratio < MIN_SHARE * stored[kind][bot]]


if __name__ == "__main__":
    main()
