"""The page about training: all that it has a reader do works, at reduced length."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.paths import ROOT

pytest.importorskip("gymnasium", reason="needs pip install -e '.[gymnasium]'")
pytest.importorskip("onnxruntime", reason="needs pip install -e '.[onnx]'")

PAGE = ROOT / "docs" / "how-to" / "train-a-net.md"
BLOCK = re.compile(r'^```(\w+)(?: title="(.+?)")?\n(.*?)^```$', re.M | re.S)
SHORTER = [
    ("--updates 60 --every 20", "--updates 2 --games 40 --envs 32"),
    ("--games 2000", "--games 20"),
    ("--games 200\n", "--games 4\n"),
    ("games: 200", "games: 4"),
]


@pytest.mark.slow
def test_every_block_of_the_page_works(tmp_path: Path) -> None:
    text = PAGE.read_text("utf-8")
    for long, short in SHORTER:
        assert long in text
        text = text.replace(long, short)
    paths = [str(Path(sys.executable).parent), os.environ["PATH"]]
    environment = {**os.environ, "PATH": os.pathsep.join(paths), "PYTHONPATH": str(ROOT)}
    for kind, title, content in BLOCK.findall(text):
        if title:
            (tmp_path / title).write_text(content, "utf-8")
        elif kind == "python":
            (tmp_path / "page.py").write_text(content, "utf-8")
            typed(tmp_path, environment, "python page.py", "")
        elif kind == "console":
            for part in re.split(r"^\$ ", content, flags=re.M)[1:]:
                command, _, expected = part.partition("\n")
                typed(tmp_path, environment, command, expected)


def typed(folder: Path, environment: dict[str, str], command: str, expected: str) -> None:
    """Run a command of the page; lines without `...` must be in what it prints."""
    ended = subprocess.run(
        ["bash", "-ec", command],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    code = re.search(r"# exit code (\d)$", command)
    assert ended.returncode == int(code[1] if code else 0), ended.stdout
    assert "Traceback" not in ended.stdout
    for line in expected.splitlines():
        assert line.partition("...")[0] in ended.stdout, ended.stdout


def test_the_curve_is_that_of_the_shipped_net() -> None:
    """The table has the last point of the training that the bot's module names."""
    from cantstop_arena.games.cantstop.bots import policy_net

    rows = re.findall(r"^\| +([\d,]+) \|", PAGE.read_text("utf-8"), re.M)
    updates = re.search(r"--updates (\d+)", policy_net.__doc__ or "")
    assert updates and rows and rows[-1] == updates[1]
