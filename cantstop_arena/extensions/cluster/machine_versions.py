"""What must be the same on all machines of a run: versions, digests of code, and a sandbox.

A machine of a cluster executes the text of this module before anything else, whatever Python it
has and whether the arena is installed there. So it imports nothing but the standard library.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator, Mapping
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

ARENA = "cantstop-arena"
MISSING = "none"
SANDBOX, WORKS = "sandbox", "works"
_PACKAGE = "cantstop_arena"
_TOOLS = ("numpy", "numba", "llvmlite")
_DIGITS = 12  # of a digest


def facts_here(games: Mapping[str, str], is_isolated: bool) -> dict[str, str]:
    """The facts about this machine by name, or only that the arena is `MISSING`.

    `games` are the packages of games that are not built in, by game. A sandbox is tried out if
    there is an isolated bot; the fact is that it `WORKS`, or why there is none.
    """
    digest = digest_of(_PACKAGE)
    if digest == MISSING:
        return {ARENA: MISSING}
    versions = {ARENA: str(import_module(_PACKAGE).__version__), "its code": digest}
    versions["Python"] = f"{sys.version_info[0]}.{sys.version_info[1]}"
    versions.update((tool, _version_of(tool)) for tool in _TOOLS)
    versions.update((f"game {game}", digest_of(package)) for game, package in games.items())
    if is_isolated:
        versions[SANDBOX] = _sandbox_here()
    return versions


def _sandbox_here() -> str:
    """`WORKS`, or the reason why there is no sandbox."""
    try:
        import_module(f"{_PACKAGE}.processes.sandbox").Sandbox.here()
    except Exception as error:  # the arena may be of another version there
        return str(error)
    return WORKS


def digest_of(package: str) -> str:
    """A hash of all files of a package, data included; `MISSING` if it is not installed."""
    try:
        spec = find_spec(package)
    except (ImportError, ValueError):
        spec = None
    if spec is None or spec.origin is None:
        return MISSING
    digest = hashlib.sha256()
    for name, path in sorted(_files(Path(spec.origin))):
        digest.update(f"{name}\0".encode())
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:_DIGITS]


def _files(origin: Path) -> Iterator[tuple[str, Path]]:
    """The files of the module or the package that is loaded from `origin`, with their names."""
    if origin.name != "__init__.py":
        yield origin.name, origin
        return
    for path in origin.parent.rglob("*"):
        if "__pycache__" not in path.parts and path.is_file():  # of each machine, numba's too
            yield path.relative_to(origin.parent).as_posix(), path


def _version_of(tool: str) -> str:
    try:
        return version(tool)
    except PackageNotFoundError:
        return MISSING
