"""The soak test: a tournament that is disturbed again and again ends like one left in peace.

    python tests/soak.py [--faults N] [--seed S] [--seconds T]

One tournament is played undisturbed. Then it is played over and over, and while it runs its
processes are killed and stopped, its disk fills up, and a second run wants the same folder. When
that ends the command, it is started again and goes on. Each time the results have to be those of
the undisturbed tournament to the last byte, nothing may be left running, and nothing may hang.

It knows the command line and the files of the results, nothing else of the program; processes are
found in /proc, so it needs Linux. The seed fixes which faults come, after how long and in what
order; where in a run they strike depends on the machine.
"""

import argparse
import fcntl
import json
import math
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from tabulate import tabulate

ARENA = (sys.executable, "-c", "from cantstop_arena.cli import main; main()")
TOURNAMENT = """
name: soak
games: 3000
start_limit: 6
seed: 28
bots: [rule28, cautious, random, glenn-aloi, plain]
"""
PLAIN_BOT = '''"""Stops after three rolls."""


def choose_move(turn, moves):
    return 0


def roll_again(turn):
    return turn.rolls < 3
'''
CALM, ROUGH = "calm", "rough"

# Seconds
AN_ATTEMPT = 60.0  # to the end of the command, whatever is done to it
A_REPLACEMENT = 20.0  # until a stopped worker has been given up
THE_LAST_ONE = 5.0  # until all processes of a command that has ended are gone
A_MOMENT = 0.02
SHORTEST_PAUSE, LONGEST_PAUSE = 0.1, 3.0
LONGEST_DELAY = 1.0

SOME_ROOM = 1 << 16  # bytes


# --- Processes ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Process:
    """A living process, as /proc tells it."""

    pid: int
    state: str
    parent: int
    session: int
    started: str

    @property
    def is_stopped(self) -> bool:
        """Whether it stands still after SIGSTOP."""
        return self.state == "T"

    @property
    def is_helper(self) -> bool:
        """Whether it is one of multiprocessing's own, if it is a child of the parent."""
        command = Path(f"/proc/{self.pid}/cmdline")
        try:
            told = command.read_text(errors="replace")
        except OSError:
            return False
        return "resource_tracker" in told


def processes() -> dict[int, Process]:
    """All processes of this machine, but for the dead that nobody has waited for."""
    found = {}
    for entry in os.scandir("/proc"):
        if not entry.name.isdigit():
            continue
        with suppress(OSError):  # it has ended meanwhile
            told = Path(entry.path, "stat").read_text(errors="replace")
            state, parent, _, session, *more = told.rpartition(")")[2].split()
            if state not in "ZX":
                pid = int(entry.name)
                found[pid] = Process(pid, state, int(parent), int(session), more[15])
    return found


def send(pid: int, number: int) -> None:
    """Send a signal to a process, if there still is one."""
    with suppress(ProcessLookupError):
        os.kill(pid, number)


