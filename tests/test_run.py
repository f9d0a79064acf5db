"""Whole tournaments through the command line: same bytes, continued runs, refusals, bad bots."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import naive
import pytest
from click.testing import CliRunner, Result
from finished import Finished

from cantstop_arena.cli import main

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


def arena(*arguments: str, code: int = 0) -> Result:
    """Run a command, and expect its exit code and no traceback."""
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == code, result.output
    assert "Traceback" not in result.output
    return result


def files(folder: Path) -> dict[str, bytes]:
    """What lies in a results folder."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def summary(folder: Path) -> Any:
    return json.loads((folder / "summary.json").read_text())


@pytest.mark.parametrize("players", [1, 2, 3, 4])
@pytest.mark.slow
def test_one_worker_and_three_write_the_same_bytes(place: Path, players: int) -> None:
    (place / "four.yaml").write_text(FOUR.format(players=players, games=150))
    arena("run", "four.yaml", "--results", "one", "--workers", "1")
    arena("run", "four.yaml", "--results", "three", "--workers", "3")
    assert files(place / "one" / "four") == files(place / "three" / "four")
    told = summary(place / "one" / "four")
    for lineup in told["lineups"]:
        assert sum(lineup["wins"]) == pytest.approx(lineup["games"], abs=1e-9)
    assert told["games"] == sum(lineup["games"] for lineup in told["lineups"])


@pytest.mark.slow
def test_more_games_continue_to_the_tables_of_one_go(place: Path) -> None:
    (place / "four.yaml").write_text(FOUR.format(players=2, games=300))
    arena("run", "four.yaml", "--results", "steps", "--games", "90")
    arena("run", "four.yaml", "--results", "steps")
    arena("run", "four.yaml", "--results", "once")
    steps, once = files(place / "steps" / "four"), files(place / "once" / "four")
    del steps["ledger.sqlite"], once["ledger.sqlite"]  # cut into other blocks
    assert steps == once


def test_a_complete_tournament_says_so_and_plays_nothing(four: Path) -> None:
    before = files(four)
    told = arena("run", "four.yaml").output
    assert "complete" in told
    assert "rank" in told
    assert files(four) == before


def test_another_tournament_of_the_same_name_is_refused_with_what_differs(four: Path) -> None:
    assert "seed: stored 1, requested 2" in arena("run", "four.yaml", "--seed", "2", code=1).output
    Path("bots/plain.py").write_text(PLAIN.replace("0.6", "0.5"))
    assert "plain.py has changed since" in arena("run", "four.yaml", code=1).output
    arena("run", "four.yaml", "--seed", "2", "--fresh")
    assert summary(four)["seed"] == 2


def test_the_resolved_file_is_the_same_tournament(four: Path) -> None:
    assert "complete" in arena("run", "results/four/tournament.yaml").output


def test_a_replayed_deal_is_the_game_that_was_played(place: Path) -> None:
    rules = "rules: {base: leave, sides: 4, columns_to_win: 2}\n"
    (place / "four.yaml").write_text(FOUR.format(players=2, games=2) + rules)
    arena("run", "four.yaml")
    lineups = summary(place / "results" / "four")["lineups"]
    assert len(lineups) == 12
    for lineup in lineups[::3]:
        told = arena("replay", "four.yaml", *lineup["seats"], "--deal", "0", "--json").output
        verdict = naive.referee(told.splitlines())
        wins = [1.0 if seat in verdict.winners else 0.0 for seat in (0, 1)]
        assert wins == lineup["wins"]


def test_a_replay_can_be_read_by_people(place: Path) -> None:
    (place / "four.yaml").write_text(FOUR.format(players=2, games=2))
    told = arena("replay", "four.yaml", "rule28", "plain", "--deal", "1").output
    assert "Turn 1: A rule28" in told
    assert "wins (columns)" in told


def test_a_bot_that_misbehaves_is_named_in_tables_and_summary(place: Path) -> None:
    (place / "bots" / "oops.py").write_text(PLAIN.replace("len(moves) - 1", "'first'"))
    (place / "t.yaml").write_text("games: 40\nseed: 1\nbots: [cautious, oops]\n")
    assert "oops" in arena("run", "t.yaml").output
    told = summary(place / "results" / "t")
    assert told["faults"][0]["bot"] == "oops"
    assert told["standings"][0]["bot"] == "cautious"
    assert told["standings"][0]["score"] == 1.0


def test_a_bot_that_misbehaves_alone_is_not_ranked_first_for_its_short_games(place: Path) -> None:
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
    "rule28": ("def choose_move(turn, moves): return 0\ndef roll_again(turn): return 0\n", "taken"),
}


