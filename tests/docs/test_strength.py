"""The tables of docs/explanation/strength.md are written by one command."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.paths import ROOT

from cantstop_arena.games.registry import built_in, game_named

WEAK_TO_STRONG = ("random", "rule28", "glenn-aloi", "tuned")


def names(table: str) -> list[str]:
    """The bots of a table, from the top."""
    rows = [line.split("|") for line in table.splitlines() if line.startswith("|")]
    return [row[1].strip() for row in rows[2:]]


@pytest.mark.long
def test_the_ladder_is_written_between_its_marks(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("Before.\n\n<!-- ladder -->\nold\n<!-- end of ladder -->\n\nAfter.\n")
    script = ROOT / "benchmarks" / "strength.py"
    few = ("--games", "120", "--alone", "20", "--seconds", "0.1", "--only", "ladder")
    subprocess.run(
        [sys.executable, str(script), *few, "--write", str(page)], check=True, cwd=tmp_path
    )
    text = page.read_text("utf-8")
    assert text.startswith("Before.") and text.endswith("After.\n") and "old" not in text
    order = [bot for bot in names(text) if bot in WEAK_TO_STRONG]
    assert order == [*reversed(WEAK_TO_STRONG)]


def test_the_readme_has_rows_of_the_ladder() -> None:
    ladder = (ROOT / "docs" / "explanation" / "strength.md").read_text("utf-8")
    rows = re.findall(r"^\| ([\w-]+) +\| ([^|]*)\| .*\| ([\d,]+) +\|$", ladder, re.MULTILINE)
    table = (ROOT / "README.md").read_text("utf-8").partition("## How strong")[2]
    mine = re.findall(r"^\| ([\w-]+) +\| ([^|]*)\| ([\d,]+) +\|$", table, re.MULTILINE)
    assert len(mine) == 4
    assert set(mine) <= set(rows)


@pytest.mark.parametrize("game", built_in())
def test_the_page_has_a_row_for_every_built_in_bot(game: str) -> None:
    text = (ROOT / "docs" / "explanation" / "strength.md").read_text("utf-8")
    mark = {"cantstop": "ladder"}.get(game, f"{game} ladder")
    ladder = text.partition(f"<!-- {mark} -->")[2].partition(f"<!-- end of {mark} -->")[0]
    assert {*names(ladder)} >= {*game_named(game).bots} - {"optimal"}
