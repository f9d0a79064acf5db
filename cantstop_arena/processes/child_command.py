"""The command of a child process, and its environment."""

import os
from collections.abc import Mapping
from pathlib import Path

import msgspec

from cantstop_arena.processes.child_limits import ChildLimits
from cantstop_arena.processes.sandbox import STORED_CODE
from cantstop_arena.processes.system import PATH_BASE

_INHERITED = (
    "PATH",
    "HOME",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "TZ",
    "LD_LIBRARY_PATH",
    "SYSTEMROOT",
    "VIRTUAL_ENV",
    "PYTHONHOME",
    "CANTSTOP_ARENA_CACHE",
    "NUMBA_DISABLE_JIT",
    PATH_BASE,
)
_FIXED = {
    "PYTHONHASHSEED": "0",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONUNBUFFERED": "1",  # else what a process printed before it was killed is lost
    # A bot has one core; libraries that start a thread for each core would slow others down.
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
}


class ChildCommand(msgspec.Struct, frozen=True):
    """A program to start, in a folder and with limits; its stderr is appended to `log`."""

    argv: tuple[str, ...]
    cwd: Path
    limits: ChildLimits = ChildLimits()
    log: Path | None = None


def environment() -> Mapping[str, str]:
    """The environment of a child: what programs need, and fixed values for repeatable runs."""
    variables = {name: os.environ[name] for name in _INHERITED if name in os.environ}
    if path := os.pathsep.join(python_path()):
        variables["PYTHONPATH"] = path
    return variables | _FIXED


def sandbox_environment() -> Mapping[str, str]:
    """The environment of a child in the sandbox."""
    scratch = {"HOME": "/tmp", "TMPDIR": "/tmp", "CANTSTOP_ARENA_CACHE": str(STORED_CODE)}
    return {"PATH": os.defpath} | dict(environment()) | scratch | {"USER": "bot"}


def python_path() -> list[str]:
    """The folders of PYTHONPATH as absolute paths, which hold in any working directory."""
    folders = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    return [str(Path(folder).absolute()) for folder in folders if folder]
