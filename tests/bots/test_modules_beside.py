"""Modules beside bots' files: in one process, two folders may have modules of the same name."""

import shutil
import sys
from itertools import product
from pathlib import Path

import pytest
from helpers.arena import Arena
from helpers.parameters import slow_but

from cantstop_arena.bots.bot_start import sandbox_problem
from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.bots.loader import Loader
from cantstop_arena.errors import BotError

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


HELPERS = {  # what the bot imports, and from which file
    "a module": ("from helper import NUMBER", "helper.py"),
    "a module under another name": ("import helper as h\nNUMBER = h.NUMBER", "helper.py"),
    "a module with _": ("from _helper import NUMBER", "_helper.py"),
    "a package": ("from tools.helper import NUMBER", "tools/helper.py"),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("helper", HELPERS)
def test_a_bot_imports_the_modules_beside_it(helper: str, kind: str) -> None:
    statement, file = HELPERS[helper]
    write(f"bots/{file}", "NUMBER = 3\n")
    write("bots/random.py", "raise ValueError('this is not the random of Python')\n")
    path = Path("bots/mine.py")
    write("bots/mine.py", f"import random\n{statement}\n{KINDS[kind].format(value='NUMBER')}")
    before = list(sys.path)
    bot = Catalogue(Path("bots")).load_file(path)
    assert bot.source
    assert bot.source.files_beside == (file,)
    assert Loader(Path("bots")).open(bot.address).name == "mine"
    assert sys.path == before


@pytest.mark.parametrize(
    ("statement", "hint"),
    [
        ("from .helper import x", "write: from MODULE import NAME, for MODULE.py beside mine.py"),
        ("from . import helper", "write: from MODULE import NAME, for MODULE.py beside mine.py"),
        ("from bots.helper import x", "write: from MODULE import NAME, for MODULE.py beside mine"),
    ],
)
def test_other_ways_to_import_a_module_beside_are_answered(statement: str, hint: str) -> None:
    write("bots/helper.py", "x = 1\n")
    write("bots/mine.py", f"{statement}\n{PLAIN.format(value=3)}")
    with pytest.raises(BotError, match=hint):
        Catalogue(Path("bots")).load_file(Path("bots/mine.py"))


def test_a_module_beside_a_folder_belongs_into_it() -> None:
    write("bots/helper.py", "x = 1\n")
    write("bots/mine/__init__.py", f"from helper import x\n{PLAIN.format(value='x')}")
    with pytest.raises(BotError, match=r"move .*helper.py into mine/, and write: from . import"):
        Catalogue(Path("bots")).load_file(Path("bots/mine/__init__.py"))


def test_a_helper_is_no_broken_bot() -> None:
    write("bots/helper.py", "x = 1\n")
    write("bots/nothing.py", "x = 1\n")
    write("bots/mine.py", f"from helper import x\n{PLAIN.format(value='x')}")
    _, broken = Catalogue(Path("bots")).everything()
    assert "nothing" in [each.name for each in broken]
    if sandbox_problem():  # else the list does not see it
        assert [each.name for each in broken] == ["nothing"]
