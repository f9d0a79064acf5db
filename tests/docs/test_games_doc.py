"""The page about games, word for word: its package is made, changed, checked and played."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest
from helpers.game_packages import describe_project, on_path
from helpers.paths import ROOT, TESTS

from cantstop_arena.testing import check_game

PAGE = ROOT / "docs" / "reference" / "game-api.md"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.M | re.S)
FILE = re.compile(r"`([\w./]+\.(?:py|yaml))`:?$")
LIMIT = 300.0  # seconds for a command


def steps() -> Iterator[tuple[str, str]]:
    """The commands of the page ("run" and a line), and the files to write (path and content)."""
    text = PAGE.read_text("utf-8")
    for block in BLOCK.finditer(text):
        if block[1] == "console":
            yield from (("run", line[2:]) for line in block[2].splitlines())
        elif name := FILE.search(text[: block.start()].rstrip()):
            yield name[1], block[2]


def run(command: str, folder: Path) -> str:
    """What a command prints. It must succeed."""
    python = [sys.executable, "-m"]
    words = command.split()
    program = ["cantstop_arena"] if words.pop(0) == "arena" else ["pytest", "-q", "tests"]
    done = subprocess.run(
        [*python, *program, *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(folder)])},
        input="y\nn\nq\n",
        capture_output=True,
        text=True,
        timeout=LIMIT,
    )
    assert done.returncode == 0, (command, done.stdout[-2000:], done.stderr[-2000:])
    return done.stdout + done.stderr


@pytest.mark.slow
def test_the_page_works_from_an_empty_folder(tmp_path: Path) -> None:
    printed = {}
    for name, content in steps():
        if name != "run":
            assert (tmp_path / name).exists() or name == "goals.yaml", name
            (tmp_path / name).write_text(content)
        elif content.startswith("pip "):
            describe_project(tmp_path, tmp_path / "pyproject.toml")
        else:
            printed[" ".join(content.split()[:3])] = run(content, tmp_path)
    assert "parity" in printed["arena match parity"]
    assert "no findings" in printed["arena games check"]
    assert "pig       Pig" in printed["arena games"]
    assert "in 6 games under 2 rule sets, in 2 to 4 seats" in printed["arena bots check"]
    assert "points per game" in printed["arena run pig.yaml"]
    assert "hold (gained" in printed["arena replay pig.yaml"]
    assert "You are A." in printed["arena play coin"]
    assert "1 passed" in printed["pytest"]


def test_pig_of_release_02_plays_on() -> None:
    with on_path(TESTS / "pig_game"):
        check_game(import_module("pig.game").PigGame(), seconds=0.3)
