"""Which hostile bots play together, in whole runs in processes of their own, and what is left.

Nothing here is timed; a bot that hangs does so for far longer than the arena may wait, and a run
that hangs fails its test.
"""

import contextlib
import json
import os
import pickle
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from cantstop_arena.bots.versions import HISTORY
from helpers.finished import alone_with
from helpers.hostile import (
    COMPILED,
    DEADLY,
    ENDLESS,
    EXCEPTION,
    EXCEPTIONS,
    HOGS,
    INNOCENT,
    MOVES,
    ROLLS,
    SLY_EXCEPTIONS,
    TRAPS,
    Hostile,
    playing,
)
from helpers.hostile_deeds import CHEATS, DAMAGE, MEMORIES, PROGRAMS, REBORN, RUIN, SPIES
from helpers.time_limit import TIME_LIMIT

# A bot that is too slow in its trial is so after a second, not after four.
QUICKLY = """
from cantstop_arena.cli import main
from cantstop_arena.tournaments import trial
trial._END_SECONDS = 1.0
main()
"""
ARENA = [sys.executable, "-c", QUICKLY]
MARK = "CANTSTOP_ARENA_TEST_RUN"  # in the environment of all processes of a run
MOST_PRINTED = 100_000  # bytes; no table is as long
GRACE = 60  # seconds in which the last processes of a run may go

PATIENT = """
def choose_move(turn, moves):
    return max(range(len(moves)), key=lambda index: sum(map(turn.chance, moves[index])))
def roll_again(turn):
    return turn.rolls * turn.bust_chance() < 0.5 + turn.random()
"""
HONEST = ("rule28", "cautious", "random", "patient")
BRIEF = "name: t\nseed: 1\nrules: {columns_to_win: 1}\n"
Entries = Sequence[str | Mapping[str, object]]


# --- Gangs ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Gang:
    """Hostile bots that play one tournament, with its keys and the words of its command."""

    bots: Mapping[str, Hostile]
    keys: str = ""
    words: tuple[str, ...] = ()
    door: str = "plain"
    """How they are entered: plain, in processes of their own, or as programs."""


QUICK = "decision_limit: 0.5\n"
FEW = "max_faults: 2\n"
APART = "gauntlet: patient\n"  # whoever fails in every game need not meet others like it


def some(bots: Mapping[str, Hostile], *names: str) -> dict[str, Hostile]:
    return {name: bots[name] for name in names}


GANGS = {
    "mixed": Gang(
        {
            **some(EXCEPTIONS, "value_error"),
            **some(MOVES, "too_high"),
            **some(ENDLESS, "sleep"),
            **some(DEADLY, "leaves_well", "segfaults"),
            "now_and_then": Hostile(
                playing("assert turn.dice[0] < 6 or turn.number < 5"),
                frozenset({EXCEPTION, INNOCENT}),
            ),
        },
        QUICK + FEW,
        ("--workers", "1"),
    ),
    "exceptions": Gang({**EXCEPTIONS, **SLY_EXCEPTIONS}, APART),
    "answers": Gang({**MOVES, **ROLLS}, APART),
    "endless": Gang(ENDLESS, QUICK + FEW + APART),
    "traps": Gang(TRAPS, QUICK + FEW + APART),
    "deadly": Gang(DEADLY, FEW + APART),
    "hogs": Gang(HOGS, words=("--memory", "512M")),
    "compiled": Gang(COMPILED, QUICK + FEW + APART),
    "reborn": Gang(REBORN, QUICK + FEW),
    "damage": Gang(DAMAGE, QUICK + FEW + APART),
    "cheats": Gang(CHEATS, APART),
    "memories": Gang(MEMORIES),
    "isolated": Gang(
        {
            **some(EXCEPTIONS, "value_error", "keyboard_interrupt"),
            **some(SLY_EXCEPTIONS, "str_leaves", "terminal_codes"),
            **some(MOVES, "too_high", "astronomical", "nan", "liar"),
            **some(ROLLS, "roll_none"),
            **some(ENDLESS, "sleep", "loop_that_swallows", "stdin"),
            **some(DEADLY, "leaves_well", "segfaults", "becomes_a_sleeper"),
            **some(COMPILED, "compiled_raise"),
            **HOGS,
            **some(MEMORIES, "global_list"),
            **some(CHEATS, "writes_turn", "digs_in_random"),
            **some(DAMAGE, "closes_stdout", "closes_0_1_and_2", "exit_handlers", "mask"),
            **SPIES,
            **RUIN,
        },
        QUICK + FEW + APART,
        ("--memory", "512M"),
        door="processes",
    ),
    "programs": Gang(PROGRAMS, QUICK + FEW + APART, door="programs"),
    "descriptors": Gang(
        some(RUIN, "writes_everywhere", "closes_everything", "no_descriptors", "forks"),
        QUICK + FEW,
    ),
}

