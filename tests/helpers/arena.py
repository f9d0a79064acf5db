"""One way for tests to run `arena`: the fixture of that name writes files and runs a command.

def test_a_fault_is_named(arena):
    done = arena("run faulty.yaml", bots={"wrong": WRONG}, yaml="bots: [rule28, wrong]")
    assert done.table("standings")[0]["bot"] == "rule28" and done.json["faults"]
"""

import csv
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from click.testing import CliRunner


@dataclass(frozen=True)
class Done:
    """A command that has ended: its exit `code`, its `text` (stdout) and `error` (stderr).

    `output` has both, in their order (one after the other for a process of its own).
    """

    code: int
    text: str
    error: str
    output: str
    exception: BaseException | None = None

    @property
    def folder(self) -> Path:
        """The folder of results that it wrote, or the only one that there is."""
        if named := re.findall(r"^Written to (.+)$", self.output, re.M):
            return Path(named[-1])
        (folder,) = (path for path in Path("results").iterdir() if path.is_dir())
        return folder

    def table(self, name: str) -> list[dict[str, str]]:
        """The rows of a table, as its CSV file has them."""
        with (self.folder / f"{name}.csv").open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    @property
    def json(self) -> Any:
        """The content of summary.json."""
        return json.loads((self.folder / "summary.json").read_text("utf-8"))

    @property
    def page(self) -> str:
        """The page report.html."""
        return (self.folder / "report.html").read_text("utf-8")


class Arena:
    """Runs `arena` in the folder in which the test is."""

    def __call__(
        self,
        *command: str | Path,
        code: int | None = 0,
        bots: Mapping[str, str] = {},
        yaml: str = "",
        files: Mapping[str, str] = {},
        input: str | bytes | None = None,
        env: Mapping[str, str | None] | None = None,
        color: bool = False,
        process: bool = False,
    ) -> Done:
        """Run a command, a line or its words, which must end with this exit code (None: any).

        `bots` are files of the folder bots/ by name; `yaml` is the content of the tournament file
        that the command names. With `process` the command runs in a process of its own, else in
        this one, with one worker. An exception that reaches the user fails in any case.
        """
        words = [str(word) for word in command]
        words = shlex.split(words[0]) if len(words) == 1 else words
        contents = {f"bots/{name}.py": text for name, text in bots.items()} | dict(files)
        if yaml:
            contents[next(word for word in words if word.endswith((".yaml", ".yml")))] = yaml
        for name, text in contents.items():
            Path(name).parent.mkdir(parents=True, exist_ok=True)
            Path(name).write_text(text, "utf-8")
        done = _in_process(words, input, env) if process else _here(words, input, env, color)
        assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
        assert code is None or done.code == code, (done.code, done.output)
        return done


def _here(
    words: list[str],
    input: str | bytes | None,
    env: Mapping[str, str | None] | None,
    color: bool,
) -> Done:
    from cantstop_arena.cli import main

    result = CliRunner().invoke(main, words, input=input, env=env, color=color, prog_name="arena")
    return Done(result.exit_code, result.stdout, result.stderr, result.output, result.exception)


def _in_process(
    words: list[str], input: str | bytes | None, env: Mapping[str, str | None] | None
) -> Done:
    environment = {**os.environ, **{key: value for key, value in (env or {}).items() if value}}
    content = input.encode() if isinstance(input, str) else input
    ended = subprocess.run(
        [sys.executable, "-m", "cantstop_arena", *words],
        input=content,
        env=environment,
        capture_output=True,
    )
    text, error = ended.stdout.decode(), ended.stderr.decode()
    return Done(ended.returncode, text, error, text + error)


def refuses_blocked(done: Done) -> bool:
    """Whether a command has refused, before any output, to write below a file."""
    (*_, last) = done.error.splitlines()
    is_named = "cannot be written: " in done.error
    return not done.text and is_named and "Not a directory. Choose another path." in last


def completed(arena: Arena, words: str) -> list[str]:
    """What bash completes for the last of these words."""
    typed = f"arena {words}".split(" ")
    variables = {"COMP_WORDS": " ".join(typed), "COMP_CWORD": str(len(typed) - 1)}
    result = arena(env={"_ARENA_COMPLETE": "bash_complete", **variables}, code=None)
    return [line.partition(",")[2] for line in result.output.splitlines()]
