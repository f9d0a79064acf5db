"""bubblewrap, where it is installed and works: a bot can then read, but not write or call out.

It cannot read either where the seed of its games stands: in the results and in their file.
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
    """Whether bots are kept in a sandbox here."""
    return _bubblewrap() is not None


def sandbox_command(command: ChildCommand) -> tuple[str, ...]:
    """A program's command, in a sandbox where there is one."""
    bubblewrap = _bubblewrap()
    if bubblewrap is None:
        return command.argv
    needs, covers = _needs(command), _covers(command)
    walls = (*_shown(needs, [_PRIVATE]), *_covered(covers), *_shown(needs, covers))
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
    """Where bubblewrap is; None where it is not, or the system does not let it work."""
    found = which("bwrap")
    if found is None:
        return None
    try:
        trial = subprocess.run(
            [found, *_WALLS, "--", "true"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=_TRIAL_SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return found if trial.returncode == 0 else None


def _needs(command: ChildCommand) -> list[Path]:
    """What a program needs to start; a folder before what lies in it, which it would cover."""
    cwd = command.cwd.absolute()
    python = (str(Path(__file__).parents[2]), sys.prefix, sys.base_prefix, *python_path())
    kept = os.environ.get("CANTSTOP_ARENA_CACHE", cwd)  # compiled once for all processes
    named = (cwd / word for word in (*command.argv, kept))
    needs = {cwd, *map(Path, python), *filter(os.path.exists, named)}
    return sorted(needs | {path.resolve() for path in needs})


def _covers(command: ChildCommand) -> list[Path]:
    """What is to be hidden, by the names that no link leads around, as far as it is there."""
    return sorted({path.resolve() for path in command.hidden if path.exists()})


def _covered(covers: Iterable[Path]) -> Iterator[str]:
    """Put an empty folder, or a file without content, over what is hidden."""
    for path in covers:
        yield from ("--tmpfs", str(path)) if path.is_dir() else ("--ro-bind", os.devnull, str(path))


def _shown(needs: Sequence[Path], covers: Sequence[Path]) -> Iterator[str]:
    """Show again what is needed and lies in a folder that is covered.

    What lies in a folder that is shown is there already: where it is a link, say a virtual
    environment's Python, bubblewrap could not put anything over it.
    """
    for path in needs:
        if any(cover in path.parents for cover in covers):
            nearest = next(folder for folder in path.parents if folder in (*needs, *covers))
            if nearest not in needs:
                yield from ("--ro-bind", str(path), str(path))
