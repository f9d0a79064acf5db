"""Counts the files that a process in the sandbox keeps in its temporary folders.

bubblewrap limits the bytes in them, but not their number, and each takes memory of the kernel's.
"""

import contextlib
import os
from pathlib import Path

from cantstop_arena.processes.sandbox import SCRATCH_FOLDERS
from cantstop_arena.processes.watchdog import family_states


class ScratchFiles:
    """The temporary folders in the sandbox that a process with its descendants is in."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._folders: list[int] = []

    def find(self) -> None:
        """Find the folders, which are there when the process has answered."""
        if not self._folders:
            self._folders = _folders_of(self._pid)

    def count(self) -> int:
        """How many files and folders are in them; 0 while they are not known."""
        systems = map(os.statvfs, self._folders)
        return sum(system.f_files - system.f_ffree for system in systems)

    def close(self) -> None:
        """Close the folders."""
        while self._folders:
            os.close(self._folders.pop())


def _folders_of(pid: int) -> list[int]:
    """The open temporary folders of the first descendant that has some of its own."""
    here = {path.stat().st_dev for path in map(Path, SCRATCH_FOLDERS) if path.exists()}
    for member in family_states(pid):
        with contextlib.suppress(OSError):  # it has ended, or its root is not complete
            paths = [Path(f"/proc/{member}/root{folder}") for folder in SCRATCH_FOLDERS]
            if here.isdisjoint(path.stat().st_dev for path in paths):
                return [os.open(path, os.O_PATH | os.O_DIRECTORY) for path in paths]
    return []
