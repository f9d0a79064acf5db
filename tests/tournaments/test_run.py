"""Whole tournaments through the command line: same bytes, continued runs, refusals, bad bots."""

import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from helpers.arena import Arena
from helpers.finished import Finished

from cantstop_arena.bots.versions import HISTORY
from cantstop_arena.tournaments.ledger.ledger import LEDGER

FOUR = (
    "name: four\nplayers: {players}\ngames: {games}\nseed: 1\n"
    "bots: [random, cautious, rule28, plain]\n"
)
PLAIN = """
import random
def choose_move(turn, moves, last=True):
    return len(moves) - 1 if last else 0
def roll_again(turn):
    return random.random() < 0.6
"""
ARENA = [sys.executable, "-c", "from cantstop_arena.cli import main; main()"]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to stand in, with one plain bot."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bots").mkdir()
    (tmp_path / "bots" / "plain.py").write_text(PLAIN)
    return tmp_path


@pytest.fixture
def four(place: Path, finished: Finished) -> Path:
    """The results folder of a tournament that was played before."""
    files = {"four.yaml": FOUR.format(players=2, games=20), "bots/plain.py": PLAIN}
    finished.bring(files, "run", "four.yaml")
    return place / "results" / "four"


def files(folder: Path) -> dict[str, bytes]:
    """What lies in a results folder, but for what tells where and when it was played."""
    own = {HISTORY, LEDGER}
    paths = sorted(path for path in folder.rglob("*") if path.is_file() and path.name not in own)
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def summary(folder: Path) -> Any:
    return json.loads((folder / "summary.json").read_text())


@pytest.mark.slow
def test_the_resolved_file_is_the_same_tournament(arena: Arena, four: Path) -> None:
    assert "nothing to play" in arena("run", "results/four/tournament.yaml").output


@pytest.mark.slow
def test_a_bot_that_misbehaves_alone_is_not_ranked_first_for_its_short_games(
    arena: Arena, place: Path
) -> None:
    (place / "bots" / "oops.py").write_text(PLAIN.replace("len(moves) - 1", "99"))
    (place / "t.yaml").write_text("players: 1\ngames: 20\nseed: 1\nbots: [oops, random]\n")
    arena("run", "t.yaml")
    assert [row["bot"] for row in summary(place / "results" / "t")["standings"]] == [
        "random",
        "oops",
    ]


BROKEN = {
    "absent_module": ("import nosuchmodule\n", "nosuchmodule"),
    "syntax": ("def choose_move(turn, moves) return 0\n", "SyntaxError"),
    "leaves": ("raise SystemExit(3)\n", "SystemExit"),
    "lacks": ("def choose_move(turn, moves): return 0\n", "lacks roll_again"),
    "misspelt": (
        "from cantstop_arena import hookimpl\n@hookimpl\ndef rol_again(turn): return 0\n",
        "rol_again",
    ),
    "undecorated": (
        "def chose_move(turn, moves): return 0\ndef roll_again(turn): return 0\n",
        "chose_move",
    ),
    "order": (
        "def choose_move(moves, turn): return 0\ndef roll_again(turn): return 0\n",
        "(turn, moves)",
    ),
    "extra": (
        "def choose_move(turn, moves, depth): return 0\ndef roll_again(turn): return 0\n",
        "depth",
    ),
    "half": (
        "from cantstop_arena import compiled\n@compiled\ndef choose_move(turn, moves): return 0\n"
        "def roll_again(turn): return False\n",
        "only choose_move is @compiled",
    ),
    "rule28": (
        "def choose_move(turn, moves): return 0\ndef roll_again(turn): return 0\n",
        "built-in",
    ),
}


@pytest.mark.slow
def test_broken_bots_are_named_with_their_reasons_and_harm_no_other(
    arena: Arena, place: Path
) -> None:
    for name, (text, _) in BROKEN.items():
        (place / "bots" / f"{name}.py").write_text(text)
    told = json.loads(arena("bots", "--json").text)
    reasons = {broken["name"]: broken["reason"] for broken in told["broken"]}
    assert set(reasons) == set(BROKEN)
    for name, (_, reason) in BROKEN.items():
        assert reason in reasons[name]
    assert "plain" in {bot["name"] for bot in told["bots"]}
    (place / "good.yaml").write_text("games: 2\nseed: 1\nbots: [cautious, plain]\n")
    arena("run", "good.yaml")
    (place / "bad.yaml").write_text(f"bots: [cautious, {', '.join(list(BROKEN)[:9])}]\n")
    complaints = arena("run", "bad.yaml", code=2).output.splitlines()
    # With the line of the bot's own below that is no Python.
    assert sum(line.startswith("bad.yaml:1:") for line in complaints) == 9


