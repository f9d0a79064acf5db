"""What turns functions into machine code, said without importing it: numba takes long to import."""

import hashlib
import os
import platform
import sys
from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

_SETTINGS_FILE = ".numba_config.yaml"  # numba reads it where it is started
_TOLD_BY_LINUX = ("x86_64", "aarch64")  # in a form that is known here
_OF_A_PROCESSOR = ("vendor_id", "cpu family", "model", "stepping", "flags", "CPU ", "Features")
_OF_NO_ACCOUNT = {"NUMBA_DISABLE_JIT", "NUMBA_CACHE_DIR"}


def compiles() -> bool:
    """Whether anything is compiled at all: not with NUMBA_DISABLE_JIT=1."""
    return os.environ.get("NUMBA_DISABLE_JIT", "0").strip() in ("", "0")


@cache
def toolchain() -> str:
    """Python, NumPy, numba with what it needs, and its settings."""
    versions = [_version("numba"), _version("llvmlite"), np.__version__]
    chosen = {name: value for name, value in os.environ.items() if name.startswith("NUMBA_")}
    settings = sorted(item for item in chosen.items() if item[0] not in _OF_NO_ACCOUNT)
    return repr((sys.version, versions, settings, _text(Path(_SETTINGS_FILE))))


@cache
def processor() -> tuple[str, ...]:
    """What kind of processor code is made for, and what it can do, as Linux or else LLVM says."""
    if platform.machine() in _TOLD_BY_LINUX:
        with suppress(OSError), Path("/proc/cpuinfo").open(encoding="utf-8") as told:
            lines = takewhile(str.strip, told)  # of the first
            if said := tuple(line.strip() for line in lines if line.startswith(_OF_A_PROCESSOR)):
                return platform.machine(), *said
    from cantstop_arena.runtime.machinecode.jit import processor as seen

    return seen()


def sources(package: str) -> str:
    """A hash of all Python sources of a package."""
    digest = hashlib.sha256()
    for place in sorted(entry.path for entry in _source_files(_folders(package)[0])):
        digest.update(f"{place}\n".encode() + Path(place).read_bytes())
    return digest.hexdigest()


def sources_seen(package: str) -> str:
    """A hash of what the file system says of them, in a tenth of the time.

    It is another one after anything was written: nobody can set when a file was changed last.
    """
    seen = [
        (entry.path, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
        for entry in _source_files(_folders(package)[0])
        for status in (entry.stat(),)
    ]
    return hashlib.sha256(repr(sorted(seen)).encode()).hexdigest()


def _source_files(folder: str) -> "Iterator[os.DirEntry[str]]":
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(".py"):
                yield entry
            elif entry.is_dir() and entry.name != "__pycache__":
                yield from _source_files(entry.path)


def _version(package: str) -> str:
    """Its version and revision, as noted in its sources: metadata take longer to read."""
    if noted := _text(Path(_folders(package)[0], "_version.py")):
        return noted
    from importlib import metadata

    return metadata.version(package)


def _folders(package: str) -> list[str]:
    spec = find_spec(package)
    assert spec and spec.submodule_search_locations, package
    return list(spec.submodule_search_locations)


def _text(path: Path) -> str:
    return path.read_text("utf-8", "replace") if path.is_file() else ""
