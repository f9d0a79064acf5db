"""bubblewrap, where it is installed and works: a bot can then read, but not write or call out."""

import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from shutil import which

from cantstop_arena.isolation.launch import Launch, python_path

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


def sandboxed() -> bool:
    """Whether bots are kept in a sandbox here."""
    return _bubblewrap() is not None


def wrapped(launch: Launch) -> tuple[str, ...]:
    """A program's command, in a sandbox where there is one."""
    bubblewrap = _bubblewrap()
    if bubblewrap is None:
        return launch.argv
    seen = [word for path in _hidden_needs(launch) for word in ("--ro-bind", path, path)]
    return (bubblewrap, *_WALLS, *seen, "--chdir", str(launch.cwd.absolute()), "--", *launch.argv)


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


def _hidden_needs(launch: Launch) -> list[str]:
    """What a program needs of the folder whose place the private one takes."""
    cwd = launch.cwd.absolute()
    python = (str(Path(__file__).parents[2]), sys.prefix, sys.base_prefix, *python_path())
    named = (cwd / word for word in launch.argv)
    needs = {cwd, *map(Path, python), *filter(os.path.exists, named)}
    # A folder comes before what lies in it, which it would cover.
    return sorted(str(path) for path in needs if _PRIVATE in path.parents)
