"""bubblewrap, where it is installed and works: a bot can then read files, without writing any.

It has no network, and cannot read the results and the tournament file, which hold the seed.
"""

import os
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from shutil import which

from cantstop_arena.processes.child_command import ChildCommand, python_path

_PRIVATE = Path("/tmp")
_TRIAL_SECONDS = 5.0
_WALLS = (
    *("--ro-bind", "/", "/"),
    *("--dev", "/dev"),
    *("--proc", "/proc"),
    *("--tmpfs", str(_PRIVATE)),
    *("--unshare-pid", "--unshare-ipc", "--unshare-net", "--unshare-uts"),
    "--die-with-parent",
)


def has_sandbox() -> bool:
    """Whether bots run in a sandbox on this system."""
    return _bubblewrap() is not None


def sandbox_command(command: ChildCommand) -> tuple[str, ...]:
    """The arguments that start a program, in the sandbox if this system has one."""
    bubblewrap = _bubblewrap()
    if bubblewrap is None:
        return command.argv
    needs, covers = _needs(command), _covers(command)
    walls = (
        *_uncovering_arguments(needs, [_PRIVATE]),
        *_covered(covers),
        *_uncovering_arguments(needs, covers),
    )
    return (
        bubblewrap,
        *_WALLS,
        *walls,
        "--chdir",
        str(command.cwd.absolute()),
        "--",
        *command.argv,
    )


@cache
def _bubblewrap() -> str | None:
    """The path of bubblewrap; None when it is missing or a trial of it fails."""
    match = which("bwrap")
    if match is None:
        return None
    try:
        trial = subprocess.run(
            [match, *_WALLS, "--", "true"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=_TRIAL_SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return match if trial.returncode == 0 else None


def _needs(command: ChildCommand) -> list[Path]:
    """Paths that a program needs to start, folders before their content, which they would cover."""
    cwd = command.cwd.absolute()
    python = (str(Path(__file__).parents[2]), sys.prefix, sys.base_prefix, *python_path())
    folder = os.environ.get("CANTSTOP_ARENA_CACHE", cwd)  # compiled once for all processes
    named = (cwd / word for word in (*command.argv, folder))
    needs = {cwd, *map(Path, python), *filter(os.path.exists, named)}
    return sorted(needs | {path.resolve() for path in needs})


def _covers(command: ChildCommand) -> list[Path]:
    """The existing paths to hide, resolved, so that no link leads around them."""
    return sorted({path.resolve() for path in command.hidden if path.exists()})


def _covered(covers: Iterable[Path]) -> Iterator[str]:
    """Options that put an empty folder or an empty file over each hidden path."""
    for path in covers:
        yield from ("--tmpfs", str(path)) if path.is_dir() else ("--ro-bind", os.devnull, str(path))


def _uncovering_arguments(needs: Sequence[Path], covers: Sequence[Path]) -> Iterator[str]:
    """Options that make needed paths visible again that lie in a covered folder.

    Paths in a visible folder are left out: where one is a link, say a virtual environment's
    Python, bubblewrap could not mount anything over it.
    """
    for path in needs:
        if any(cover in path.parents for cover in covers):
            nearest = next(folder for folder in path.parents if folder in (*needs, *covers))
            if nearest not in needs:
                yield from ("--ro-bind", str(path), str(path))
