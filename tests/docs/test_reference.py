"""The reference says what the program declares."""

import re
import subprocess
import sys

from helpers.documents import REFERENCE
from helpers.paths import ROOT


def test_the_generated_parts_are_up_to_date() -> None:
    words = [sys.executable, str(REFERENCE / "generate.py"), "--check"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_every_variable_of_the_environment_is_listed() -> None:
    page = (REFERENCE / "commands.md").read_text("utf-8")
    listed = set(re.findall(r"^\| `(CANTSTOP_ARENA_\w+)` \|", page, re.MULTILINE))
    sources = [file.read_text("utf-8") for file in (ROOT / "cantstop_arena").rglob("*.py")]
    used = {name for text in sources for name in re.findall(r"CANTSTOP_ARENA_[A-Z_]+", text)}
    internal = {  # from process to process
        "CANTSTOP_ARENA_MESSAGE_FROM_PARENT",
        "CANTSTOP_ARENA_REPORT",
        "CANTSTOP_ARENA_SEEN_FROM",
    }
    assert listed == used - internal