# --- Runs -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Outcome:
    """What a run printed and left behind."""

    code: int
    out: str
    err: str
    folder: Path
    left: tuple[str, ...]

    @cached_property
    def summary(self) -> Any:
        return json.loads((self.folder / "summary.json").read_text("utf-8"))

    @property
    def faults(self) -> list[Any]:
        return list(self.summary.get("faults", []))

    def charged(self, bot: str) -> set[str]:
        """The kinds of fault of a bot."""
        return {fault["kind"] for fault in self.faults if fault["bot"] == bot} or {INNOCENT}

    @property
    def disqualified(self) -> set[str]:
        return {one["bot"] for one in self.summary.get("disqualified", [])}

    def lineups(self, *bots: str) -> list[Any]:
        """The lineups in which none but these bots sit."""
        return [one for one in self.summary["lineups"] if {*one["seats"]} <= {*bots}]

    def files(self) -> dict[str, bytes]:
        """What lies in the results folder, but for the logs and when it was played."""
        return {
            path.relative_to(self.folder).as_posix(): path.read_bytes()
            for path in self.folder.rglob("*")
            if path.is_file() and path.parent.name != "logs" and path.name != HISTORY
        }

    def finish(self) -> "Outcome":
        """Fail unless the run finished, with the exit code that tells of disqualified bots."""
        return self.expect(3 if self.disqualified else 0)

    def expect(self, code: int) -> "Outcome":
        """Fail unless the run ended with this code, quietly, and took all its processes along."""
        told = f"{self.out[-4000:]}\n{self.err[-4000:]}"
        if self.code != code:
            pytest.fail(f"exit code {self.code}, not {code}:\n{told}")
        if "Traceback" in self.out + self.err:
            pytest.fail(f"a traceback is shown:\n{told}")
        if self.left:
            pytest.fail(f"processes are left behind: {self.left}")
        return self


def processes(mark: str) -> dict[int, str]:
    """The running processes that carry a mark in their environment, with their command lines."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if f"{MARK}={mark}".encode() in (folder / "environ").read_bytes():
                found[int(folder.name)] = (
                    (folder / "cmdline").read_text(errors="replace").replace("\0", " ")
                )
    return found


def leftovers(mark: str) -> tuple[str, ...]:
    """What still runs after the time of grace; it is killed then."""
    deadline = time.monotonic() + GRACE
    while (found := processes(mark)) and time.monotonic() < deadline:
        time.sleep(0.05)
    for number in found:
        with contextlib.suppress(OSError):
            os.kill(number, signal.SIGKILL)
    return tuple(found.values())


@contextlib.contextmanager
def started(place: Path, *words: str) -> Iterator[tuple["subprocess.Popen[bytes]", str]]:
    """A command that runs in a folder, and its mark; whatever happens, it is gone afterwards."""
    mark = uuid4().hex
    with (
        (place / "out").open("wb") as out,
        (place / "err").open("wb") as err,
        subprocess.Popen(
            [*ARENA, *words],
            cwd=place,
            env={**os.environ, MARK: mark},
            stdin=subprocess.PIPE,  # open and empty, so that who reads it waits
            stdout=out,
            stderr=err,
            start_new_session=True,
        ) as process,
    ):
        try:
            yield process, mark
        finally:
            for number in [process.pid, *processes(mark)] if process.poll() is None else []:
                with contextlib.suppress(OSError):
                    os.kill(number, signal.SIGKILL)


def arena(place: Path, *words: str) -> Outcome:
    """Run a command in a folder to its end."""
    with started(place, *words) as (process, mark):
        try:
            code = process.wait(TIME_LIMIT)
        except subprocess.TimeoutExpired:
            pytest.fail(f"arena {shlex.join(words)} hangs:\n{shown(place / 'out')[-2000:]}")
        left = leftovers(mark)
    return Outcome(code, shown(place / "out"), shown(place / "err"), place / "results" / "t", left)


def shown(path: Path) -> str:
    """What a run has printed so far; of a flood, the beginning."""
    with path.open("rb") as file:
        return file.read(MOST_PRINTED).decode("utf-8", "replace")


def prepare(place: Path, bots: Mapping[str, str], entries: Entries, keys: str = "") -> None:
    """Write bot files, an honest one with them, and a tournament of these entries in t.yaml."""
    (place / "bots").mkdir(parents=True, exist_ok=True)
    for name, source in {"patient": PATIENT, **bots}.items():
        (place / "bots" / f"{name}.py").write_text(source, "utf-8")
    listed = json.dumps([*entries], ensure_ascii=False)
    games = "" if "games:" in keys else "games: 2\n"
    (place / "t.yaml").write_text(f"{BRIEF}{games}{keys}bots: {listed}\n", "utf-8")


DOORS: Mapping[str, Callable[[str], str | Mapping[str, object]]] = {
    "plain": str,
    "processes": lambda name: {"bot": name, "isolate": "processes"},
    "programs": lambda name: {"command": [sys.executable, f"bots/{name}.py"], "as": name},
}
"""How hostile bots are entered."""


def played(
    place: Path, bots: Mapping[str, str], keys: str = "", *words: str, door: str = "plain"
) -> Outcome:
    """A run of honest bots with these."""
    prepare(place, bots, [*HONEST, *map(DOORS[door], bots)], keys)
    return arena(place, "run", "t.yaml", "--workers", "2", *words)


def sources(bots: Mapping[str, Hostile]) -> dict[str, str]:
    return {name: bot.source for name, bot in bots.items()}


class Runs:
    """The runs that several tests look at, each made once for all workers of a test run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._made: dict[str, Outcome] = {}

    def of(self, name: str) -> Outcome:
        """The run of a gang."""
        if name == "compiled" and os.environ.get("NUMBA_DISABLE_JIT") == "1":
            pytest.skip("machine code only")
        gang = GANGS[name]
        return self.made(name, sources(gang.bots), gang.keys, *gang.words, door=gang.door)

    def made(
        self, name: str, bots: Mapping[str, str], keys: str = "", *words: str, door: str = "plain"
    ) -> Outcome:
        if name not in self._made:
            place = self.folder / name
            kept = place.with_suffix(".outcome")
            with alone_with(place.with_suffix(".lock")):
                if not kept.exists():
                    outcome = played(place, bots, keys, *words, door=door)
                    kept.write_bytes(pickle.dumps(outcome))
            self._made[name] = pickle.loads(kept.read_bytes())
        return self._made[name]

    def honest(self, games: int = 2) -> Outcome:
        """The run of the honest bots alone."""
        return self.made(f"honest {games}", {}, f"games: {games}\n").finish()
