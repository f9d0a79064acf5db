"""Foreign bots that disturb the process that they share: found, named, and nobody else charged."""

import importlib
import json
import sys
import textwrap
from collections.abc import Mapping
from pathlib import Path

import pytest
from helpers.arena import Arena, Done

from cantstop_arena.processes import lasting_state
from cantstop_arena.processes.isolated_call import IsolatedCall, run_isolated
from cantstop_arena.processes.lasting_state import LastingState, note_shared_code
from cantstop_arena.tournaments.pool.disturbance import foreign_acts

HEAD = """
import builtins, os, random, resource, subprocess, sys, threading, time
from concurrent.futures import ThreadPoolExecutor
class Finder:
    def find_spec(self, *names):
        return None
def broken(*arguments):
    raise ValueError("patched")
def sleeps(seconds=5):
    time.sleep(seconds)
def act(turn):
    pass
PLAYS = os.readlink("/proc/self/fd/1") != os.devnull  # in a worker or alone, not in its trial
"""
DECIDES = """
def choose_move(turn, moves):
    act(turn)
    return 0
def roll_again(turn):
    return turn.rolls < 3
"""
INNOCENT = """
import random
def choose_move(turn, moves):
    return moves.index(random.choice(moves))
def roll_again(turn):
    return turn.rolls < 3
"""
THREAD = "threading.Thread(target=sleeps, daemon=True).start()"
SPINNING = """def spin():
    while time.process_time() < 1: pass
threading.Thread(target=spin, daemon=True).start()"""
CHILD = "if not os.fork():\n    sleeps()\n    os._exit(0)"
INDENT = textwrap.indent
YAML = "seed: 1\ngames: 6\nrules: {columns_to_win: 1}\nbots: [innocent, disturber]\n"


def deciding(act: str) -> str:
    """A file that does this in each decision."""
    lines = "\n    ".join(act.splitlines())
    return f"{HEAD}\ndef act(turn):\n    {lines}\n{DECIDES}"


def importing(act: str) -> str:
    """A file that does this when it is imported."""
    return f"{HEAD}\n{act}\n{DECIDES}"


def later(source: str) -> str:
    """A file that does so in a tournament only."""
    acts = source.removeprefix(HEAD).replace(DECIDES, "")
    lines = "\n    ".join(acts.splitlines())
    return f"{HEAD}\nif PLAYS:\n    {lines}\n{DECIDES}"


def line_of(source: str, code: str) -> int:
    return next(number for number, line in enumerate(source.splitlines(), 1) if code in line)


def run(arena: Arena, disturber: str, code: int = 0, yaml: str = YAML, words: str = "") -> Done:
    bots = {"innocent": INNOCENT, "disturber": disturber}
    return arena(f"run cup.yaml --no-page {words}", bots=bots, yaml=yaml, code=code)


def gauntlet(arena: Arena, rivals: Mapping[str, str]) -> Done:
    """All these bots play, each against an innocent one."""
    words = ["gauntlet", "innocent", "--games", "2", "--no-page"]
    words += [f"--against={name}" for name in rivals]
    return arena(*words, bots={"innocent": INNOCENT, **rivals})


def text_of(done: Done) -> str:
    """What it printed, with paths from this folder as in a process that was started here."""
    return done.output.replace(f"{Path.cwd()}/", "")


def charged(done: Done) -> set[str]:
    return {fault["bot"] for fault in done.json.get("faults", [])}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


