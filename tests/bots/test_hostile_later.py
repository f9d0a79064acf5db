"""Bots that are good when looked at, and do their worst later; and what they leave behind."""

import ctypes
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from textwrap import indent

import pytest
from helpers.arena import Arena, Done

from cantstop_arena.bots.bot_files import BotSource
from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.deals.outcomes import DIED, Block, Snapshot
from cantstop_arena.deals.seatings import standard_orders
from cantstop_arena.errors import BotError
from cantstop_arena.game_api.state import Event
from cantstop_arena.game_api.watched import ARENA
from cantstop_arena.processes import process_tree, system
from cantstop_arena.processes.channel import ProtocolError
from cantstop_arena.processes.isolated_call import (
    MAX_PARALLEL_CALLS,
    CallFailed,
    IsolatedCall,
    run_all,
)
from cantstop_arena.tournaments.file.tournament_file import read
from cantstop_arena.tournaments.pool.blame import Suspicions, WorkerFailure
from cantstop_arena.tournaments.pool.worker import BotBuilding
from cantstop_arena.tournaments.pool.worker_messages import Building
from cantstop_arena.tournaments.preparation import BotFacts, PreparedBot
from cantstop_arena.tournaments.replay_game import record_game
from cantstop_arena.tournaments.tournament import COPIES, FaultPolicy

PLAYS = "def choose_move(turn, moves):\n    return 0\ndef roll_again(turn):\n    return False\n"
ROLLS = PLAYS.replace("False", "turn.rolls < 4")
CLOSES = PLAYS.replace("return 0", "__import__('os').closerange(3, 100)\n    return 0")
COMPILED = "from cantstop_arena import compiled\n" + PLAYS.replace("def ", "@compiled\ndef ")
FORGETS = """
for hook in (choose_move, roll_again):
    del hook.cantstop_arena_compiled
"""
SWALLOWS = """
while True:
    try:
        while True: pass
    except BaseException: pass
"""
KILLING = """
import os, time
if os.fork() == 0:
    os.setsid()
    open('daemon.pid', 'w').write(str(os.getpid()))
    time.sleep(600)
while not os.path.exists('daemon.pid') or not open('daemon.pid').read():
    time.sleep(0.01)
os.kill(os.getppid(), 9)
"""


def later(acts: str, bot: str = PLAYS) -> str:
    """A file that does this from the third process on that imports it: in a worker, or a replay."""
    return f"""
import os, time
mark = os.path.splitext(os.path.abspath(__file__))[0] + '.count'
others = set(open(mark).read().split() if os.path.exists(mark) else ()) - {{str(os.getpid())}}
open(mark, 'a').write(f'{{os.getpid()}} ')
{bot}
if len(others) >= 2:
{indent(acts, "    ")}
"""


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """An import has a second, here and in all that is forked from here."""
    monkeypatch.setattr("cantstop_arena.bots.bot_files.MAX_IMPORT_SECONDS", 1.0)
    monkeypatch.setattr("cantstop_arena.tournaments.pool.worker_slot._TO_STOP", 0.2)
    monkeypatch.chdir(tmp_path)


# --- What is left behind --------------------------------------------------------------------------


def test_nothing_is_left_of_a_bot_that_kills_whoever_examines_it(arena: Arena) -> None:
    result = arena("bots check bots/kills.py", bots={"kills": KILLING + PLAYS}, code=1)
    ended = r"ended its process by SIGKILL, while it is (read|compiled)"  # whichever comes first
    assert re.search(ended, result.output)
    assert not Path(f"/proc/{Path('daemon.pid').read_text()}").exists()


def test_only_what_has_left_the_session_is_ended() -> None:
    words = [sys.executable, "-c", "import time; time.sleep(60)"]
    with subprocess.Popen(words) as before:
        with process_tree.end_orphans_after():
            ours = subprocess.Popen(words)
            stray = subprocess.Popen(words, start_new_session=True)
        assert (before.poll(), ours.poll()) == (None, None)
        for process in (before, ours):
            process.kill()
        ours.wait()
        assert not Path(f"/proc/{stray.pid}").exists()
        stray.returncode = 0  # somebody else has waited for it


@pytest.mark.parametrize("make", [system.origin, system._ProcessIdOrigin])
@pytest.mark.parametrize("fork", [os.fork, ctypes.CDLL(None).fork])
def test_a_forked_copy_knows_that_it_is_one(
    make: Callable[[], system.OriginMark], fork: Callable[[], int]
) -> None:
    origin = make()
    if not (pid := fork()):
        os._exit(bool(origin[0]))
    assert os.waitpid(pid, 0) == (pid, 0)
    assert origin[0]


# --- Errands --------------------------------------------------------------------------------------


def numbered(number: int) -> int:
    """An errand; the fourth ends its warden."""
    if number == 3:
        os.kill(os.getppid(), 9)
        time.sleep(60)
    return number


def halted_once(mark: str) -> bool:
    """An errand; whoever stops its process does so the first time only."""
    was_tried = Path(mark).exists()
    Path(mark).touch()
    if not was_tried:
        os.kill(os.getpid(), signal.SIGSTOP)
    return was_tried


@pytest.mark.slow
def test_errands_are_told_in_their_order_whoever_looks_after_them() -> None:
    count = 2 * MAX_PARALLEL_CALLS + 1
    told = list(
        run_all([IsolatedCall(f"{__name__}:numbered", {"number": n}, 20) for n in range(count)])
    )
    assert isinstance(told.pop(3), CallFailed)
    assert told == [n for n in range(count) if n != 3]


def test_an_errand_that_somebody_else_may_have_stopped_is_tried_again(tmp_path: Path) -> None:
    words = {"mark": str(tmp_path / "mark")}
    assert list(run_all([IsolatedCall(f"{__name__}:halted_once", words, 0.5)])) == [True]