class Attempt:
    """One `arena run`: its processes, its output, and all that was done to it."""

    def __init__(self, place: Path, results: str, *words: str) -> None:
        self.folder = place / results / "soak"
        self.begun_at = time.monotonic()
        self.deadline = self.begun_at + AN_ATTEMPT
        self.history: list[str] = []
        self.kinds: list[str] = []
        self.troubles: list[tuple[str | None, str]] = []
        self.output = b""
        self.hung = False
        self._known: set[tuple[int, str]] = set()
        self._process = subprocess.Popen(
            [*ARENA, "run", "soak.yaml", "--workers", "2", "--results", results, *words],
            cwd=place,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,  # not a file: a full disk must not silence it
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        self.pid = self._process.pid
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    def _listen(self) -> None:
        assert self._process.stdout
        while heard := os.read(self._process.stdout.fileno(), 1 << 16):
            self.output += heard

    @property
    def code(self) -> int | None:
        """The exit code; None while it lives."""
        return self._process.poll()

    @property
    def has_begun(self) -> bool:
        """Whether it has told how many games there are, after which nothing old is left."""
        return b" games" in self.output

    def note(self, what: str) -> None:
        """Write down what has just been done to it."""
        self.history.append(f"{time.monotonic() - self.begun_at:.2f} s: {what}")

    def trouble(self, kind: str | None, what: str) -> None:
        """Write down what went wrong, and the kind of fault to blame."""
        self.troubles.append((kind, what))

    def wait_until(self, come: Callable[[], bool], seconds: float = AN_ATTEMPT) -> bool:
        """Whether something comes about in so many seconds, while it lives and may go on."""
        end = min(self.deadline, time.monotonic() + seconds)
        while self.code is None and time.monotonic() < end:
            if come():
                return True
            time.sleep(A_MOMENT)
        return False

    def survives(self, seconds: float) -> bool:
        """Whether it still lives after a while."""
        self.wait_until(lambda: False, seconds)
        return self.code is None and time.monotonic() < self.deadline

    def family(self) -> dict[int, Process]:
        """Its living processes: those of its session, their children, and whom we knew before."""
        everyone = processes()
        found = {
            pid: process
            for pid, process in everyone.items()
            if process.session == self.pid or (pid, process.started) in self._known
        }
        while born := {
            pid: process
            for pid, process in everyone.items()
            if process.parent in found and pid not in found
        }:
            found |= born
        self._known |= {(process.pid, process.started) for process in found.values()}
        return found

    def workers(self) -> list[Process]:
        """The processes that play: children, or grandchildren by way of a server that forks."""
        family = self.family()
        return [
            process
            for process in family.values()
            if process.parent in family and not (process.parent == self.pid and process.is_helper)
        ]

    def a_worker(self, dice: random.Random) -> int | None:
        """Any running worker, waited for; None where the command ends first."""
        found: list[int] = []

        def come() -> bool:
            found[:] = sorted(one.pid for one in self.workers() if not one.is_stopped)
            return bool(found)

        return dice.choice(found) if self.wait_until(come) else None

    def finish(self) -> int:
        """Wait for the end of the command and of all its processes; the exit code."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(max(0.0, self.deadline - time.monotonic()))
        self.hung = self.code is None
        if self.hung:
            self.trouble(None, f"still running after {AN_ATTEMPT:.0f} s")
            self.kill()
        else:
            self._look_for_orphans()
        self._listener.join(1.0)
        if b"Traceback" in self.output:
            self.trouble(None, "a traceback")
        return self._process.wait()

    def _look_for_orphans(self) -> None:
        end = time.monotonic() + THE_LAST_ONE
        while (left := self.family()) and time.monotonic() < end:
            time.sleep(A_MOMENT)
        for orphan in left.values():
            blamed = FOR_GOOD if orphan.is_stopped and FOR_GOOD in self.kinds else None
            self.trouble(blamed, f"{ORPHAN} {orphan.pid} (state {orphan.state})")
        self.kill()

    def kill(self) -> None:
        """End all of its processes, by force."""
        for pid in self.family():
            send(pid, signal.SIGKILL)


# --- Faults ---------------------------------------------------------------------------------------

# Strikes an attempt, with some dice, and tells what it did; None where the command ended first.
Strike = Callable[[Attempt, random.Random], str | None]

ORPHAN = "left behind: process"
FOR_GOOD = "worker stopped for good"


def a_pause(dice: random.Random) -> float:
    """Some seconds for a process to stand still; short pauses come more often."""
    return math.exp(dice.uniform(math.log(SHORTEST_PAUSE), math.log(LONGEST_PAUSE)))


def kill_worker(attempt: Attempt, dice: random.Random) -> str | None:
    if (pid := attempt.a_worker(dice)) is None:
        return None
    send(pid, signal.SIGKILL)
    return f"worker {pid} killed"


def stop_worker(attempt: Attempt, dice: random.Random) -> str | None:
    if (pid := attempt.a_worker(dice)) is None:
        return None
    pause = a_pause(dice)
    send(pid, signal.SIGSTOP)
    timer = threading.Timer(pause, send, (pid, signal.SIGCONT))
    timer.daemon = True
    timer.start()
    return f"worker {pid} stopped for {pause:.2f} s"


def stop_worker_for_good(attempt: Attempt, dice: random.Random) -> str | None:
    """Mostly waits until the worker is replaced; else whatever comes next finds it stopped."""
    if (pid := attempt.a_worker(dice)) is None:
        return None
    send(pid, signal.SIGSTOP)
    if dice.random() < 0.3:
        return f"worker {pid} stopped for good"
    attempt.wait_until(lambda: pid not in [one.pid for one in attempt.workers()], A_REPLACEMENT)
    if attempt.code is None and pid in [one.pid for one in attempt.workers()]:
        attempt.trouble(FOR_GOOD, f"worker {pid} was not replaced within {A_REPLACEMENT:.0f} s")
        send(pid, signal.SIGKILL)
    return f"worker {pid} stopped for good, and waited for"


def stop_parent(attempt: Attempt, dice: random.Random) -> str:
    pause = a_pause(dice)
    send(attempt.pid, signal.SIGSTOP)
    time.sleep(pause)
    send(attempt.pid, signal.SIGCONT)
    return f"parent stopped for {pause:.2f} s"


def kill_parent(attempt: Attempt, dice: random.Random) -> str:
    send(attempt.pid, signal.SIGKILL)
    return "parent killed"


def kill_parent_at_the_end(attempt: Attempt, dice: random.Random) -> str | None:
    """Wait until anything but the open ledger is written, which happens once all is played."""

    def stamps() -> dict[str, int]:
        with suppress(OSError):  # a draft was renamed while we looked
            return {
                entry.name: entry.stat().st_mtime_ns
                for entry in os.scandir(attempt.folder)
                if entry.name not in PLAYING
            }
        return {}

    if not attempt.wait_until(lambda: attempt.has_begun):
        return None
    before = stamps()
    while attempt.code is None and stamps() == before and time.monotonic() < attempt.deadline:
        time.sleep(0)  # the first of the results is there for some thousandths of a second
    if attempt.code is not None:
        return None
    time.sleep(dice.choice((0.0, 0.005, 0.05)) * dice.random())
    return kill_parent(attempt, dice) + " while it wrote the results"


PLAYING = (".lock", "ledger.sqlite", "ledger.sqlite-wal", "ledger.sqlite-shm", "logs")


def terminate(attempt: Attempt, dice: random.Random) -> str:
    send(attempt.pid, signal.SIGTERM)
    return "parent terminated"


def interrupt(attempt: Attempt, dice: random.Random) -> str | None:
    """Comes once the command has spoken: before and after it, Ctrl-C is Python's business."""
    if not attempt.wait_until(lambda: attempt.has_begun):
        return None
    send(attempt.pid, signal.SIGINT)
    return "parent interrupted"


def fill_disk(attempt: Attempt, dice: random.Random) -> str | None:
    """Stands in for a full disk: from now on no file of the parent's may grow beyond a size."""
    if not attempt.wait_until(lambda: attempt.has_begun):
        return None
    sizes = [path.stat().st_size for path in attempt.folder.glob("ledger.sqlite*") if path.exists()]
    limit = dice.randrange(2 * max([0, *sizes]) + SOME_ROOM)
    with suppress(ProcessLookupError):
        resource.prlimit(attempt.pid, resource.RLIMIT_FSIZE, (limit, limit))
    return f"files limited to {limit} bytes"


def is_locked(path: Path) -> bool:
    """Whether another process holds a record lock on a file."""
    with path.open("r+b") as file, suppress(OSError):
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return False
    return True


def run_again(attempt: Attempt, dice: random.Random) -> str | None:
    """A second run while the first, which stands still meanwhile, holds the folder."""
    if not attempt.wait_until(lambda: attempt.has_begun):
        return None
    send(attempt.pid, signal.SIGSTOP)
    if not is_locked(attempt.folder / ".lock"):  # all is played, and it writes its tables
        send(attempt.pid, signal.SIGCONT)
        return None
    before = contents(attempt.folder, hidden=True)
    words = ["--fresh"] if dice.random() < 0.5 else []
    second = Attempt(attempt.folder.parent.parent, attempt.folder.parent.name, *words)
    code = second.finish()
    after = contents(attempt.folder, hidden=True)
    attempt.deadline += time.monotonic() - second.begun_at
    send(attempt.pid, signal.SIGCONT)
    for _, trouble in second.troubles:
        attempt.trouble(SECOND, f"of the second run: {trouble}")
    if code != 1:
        attempt.trouble(SECOND, f"the second run ended with exit code {code}: {second.output!r}")
    if differing := differences(before, after):
        attempt.trouble(SECOND, f"the second run changed {', '.join(differing)}")
    return " ".join(["second run", *words])


SECOND = "second run in the folder"


@dataclass(frozen=True)
class Kind:
    """A kind of fault, how often it comes, and how the command may end after it, if it has to."""

    strike: Strike
    share: int
    codes: frozenset[int] = frozenset()


KINDS = {
    "worker killed": Kind(kill_worker, 4),
    "worker stopped": Kind(stop_worker, 3),
    FOR_GOOD: Kind(stop_worker_for_good, 1),
    "parent stopped": Kind(stop_parent, 2),
    "parent killed": Kind(kill_parent, 3, frozenset({-signal.SIGKILL})),
    "parent killed at the end": Kind(kill_parent_at_the_end, 1, frozenset({-signal.SIGKILL})),
    "SIGTERM": Kind(terminate, 2, frozenset({-signal.SIGTERM, 128 + signal.SIGTERM})),
    "SIGINT": Kind(interrupt, 2, frozenset({-signal.SIGINT, 128 + signal.SIGINT})),
    "disk full": Kind(fill_disk, 2, frozenset({1})),
    SECOND: Kind(run_again, 1),
}


@dataclass(frozen=True)
class Fault:
    """A fault to come, so long after the one before or the start."""

    kind: str
    delay: float
    dice: random.Random


def schedule(faults: int, seed: int, kinds: Iterable[str]) -> Iterator[Fault]:
    """So many faults; after each pack of all kinds in their shares comes another, shuffled."""
    dice = random.Random(seed)
    pack = [name for name in kinds for _ in range(KINDS[name].share)]
    for number in range(faults):
        if number % len(pack) == 0:
            dice.shuffle(pack)
        delay = dice.uniform(0, LONGEST_DELAY)
        yield Fault(pack[number % len(pack)], delay, random.Random(dice.random()))


# --- The test -------------------------------------------------------------------------------------


NO_RESULTS = ("logs", "history.jsonl", "ledger.old.sqlite", "ledger.sqlite-shm")
"""What depends on when and how often a run was started; the last is SQLite's, of open files."""


def contents(folder: Path, hidden: bool = False) -> dict[str, bytes]:
    """What the files of a results folder hold, but for logs and when it was played.

    Hidden files are left out, too, unless asked for.
    """
    found = {}
    for path in folder.rglob("*"):
        name = path.relative_to(folder)
        shown = hidden or not any(part.startswith(".") for part in name.parts)
        if path.is_file() and name.parts[0] not in NO_RESULTS and shown:
            found[str(name)] = path.read_bytes()
    return found


def differences(one: dict[str, bytes], other: dict[str, bytes]) -> list[str]:
    """The names of the files that differ, or that only one side has."""
    return sorted(name for name in one.keys() | other.keys() if one.get(name) != other.get(name))


@dataclass
class Soak:
    """Plays the tournament undisturbed, then disturbed until there are no faults left."""

    place: Path
    faults: deque[Fault]
    seconds: float
    tried: Counter[str] = field(default_factory=Counter)
    failed: Counter[str] = field(default_factory=Counter)
    failures: int = 0
    played: int = 0
    equal: int = 0
    lost: int = 0
    orphans: int = 0

    def run(self) -> None:
        """All of it, as long as there is time."""
        say("The tournament undisturbed ...")
        (self.place / "soak.yaml").write_text(TOURNAMENT)
        (self.place / "bots").mkdir()
        (self.place / "bots" / "plain.py").write_text(PLAIN_BOT)
        for results in ("warm-up", CALM):  # the first may have to compile
            attempt = Attempt(self.place, results)
            if code := attempt.finish():
                raise SystemExit(f"exit code {code}: {attempt.output.decode()}")
        took = time.monotonic() - attempt.begun_at
        say(f"It took {took:.1f} s. Now with {len(self.faults)} faults:")
        self._end = time.monotonic() + self.seconds
        while self._more():
            self._tournament()

    def _more(self) -> bool:
        return bool(self.faults) and time.monotonic() < self._end

    def _tournament(self) -> None:
        """Play it from the start to its end, whatever comes between, and look at the results."""
        start, tried, words = time.monotonic(), self.tried.total(), ["--fresh"]
        attempts, last = 0, None
        while True:
            attempts += 1
            attempt = Attempt(self.place, ROUGH, *words)
            try:
                self._disturb(attempt)
                code = attempt.finish()
            finally:
                attempt.kill()
            self._judge(attempt, code)
            last = attempt.kinds[-1] if attempt.kinds else last
            if attempt.has_begun:
                words = []
            if code == 0 or not attempt.history:
                break
        self.played += 1
        same = code == 0 and self._compare(last)
        self.equal += same
        say(
            f"tournament {self.played}: {self.tried.total() - tried} faults,"
            f" {attempts} attempts, {time.monotonic() - start:.1f} s:"
            f" {'equal' if same else 'NOT EQUAL'}"
        )

    def _disturb(self, attempt: Attempt) -> None:
        """Let faults come until one has to end the attempt."""
        while self._more() and attempt.survives(self.faults[0].delay):
            fault = self.faults[0]
            told = KINDS[fault.kind].strike(attempt, fault.dice)
            if told is None:
                return
            self.faults.popleft()
            self.tried[fault.kind] += 1
            attempt.kinds.append(fault.kind)
            attempt.note(told)
            if KINDS[fault.kind].codes:
                return

    def _judge(self, attempt: Attempt, code: int) -> None:
        """Find what went wrong in an attempt, and whom to blame: if in doubt the last fault."""
        last = attempt.kinds[-1] if attempt.kinds else None
        allowed = {0} | (KINDS[last].codes if last else set())
        if code not in allowed and not attempt.hung:
            attempt.trouble(None, f"exit code {code}")
        if attempt.hung and FOR_GOOD in attempt.kinds:
            last = FOR_GOOD
        for kind in {kind or last for kind, _ in attempt.troubles} - {None}:
            assert kind
            self.failed[kind] += 1
        for _, what in attempt.troubles:
            self.orphans += what.startswith(ORPHAN)
            self.failures += 1
            say(f"FAILURE: {what}")
        if attempt.troubles:
            said = attempt.output.decode(errors="replace").splitlines() if code else []
            say(
                "\n".join(
                    [
                        *("    " + line for line in attempt.history),
                        *("    | " + line for line in said),
                    ]
                )
            )

    def _compare(self, last: str | None) -> bool:
        """Whether the results are the undisturbed tournament's; else the last fault is blamed."""
        calm, rough = (contents(self.place / results / "soak") for results in (CALM, ROUGH))
        wanted, found = (json.loads(files.get("summary.json", b"{}")) for files in (calm, rough))
        self.lost += abs(wanted["games"] - found.get("games", 0))
        if differing := differences(calm, rough):
            self.failures += 1
            self.failed.update([last] if last else [])
            say(f"FAILURE: not as in the undisturbed tournament: {', '.join(differing)}")
        return not differing

    def report(self) -> str:
        """The table of faults, and the sums."""
        rows = [
            [kind, self.tried[kind], self.tried[kind] - self.failed[kind]] for kind in self.tried
        ]
        rows.append(["all", self.tried.total(), self.tried.total() - self.failed.total()])
        refused = self.tried[SECOND] - self.failed[SECOND]
        lines = [
            "",
            tabulate(rows, headers=["fault", "tried", "survived"]),
            "",
            f"Tournaments completed and equal: {self.equal} of {self.played}",
            f"Lost games: {self.lost}",
            f"Orphans: {self.orphans}",
            f"Second runs refused: {refused} of {self.tried[SECOND]}",
        ]
        if self.faults:
            lines.append(f"Time was up with {len(self.faults)} faults to come.")
        return "\n".join(lines)

    @property
    def is_well(self) -> bool:
        """Whether nothing at all went wrong."""
        return not (self.failures or self.lost) and 0 < self.played == self.equal


def say(line: str) -> None:
    """A line of progress, shown at once."""
    print(line, flush=True)


def main(words: Iterable[str]) -> int:
    parser = argparse.ArgumentParser(description="Disturb tournaments; their results must hold.")
    parser.add_argument("--faults", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=KINDS, action="append", help="of this kind; repeatable")
    parser.add_argument("--seconds", type=float, default=70, help="no fault comes after these")
    asked = parser.parse_args(list(words))
    with tempfile.TemporaryDirectory(prefix="soak-") as place:
        faults = deque(schedule(asked.faults, asked.seed, asked.only or KINDS))
        soak = Soak(Path(place), faults, asked.seconds)
        soak.run()
    say(soak.report())
    return 0 if soak.is_well else 1


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # also in the background of a shell
    sys.exit(main(sys.argv[1:]))
