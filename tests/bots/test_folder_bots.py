"""A bot that is a folder: its helper modules and data files are all part of its version."""

import shutil
from pathlib import Path

import pytest
from helpers.arena import Arena
from helpers.comparisons import compare_at_once

from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.errors import BotError

OWN = '''"""Rolls as often as a file says."""

import json

from cantstop_arena import read_beside

from . import helper
from .deep.rolls import enough

LIMIT = json.loads(read_beside(__file__, "net.json"))


def choose_move(turn, moves):
    return helper.move(moves)


def roll_again(turn, extra=0):
    return not enough(turn, LIMIT + extra)
'''
FILES = {
    "__init__.py": OWN,
    "helper.py": "def move(moves):\n    return 0\n",
    "deep/rolls.py": "def enough(turn, limit):\n    return turn.rolls >= limit\n",
    "net.json": "3",
}
READ = 'json.loads(read_beside(__file__, "net.json"))'
SEEDED = "games: 20\nseed: 1\nbots: {}\n"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write("bots/mybot", FILES)
    return tmp_path


def write(folder: str, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = Path(folder, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def digest(path: str = "bots/mybot/__init__.py") -> str:
    return Catalogue(Path("bots")).load_file(Path(path)).digest


@pytest.mark.slow
def test_it_is_named_after_the_folder_and_found_by_name_and_path(arena: Arena) -> None:
    assert "mybot  " in arena("bots").text
    write("elsewhere/mybot", FILES)
    for reference in ("mybot", "./bots/mybot", "bots/mybot/__init__.py"):
        assert "/bots/mybot\n" in arena(f"bots {reference}").text
    text = arena("match elsewhere/mybot:extra=1 rule28 --games 4 --seed 1 --quiet").text
    assert "mybot" in text
    assert "against rule28: 4 games" in text


@pytest.mark.slow
def test_every_file_counts_but_hidden_ones_and_bytecode() -> None:
    before = digest()
    write("bots/mybot", {".notes": "x", ".git/x": "x", "__pycache__/x.pyc": "x"})
    assert digest() == before
    for name in ("net.json", "deep/rolls.py", "unused.txt"):
        write("bots/mybot", {name: FILES.get(name, "") + "\n"})
        assert digest() != before
        before = digest()


@pytest.mark.slow
def test_helpers_of_two_bots_with_the_same_names_do_not_collide(arena: Arena) -> None:
    write("bots/last", {**FILES, "helper.py": "def move(moves):\n    return len(moves) - 1\n"})
    single = OWN.replace("helper.move(moves)", "len(moves) - 1").replace("from . import helper", "")
    single = single.replace("from .deep.rolls import enough", FILES["deep/rolls.py"])
    single = single.replace(READ, "3")
    yaml = SEEDED.format("[mybot, last]")
    arena("run both.yaml --quiet", yaml=yaml)
    shutil.rmtree("bots/last")
    Path("bots/last.py").write_text(single)
    arena("run two.yaml --quiet", yaml=yaml)
    tables = [Path(f"results/{name}/standings.csv").read_text() for name in ("both", "two")]
    assert tables[0] == tables[1]


@pytest.mark.slow
def test_the_state_of_helpers_does_not_survive_a_game(arena: Arena) -> None:
    state = "CALLS = []\ndef move(moves):\n    CALLS.append(1)\n    return len(CALLS) % 2\n"
    write("bots/mybot", {"helper.py": state})
    assert "WRONG" not in arena("bots check ./bots/mybot").text


@pytest.mark.slow
def test_isolated_it_plays_the_same_games(arena: Arena) -> None:
    arena("run here.yaml --quiet", yaml=SEEDED.format("[./bots/mybot, rule28]"))
    apart = SEEDED.format("[{bot: ./bots/mybot, isolate: processes}, rule28]")
    arena("run apart.yaml --quiet", yaml=apart)
    tables = [Path(f"results/{name}/standings.csv").read_text() for name in ("here", "apart")]
    assert tables[0] == tables[1]


@pytest.mark.slow
def test_after_an_edit_of_a_helper_the_stored_copy_plays(arena: Arena) -> None:
    yaml = SEEDED.format("[mybot, rule28]")
    arena("run mine.yaml --quiet", yaml=yaml)
    before = digest()
    write("bots/mybot", {"helper.py": "def move(moves):\n    return 1\n"})
    text = arena("run mine.yaml").output
    assert f"mybot has changed (1 line; before: mybot@{before[:7]})." in text
    assert "arena match mybot mybot@previous --sprt 0 5" in text
    assert f"mybot@{before[:7]}" in arena("match mybot mybot@previous --games 4 --quiet").text
    shutil.rmtree("bots/mybot")
    Path("bots/mybot.py").write_text("def choose_move(turn, moves): return 0\n")
    assert Catalogue(Path("bots")).version(Path("bots/mybot.py"), before[:7]).digest == before


@pytest.mark.slow
def test_compiled_it_is_a_folder_with_the_same_files(arena: Arena) -> None:
    write("bots/mybot", {"__init__.py": OWN.replace(READ, "3")})
    assert "bots/mybot_compiled is the compiled version" in arena("bots compile mybot").text
    assert Path("bots/mybot_compiled/net.json").read_text() == "3"
    assert Path("bots/mybot_compiled/__init__.py").read_text().startswith("# Compiled from mybot@")
    assert "compiled from an earlier" not in arena("bots").text


@pytest.mark.slow
def test_a_compiled_folder_is_renewed_unless_it_was_edited(
    arena: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    rolls = Path("bots/mybot/deep/rolls.py")
    compare_at_once(monkeypatch, lambda: "itself" not in rolls.read_text())
    write("bots/mybot", {"__init__.py": OWN.replace(READ, "3")})
    arena("bots compile mybot")
    copy = Path("bots/mybot_compiled")
    write("bots/mybot", {"helper.py": "def move(moves):\n    return len(moves) - 1\n"})
    Path("bots/mybot/net.json").unlink()
    earlier = "mybot_compiled was compiled from an earlier mybot (mybot@"
    for command in ("bots", "bots mybot_compiled", "match mybot_compiled rule28 --games 4"):
        assert earlier in arena(command).output
    before = texts(copy)
    write("bots/mybot", {"deep/rolls.py": "def enough(turn, limit):\n    return itself(turn)\n"})
    arena("bots compile mybot", code=2)
    assert texts(copy) == before
    write("bots/mybot", {"deep/rolls.py": FILES["deep/rolls.py"]})
    arena("bots compile mybot")
    assert earlier not in arena("bots").output
    assert texts(copy).keys() == texts(Path("bots/mybot")).keys()
    write("bots/mybot_compiled", {"helper.py": "# mine"})
    error = arena("bots compile mybot", code=2).error
    assert "mybot_compiled has been edited; it was not changed" in error
    shutil.rmtree(copy)
    write("bots", {"mybot_compiled.py": "precious"})
    assert "mybot_compiled.py is no file that" in arena("bots compile mybot", code=2).error
    assert not copy.exists()


@pytest.mark.slow
def test_helpers_compile_with_generator_expressions(arena: Arena) -> None:
    best = "max(range(len(moves)), key=lambda move: sum(column for column in moves[move]))"
    helper = f"def move(moves):\n    return {best}\n"
    write("bots/mybot", {"__init__.py": OWN.replace(READ, "3"), "helper.py": helper})
    assert "Both play the same games" in arena("bots compile mybot").text


@pytest.mark.slow
def test_what_does_not_compile_leaves_no_folder(arena: Arena) -> None:
    write("bots/mybot", {"deep/rolls.py": "def enough(turn, limit):\n    return itself(turn)\n"})
    arena("bots compile mybot", code=2)
    assert not Path("bots/mybot_compiled").exists()


def texts(folder: Path) -> dict[str, str]:
    files = (file for file in folder.rglob("*") if file.is_file())
    return {str(file.relative_to(folder)): file.read_text() for file in files}


def test_an_absolute_import_is_told_how_to_be_relative(arena: Arena) -> None:
    write("bots/mybot", {"__init__.py": OWN.replace("from . import helper", "import helper")})
    assert "write: from . import helper" in arena("match mybot rule28", code=2).output


def test_a_file_and_a_folder_of_one_name_are_refused(arena: Arena) -> None:
    Path("bots/mybot.py").write_text(OWN)
    assert "both bots/mybot.py and bots/mybot/__init__.py" in arena("bots mybot", code=2).output


def test_a_folder_with_too_many_files_is_named() -> None:
    write("bots/mybot", {f"{number}.txt": "" for number in range(300)})
    with pytest.raises(BotError, match="bots/mybot cannot be read: it has more than 201 files"):
        digest()


def test_a_folder_without_its_file_is_no_bot(arena: Arena) -> None:
    Path("bots/mybot/__init__.py").unlink()
    output = arena("match ./bots/mybot rule28", code=2).output
    assert "there is no file bots/mybot/__init__.py, so this folder is no bot" in output
