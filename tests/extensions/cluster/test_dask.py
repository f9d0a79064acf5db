"""Runs on real clusters of Dask's, all of whose machines are here."""

import os
import random
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TypeVar

import pytest
from helpers.paths import ROOT
from helpers.time_limit import TIME_LIMIT
from soak import ARENA, processes, send

from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.bots.versions import HISTORY
from cantstop_arena.exit_codes import ExitCode
from cantstop_arena.extensions.cluster.cluster_messages import (
    BundlePlayed,
    FromMachine,
    SetTable,
    TableRefused,
)
from cantstop_arena.extensions.cluster.job import job_for
from cantstop_arena.processes.channel import Channel
from cantstop_arena.tournaments.file.tournament_file import read
from cantstop_arena.tournaments.ledger.ledger import LEDGER
from cantstop_arena.tournaments.pool.bot_logs import BotLogs
from cantstop_arena.tournaments.pool.worker_messages import Ready
from cantstop_arena.tournaments.pool.worker_pool import PoolOptions
from cantstop_arena.tournaments.preparation import BotFacts, prepare_bots
from cantstop_arena.tournaments.table_spec import table_spec_for

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are found in /proc")

LOCAL = pytest.mark.skipif(find_spec("cryptography") is None, reason="local:N needs certificates")
MACHINE = "cantstop_arena.extensions.cluster.machine"
Found = TypeVar("Found")
TOURNAMENT = """
name: cup
games: {games}
seed: 28
decision_limit: 0.5
max_faults: 3
bots: [rule28, glenn-aloi, talker, hangs]
"""
BOTS = {
    "talker": '''"""Says what it does."""

import sys
from pathlib import Path
sys.path.insert(0, str(Path(__file__).parent))
from _rolls import MOST


def choose_move(turn, moves):
    return 0


def roll_again(turn):
    if turn.number == 9:
        print("the ninth turn")
    return turn.rolls < MOST
''',
    "hangs": '''"""Thinks for ever when it has many turns behind it."""


def choose_move(turn, moves):
    return 0


def roll_again(turn):
    while turn.number > 14:
        pass
    return False
''',
    "_rolls": "MOST = 3\n",
}


WAITS = '''"""Stops after three rolls; on a machine of a cluster it waits for a file before that."""

import os
import time
from pathlib import Path

FOLDER = Path("{folder}")
IS_ON_MACHINE = b"{machine}" in Path(f"/proc/{{os.getppid()}}/cmdline").read_bytes()


def choose_move(turn, moves):
    return 0


def roll_again(turn):
    while IS_ON_MACHINE and not FOLDER.joinpath("go").exists():
        FOLDER.joinpath(f"{{os.getpid()}}.waits").touch()
        time.sleep(0.05)
    return turn.rolls < 3
'''


@pytest.fixture
def cup(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a tournament, where one stands."""
    (tmp_path / "bots").mkdir()
    for name, text in BOTS.items():
        (tmp_path / "bots" / f"{name}.py").write_text(text)
    (tmp_path / "cup.yaml").write_text(TOURNAMENT.format(games=60))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def started(results: str, *words: str, quiet: bool = True) -> "subprocess.Popen[str]":
    """A run of the tournament."""
    command = [*ARENA, "run", "cup.yaml", "--results", results]
    command += [*(["--quiet"] if quiet else []), "--no-page", *words]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
    )


def ended(run: "subprocess.Popen[str]", code: int = 0) -> str:
    """What it has printed by its end."""
    printed, _ = run.communicate(timeout=TIME_LIMIT)
    assert run.returncode == code, printed
    return printed


def command_of(pid: int) -> str:
    """The words that started a process, which may have ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:
        return ""


def machines_at_work(run: "subprocess.Popen[str]") -> dict[int, int]:
    """The arena's processes on machines that have workers, each with the process of Dask's."""
    living = processes()
    parents = {process.parent for process in living.values()}
    found = {pid: one.parent for pid, one in living.items() if MACHINE in command_of(pid)}
    ours = {pid for pid in found if run.pid in ancestors(pid)}
    return {pid: found[pid] for pid in ours & parents}


def ancestors(pid: int) -> Iterator[int]:
    """The processes that a process descends from."""
    living = processes()
    while pid in living:
        pid = living[pid].parent
        yield pid


def children_of(parent: int) -> list[int]:
    """The processes that one has started."""
    return [process.pid for process in processes().values() if process.parent == parent]


def waited_for(look: Callable[[], Found]) -> Found:
    """Wait until a look finds something, and return that."""
    deadline = time.monotonic() + TIME_LIMIT
    while not (found := look()):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return found


def files_in(folder: Path) -> dict[str, bytes]:
    """What a run has written, but for its logs, its times and its ledger.

    How far a ledger has the games of a disqualified bot depends on who was playing them.
    """
    paths = [path for path in folder.rglob("*") if path.is_file()]
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in paths
        if "logs" not in path.parts and path.name not in (HISTORY, LEDGER)
    }


