"""docs/design.md names every folder, and each path in its table of changes exists."""

import re
from collections.abc import Iterator

import pytest
from helpers.paths import ROOT

PACKAGE = ROOT / "cantstop_arena"
PAGE = (ROOT / "docs" / "design.md").read_text("utf-8")


def rows_of_changes() -> Iterator[tuple[str, str]]:
    """What one might want to change, and where."""
    _, _, below = PAGE.partition("## Where do I change")
    table, _, _ = below.partition("\n## ")
    rows = re.findall(r"^\| (.+?) \| (.+) \|$", table, re.M)
    return (row for row in rows if row != ("what", "where"))


def rooms_of_the_tree() -> list[str]:
    """The folders that the tree begins its lines with."""
    tree = PAGE.partition("## The tree")[2].split("```")[1]
    return re.findall(r"^(\w+)/ ", tree, re.M)


@pytest.mark.parametrize(("what", "where"), [*rows_of_changes()])
def test_places_to_change_exist(what: str, where: str) -> None:
    paths = [path for path in re.findall(r"`([\w/.]+)`", where) if "/" in path]
    missing = [path for path in paths if not _is_there(path)]
    assert not missing, f"{what}: {missing}"


def test_tree_names_every_folder() -> None:
    folders = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert set(rooms_of_the_tree()) == folders


def _is_there(path: str) -> bool:
    return any((home / path).exists() for home in (PACKAGE, ROOT))
