"""Bots that are good when looked at, and do their worst later; and what they leave behind."""

import ctypes
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers.arena import Arena

from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.deals.outcomes import DIED, Block, Snapshot
from cantstop_arena.deals.seatings import standard_orders
from cantstop_arena.game_api.watched import ARENA
from cantstop_arena.processes import process_tree, system
from cantstop_arena.processes.isolated_call import (
    MAX_PARALLEL_CALLS,
    CallFailed,
    IsolatedCall,
    run_all,
)
from cantstop_arena.tournaments.file.tournament_file import read
from cantstop_arena.tournaments.pool.suspicions import Suspicions, WorkerFailure
from cantstop_arena.tournaments.preparation import BotFacts, PreparedBot
from cantstop_arena.tournaments.replay_game import record_game
from cantstop_arena.tournaments.tournament import COPIES, FaultPolicy

HOOKS = "def choose_move(turn, moves):\n    return 0\n"
STOPS = "def roll_again(turn):\n    return False\n"
ROLLS = "def roll_again(turn):\n    return turn.rolls < 4\n"
COUNTING = """
import os
mark = os.path.splitext(os.path.abspath(__file__))[0] + '.count'
count = os.path.getsize(mark) if os.path.exists(mark) else 0
open(mark, 'a').write('x')
if count >= 2:
    """
CLOSING = "import os\ndef choose_move(turn, moves):\n    os.closerange(3, 100)\n    return 0\n"
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


# --- What is left behind --------------------------------------------------------------------------


def test_nothing_is_left_of_a_bot_that_kills_whoever_examines_it(
    arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("kills.py").write_text(KILLING + HOOKS + STOPS)
    result = arena("bots", "check", "kills.py", "--bots", ".", code=1)
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
    make: Callable[[], system.Origin], fork: Callable[[], int]
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


def unsayable() -> Any:
    """A call whose result cannot be sent."""
    return object()


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


def test_what_cannot_be_told_is_told_with_its_reason() -> None:
    (told,) = run_all([IsolatedCall(f"{__name__}:unsayable", {}, 20)])
    assert re.match("cannot send its result: TypeError", str(told))


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

    strikes, block = Suspicions(Known()), Block((0, 1), 5, 1)  # type: ignore[arg-type]
    last = Snapshot(1, 0, "", ARENA, (0, 0, 0))
    for _ in range(6):
        suspect = strikes.suspect(block, last)
        assert suspect
        strikes.count(suspect, WorkerFailure(DIED, "ended"))
    assert {fault.seating for fault in strikes.forfeits(block)} == {(0, 1), (1, 0)}
    assert strikes.suspect(block, last) is None


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "code", "told"),
    [
        (COUNTING + "os._exit(3)\n" + HOOKS + STOPS, 2, "bot mine cannot be built: .*code 3"),
        (COUNTING + "1 / 0\n" + HOOKS + STOPS, 2, "ZeroDivisionError.*mine.py"),
        (CLOSING + STOPS, 0, ""),
    ],
)
def test_a_run_ends_with_words_whatever_a_bot_does_in_its_workers(
    arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, code: int, told: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(text)
    Path("cup.yaml").write_text("seed: 3\ngames: 20\nbots: [rule28, mine]\n")
    words = ["run", "cup.yaml", "--bots", ".", "--workers", "1"]
    result = arena(*words, code=None)
    assert (result.code, "Traceback" in result.output) == (code, False), result.output
    assert re.search(told, result.error, re.S)


# --- What is shown is what was played -------------------------------------------------------------


def test_a_game_is_recorded_with_the_copies_of_what_played(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(HOOKS + ROLLS)
    (tmp_path / "cup.yaml").write_text("seed: 3\ngames: 20\nbots: [rule28, mine]\n")
    catalogue = Catalogue(tmp_path)
    tournament = read(tmp_path / "cup.yaml", catalogue)
    games = []
    for text in (ROLLS, STOPS):
        (tmp_path / "mine.py").write_text(HOOKS + text)
        games.append(record_game(tournament, catalogue, tmp_path / COPIES, ["mine", "rule28"], 0))
    assert games[0] == games[1] != []
    (copy,) = (tmp_path / COPIES).glob("*/mine.py")
    assert copy.read_text() == HOOKS + ROLLS


# --- What is said ---------------------------------------------------------------------------------


def test_a_message_obeys_no_terminal_whatever_a_file_is_called(
    arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = arena("run", "a\x1b[2J\u202e.yaml", color=True, code=2, yaml="bots: 5\n")
    assert "a\\x1b[2J\\u202e.yaml:1:7: bots must be a list" in result.error
    assert result.error.replace("\n", "").isprintable()
