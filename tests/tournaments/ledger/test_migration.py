"""Ledgers of release 0.2 are read as they are, and taken over by the first run.

tests/data/ledgers has two that 0.2.0 has written, of the files below.
"""

import gzip
import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from helpers.arena import Arena
from helpers.edits import contents
from helpers.parameters import slow_but
from helpers.paths import ROOT

PLAIN = """
import random
def choose_move(turn, moves, last=True):
    return len(moves) - 1 if last else 0
def roll_again(turn):
    return random.random() < 0.6
"""
FAULTY = """
def choose_move(turn, moves):
    if turn.number > 8:
        raise ValueError("no more")
    return 0
def roll_again(turn):
    return turn.rolls < 2
"""
DUO = "games: 40\nseed: 1\nluck_removed: true\nbots: [rule28, plain, cautious]\n"
TRIO = """
games: 60
players: 3
seed: 1
max_faults: 1000
bots: [rule28, cautious, plain, faulty]
"""
FAULTS = ("faults.csv", "summary.json", "standings.csv", "standings.md")
"""Files with the first fault of a bot: in 0.2, that in another seating of the same deal."""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the results of 0.2."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("cantstop_arena.processes.system._DISPLAY", (f"{tmp_path}{os.sep}", ""))
    Path("bots").mkdir()
    Path("bots/plain.py").write_text(PLAIN.lstrip())
    Path("bots/faulty.py").write_text(FAULTY)
    for name, text in (("duo", DUO), ("trio", TRIO)):
        Path(f"{name}.yaml").write_text(text)
        folder = Path("results", name)
        folder.mkdir(parents=True)
        packed = (ROOT / "tests/data/ledgers" / f"{name}.sqlite.gz").read_bytes()
        (folder / "ledger.sqlite").write_bytes(gzip.decompress(packed))
    return tmp_path


@pytest.mark.parametrize("name", slow_but([], ["duo", "trio"]))
def test_the_first_run_takes_all_games_over(arena: Arena, place: Path, name: str) -> None:
    old = Path("results", name, "ledger.sqlite").read_bytes()
    first = arena(f"run {name}.yaml")
    assert "nothing to play" in first.text and "Since the last run" not in first.error
    assert Path("results", name, "ledger.0.2.sqlite").read_bytes() == old
    with closing(sqlite3.connect(Path("results", name, "ledger.sqlite"))) as ledger:
        assert ledger.execute("SELECT value FROM about WHERE key = 'version'").fetchone() == ("6",)
    arena(f"run {name}.yaml --results fresh")
    taken, fresh = contents(Path("results", name)), contents(Path("fresh", name))
    assert taken.keys() == fresh.keys()
    different = {file for file in taken if taken[file] != fresh[file]}
    assert different <= {*FAULTS} if name == "trio" else not different
    assert "nothing to play" in arena(f"run {name}.yaml").text


@pytest.mark.slow
def test_what_only_reads_leaves_them_as_they_are(arena: Arena, place: Path) -> None:
    before = {path: path.read_bytes() for path in place.rglob("*") if path.is_file()}
    read = arena("rate results/duo").text
    assert before == {path: path.read_bytes() for path in place.rglob("*") if path.is_file()}
    arena("run duo.yaml --quiet")
    assert arena("rate results/duo").text == read


def test_a_damaged_one_is_named_and_stays(arena: Arena, place: Path) -> None:
    path = Path("results/duo/ledger.sqlite")
    with closing(sqlite3.connect(path)) as ledger, ledger:
        ledger.execute("UPDATE blocks SET deals = deals + 1")
    for command in ("rate results/duo", "run duo.yaml"):
        assert "results/duo/ledger.sqlite" in arena(command, code=1).error
    assert [each.name for each in path.parent.glob("*.sqlite*")] == ["ledger.sqlite"]


@pytest.mark.slow
def test_a_fresh_start_sets_them_aside(arena: Arena, place: Path) -> None:
    old = Path("results/duo/ledger.sqlite").read_bytes()
    assert "playing 3 pairings" in arena("run duo.yaml --fresh").text
    assert Path("results/duo/ledger.old.sqlite").read_bytes() == old


@pytest.mark.slow
def test_that_of_a_newer_arena_is_refused(arena: Arena, place: Path) -> None:
    arena("run duo.yaml --quiet")
    with closing(sqlite3.connect("results/duo/ledger.sqlite")) as ledger, ledger:
        ledger.execute("UPDATE about SET value = '7' WHERE key = 'version'")
    for command in ("rate results/duo", "run duo.yaml"):
        newer = "written by a newer arena (ledger 7); use that one, or start over with --fresh"
        assert newer in arena(command, code=1).error
