"""Arrays that are dear to make, kept in the cache folder and shared by processes through it."""

import hashlib
import json
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cantstop_arena.native.code_files import discard

Arrays = Sequence[NDArray[Any]]
_SUMS = "sums.json"


def stored_arrays(folder: Path, name: str, make: Callable[[], Arrays]) -> Arrays:
    """The arrays `name` in `folder`, read-only: mapped from disk, or made and stored there.

    Files that do not match their checksums are made again. Where nothing can be written, the
    arrays are in memory only.
    """
    stored = _loaded(folder / name)
    if stored is None:
        made = make()
        _keep(folder, name, made)
        stored = _loaded(folder / name) or made
    return _read_only(stored)


def _loaded(folder: Path) -> Arrays | None:
    try:
        sums = json.loads((folder / _SUMS).read_text())
        files = [folder / f"{number}.npy" for number in range(len(sums))]
        if [_sum(file) for file in files] != sums:
            return None
        return [np.asarray(np.load(file, mmap_mode="r")) for file in files]
    except (OSError, ValueError, TypeError):  # missing, cut, or somebody else's
        return None


def _sum(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def _keep(folder: Path, name: str, arrays: Arrays) -> None:
    """Write a folder aside and move it into place, so that nobody reads half of it."""
    try:
        with tempfile.TemporaryDirectory(dir=folder, ignore_cleanup_errors=True) as aside:
            path = Path(aside) / name
            path.mkdir()
            _write(path, arrays)
            _move(path, folder / name)
    except OSError:
        return


def _write(folder: Path, arrays: Arrays) -> None:
    files = [folder / f"{number}.npy" for number in range(len(arrays))]
    for file, array in zip(files, arrays, strict=True):
        np.save(file, array)
    (folder / _SUMS).write_text(json.dumps([_sum(file) for file in files]))


def _move(source: Path, target: Path) -> None:
    if _loaded(target) is None:
        discard(target)
    if not target.exists():
        source.replace(target)


def _read_only(arrays: Arrays) -> Arrays:
    for array in arrays:
        array.flags.writeable = False
    return arrays
