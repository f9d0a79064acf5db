"""Arrays that are costly to compute, stored in the cache folder and shared by processes."""

import hashlib
import json
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from cantstop_arena.native.code_cache import discard

Arrays = Sequence[NDArray[Any]]
_CHECKSUMS_FILE = "sums.json"


def stored_arrays(folder: Path, name: str, make: Callable[[], Arrays]) -> Arrays:
    """The arrays `name` in `folder`, read-only and mapped from disk; `make` computes missing ones.

    Arrays whose files do not match their checksums are computed again. When nothing can be
    written, the arrays are in memory only.
    """
    arrays = _load(folder / name)
    if arrays is None:
        new_arrays = make()
        _store(folder, name, new_arrays)
        arrays = _load(folder / name) or new_arrays
    return _read_only(arrays)


def _load(folder: Path) -> Arrays | None:
    try:
        checksums = msgspec.json.decode((folder / _CHECKSUMS_FILE).read_bytes(), type=list[str])
        files = [folder / f"{number}.npy" for number in range(len(checksums))]
        if [_checksum(file) for file in files] != checksums:
            return None
        return [np.asarray(np.load(file, mmap_mode="r")) for file in files]
    except (OSError, ValueError):  # missing, cut, or somebody else's
        return None


def _checksum(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _store(folder: Path, name: str, arrays: Arrays) -> None:
    """Write a temporary folder and move it into place, so that no process reads half of it."""
    try:
        with tempfile.TemporaryDirectory(dir=folder, ignore_cleanup_errors=True) as temporary:
            path = Path(temporary) / name
            path.mkdir()
            _write(path, arrays)
            _move(path, folder / name)
    except OSError:
        return


def _write(folder: Path, arrays: Arrays) -> None:
    files = [folder / f"{number}.npy" for number in range(len(arrays))]
    for file, array in zip(files, arrays, strict=True):
        np.save(file, array)
    (folder / _CHECKSUMS_FILE).write_text(json.dumps([_checksum(file) for file in files]))


def _move(source: Path, target: Path) -> None:
    if _load(target) is None:
        discard(target)
    if not target.exists():
        source.replace(target)


def _read_only(arrays: Arrays) -> Arrays:
    for array in arrays:
        array.flags.writeable = False
    return arrays