# --- Who is to blame ------------------------------------------------------------------------------


def test_a_bot_that_says_that_it_is_compiled_is_suspected_where_nobody_else_can_be(
    tmp_path: Path,
) -> None:
    ours, plain = PreparedBot("compiled", False, {}), PreparedBot("plain", False, {}, foreign=True)
    liar = PreparedBot("compiled", False, {}, foreign=True)
    known = ([ours, liar, plain], FaultPolicy(), frozenset[int](), None, None)
    bots = BotFacts(*known)  # type: ignore[arg-type]
    assert bots.suspects((0, 1)) == [1]
    assert bots.suspects((1, 2)) == [2]


def test_what_a_bot_has_ruined_counts_against_it_in_every_game_of_the_deal() -> None:
    class Known:
        orders = standard_orders(2)

        def source_line(self, bot: int, asked: str) -> str:
            return ""

        def suspects(self, group: tuple[int, ...]) -> list[int]:
            return [1]

        def note_fault(self, fault: object) -> None: ...

    strikes, block = Suspicions(Known()), Block((0, 1), 5, 1)  # type: ignore[arg-type]
    last = Snapshot(1, 0, "", ARENA, (0, 0, 0))
    for _ in range(6):
        suspect = strikes.suspect(block, last)
        assert suspect
        strikes.count(suspect, WorkerFailure(DIED, "ended"))
    assert {fault.seating for fault in strikes.forfeits(block)} == {(0, 1), (1, 0)}
    assert strikes.suspect(block, last) is None


NOT_DONE = r"not (built|done) within 1(\.2)? s"
LATER = {
    "swallows": (later(SWALLOWS), 2, f"bot mine cannot be built.*{NOT_DONE}"),
    "raises": (later("1 / 0"), 2, "ZeroDivisionError.*mine.py"),
    "leaves": (
        later("os._exit(3)"),
        2,
        "bot mine cannot be built in a process that holds honest already: ended .* code 3",
    ),
    "is compiled no more": (
        later(FORGETS, COMPILED),
        2,
        "bot mine cannot be built.*: it was compiled when the run started",
    ),
    "closes files in decisions": (CLOSES, 0, ""),
}


def played(arena: Arena, text: str, code: int) -> Done:
    """A run of a bot beside an honest one."""
    yaml = "seed: 3\ngames: 4\nbots: [rule28, honest, mine]\n"
    bots = {"honest": PLAYS, "mine": text}
    return arena("run cup.yaml --no-page --workers 1", yaml=yaml, bots=bots, code=code)


@pytest.mark.slow
@pytest.mark.parametrize("case", LATER)
def test_a_run_ends_with_words_whatever_a_bot_does_in_its_workers(arena: Arena, case: str) -> None:
    text, code, told = LATER[case]
    assert re.search(told, played(arena, text, code).error, re.S)


@pytest.mark.slow
def test_a_bot_that_never_ends_an_import_for_the_record_costs_no_more_than_the_record(
    arena: Arena,
) -> None:
    played(arena, PLAYS, 0)
    bots = {"mine": later(SWALLOWS)}
    result = arena("replay cup.yaml mine rule28 --deal 0", bots=bots, code=None)
    assert result.code != 0
    assert re.search("bot mine cannot be built|game did not begin", result.error), result.error


def test_a_worker_builds_each_foreign_bot_once() -> None:
    construction = BotBuilding()
    for bot in (2, 1, None):
        construction.note(Building(bot), (1, 2))
    assert (construction.started, construction.goes_on) == ([2, 1], False)
    for bot in (2, 0, -1):
        with pytest.raises(ProtocolError):
            construction.note(Building(bot), (1, 2))


# --- What is shown is what was played -------------------------------------------------------------


def recorder(folder: Path, text: str) -> Callable[[], Sequence[Event]]:
    """Records the same game of a bot each time, in a tournament that has read this text of it."""
    (folder / "mine.py").write_text(text)
    (folder / "cup.yaml").write_text("seed: 3\ngames: 20\nbots: [rule28, mine]\n")
    catalogue = Catalogue(folder)
    tournament = read(folder / "cup.yaml", catalogue)
    return lambda: record_game(tournament, catalogue, folder / COPIES, ["mine", "rule28"], 0)


def test_a_game_is_recorded_with_the_copies_of_what_played(tmp_path: Path) -> None:
    record = recorder(tmp_path, ROLLS)
    games = [record()]
    (tmp_path / "mine.py").write_text(PLAYS)
    games.append(record())
    assert games[0] == games[1] != []
    (copy,) = (tmp_path / COPIES).glob("*/mine.py")
    assert copy.read_text() == ROLLS


def test_a_game_is_recorded_although_its_process_is_killed_while_bots_are_built(
    tmp_path: Path,
) -> None:
    kills = tmp_path / "kills"
    kill = f"""
import os
if os.path.exists({str(kills)!r}) and os.getpid() != {os.getpid()}:
    left = open({str(kills)!r}).read()
    open({str(kills)!r}, "w").write(left[1:])
    if left:
        os.kill(os.getpid(), {signal.SIGKILL})
"""
    record = recorder(tmp_path, kill + PLAYS)
    undisturbed = record()
    kills.write_text("xx")
    assert record() == undisturbed != []
    assert kills.read_text() == ""


def test_a_copy_that_cannot_be_kept_is_told_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(PLAYS)
    source = BotSource(tmp_path / "mine.py").identified()
    (tmp_path / "kept" / source.digest / "mine.py").mkdir(parents=True)
    with pytest.raises(BotError, match=r"the copy .*mine\.py of a bot .*move away what is there"):
        source.copied(tmp_path / "kept")