PLAIN = importing("")
DISTURBING = {
    "thread": (importing(THREAD), "leaves threads running", THREAD),
    "spinning thread": (importing(SPINNING), "leaves threads running", "Thread(target=spin"),
    "thread in a decision": (deciding(THREAD), "starts threads while it decides", THREAD),
    "executor in a decision": (
        deciding("with ThreadPoolExecutor(1) as pool:\n    pool.submit(len, ()).result()"),
        "starts threads while it decides",
        "pool.submit",
    ),
    "process": (importing(CHILD), "leaves processes running", "os.fork"),
    "program": (
        importing("CHILD = subprocess.Popen(['sleep', '5'])"),
        "leaves processes running",
        "subprocess.Popen",
    ),
    "import hook": (importing("sys.meta_path.insert(0, Finder())"), "changes how Python imports"),
    "built-in name": (importing("builtins.alien = 1"), "changes built-in names"),
    "limit": (
        importing("resource.setrlimit(resource.RLIMIT_NOFILE, (99, 99))"),
        "sets limits of its process",
    ),
    "closed file": (deciding("os.close(1)"), "closes standard files of its process"),
    "niceness": (importing("os.nice(1)"), "changes how its process is scheduled"),
    "patch": (
        importing("random.choice = broken"),
        "replaces random.choice, which all bots share",
    ),
    "patched method": (
        deciding("random.Random.choice = broken"),
        "replaces random.Random.choice, which all bots share",
    ),
    "patched code": (
        importing("os.path.join.__code__ = (lambda *a: '').__code__"),
        "replaces posixpath.join, which all bots share",
    ),
    "audit hook": (
        importing("sys.addaudithook(lambda *_: None)"),
        "adds an audit hook",
        "addaudit",
    ),
    "death": (
        deciding("os._exit(3)"),
        "does not survive a trial: it ended its process with exit code 3",
    ),
    "channel": (
        deciding(
            "for number in range(3, 50):\n"
            "    try:\n        os.write(number, b'x')\n    except OSError:\n        pass"
        ),
        "does not survive a trial: it sent an invalid message",
    ),
}


@pytest.mark.slow
def test_bots_that_disturb_a_shared_process_play_in_one_of_their_own(arena: Arena) -> None:
    names = {how: how.replace(" ", "-") for how in DISTURBING}
    bots = {names[how]: source for how, (source, *_) in DISTURBING.items()}
    done = gauntlet(arena, bots)
    text = text_of(done)
    for how, (source, what, *code) in DISTURBING.items():
        line = f":{line_of(source, code[0])}" if code else ""
        told = f"{names[how]} {what} (bots/{names[how]}.py{line})"
        assert f"{told}, so it plays in a process of its own." in text
    assert "innocent" not in charged(done)


@pytest.mark.parametrize("act", ["while True: pass", "time.sleep(60)"])
@pytest.mark.slow
def test_a_bot_that_is_too_slow_in_its_trial_plays_as_others_do(arena: Arena, act: str) -> None:
    done = run(arena, deciding(act), yaml=YAML + "max_faults: 2\n", code=3)
    assert "process of its own" not in text_of(done)
    (fault,) = done.json["faults"]
    assert (fault["bot"], fault["kind"]) == ("disturber", "too slow")


HONEST = {
    "nothing": "",
    "executor that is shut down": "with ThreadPoolExecutor(2) as pool: [*pool.map(abs, (1, 2))]",
    "thread that has ended": "T = threading.Thread(target=print); T.start(); T.join()",
    "program that has ended": "subprocess.run(['true'])",
    "logging": "import logging; logging.basicConfig(); logging.getLogger('x').warning('hello')",
    "queue": "import queue; Q = queue.Queue(); Q.put(1); Q.get()",
    "environment": "os.environ['ALIEN'] = '1'; sys.setrecursionlimit(500)",
    "random state": "random.seed(1)",
    "signal handler": "import signal; signal.signal(signal.SIGTERM, broken)",
    "asyncio": "import asyncio; asyncio.run(asyncio.sleep(0))",
    "linear algebra": "import numpy as np; A = np.ones((300, 300)) @ np.ones((300, 300))",
    "numba": "import numba; F = numba.njit(lambda x: x + 1); F(1)",
    "exception": "def act(turn): raise ValueError",
}


@pytest.mark.slow
def test_honest_bots_share_a_process(arena: Arena) -> None:
    done = gauntlet(arena, {what.replace(" ", "-"): importing(act) for what, act in HONEST.items()})
    assert "process of its own" not in text_of(done)
    assert charged(done) <= {"exception"}


@pytest.mark.slow
def test_the_bots_of_the_project_share_a_process(arena: Arena) -> None:
    folder = Path(__file__).parents[3] / "bots"
    files = sorted(folder.glob("*.py"))
    texts = {file.stem: file.read_text("utf-8") for file in files}
    yaml = f"seed: 1\ngames: 2\nrules: {{columns_to_win: 1}}\nbots: [{', '.join(texts)}]\n"
    done = arena("run cup.yaml --no-page", bots=texts, yaml=yaml)
    assert "process of its own" not in text_of(done)


