"""Games that move in by entry points, installed for a test without pip."""

import os
import sys
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from cantstop_arena.games import registry
from helpers.paths import ROOT

METADATA = "Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n"


def described(folder: Path, name: str, points: str) -> None:
    """Lay what an installer would write of a distribution into a folder."""
    told = folder / f"{name.replace('-', '_')}-1.0.dist-info"
    told.mkdir()
    (told / "METADATA").write_text(METADATA.format(name=name))
    (told / "entry_points.txt").write_text(points)


@contextmanager
def installed_game(folder: Path, name: str, code: str) -> Iterator[None]:
    """A game in a package of its own, as if it were installed; its module is `{name}.game`."""
    package = folder / name
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "game.py").write_text(code)
    described(folder, f"{name}-game", f"[cantstop_arena.games]\n{name} = {name}.game\n")
    with on_path(folder):
        yield


def install_example(folder: Path, name: str) -> None:
    """Lay a package of examples/, as if it were installed, into a folder."""
    describe_project(folder, ROOT / "examples" / name / "pyproject.toml")
    (folder / name).symlink_to(ROOT / "examples" / name / name)


def examples(*names: str, modules: Mapping[str, str] | None = None) -> Any:
    """A fixture of a file of tests: packages of examples/, and modules with a game, installed."""

    @pytest.fixture(scope="module", autouse=True)
    def installed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
        folder = tmp_path_factory.mktemp("packages")
        for name in names:
            install_example(folder, name)
        points = "[cantstop_arena.games]\n"
        for name, text in (modules or {}).items():
            (folder / f"{name}.py").write_text(text)
            points += f"{name} = {name}\n"
        described(folder, "some-games", points)
        with on_path(folder):
            yield folder

    return installed


def describe_project(folder: Path, file: Path) -> None:
    """Lay what an installer would write of a project into a folder, by its pyproject.toml."""
    project = tomllib.loads(file.read_text("utf-8"))["project"]
    sections = [
        f"[{group}]\n" + "".join(f"{key} = {module}\n" for key, module in named.items())
        for group, named in project["entry-points"].items()
    ]
    described(folder, project["name"], "\n".join(sections))


@contextmanager
def on_path(*folders: Path) -> Iterator[None]:
    """Let this process and those that it starts find packages in these folders."""
    words = [str(folder) for folder in folders]
    for folder in folders:  # as installed ones are: root's processes in the sandbox have no rights
        folder.chmod(folder.stat().st_mode | 0o055)
    there = set(sys.modules)
    with pytest.MonkeyPatch.context() as patch:
        for word in reversed(words):
            patch.syspath_prepend(word)
        known = os.environ.get("PYTHONPATH", "")
        patch.setenv("PYTHONPATH", os.pathsep.join([*words, *filter(None, [known])]))
        registry._installed.cache_clear()
        try:
            yield
        finally:
            registry._installed.cache_clear()
            for name in set(sys.modules) - there:
                if any(_lies_in(name, word) for word in words):
                    del sys.modules[name]


def _lies_in(name: str, folder: str) -> bool:
    return str(getattr(sys.modules[name], "__file__", None) or "").startswith(folder)