@pytest.mark.slow
@LOCAL
def test_a_cluster_writes_the_same_bytes_though_a_machine_is_killed(cup: Path) -> None:
    """Files of bots travel, one hangs and is charged there, and what bots print comes home."""
    (cup / "cup.yaml").write_text(TOURNAMENT.format(games=200))  # so that both machines play
    ended(started("one", "--workers", "1"), ExitCode.DISQUALIFIED)
    run = started("two", "--cluster", "local:2")
    at_work = waited_for(lambda: len(found := machines_at_work(run)) == 2 and found)
    assert at_work
    send(at_work.popitem()[1], signal.SIGKILL)
    assert "hangs" in ended(run, ExitCode.DISQUALIFIED)
    assert files_in(cup / "one") == files_in(cup / "two")
    (log,) = (cup / "two" / "cup" / "logs").glob("[0-9]*.log")
    assert "the ninth turn\n" in log.read_text()
    waited_for(lambda: not [pid for pid in processes() if MACHINE in command_of(pid)])


@pytest.mark.slow
@LOCAL
@pytest.mark.parametrize("stop_dask", [False, True])
def test_a_machine_that_stands_still_is_named_and_others_play_its_blocks(
    cup: Path, stop_dask: bool
) -> None:
    """Whether it is the arena's process there, or Dask's.

    A game waits until the machine that has to play it has been stopped.
    """
    tournament = TOURNAMENT.format(games=200).replace("talker, hangs", "waits")
    (cup / "cup.yaml").write_text(tournament.replace("0.5", "300"))
    (cup / "bots" / "waits.py").write_text(WAITS.format(folder=cup, machine=MACHINE))
    ended(started("one", "--workers", "1"))
    run = started("two", "--cluster", "local:2", quiet=False)
    waiting = waited_for(
        lambda: [
            (pid, dask)
            for pid, dask in machines_at_work(run).items()
            if any(pid in ancestors(int(file.stem)) for file in cup.glob("*.waits"))
        ]
    )
    stopped = waiting[0][stop_dask]
    send(stopped, signal.SIGSTOP)
    (cup / "go").touch()
    try:
        printed = ended(run)
    finally:
        send(stopped, signal.SIGCONT)
    assert re.search(
        r"^The machine \S+ does not play: it has not answered for 30 s\.$", printed, re.M
    )
    assert files_in(cup / "one") == files_in(cup / "two")


@pytest.mark.long
@LOCAL
def test_ten_kills_at_random_change_nothing(cup: Path) -> None:
    """Of Dask's processes and the arena's, on machines."""
    (cup / "cup.yaml").write_text(TOURNAMENT.format(games=40_000).replace(", hangs", ""))
    ended(started("one"))
    chance, run, killed = random.Random(28), started("two", "--cluster", "local:2"), 0
    while run.poll() is None and killed < 10:
        time.sleep(chance.uniform(0.3, 4.0))
        if found := machines_at_work(run):
            send(chance.choice([*found, *found.values()]), signal.SIGKILL)
            killed += 1
    ended(run)
    assert files_in(cup / "one") == files_in(cup / "two")
    assert killed > 3


@pytest.mark.slow
def test_the_death_of_the_scheduler_ends_a_run_with_the_command_that_continues(cup: Path) -> None:
    with dask("scheduler", *SCHEDULER) as scheduler, dask("worker", *WORKER) as worker:
        waited_for(Path("scheduler.json").exists)
        run = started("one", "--cluster", "file:scheduler.json")
        waited_for(lambda: any(MACHINE in command_of(pid) for pid in children_of(worker.pid)))
        scheduler.kill()
        printed = ended(run, 1)
    assert printed.startswith("The cluster at file:scheduler.json has ended: ")
    assert (
        "arena run cup.yaml --results one --quiet --no-page --cluster file:scheduler.json"
        in printed
    )


@pytest.mark.slow
def test_a_machine_without_the_package_is_left_out_by_name(cup: Path) -> None:
    """The run ends when it is alone, and plays on the other machine when there is one.

    The scheduler needs no package.
    """
    cluster, reason = "file:scheduler.json", "cantstop-arena is not installed there"
    bare = cup / "packages"
    with dask("scheduler", *SCHEDULER, without=bare), dask("worker", *WORKER, without=bare):
        waited_for(Path("scheduler.json").exists)
        alone = started("one", "--cluster", cluster, "--cluster-wait", "0", quiet=False)
        printed = ended(alone, ExitCode.FAILED)
        machine = r"tcp://127\.0\.0\.1:\d+"
        assert re.search(rf"^The machine {machine} does not play: {reason}\.$", printed, re.M)
        told = rf"^No machine of {cluster} can play:\n  {machine}: {reason}$"
        assert re.search(told, printed, re.M)
        with dask("worker", *WORKER):
            ended(started("one", "--cluster", cluster), ExitCode.DISQUALIFIED)
    ended(started("two", "--workers", "1"), ExitCode.DISQUALIFIED)
    assert files_in(cup / "one") == files_in(cup / "two")


