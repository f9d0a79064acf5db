"""Somebody who types what a page of the documentation says, in an empty folder.

| block | what the reader does |
|---|---|
| with a `title="bots/x.py"` | writes the file |
| `diff` with a title | replaces the lines with - by those with + in that file |
| `console` | types each `$ command`; what follows it is what it must print |
| `python` without a title | runs all of the page's as one script, after its other blocks |
| of other kinds | reads on |

In the expected output a line `...` stands for any lines, and `...` within a line for any
characters. Where nothing is expected, only the exit code counts; it is 0 unless the command ends
in `# exit code N`. `VARIES` has all that may differ from machine to machine.
"""

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path

from helpers.documents import PageBlock, page_blocks
from helpers.game_packages import describe_project, install_example
from helpers.paths import ROOT
from helpers.time_limit import TIME_LIMIT

VARIES = [
    (r"\b(about )?[\d,.]+ times as fast", "N times as fast"),
    (r"\b[\d,.]+ (games|decisions) a second", r"N \1 a second"),
    (r"\bin [\d.e-]+ ms\b", "in N ms"),
    (r"\babout [\d.,]+ (s|ms|seconds|minutes)\b", r"about N \1"),
    (r"(?m)^Compiling .* \(only the first time\) \.\.\.\n\n?", ""),
    (r"\d+ of [\d,]+ (decisions|rolls) a game", r"N \1 a game"),
    (r"(?m)^[\w-]+: [\d,]+( of [\d,]+)? \w+(, .*)? left$", ""),  # progress of slow machines
    (r"(?m)[ \t]+$", ""),
    (r"\n{2,}", "\n"),
]
INSTALL = "pip install -e ."
"""It needs a network: the reader has the package installed without one."""


def comparable(text: str) -> str:
    """What is printed, without what may differ."""
    for pattern, replacement in VARIES:
        text = re.sub(pattern, replacement, text)
    return text.strip("\n")


def fits(expected: str, printed: str) -> bool:
    """Whether a command has printed what its page says."""
    pattern = ""
    for line in comparable(expected).split("\n"):
        if line.strip() == "...":
            pattern += r"(?:.*\n)*"
        else:
            pattern += r".*?".join(map(re.escape, line.split("..."))) + r"\n"
    return re.fullmatch(pattern, comparable(printed) + "\n") is not None


def commands(block: str) -> Iterator[tuple[str, str]]:
    """The commands of a console block, each with the output that the page shows."""
    before, *parts = re.split(r"^\$ ", block, flags=re.MULTILINE)
    assert not before.strip(), f"a console block begins with a command:\n{block}"
    for part in parts:
        command, _, expected = part.partition("\n")
        while command.endswith("\\"):
            more, _, expected = expected.partition("\n")
            command += "\n" + more
        yield command, expected


class Reader:
    """A folder and a HOME, empty at first, and what was found wrong in the pages read there."""

    def __init__(self, place: Path, *, cold: bool = False) -> None:
        self.folder, home = place / "folder", place / "home"
        self.folder.mkdir()
        home.mkdir()
        kept = {} if cold else {"CANTSTOP_ARENA_CACHE": os.environ["CANTSTOP_ARENA_CACHE"]}
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        self.environment = {"HOME": str(home), "PATH": path, "LANG": "C.UTF-8", "COLUMNS": "100"}
        self.environment |= {"PYTHONPATH": str(ROOT), **kept}  # this clone, whichever is installed
        self.wrong: list[str] = []

    def read(self, page: Path, shorter: Sequence[tuple[str, str]] = ()) -> str:
        """Do what a page says; return its text with what its commands have printed.

        In its blocks, the first of each pair of `shorter` is replaced by the second.
        """
        text = page.read_text("utf-8")
        script = ""
        for block in page_blocks(page):
            for long, short in shorter:
                block = block._replace(text=block.text.replace(long, short))
            if block.kind == "diff":
                self.edit(block)
            elif block.title:
                self.write(block)
            elif block.kind == "python":
                script += block.text + "\n"
            elif block.kind == "console":
                for command, expected in commands(block.text):
                    text = self.type(command, expected, text)
        if script and self.has_packages(script):
            self.write(PageBlock("python", "page.py", script))
            self.type("python page.py", "", "")
        return text

    def install_example(self, name: str) -> None:
        """Install a package of the repository's examples."""
        install_example(self.folder, name)
        self.find_packages()

    def find_packages(self) -> None:
        """Let what is typed find the packages in the folder."""
        self.environment["PYTHONPATH"] += os.pathsep + str(self.folder)

    def write(self, block: PageBlock) -> None:
        """Write a file."""
        path = self.folder / block.title
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block.text, "utf-8")

    def edit(self, block: PageBlock) -> None:
        """Replace lines of a file."""
        path = self.folder / block.title
        text = path.read_text("utf-8")
        old, new = (
            "".join(line[1:] + "\n" for line in block.text.splitlines() if line[0] == sign)
            for sign in "-+"
        )
        if text.count(old) != 1:
            self.wrong.append(f"{block.title} has {text.count(old)} times:\n{old}")
        path.write_text(text.replace(old, new), "utf-8")

    def type(self, command: str, expected: str, page: str) -> str:
        """Run a command, and return the page with what it printed."""
        if command.startswith(INSTALL):
            describe_project(self.folder, self.folder / "pyproject.toml")
            self.find_packages()
            return page
        found = re.search(r"# exit code (\d+)$", command)
        code = int(found[1]) if found else 0
        done = subprocess.run(
            ["bash", "-ec", command],
            cwd=self.folder,
            env=self.environment,
            input="q\n",  # a game with people is left at its first question
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=TIME_LIMIT,
        )
        printed = done.stdout
        if done.returncode != code or "Traceback" in printed:
            self.wrong.append(f"$ {command}\nexit code {done.returncode}, not {code}:\n{printed}")
        elif expected.strip() and not fits(expected, printed):
            self.wrong.append(f"$ {command}\nEXPECTED\n{expected}\nPRINTED\n{printed}")
            if "..." not in expected:
                return page.replace(f"$ {command}\n{expected}", f"$ {command}\n{printed}", 1)
        return page

    def has_packages(self, script: str) -> bool:
        """Whether all that a script imports is installed: frameworks for learning may not be."""
        names = re.findall(r"^(?:import|from) (\w+)", script, re.MULTILINE)
        return all(find_spec(name) for name in names)
