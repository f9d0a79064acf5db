"""Whole runs in which workers and programs take seven seconds to start: nobody loses by it."""

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest

from cantstop_arena.bots.versions import HISTORY
from cantstop_arena.tournaments.pool.worker import start_methods

pytestmark = pytest.mark.slow

ARENA = [sys.executable, "-c", "from cantstop_arena.cli import main; main()"]
SECONDS = 7  # longer than a worker may stand still while no bot decides
SPAWNED = "cantstop_arena.tournaments.pool.worker_interpreter"  # in the command of a spawned worker

SLOW_PYTHON = f"""
import sys, time
if any({SPAWNED!r} in part for part in sys.orig_argv):
    time.sleep({SECONDS})
"""
PLAIN = """
def choose_move(turn, moves):
    return 0
def roll_again(turn):
    return turn.rolls < 4
"""
PROGRAM = f"""
import json, sys, time
for line in sys.stdin:
    told = json.loads(line)
    if told["type"] == "hello":
        time.sleep({SECONDS})
        print('{{"type":"ready"}}', flush=True)
    elif told["type"] == "choose_move":
        print('{{"move":0}}', flush=True)
    elif told["type"] == "roll_again":
        print('{{"roll":false}}', flush=True)
"""


def results(place: Path, method: str) -> dict[str, bytes]:
    """The files of a run whose workers are started like this."""
    command = ["run", "t.yaml", "--workers", "2", "--start-method", method, "--results", method]
    surroundings = {**os.environ, "PYTHONPATH": str(place / "slow")}
    ended = subprocess.run([*ARENA, *command], cwd=place, env=surroundings, capture_output=True)
    assert ended.returncode == 0, ended.stderr.decode()
    paths = (path for path in (place / method).rglob("*") if path.is_file())
    files = (path for path in paths if path.name != HISTORY)
    return {str(path.relative_to(place / method)): path.read_bytes() for path in files}


def test_a_slow_start_changes_nothing(tmp_path: Path) -> None:
    for name, text in (
        ("slow/sitecustomize.py", SLOW_PYTHON),
        ("bots/patient.py", PLAIN),
        ("program.py", PROGRAM),
        (
            "t.yaml",
            "seed: 3\ngames: 4\ndecision_limit: 30\n"
            f"bots: [patient, {{command: [{sys.executable}, program.py], as: p}}]",
        ),
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    with ThreadPoolExecutor() as pool:  # all of them wait at once
        first, *others = pool.map(partial(results, tmp_path), start_methods())
    assert "faults" not in json.loads(first["t/summary.json"])
    assert all(other == first for other in others)