@pytest.mark.slow
def test_a_cluster_that_cannot_be_reached_is_named(
    cup: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT", "2s")
    asks = "asks for a certificate, and Dask's configuration here has none"
    for address, told in ("tcp://127.0.0.1:1", "cannot be reached"), ("tls://127.0.0.1:1", asks):
        printed = ended(started("one", "--cluster", address), ExitCode.FAILED)
        assert printed == f"The cluster at {address} {told}.\n"


SCHEDULER = "--port", "0", "--host", "127.0.0.1"
WORKER = "--no-nanny", "--nthreads", "1"


@contextmanager
def dask(
    kind: str, *words: str, without: Path | None = None
) -> Iterator["subprocess.Popen[bytes]"]:
    """A scheduler or a worker, for which `without` gets the packages of here but the arena."""
    command = [sys.executable, "-m", f"distributed.cli.dask_{kind}", *words]
    command += ["--no-dashboard", "--scheduler-file", "scheduler.json"]
    environment = dict(os.environ)
    if without:
        without.mkdir(exist_ok=True)
        for path in Path(pytest.__file__).parents[1].iterdir():
            if not path.name.startswith("cantstop_arena"):
                (without / path.name).unlink(missing_ok=True)
                (without / path.name).symlink_to(path)
        environment["PYTHONPATH"] = str(without)
        command.insert(1, "-S")  # no site-packages, nor links to packages elsewhere
    with subprocess.Popen(command, stderr=subprocess.DEVNULL, env=environment) as process:
        try:
            yield process
        finally:
            process.kill()


@contextmanager
def machine() -> Iterator[Channel[FromMachine]]:
    """A machine's process, which ends with its channel."""
    ours, theirs = socket.socketpair()
    words = [sys.executable, "-m", MACHINE, "1"]
    channel: Channel[FromMachine] = Channel(ours, FromMachine)
    with theirs:
        process = subprocess.Popen(words, stdin=theirs.fileno())
    try:
        yield channel
    finally:
        channel.close()
        assert process.wait(TIME_LIMIT) == 0


def answer(channel: Channel[FromMachine], table: SetTable) -> FromMachine:
    """What a machine says to a table; signs of life are no answer."""
    channel.send(table)
    letters: list[FromMachine] = []
    while not letters:
        channel.wait(TIME_LIMIT)
        letters = [letter for letter in channel.receive() if letter != BundlePlayed(())]
    return letters[0]


@pytest.mark.slow
def test_bots_that_disturb_play_apart_or_are_named_as_here(cup: Path) -> None:
    """The trial's verdict travels to machines; what they find later ends the run."""
    text = "bots: [calm, ticker]\nseed: 1\ngames: {games}\n"
    plain = "def choose_move(turn, moves):\n    return 0\ndef roll_again(turn):\n    return False\n"
    thread = "import os, threading, time\nthreading.Thread(target=time.sleep, args=(5,)).start()\n"
    Path("bots/calm.py").write_text(plain)
    Path("bots/ticker.py").write_text(thread + plain)
    Path("cup.yaml").write_text(text.format(games=8))
    told = "ticker leaves threads running (bots/ticker.py:2), so it plays in a process of its own."
    late = "if os.readlink('/proc/self/fd/1') != os.devnull:\n    threading"
    late_ticker = thread.replace("\nthreading", f"\n{late}") + plain
    words = ["--cluster", "file:scheduler.json"]
    with dask("scheduler", *SCHEDULER), dask("worker", *WORKER):
        waited_for(Path("scheduler.json").exists)
        assert told in ended(started("one", quiet=False))
        assert told in ended(started("two", *words, quiet=False))
        assert files_in(cup / "one") == files_in(cup / "two")
        Path("bots/ticker.py").write_text(late_ticker)
        here, there = ended(started("three"), code=1), ended(started("four", *words), code=1)
    assert here == there.replace("four", "three")
    assert "bot ticker disturbs the process that it shares: it leaves threads running" in here


@pytest.mark.slow
def test_another_program_is_refused_by_name(cup: Path) -> None:
    Path("cup.yaml").write_text("bots: [rule28, {command: [sh, program.sh], as: mine}]\n")
    text = (ROOT / "bots/programs/steps.sh").read_text()
    Path("program.sh").write_text(text)
    catalogue = Catalogue(Path("bots"))
    tournament = read(Path("cup.yaml"), catalogue)
    spec = table_spec_for(tournament, catalogue)
    parts, logs = prepare_bots(spec, lambda names: None), BotLogs(cup / "logs", ["rule28", "mine"])
    bots = BotFacts(parts, tournament.policy, frozenset({1}), logs, tournament.orders)
    table = job_for(spec, bots, ["rule28", "mine"], PoolOptions(1)).message
    with machine() as channel:
        assert answer(channel, table) == Ready()
        Path("program.sh").write_text(f"# Another one.\n{text}")
        refused = answer(channel, table)
        assert isinstance(refused, TableRefused)
        assert refused.text.startswith("the program of mine (sh ")
        Path("program.sh").write_text(text)
        assert answer(channel, table) == Ready()
