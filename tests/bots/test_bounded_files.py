"""Files that somebody names: regular ones only, read and searched within limits."""

import glob
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from cantstop_arena import bounded_files
from cantstop_arena.bounded_files import (
    digest_of_file,
    digest_of_path,
    files_below,
    paths_matching,
    read_regular,
)
from cantstop_arena.errors import BotError

FILES = ("a.py", "b/c.py", "b/d/e.py", "b/.h/x.py", ".hid.py", "b/d/f.txt", "z z/__init__.py")
PATTERNS = """
*.py|**|**/*.py|b/**|b/**/|*/|b/*|b/d|nothing|**/d/*|*/d/e.py|./*.py|b/../*.py|**/**|[ab]*|*/*/*
|.*|**/.h/*|**/nothing*|z z/*|b/||a.py/*|[!a]*|b/?.py
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A folder of files, hidden ones, links, and links to themselves."""
    for file in map(tmp_path.joinpath, FILES):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(file.name)
    (tmp_path / "link").symlink_to("b")
    (tmp_path / "loop").symlink_to("loop")
    os.mkfifo(tmp_path / "b/pipe")
    return tmp_path


@pytest.mark.parametrize("pattern", PATTERNS.replace("\n", "").split("|"))
def test_a_pattern_matches_what_glob_matches(tree: Path, pattern: str) -> None:
    expected = glob.glob(pattern, root_dir=tree, recursive=True)  # noqa: PTH207
    assert paths_matching(pattern, tree) == sorted({*expected})
    absolute = glob.glob(f"{tree}/{pattern}", recursive=True)  # noqa: PTH207
    assert paths_matching(f"{tree}/{pattern}") == sorted({*absolute})


NO_FILES: dict[str, Callable[[Path], str]] = {
    "a pipe": lambda tree: f"{tree}/b/pipe",
    "a folder": lambda tree: f"{tree}/b",
    "nothing": lambda tree: f"{tree}/nothing",
    "a link to itself": lambda tree: f"{tree}/loop",
    "no path": lambda tree: "\0",
    "a name that is too long": lambda tree: "x" * 5000,
    "a name that is no text": lambda tree: "\udcff\ud800",
    "zeros without end": lambda tree: "/dev/zero",
    "a terminal": lambda tree: "/dev/ptmx",
    "nothing at all": lambda tree: "",
}


@pytest.mark.parametrize("name", NO_FILES)
def test_only_regular_files_are_opened(
    tree: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*arguments: object) -> int:
        raise AssertionError(arguments)

    monkeypatch.setattr(os, "open", refuse)
    path = NO_FILES[name](tree)
    with pytest.raises(OSError):
        read_regular(path, 9)
    assert digest_of_file(path) == ""


def test_what_is_too_large_is_refused(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert read_regular(tree / "a.py", 4) == b"a.py"
    with pytest.raises(OSError, match="larger than"):
        read_regular(tree / "a.py", 3)
    with (tree / "sparse").open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(BotError, match="sparse cannot be used: it is larger than 4,096 MiB"):
        digest_of_path(tree)
    assert len([*files_below(tree)]) == len(FILES) + 3
    monkeypatch.setattr(bounded_files, "MAX_FILES", 5)
    for search in (lambda: [*files_below(tree)], lambda: paths_matching("**", tree)):
        with pytest.raises(BotError, match="cannot be used: it has more than 5 files"):
            search()
    monkeypatch.setattr(bounded_files, "MAX_SEARCH_SECONDS", -1)
    for search in (lambda: [*files_below(tree)], lambda: paths_matching("**/x", tree)):
        with pytest.raises(BotError, match="searching it takes longer than"):
            search()


def test_folders_may_be_as_deep_as_the_system_allows(tmp_path: Path) -> None:
    descriptor = os.open(tmp_path, os.O_RDONLY)
    for _ in range(1050):
        os.mkdir("d", dir_fd=descriptor)
        deeper = os.open("d", os.O_RDONLY, dir_fd=descriptor)
        os.close(descriptor)
        descriptor = deeper
    os.close(descriptor)
    assert [*files_below(tmp_path)] == []
    assert paths_matching("**/x*", tmp_path) == []
    os.removedirs(f"{tmp_path}{'/d' * 1050}")
