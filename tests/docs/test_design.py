"""The design page names every folder; its paths exist; runs go through the modules it lists.

So do the pages of the extensions that are there: each has a table of its own.
"""

import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.paths import ROOT

from cantstop_arena.extension_registry import FOLDER, built_in

PACKAGE = ROOT / "cantstop_arena"
PAGE = (ROOT / "docs" / "explanation" / "design.md").read_text("utf-8")


def rows_of_changes() -> Iterator[tuple[str, str, Path]]:
    """What one might want to change, where, and the folder that paths are relative to."""
    pages = [(PAGE, PACKAGE)]
    for name in built_in():
        page = ROOT / "docs" / "extensions" / f"{name}.md"
        pages.append((page.read_text("utf-8"), PACKAGE / "extensions" / name))
    for text, home in pages:
        _, _, below = text.partition("## Where do I change")
        table, _, _ = below.partition("\n## ")
        rows = re.findall(r"^\| (.+?) \| (.+) \|$", table, re.M)
        assert len(rows) > 1, home
        yield from ((*row, home) for row in rows if row != ("what", "where"))


def rooms_of_the_tree() -> list[str]:
    """The folders that the tree begins its lines with."""
    tree = PAGE.partition("## The tree")[2].split("```")[1]
    return re.findall(r"^(\w+)/ ", tree, re.M)


@pytest.mark.parametrize(("what", "where", "home"), [*rows_of_changes()])
def test_paths_to_change_exist(what: str, where: str, home: Path) -> None:
    paths = [path for path in re.findall(r"`([\w/.]+)`", where) if "/" in path]
    homes = (home, PACKAGE, ROOT)
    missing = [path for path in paths if not any((folder / path).exists() for folder in homes)]
    assert not missing, f"{what}: {missing}"


def test_tree_names_every_folder() -> None:
    folders = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert set(rooms_of_the_tree()) == {*folders, FOLDER.name}


def test_a_class_name_stands_in_one_module() -> None:
    """But for the rule sets of games."""
    pattern = re.compile(r"^ *class (\w+)", re.M)
    names = Counter(
        name
        for path in PACKAGE.rglob("*.py")
        for name in {*pattern.findall(path.read_text("utf-8"))}
    )
    assert {name for name, count in names.items() if count > 1} <= {"RuleSet"}


IN_WORKERS = {"tournaments/pool/worker.py", "table/block_loop.py", "table/plain_table.py"}
TRACE = """
import sys
from pathlib import Path
entered = set()
sys.setprofile(lambda frame, event, _: event == "call" and entered.add(frame.f_code))
from cantstop_arena.cli import main
try:
    main(["run", "few.yaml", "--quiet", "--workers", "1"])
finally:
    sys.setprofile(None)
    named = {code.co_filename for code in entered if code.co_name != "<module>"}
    Path("entered.txt").write_text("\\n".join(named))
"""


def modules_of_a_run() -> list[str]:
    """The modules that the page lists in the order in which a run goes through them."""
    table = PAGE.partition("## From a YAML file")[2].partition("\n## ")[0]
    return re.findall(r"^\| \d+ \| `([\w/.]+)` \|", table, re.M)


@pytest.mark.slow
def test_a_run_goes_through_the_modules_of_the_picture(tmp_path: Path) -> None:
    """Traced in the parent; workers are other processes."""
    listed = modules_of_a_run()
    assert len(listed) == 15
    tmp_path.joinpath("few.yaml").write_text("games: 20\nbots: [rule28, cautious]\n")
    subprocess.run([sys.executable, "-c", TRACE], cwd=tmp_path, check=True, capture_output=True)
    entered = set(tmp_path.joinpath("entered.txt").read_text().splitlines())
    assert not {str(PACKAGE / name) for name in listed if name not in IN_WORKERS} - entered
    assert all((PACKAGE / name).is_file() for name in IN_WORKERS)
