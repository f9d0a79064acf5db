"""Files beside a tournament or a bot that are called like modules of Python or of the arena."""

import subprocess
import sys
from pathlib import Path

import pytest
from helpers.parameters import slow_but

NAMES = (
    *("abc", "dill", "json", "multiprocess", "multiprocessing", "random", "signal", "string"),
    "typing",
    *("cantstop_arena", "click", "dask", "distributed", "msgspec", "numba", "numpy", "yaml"),
    *("conftest", "sitecustomize", "usercustomize"),
)
# As the installed script does: the current folder is not on the path.
SCRIPT = (
    *(sys.executable, "-c"),
    "import sys; del sys.path[0]; from cantstop_arena.cli import main; main()",
)
HONEST = """
import json, random, string
def choose_move(turn, moves):
    return 0
def roll_again(turn):
    return turn.rolls < 3
"""
CUP = """
games: 2
seed: 5
bots: [odds, honest, {bot: honest, as: apart, isolate: processes}]
"""
COMMANDS = [
    "run cup.yaml --quiet",
    "run cup.yaml --quiet --start-method spawn",
    "run cup.yaml --quiet --isolate",
    "run cup.yaml --quiet --cluster local:1",
    "bots honest",
    "bots check honest",
    "match honest odds --games 2 --quiet --start-method spawn",
    "replay cup.yaml honest odds --deal 0",
]


@pytest.mark.slow
@pytest.mark.usefixtures("sandbox")
@pytest.mark.parametrize("command", slow_but((0,), COMMANDS))
def test_nobody_takes_them_for_the_modules(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.chdir(tmp_path)
    mark = tmp_path / "mark"
    text = f"open({str(mark)!r}, 'a').write(__file__)\n"
    files = {f"{folder}{name}.py": text for name in NAMES for folder in ("", "bots/")}
    files |= {"bots/startup.pth": f"import os; {text}", "startup.pth": f"import os; {text}"}
    files["cup.yaml"] = CUP
    files["bots/honest.py"] = HONEST
    for name, content in files.items():
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(content)
    done = subprocess.run([*SCRIPT, *command.split()], capture_output=True, text=True)
    assert (done.returncode, mark.exists()) == (0, False), done.stderr
