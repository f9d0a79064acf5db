"""`arena run FILE --dry-run`: what a run would play, with nothing played or written."""

from pathlib import Path

import pytest
from helpers.arena import Arena

_FILE = "name: mine\ngames: 200\nseed: 1\nbots: [rule28, {bot: cautious, as: %s}]\n"


def _contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "mine.yaml"
    path.write_text(_FILE % "cautious")
    return path


def test_nothing_is_created(arena: Arena, file: Path, tmp_path: Path) -> None:
    result = arena("run", file, "--dry-run")
    assert result.text == "mine: playing 1 pairing (200 games).\n"
    assert not (tmp_path / "results").exists()


def test_changes_since_the_last_run(arena: Arena, file: Path, tmp_path: Path) -> None:
    arena("run", file, "--no-page")
    before = _contents(tmp_path)
    file.write_text(_FILE % "careful")
    result = arena("run", file, "--dry-run")
    assert result.error == "Since the last run: cautious was renamed to careful.\n"
    assert result.text == "mine: the pairing is in the ledger; nothing to play.\n"
    fresh = arena("run", file, "--dry-run", "--fresh")
    assert fresh.text == "mine: playing 1 pairing (200 games).\n"
    file.write_text(_FILE % "cautious")
    assert _contents(tmp_path) == before


def test_not_together_with_watch(arena: Arena, file: Path) -> None:
    result = arena("run", file, "--dry-run", "--watch", code=2)
    assert "--dry-run and --watch cannot be used together" in result.error
