"""The bots of `arena judge` are references as in all commands."""

import re
import shlex
from pathlib import Path

import pytest
from helpers.arena import Arena

BOLD = """def choose_move(turn, moves, last=False): return len(moves) - 1 if last else 0
def roll_again(turn): return False
"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.slow
def test_options_and_paths_are_judged_and_replayed(arena: Arena) -> None:
    words = ("rule28:threshold=30", "./bots/bold.py:last=true")
    command = ("judge", *words, "--rules", "3,1", "--deals", "5", "--worst", "1")
    text = arena(*command, bots={"bold": BOLD}).text
    assert re.search(r"^rule28:threshold=30 ", text, re.M)
    assert re.search(r"^bold:last=true ", text, re.M)
    replays = re.findall(r"^  \$ arena (replay .+)$", text, re.M)
    assert any("bold:last=true" in shlex.split(replay) for replay in replays)
    for replay in replays:
        arena(replay)


def test_a_program_is_refused(arena: Arena) -> None:
    error = arena("judge", "cat x", "--rules", "3,1", code=2).error
    assert error == "cat is a program; arena judge plays bots in Python only\n"


@pytest.mark.parametrize(("players", "unit"), [(2, "2 points"), (1, "0.02 turns")])
def test_the_size_of_large_mistakes_has_a_unit(arena: Arena, players: int, unit: str) -> None:
    command = f"judge rule28 --rules 3,1 --deals 5 --worst 0 --players {players}"
    header = arena(command).text.partition("\n---")[0]
    size, name = unit.split()
    assert re.search(rf"> {size}\b[^.]*\b{name}\b", header)
