"""`arena bots compile`: a plain bot's file with two marks more, if both play the same games."""

import re
from pathlib import Path

import numba
import pytest
from helpers.arena import Arena
from helpers.comparisons import compare_at_once

from cantstop_arena.check.compiled_version import compiled_text
from cantstop_arena.errors import BotError

DECISIONS = ("choose_move", "roll_again")
needs_compiler = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")

PLAIN = '''"""Words of its own.

More."""
from __future__ import annotations

from cantstop_arena import hookimpl

# Why it is so.
@hookimpl
def choose_move(turn, moves):
    return first(moves)

def roll_again(turn, steps=6): return turn.rolls < steps  # on one line

def first(moves):
    return 0
'''
COMPILED = '''"""Words of its own.

More."""
from __future__ import annotations

from cantstop_arena import compiled
from cantstop_arena import hookimpl

# Why it is so.
@hookimpl
@compiled
def choose_move(turn, moves):
    return first(moves)

@compiled
def roll_again(turn, steps=6): return turn.rolls < steps  # on one line

def first(moves):
    return 0
'''
OTHERWISE = """
import cantstop_arena
def choose_move(turn, moves):
    return 0
def roll_again(turn):
    return 2 ** 63 * turn.rolls < 2 ** 65
"""
UNFIT = """
class Mood: steps = 3
MOOD = Mood()
def choose_move(turn, moves):
    return 0
def roll_again(turn):
    return turn.rolls < MOOD.steps
"""


def test_the_text_is_the_same_with_marks_and_an_import() -> None:
    assert compiled_text(PLAIN.encode(), DECISIONS) == COMPILED
    bare = b"def choose_move(turn, moves):\n    return 0\ndef roll_again(turn):\n    return False"
    assert compiled_text(bare, DECISIONS).startswith(
        "from cantstop_arena import compiled\n\n\n@compiled\ndef choose_move"
    )


def test_functions_that_do_not_stand_in_the_file_cannot_be_marked() -> None:
    with pytest.raises(BotError, match="roll_again must be defined by def at the top"):
        compiled_text(b"def choose_move(turn, moves): ...\nroll_again = print\n", DECISIONS)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bots").mkdir()
    for name, text in {"mine": PLAIN, "otherwise": OTHERWISE, "unfit": UNFIT}.items():
        (tmp_path / "bots" / f"{name}.py").write_text(text)
    return tmp_path


@pytest.mark.slow
@needs_compiler
def test_a_bot_is_compiled_and_both_play(arena: Arena, here: Path) -> None:
    told = arena("bots", "compile", "mine")
    assert "is the compiled version of mine. Both play the same games (" in told.output
    assert re.search(r"; it is about [1-9]0* times as fast\.$", told.output.strip())
    mark, text = (here / "bots" / "mine_compiled.py").read_text().split("\n", 1)
    assert re.match(r"# Compiled from mine@[0-9a-f]{7} by `arena bots compile`", mark)
    assert text == COMPILED


@pytest.mark.slow
@needs_compiler
def test_a_compiled_copy_is_renewed_unless_it_was_edited(
    arena: Arena, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compare_at_once(monkeypatch, lambda: "itself" not in mine.read_text())
    mine, copy = here / "bots" / "mine.py", here / "bots" / "mine_compiled.py"
    arena("bots compile mine")
    assert "compiled from an earlier" not in arena("bots").output
    mine.write_text(PLAIN.replace("steps=6", "steps=7"))
    earlier = "mine_compiled was compiled from an earlier mine (mine@"
    for command in ("bots", "bots mine_compiled", "match mine_compiled rule28 --games 20"):
        done = arena(command)
        assert earlier in done.output
        assert "): arena bots compile mine\n" in done.output
    mine.write_text(PLAIN.replace("turn.rolls <", "itself(turn) <"))
    before = copy.read_text()
    arena("bots compile mine", code=2)
    assert copy.read_text() == before
    mine.write_text(PLAIN.replace("steps=6", "steps=7"))
    arena("bots compile mine")
    assert "steps=7" in copy.read_text()
    assert earlier not in arena("bots").output
    copy.write_text(f"{copy.read_text()}# mine\n")
    assert (
        "mine_compiled.py has been edited; it was not" in arena("bots compile mine", code=2).error
    )
    copy.write_text("precious")
    assert "wrote; it was not changed" in arena("bots compile mine", code=2).error
    assert copy.read_text() == "precious"


def listed(arena: Arena, name: str) -> str:
    """The line of a bot in the list of all."""
    lines = arena("bots", code=None).output.splitlines()
    return next(line for line in lines if line.startswith(f"{name} "))


@needs_compiler
@pytest.mark.slow
def test_what_compiling_would_bring_is_said_and_remembered(arena: Arena, here: Path) -> None:
    (here / "bots" / "otherwise.py").unlink()
    mine = here / "bots" / "mine.py"
    mine.write_text(f"{mine.read_text()}# {here}\n")  # what is known goes by the content
    assert "as fast compiled" not in listed(arena, "mine")
    benched = arena("bench", "mine", "unfit", "--seconds", "0.1", code=None).output
    assert "times as fast compiled: arena bots compile mine" in benched
    assert "unfit:" not in benched
    assert "python (" in listed(arena, "mine")
    assert "times as fast compiled" in arena("bots", "check", "bots/mine.py", code=None).output


@needs_compiler
@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("otherwise", "plays differently when compiled: "),
        ("unfit", "unfit does not compile: "),
        ("rule28", "rule28 is compiled already"),
        ("optimal", "optimal has no file of its own"),
    ],
)
@pytest.mark.slow
def test_what_cannot_be_compiled_leaves_nothing_behind(
    arena: Arena, here: Path, name: str, told: str
) -> None:
    result = arena("bots", "compile", name, code=None)
    assert result.code != 0
    assert told in result.output
    assert result.output.count("\n") == 1
    assert not list((here / "bots").glob("*_compiled.py"))