@pytest.mark.slow
def test_a_bot_that_does_not_compile_is_named_with_cause_and_line(
    arena: Arena, place: Path
) -> None:
    text = (
        "from cantstop_arena import compiled\n@compiled\ndef choose_move(turn, moves):\n"
        "    return turn.runers[7]\n@compiled\ndef roll_again(turn):\n    return True\n"
    )
    (place / "bots" / "typo.py").write_text(text)
    (place / "t.yaml").write_text("games: 2\nseed: 1\nbots: [cautious, typo]\n")
    told = arena("run", "t.yaml", code=2).output
    assert "typo does not compile: turn has no 'runers' (did you mean 'runners'?)" in told
    assert "typo.py:4" in told


@pytest.mark.slow
def test_a_second_run_in_the_same_folder_is_refused(arena: Arena, four: Path) -> None:
    pytest.importorskip("fcntl")
    before = files(four)
    script = (
        "import fcntl, sys\n"
        "lock = open('results/four/.lock', 'w')\n"
        "fcntl.lockf(lock, fcntl.LOCK_EX)\n"
        "print('locked', flush=True)\n"
        "sys.stdin.read()\n"
    )
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", script], stdin=pipe, stdout=pipe) as other:
        assert other.stdout and other.stdout.readline()
        assert "another run" in arena("run", "four.yaml", "--fresh", code=1).output
        other.kill()
    assert files(four) == before


@pytest.mark.slow
def test_a_damaged_ledger_is_named_with_the_way_out(arena: Arena, four: Path) -> None:
    ledger = four / "ledger.sqlite"
    ledger.write_bytes(b"not a database" * 100)
    told = arena("run", "four.yaml", code=1).output
    assert "ledger.sqlite" in told
    assert "--fresh" in told
    arena("run", "four.yaml", "--fresh")


@pytest.mark.slow
def test_workers_can_be_spawned(arena: Arena, place: Path) -> None:
    (place / "four.yaml").write_text(FOUR.format(players=2, games=40))
    arena("run", "four.yaml", "--results", "calm")
    command = [*ARENA, "run", "four.yaml", "--start-method", "spawn", "--memory", "3G"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert files(place / "results" / "four") == files(place / "calm" / "four")


@pytest.mark.slow
def test_where_the_home_cannot_be_written_a_run_plays_and_warns_once(place: Path) -> None:
    (place / "four.yaml").write_text(FOUR.format(players=2, games=40))
    environment = {**os.environ, "HOME": os.devnull, "TMPDIR": str(place)}
    for name in ("CANTSTOP_ARENA_CACHE", "XDG_CACHE_HOME"):
        environment.pop(name, None)
    command = [*ARENA, "run", "four.yaml", "--workers", "2", "--start-method", "spawn"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("set CANTSTOP_ARENA_CACHE") == 1
    assert any((place / f"cantstop-arena-{os.getuid()}").rglob("*.code"))


@pytest.mark.parametrize(
    ("version", "code", "reason"), [("6", 2, "an earlier version"), ("8", 1, "a newer arena")]
)
def test_a_ledger_of_another_version_is_named_with_the_way_out(
    arena: Arena, four: Path, version: str, code: int, reason: str
) -> None:
    with sqlite3.connect(four / "ledger.sqlite") as ledger:
        ledger.execute("UPDATE about SET value = ? WHERE key = 'version'", (version,))
    for options in ((), ("--dry-run",)):
        error = arena("run", "four.yaml", *options, code=code).output
        assert f"results/four/ledger.sqlite was written by {reason}" in error
        assert "--fresh" in error and len(error.splitlines()) == 1


@pytest.mark.parametrize("size", ["", "2Q", "-1G", "0"])
def test_a_size_that_is_none_is_refused(arena: Arena, place: Path, size: str) -> None:
    (place / "four.yaml").write_text(FOUR.format(players=2, games=20))
    assert "invalid size" in arena("run", "four.yaml", "--memory", size, code=2).output
