"""Runs bots in bubblewrap, where it is installed and works: they can read files, but write none.

They have no network, and cannot read the results and the tournament file, which hold the seed.
"""

import os
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from itertools import chain
from pathlib import Path
from shutil import which

import msgspec

from cantstop_arena.processes.child_command import ChildCommand, python_path

_EMPTY_FOLDER = Path("/tmp")
_TRIAL_SECONDS = 5.0
_SANDBOX_OPTIONS = (
    *("--ro-bind", "/", "/"),
    *("--dev", "/dev"),
    *("--proc", "/proc"),
    *("--tmpfs", str(_EMPTY_FOLDER)),
    *("--unshare-pid", "--unshare-ipc", "--unshare-net", "--unshare-uts"),
    "--die-with-parent",
)


class _DirectoryInfo(msgspec.Struct):
    editable: bool = False


class _DirectUrl(msgspec.Struct):
    """The content of direct_url.json of an installed package."""

    url: str
    dir_info: _DirectoryInfo = msgspec.field(default_factory=_DirectoryInfo)


def has_sandbox() -> bool:
    """Whether bots run in a sandbox on this system."""
    return _bubblewrap() is not None


def sandbox_command(command: ChildCommand) -> tuple[str, ...]:
    """The arguments that start a program, in the sandbox if this system has one."""
    bubblewrap = _bubblewrap()
    if bubblewrap is None:
        return command.argv
    needed, hidden = _needed_paths(command), _hidden_paths(command)
    mounts = (
        *_uncovering_options(needed, [_EMPTY_FOLDER]),
        *_hiding_options(hidden),
        *_uncovering_options(needed, hidden),
    )
    return (
        bubblewrap,
        *_SANDBOX_OPTIONS,
        *mounts,
        "--chdir",
        str(command.cwd.absolute()),
        "--",
        *command.argv,
    )


@cache
def _bubblewrap() -> str | None:
    """The path of bubblewrap; None when it is missing or a trial of it fails."""
    program = which("bwrap")
    if program is None:
        return None
    try:
        trial = subprocess.run(
            [program, *_SANDBOX_OPTIONS, "--", "true"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=_TRIAL_SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return program if trial.returncode == 0 else None


def _needed_paths(command: ChildCommand) -> list[Path]:
    """Paths that a program needs to start, folders before their content, which they would cover."""
    cwd = command.cwd.absolute()
    cache_folder = os.environ.get("CANTSTOP_ARENA_CACHE", cwd)  # compiled once for all processes
    candidates = (cwd / path for path in (*python_paths(), *command.argv, cache_folder))
    paths = {cwd, *filter(os.path.exists, candidates)}
    return sorted(paths | {path.resolve() for path in paths})


def python_paths() -> set[Path]:
    """The files and folders from which a new Python process imports, wherever they are."""
    folders = {Path(folder) for folder in (*python_path(), *_site_path())}
    installation = (Path(__file__).parents[2], Path(sys.prefix), Path(sys.base_prefix))
    return {*installation, *folders, *_editable_projects(folders)}


def _site_path() -> Iterator[str]:
    """The folders of `sys.path`, without that of the script or the current one at its beginning."""
    yield from filter(os.path.isabs, sys.path[0 if sys.flags.safe_path else 1 :])


def _editable_projects(folders: Iterable[Path]) -> Iterator[Path]:
    """The projects installed in editable form, as their installers record them (PEP 610).

    Some are imported by a hook, so that `sys.path` does not have their folders.
    """
    from urllib.parse import unquote, urlsplit  # slow to import

    records = (folder.glob("*.dist-info/direct_url.json") for folder in folders)
    for record in chain.from_iterable(records):
        with suppress(OSError, ValueError, msgspec.ValidationError):
            origin = msgspec.json.decode(record.read_bytes(), type=_DirectUrl)
            address = urlsplit(origin.url)
            if origin.dir_info.editable and address.scheme == "file":
                yield Path(unquote(address.path))


def _hidden_paths(command: ChildCommand) -> list[Path]:
    """The existing paths to hide, resolved, so that no link leads around them."""
    return sorted({path.resolve() for path in command.hidden if path.exists()})


def _hiding_options(hidden: Iterable[Path]) -> Iterator[str]:
    """Options that put an empty folder or an empty file over each hidden path."""
    for path in hidden:
        yield from ("--tmpfs", str(path)) if path.is_dir() else ("--ro-bind", os.devnull, str(path))


def _uncovering_options(needed: Sequence[Path], hidden: Sequence[Path]) -> Iterator[str]:
    """Options that make needed paths visible again that lie in a covered folder.

    Paths in a visible folder are left out: where one is a link, say a virtual environment's
    Python, bubblewrap could not mount anything over it.
    """
    for path in needed:
        if any(hidden_path in path.parents for hidden_path in hidden):
            nearest = next(folder for folder in path.parents if folder in (*needed, *hidden))
            if nearest not in needed:
                yield from ("--ro-bind", str(path), str(path))
