"""What all attempts are made of."""

import ctypes
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

Scene = dict[str, Any]
PROBES: dict[str, Callable[[Scene], object]] = {}
PAGE = 4096
C_LIBRARY = os.__file__.encode()  # a file that every sandbox sees

_LIBC = ctypes.CDLL(None, use_errno=True)
_LIBC.syscall.restype = ctypes.c_long
_IS_ARM = os.uname().machine == "aarch64"


def probe(function: Callable[[Scene], object]) -> Callable[[Scene], object]:
    """Add a probe, whose result is false, or which raises an exception, where the wall holds."""
    PROBES[function.__name__] = function
    return function


def call(x86_64: int, aarch64: int, *arguments: Any) -> int:
    """Make a system call. Raises OSError."""
    result: int = _LIBC.syscall(aarch64 if _IS_ARM else x86_64, *arguments)
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def status(key: str) -> str:
    return Path("/proc/self/status").read_text().split(f"{key}:\t")[1].split("\n")[0]