def test_broken_bots_are_named_with_their_reasons_and_harm_no_other(place: Path) -> None:
    for name, (text, _) in BROKEN.items():
        (place / "bots" / f"{name}.py").write_text(text)
    told = json.loads(arena("bots", "--json").stdout)
    reasons = {broken["name"]: broken["reason"] for broken in told["broken"]}
    assert set(reasons) == set(BROKEN)
    for name, (_, reason) in BROKEN.items():
        assert reason in reasons[name]
    assert "plain" in {bot["name"] for bot in told["bots"]}
    (place / "good.yaml").write_text("games: 2\nseed: 1\nbots: [cautious, plain]\n")
    arena("run", "good.yaml")
    (place / "bad.yaml").write_text(f"bots: [cautious, {', '.join(list(BROKEN)[:9])}]\n")
    complaints = arena("run", "bad.yaml", code=2).output.splitlines()
    assert len(complaints) == 9
    assert all(line.startswith("bad.yaml:1:") for line in complaints)


def test_a_bot_that_does_not_compile_is_named_with_cause_and_line(place: Path) -> None:
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
def test_a_run_that_is_killed_goes_on_to_the_same_bytes(place: Path) -> None:
    text = FOUR.format(players=2, games=3000)
    (place / "four.yaml").write_text(text)
    arena("run", "four.yaml", "--results", "calm")
    command = [*ARENA, "run", "four.yaml", "--workers", "2"]
    for sent in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT):
        with subprocess.Popen(command, stderr=subprocess.DEVNULL, env=os.environ) as process:
            time.sleep(2.5)
            process.send_signal(sent)
    arena("run", "four.yaml")
    assert files(place / "results" / "four") == files(place / "calm" / "four")


def test_a_second_run_in_the_same_folder_is_refused(four: Path) -> None:
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
    arena("run", "four.yaml", "--fresh")  # a lock file without a process is no lock


def test_a_damaged_ledger_is_named_with_the_way_out(four: Path) -> None:
    ledger = four / "ledger.sqlite"
    ledger.write_bytes(b"not a database" * 100)
    told = arena("run", "four.yaml", code=1).output
    assert "ledger.sqlite" in told
    assert "--fresh" in told
    arena("run", "four.yaml", "--fresh")


def test_help_imports_nothing_heavy() -> None:
    script = (
        "import sys\nfrom cantstop_arena.cli import main\n"
        "main(['--help'], standalone_mode=False)\n"
        "print([name for name in ('numba', 'numpy', 'yaml', 'sqlite3') if name in sys.modules])\n"
    )
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_odds_rules_bots_and_bench_answer(place: Path) -> None:
    assert "1192 of 1296 cases (91.98%)" in arena("odds", "--runners", "6,7,8").output
    assert "568 of 1296" in arena("odds", "--runners", "2,3,12").output
    arena("odds", "--runners", "6,7,8,9", code=2)
    arena("odds", "--runners", "13", code=2)
    assert "after-all-runners" in arena("rules", "korean").output
    assert "did you mean 'korean'" in arena("rules", "korea", code=2).output
    assert "plain" in arena("bots").output
    assert "plain" in arena("bench", "plain", "--seconds", "0.2").output


@pytest.mark.parametrize("method", [pytest.param("forkserver", marks=pytest.mark.slow), "spawn"])
def test_workers_can_be_started_in_other_ways(place: Path, method: str) -> None:
    (place / "four.yaml").write_text(FOUR.format(players=2, games=40))
    arena("run", "four.yaml", "--results", "calm")
    command = [*ARENA, "run", "four.yaml", "--start-method", method, "--memory", "3G"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert files(place / "results" / "four") == files(place / "calm" / "four")


def test_a_cache_that_cannot_be_written_is_named_with_the_way_out(place: Path) -> None:
    (place / "file").write_text("")
    environment = {**os.environ, "CANTSTOP_ARENA_CACHE": str(place / "file" / "cache")}
    done = subprocess.run(
        [*ARENA, "bench", "rule28"], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 1
    assert "set CANTSTOP_ARENA_CACHE" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_ledger_of_another_version_is_named_with_the_way_out(four: Path) -> None:
    with sqlite3.connect(four / "ledger.sqlite") as ledger:
        ledger.execute("UPDATE about SET value = '1' WHERE key = 'version'")
    told = arena("run", "four.yaml", code=1).output
    assert "another version" in told
    assert "--fresh" in told


@pytest.mark.parametrize("size", ["", "2Q", "-1G", "0"])
def test_a_size_that_is_none_is_refused(place: Path, size: str) -> None:
    (place / "four.yaml").write_text(FOUR.format(players=2, games=20))
    assert "is no size" in arena("run", "four.yaml", "--memory", size, code=2).output
