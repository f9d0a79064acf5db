"""docs/games.md is tried word for word: its package is built, played, compared and replayed."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.arena import Arena
from helpers.game_packages import described, on_path
from helpers.paths import ROOT

PAGE = ROOT / "docs" / "games.md"
FILE = re.compile(r"^`([\w./]+)`\n\n```\w+\n(.*?)^```", re.M | re.S)


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The files of the page, the package among them found as if it were installed."""
    folder = tmp_path_factory.mktemp("pig")
    files = dict(FILE.findall(PAGE.read_text("utf-8")))
    for name, text in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    points = re.findall(
        r'^\[project\.entry-points\.(.+)\]\n(.+) = "(.+)"', files["pyproject.toml"], re.M
    )
    sections = [f"[{group.strip(chr(34))}]\n{name} = {value}\n" for group, name, value in points]
    described(folder, "pig-game", "".join(sections))
    with on_path(folder):
        yield folder


@pytest.mark.slow
def test_the_commands_of_the_page_do_what_they_say(
    arena: Arena, package: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(package)
    commands = re.findall(r"^\$ arena (.+)$", PAGE.read_text("utf-8"), re.M)
    printed = {}
    for command in commands:
        result = arena(*command.split(), input="y\nn\nq\n")
        printed[command.split()[0]] = result.output
    assert "pig       Pig" in printed["games"]
    assert "in 6 games under 2 rule sets, in 2 to 4 seats" in printed["bots"]
    assert "points per game" in printed["run"] and "misbehave" not in printed["run"]
    assert "hold (gained" in printed["replay"]
    assert "You are A." in printed["play"]
