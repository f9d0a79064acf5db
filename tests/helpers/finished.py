"""Tournaments and comparisons played to their end, each once for all tests and workers of a run."""

import fcntl
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from os import sep
from pathlib import Path

import pytest

from helpers.arena import Arena

Files = Mapping[str, str]


class Finished:
    """What commands leave behind, kept in a folder that the workers of a test run share."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def bring(self, files: Files, *words: str) -> str:
        """Lay these files here, with all that `arena` makes of them; what it printed."""
        made = self._made(files, words)
        shutil.copytree(made / "here", Path.cwd(), dirs_exist_ok=True)
        return (made / "printed").read_bytes().decode("utf-8")

    def _made(self, files: Files, words: tuple[str, ...]) -> Path:
        """The folder of a command, which is run where nobody has done it before."""
        folder = self.folder / sha256(repr((sorted(files.items()), words)).encode()).hexdigest()
        with alone_with(folder.with_suffix(".lock")):
            if not folder.exists():
                making = folder.with_suffix(".making")
                _make(making, files, words)
                making.rename(folder)
        return folder


@contextmanager
def alone_with(path: Path) -> Iterator[None]:
    """Alone with what a lock at this path stands for, among all workers of a test run."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as lock:
        fcntl.lockf(lock, fcntl.LOCK_EX)
        yield


def _make(folder: Path, files: Files, words: tuple[str, ...]) -> None:
    place = folder / "here"
    for name, text in files.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)
        patch.setattr("cantstop_arena.processes.system._DISPLAY", (f"{place}{sep}", ""))
        done = Arena()(*words)
    (folder / "printed").write_bytes(done.text.encode())
