"""Modules beside bots' files: in one process, two folders may have modules of the same name."""

import shutil
from itertools import product
from pathlib import Path

import pytest
from helpers.arena import Arena
from helpers.parameters import slow_but

from cantstop_arena.bots.catalogue import Catalogue

FIRST = "import os, sys\nsys.path.insert(0, os.path.dirname(__file__))\n"
PLAIN = """
def choose_move(turn, moves):
    return 0
def roll_again(turn):
    return turn.rolls < {value}
"""
COMPILED = """
from cantstop_arena import compiled
LIMIT = {value}
@compiled
def choose_move(turn, moves):
    return 0
@compiled
def roll_again(turn):
    return turn.rolls < LIMIT
"""
KINDS = {"plain": PLAIN, "learner": f"learns = True\n{PLAIN}", "compiled": COMPILED}
IMPORTS = {  # statement and file of the module, and its value in the bot
    "a module": ("import _beside", "_beside.py", "_beside.NUMBER"),
    "a name of it": ("from _beside import NUMBER", "_beside.py", "NUMBER"),
    "a package": ("import parts.deep", "parts/deep.py", "parts.deep.NUMBER"),
    "a module of a package": ("from parts import deep", "parts/deep.py", "deep.NUMBER"),
}
NUMBERS = {"bots": 1, "more": 4}
YAML = "games: 10\nseed: 1\nbots: [bots/low.py, more/high.py, cautious]\n"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(path: str, text: str) -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(text)


def write_bots(kind: str, imports: str) -> None:
    statement, file, value = IMPORTS[imports]
    for folder, name in (("bots", "low"), ("more", "high")):
        write(f"{folder}/{file}", f"NUMBER = {NUMBERS[folder]}\n")
        write(f"{folder}/{name}.py", f"{FIRST}{statement}\n{KINDS[kind].format(value=value)}")


def played(arena: Arena, *words: str) -> str:
    arena("run", "cup.yaml", "--quiet", "--fresh", *words, yaml=YAML)
    return Path("results/cup/standings.csv").read_text()


def played_without_modules(arena: Arena, kind: str) -> str:
    for folder, name in (("bots", "low"), ("more", "high")):
        shutil.rmtree(folder)
        write(f"{folder}/{name}.py", KINDS[kind].format(value=NUMBERS[folder]))
    return played(arena)


@pytest.mark.parametrize(("kind", "imports"), slow_but([5], product(KINDS, IMPORTS)))
def test_each_bot_plays_with_the_module_of_its_own_folder(
    arena: Arena, kind: str, imports: str
) -> None:
    write_bots(kind, imports)
    tables = [played(arena, "--workers", count) for count in ("1", "2")]
    assert [*tables, played_without_modules(arena, kind)] == [tables[0]] * 3


@pytest.mark.slow
def test_workers_that_are_spawned_play_so_too(arena: Arena) -> None:
    write_bots("plain", "a module")
    spawned = played(arena, "--workers", "2", "--start-method", "spawn")
    assert spawned == played_without_modules(arena, "plain")


@pytest.mark.parametrize("imports", slow_but([0, 2], IMPORTS))
def test_the_module_is_a_part_of_the_version(imports: str) -> None:
    def digests() -> list[str]:
        paths = (Path("bots/low.py"), Path("more/high.py"))
        return [Catalogue(path.parent).load_file(path).digest for path in paths]

    write_bots("plain", imports)
    low, high = digests()
    write(f"bots/{IMPORTS[imports][1]}", "NUMBER = 2\n")
    edited, same = digests()
    assert same == high
    assert edited != low