@pytest.mark.slow
def test_a_continued_run_plays_bots_where_they_played_before(arena: Arena) -> None:
    source = importing(f"if not os.path.exists('calm'):\n    {THREAD}").replace(
        "return 0", "return -1 % len(moves)"
    )
    text = "so it plays in a process of its own."
    assert text in run(arena, source).output
    Path("calm").touch()  # another trial would show nothing
    done = run(arena, source, words="--games 12")
    assert text in text_of(done)
    tables = {path.name: path.read_bytes() for path in done.folder.glob("*.csv")}
    Path("calm").unlink()
    done = run(arena, source, words="--games 12 --fresh")
    assert {path.name: path.read_bytes() for path in done.folder.glob("*.csv")} == tables


@pytest.mark.slow
def test_the_replay_of_a_game_seats_bots_as_the_run_did(arena: Arena) -> None:
    run(arena, importing(THREAD))
    done = arena("replay cup.yaml innocent disturber --deal 0 --json")
    events = [json.loads(line) for line in done.text.splitlines()]
    assert events[-1]["event"] == "end" and events[-1]["reason"] != "fault"


@pytest.mark.slow
@pytest.mark.parametrize("table", ["games", "decisions"])
def test_games_are_exported_as_they_were_played(arena: Arena, table: str) -> None:
    """Bots that draw from `random` draw other numbers in a process of their own."""
    thread = f"{HEAD}\n{THREAD}\n{INNOCENT}"
    done = run(arena, thread)
    arena(f"export {done.folder} --{table} table.jsonl")
    rows = [json.loads(line) for line in Path("table.jsonl").read_text().splitlines()]
    assert {row["deal"] for row in rows} == {0, 1, 2}
    assert all(row.get("turns", 1) for row in rows)
    records = [*(done.folder / "games").glob("*.jsonl")]
    assert records and all("fault" not in record.read_text() for record in records)


