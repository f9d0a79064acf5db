"""The reference says what the program declares."""

import re
import subprocess
import sys
from collections.abc import Iterator

import click
import pytest
from helpers.documents import PAGES, REFERENCE
from helpers.paths import ROOT

from cantstop_arena.cli import main


def test_the_generated_parts_are_up_to_date() -> None:
    words = [sys.executable, str(REFERENCE / "generate.py"), "--check"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def sections(command: click.Command, words: str) -> Iterator[tuple[str, click.Command]]:
    """Every command that is not hidden, by the heading of its section."""
    yield words, command
    if isinstance(command, click.Group):
        for name, below in command.commands.items():
            if not below.hidden:
                yield from sections(below, f"{words} {name}")


@pytest.mark.parametrize("name", main.list_commands(click.Context(main)))
def test_the_section_of_a_command_names_all_its_options(name: str) -> None:
    page = (REFERENCE / "commands.md").read_text("utf-8")
    command = main.get_command(click.Context(main), name)
    assert command
    for heading, one in sections(command, f"arena {name}"):
        section = page.partition(f"### {heading}\n")[2].partition("\n### ")[0]
        shown = [item for item in one.params if isinstance(item, click.Option) and not item.hidden]
        assert [
            item.opts[0] for item in shown if f"`{max(item.opts, key=len)}" not in section
        ] == []


def test_every_variable_of_the_environment_is_listed() -> None:
    text = "".join(page.read_text("utf-8") for page in PAGES)
    listed = set(re.findall(r"^\| `(CANTSTOP_ARENA_\w+)` \|", text, re.MULTILINE))
    sources = [file.read_text("utf-8") for file in (ROOT / "cantstop_arena").rglob("*.py")]
    used = {name for text in sources for name in re.findall(r"CANTSTOP_ARENA_[A-Z_]+", text)}
    internal = {  # from process to process
        "CANTSTOP_ARENA_MESSAGE_FROM_PARENT",
        "CANTSTOP_ARENA_REPORT",
        "CANTSTOP_ARENA_SEEN_FROM",
    }
    assert listed == used - internal
