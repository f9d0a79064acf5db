"""What all attempts are made of."""

import ctypes
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

Scene = dict[str, Any]
Probe = Callable[[Scene], object]
PROBES: dict[str, Probe] = {}
PAGE = 4096
C_LIBRARY = os.__file__.encode()  # a file that every sandbox sees
PARENT = os.getppid()

_LIBC = ctypes.CDLL(None, use_errno=True)
_LIBC.syscall.restype = ctypes.c_long
_IS_ARM = os.uname().machine == "aarch64"


def probe(function: Probe) -> Probe:
    """Add a probe, whose result is false, or which raises an exception, where the wall holds."""
    PROBES[function.__name__] = function
    return function


def call(x86_64: int, aarch64: int, *arguments: Any) -> int:
    """Make a system call. Raises OSError."""
    result: int = _LIBC.syscall(aarch64 if _IS_ARM else x86_64, *arguments)
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def is_made(x86_64: int, aarch64: int, *arguments: Any) -> Probe:
    """A probe: whether the kernel makes a call."""
    return lambda scene: call(x86_64, aarch64, *arguments) >= 0


def is_opened(path: str | bytes, flags: int = os.O_RDONLY) -> Probe:
    """A probe: whether a file can be opened."""
    return lambda scene: os.open(path, flags) >= 0


def is_listed(path: str) -> Probe:
    """A probe: what a folder shows."""
    return lambda scene: os.listdir(path)


def is_done(act: Callable[..., object], *arguments: Any) -> Probe:
    """A probe: whether something that returns nothing raises nothing."""
    return lambda scene: act(*arguments) or True


def created(folders: Iterable[str], *names: str) -> list[str]:
    """The files that can be made in folders."""
    made = []
    for path in (f"{folder}/{name}" for folder in folders for name in names):
        try:
            os.close(os.open(path, os.O_CREAT | os.O_WRONLY))
            made.append(path)
        except OSError:
            continue
    return made


def processes() -> list[str]:
    """The numbers of the processes that can be seen."""
    return [name for name in os.listdir("/proc") if name.isdigit()]


def status(key: str) -> str:
    """A line of what the kernel says of this process."""
    return Path("/proc/self/status").read_text().split(f"{key}:\t")[1].split("\n")[0]