LATE = {
    "thread": (importing(THREAD), "leaves threads running", THREAD),
    "process": (deciding(CHILD), "leaves processes running", "os.fork"),
}
UNKNOWN = {
    "import hook": (importing("sys.meta_path.insert(0, Finder())"), "changes how Python imports"),
    "limit": (
        importing("resource.setrlimit(resource.RLIMIT_CORE, (0, 0))"),
        "sets limits of its process",
    ),
    "patch": (deciding("random.choice = broken"), "replaces random.choice, which all bots share"),
    "deadly patch": (
        deciding("random.choice = lambda x: os._exit(4)"),
        "makes another fail: choose_move ended its process with exit code 4",
    ),
    "slow patch": (
        deciding("random.choice = lambda x: time.sleep(30)"),
        "makes another fail: choose_move gave no answer within 1 s",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("how", LATE)
def test_a_bot_that_disturbs_while_it_plays_is_named_with_its_line(arena: Arena, how: str) -> None:
    source, what, code = LATE[how]
    source = later(source)
    done = run(arena, source, code=1)
    assert (
        f"bot disturber disturbs the process that it shares: it {what}"
        f" (bots/disturber.py:{line_of(source, code)}). Give it isolate: processes."
    ) in text_of(done)


@pytest.mark.slow
@pytest.mark.parametrize("how", UNKNOWN)
def test_where_it_is_not_known_who_disturbs_a_process_all_plain_bots_are_named(
    arena: Arena, how: str
) -> None:
    source, what = UNKNOWN[how]
    done = run(arena, later(source), code=1)
    assert (
        "One of these bots disturbs the process that they share: innocent (bots/innocent.py),"
        f" disturber (bots/disturber.py); it {what}. Give them isolate: processes."
    ) in text_of(done)


def test_a_single_plain_bot_that_disturbs_is_named(arena: Arena) -> None:
    source = later(importing("sys.meta_path.insert(0, Finder())"))
    yaml = YAML.replace("innocent", "cautious")
    done = run(arena, source, code=1, yaml=yaml)
    assert "bot disturber disturbs the process that it shares: it changes how" in text_of(done)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("act", "text"),
    [(THREAD, "a thread that a decision starts"), ("sys.addaudithook(print)", "sys.addaudithook")],
)
def test_what_a_decision_may_not_do_raises_there(arena: Arena, act: str, text: str) -> None:
    source = later(deciding(act))
    done = run(arena, source)
    (fault,) = done.json["faults"]
    assert (fault["bot"], fault["kind"]) == ("disturber", "exception")
    assert fault["message"].startswith(f"RuntimeError: {text}: this needs a process of its own")
    assert f"bots/disturber.py:{line_of(source, act)}" in fault["message"]


@pytest.mark.slow
@pytest.mark.parametrize("act", ["raise ValueError", "os._exit(3)"])
def test_who_fails_alone_too_is_charged_beside_a_bot_that_disturbs(arena: Arena, act: str) -> None:
    yaml = YAML.replace("innocent", "wrong").replace("games: 6", "games: 2")
    bots = {
        "wrong": later(deciding(act)),
        "disturber": later(deciding("random.choice = broken")),
    }
    done = arena("run cup.yaml --no-page", bots=bots, yaml=yaml)
    (fault,) = done.json["faults"]
    assert (fault["bot"], fault["count"]) == ("wrong", 2)


@pytest.mark.slow
@pytest.mark.usefixtures("second_game")
def test_a_game_that_fails_only_beside_plain_bots_is_not_at_fault(arena: Arena) -> None:
    arena("bots new disturber --game salvage")
    file = Path("bots/disturber.py")
    patch = (
        "import os\nfrom salvage.game import Salvage\n"
        "if os.readlink('/proc/self/fd/1') != os.devnull:\n    Salvage.question = None\n"
    )
    file.write_text(f"{file.read_text()}\n{patch}")
    yaml = "seed: 1\ngame: salvage\ngames: 2\nbots: [drunk, disturber]\n"
    done = arena("run cup.yaml --no-page", yaml=yaml, code=1)
    text = text_of(done)
    assert "One of these bots disturbs the process that they share: drunk, disturber" in text
    assert "Salvage fails in deal 0" in text


def test_what_lasts_in_an_interpreter_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    state = LastingState()
    assert state.changes() == []
    monkeypatch.setattr("textwrap.dedent", len)
    assert state.changes() == ["replaces textwrap.dedent, which all bots share"]
    assert state.changes(code=False) == []


def changes_in_a_fork() -> list[str]:
    """What a process with plain bots finds changed, and what when it is as it was noted again."""
    foreign_acts(lambda *_: None, is_strict=True).listen()
    state = LastingState()
    changes = state.changes()
    textwrap.indent = INDENT
    return [*changes, *state.changes()]


def test_a_fork_compares_with_what_was_noted_before_it(monkeypatch: pytest.MonkeyPatch) -> None:
    note_shared_code()
    monkeypatch.setattr("textwrap.indent", len)  # before the fork, but after the note
    call = IsolatedCall(f"{__name__}:changes_in_a_fork", {}, 60.0)
    assert run_isolated(call) == ["replaces textwrap.indent, which all bots share"]


def test_what_has_changed_since_a_note_is_noted_again(monkeypatch: pytest.MonkeyPatch) -> None:
    note_shared_code()
    noted = lasting_state._shared
    assert noted
    with monkeypatch.context() as patch:
        patch.setattr("textwrap.dedent", len)
        patch.setattr(textwrap.TextWrapper, "fill", len)
        patch.setattr(textwrap.shorten, "__code__", textwrap.indent.__code__)
        assert noted.code.replaced() == "textwrap.dedent"
        note_shared_code()
        assert lasting_state._shared is noted and noted.code.replaced() == ""
    assert noted.code.replaced() == "textwrap.dedent"


def test_a_module_that_is_loaded_again_is_noted_again(monkeypatch: pytest.MonkeyPatch) -> None:
    note_shared_code()
    monkeypatch.delitem(sys.modules, "textwrap")
    again = importlib.import_module("textwrap")
    note_shared_code()
    monkeypatch.setattr(again, "dedent", len)
    noted = lasting_state._shared
    assert noted and noted.code.replaced() == "textwrap.dedent"
