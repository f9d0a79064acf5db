"""The pages from nothing: their console blocks, in order, with an empty HOME and an empty cache.

The folder is empty but for what a clone has: bots/ and tournaments/. Files that a page shows are
written where it says so, by their names in backticks in the paragraph before. A page that needs
what README has made says so by a link to it: README is read before, until its bot has played. CI
runs README's.
"""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.paths import ROOT

README = ROOT / "README.md"
PAGES = [README, *sorted((ROOT / "docs").rglob("*.md"))]
ELSEWHERE = ("make test", "python -m pip", "pip ", "dask ", "helm ", "kubectl ")
"""Commands that need a network, other machines or the whole clone."""
OTHER_MACHINES = ("tcp://",)
BOT_PLAYED = "arena run mine.yaml"  # in README: what follows is not needed by other pages
GAMES_PACKAGE = {"game-api.md"}  # its package is installed, and its blocks run, by test_games_doc
LIMIT = 600.0  # seconds for a command
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
FILE = re.compile(r"`([\w./-]+\.(?:py|yaml))`")


def steps(page: Path) -> Iterator[tuple[str, str]]:
    """The commands of a page ("run" and a line), and the files to write before (path, content)."""
    text = page.read_text("utf-8")
    for block in BLOCK.finditer(text):
        kind, content = block[1], block[2]
        if kind == "console":
            for line in content.splitlines():
                if line.startswith("$ "):
                    yield "run", line[2:]
        elif kind in ("python", "yaml"):
            paragraph = text[: block.start()].rstrip().rpartition("\n\n")[2]
            if names := FILE.findall(paragraph):
                yield names[-1], content


def runnable(command: str) -> str:
    """The command as it can be run in a test; empty where it needs more than this machine."""
    if command.startswith("make run"):
        return "arena run tournaments/quickstart.yaml"
    left_out = command.startswith(ELSEWHERE) or any(word in command for word in OTHER_MACHINES)
    return "" if left_out else command


def tracked(*folders: str) -> list[str]:
    """The files of a fresh clone in some folders, without what their user has put beside them."""
    command = ["git", "ls-files", "-z", *folders]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return listed.stdout.rstrip("\0").split("\0")


class Reader:
    """Somebody who types what pages say, with nothing from before."""

    def __init__(self, place: Path) -> None:
        self.folder, home = place / "folder", place / "home"
        home.mkdir()
        for name in tracked("bots", "tournaments"):
            self.write(name, (ROOT / name).read_bytes())
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        self.environment = {"HOME": str(home), "PATH": path, "LANG": "C.UTF-8"}
        self.environment["PYTHONPATH"] = str(ROOT)  # this clone, whichever one is installed

    def read(self, page: Path, until: str = "") -> None:
        """Write the files of a page and run its commands: all, or until one has been run."""
        for name, content in steps(page):
            if name != "run":
                self.write(name, content.encode())
            elif command := runnable(content):
                self.edit_bots(command)
                self.run(command)
                if command == until:
                    return

    def write(self, name: str, content: bytes) -> None:
        """Write a file that a clone has or a page shows."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)

    def edit_bots(self, command: str) -> None:
        """Edit the bots that a command compares with their previous versions."""
        for bot in re.findall(r"(\w+)@previous", command):
            with (self.folder / "bots" / f"{bot}.py").open("a") as file:
                file.write("\n# edited\n")

    def run(self, command: str) -> None:
        """Run a command, which must succeed; a game with people is left at its first question."""
        done = subprocess.run(
            command,
            shell=True,
            cwd=self.folder,
            env=self.environment,
            input="q\n",
            capture_output=True,
            text=True,
            timeout=LIMIT,
        )
        assert done.returncode == 0, (command, done.stdout[-2000:], done.stderr[-2000:])
        assert "Traceback" not in done.stderr, (command, done.stderr)


@pytest.mark.cold
@pytest.mark.long
@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_commands_of_a_page_run_from_nothing(page: Path, tmp_path: Path) -> None:
    if page.name in GAMES_PACKAGE:
        pytest.skip("test_games_doc installs its package, and runs its commands")
    if not any(name == "run" and runnable(content) for name, content in steps(page)):
        pytest.skip("the page has no commands")
    reader = Reader(tmp_path)
    if "](../README.md" in page.read_text("utf-8"):
        reader.read(README, until=BOT_PLAYED)
    reader.read(page)
