"""`arena games new`: what it writes is a game without findings, and names that it refuses."""

from pathlib import Path

import pytest
from helpers.arena import Arena
from helpers.game_packages import described, on_path

from cantstop_arena.check.new_game import package_files
from cantstop_arena.errors import UsageError

POINTS = """
[cantstop_arena.games]
acorns_and_nuts = acorns_and_nuts.game

[cantstop_arena]
acorns-bots = acorns_and_nuts.bots
"""


@pytest.mark.slow
def test_package_is_complete_and_has_no_findings(arena: Arena, tmp_path: Path) -> None:
    printed = arena("games", "new", "acorns_and_nuts", "--folder", str(tmp_path)).output
    assert f"cd {tmp_path}" in printed and "arena run acorns_and_nuts.yaml" in printed
    described(tmp_path, "acorns-and-nuts-game", POINTS)
    with on_path(tmp_path):
        checked = arena("games", "check", "acorns_and_nuts").output
        assert "no findings" in checked and "games of parity, one" in checked
        played = arena("run", str(tmp_path / "acorns_and_nuts.yaml"), "--quiet")
        assert played.output.index("parity") < played.output.index("one")


def test_nothing_is_overwritten(arena: Arena, tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("mine")
    refused = arena("games", "new", "acorns", "--folder", str(tmp_path), code=2).output
    assert "README.md exists already; nothing was written" in refused
    assert [path.name for path in tmp_path.iterdir()] == ["README.md"]


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("cantstop", "a game called cantstop is already here"),
        ("random", "a module called random is already here"),
        ("class", "invalid name 'class'"),
        ("kuhn-poker", "invalid name 'kuhn-poker'"),
        ("Pig", "invalid name 'Pig'"),
        ("../pig", "invalid name '../pig'"),
        ("_pig", "invalid name '_pig'"),
        ("p" * 50, "invalid name"),
        ("", "invalid name ''"),
    ],
)
def test_names_that_cannot_be_are_refused(name: str, reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        package_files(name)
