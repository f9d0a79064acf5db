"""Whether this is still the process that began something, or a copy that was forked from it.

It is to be known after each decision of a plain bot, and to ask the system for the process's number
takes a tenth of a decision. Linux (4.14 or later) can empty a page of memory in whatever is forked.
"""

import mmap
import os
import sys
from contextlib import suppress
from typing import Protocol

_MADV_WIPEONFORK = 18  # <bits/mman-linux.h>; Python has no name for it


class Origin(Protocol):
    """`origin[0]` is true in the process that made it, and in none that is forked from it."""

    def __getitem__(self, place: int, /) -> int: ...


def origin() -> Origin:
    """The mark of this process."""
    if sys.platform == "linux":
        with suppress(OSError):  # a kernel that is older, or only looks like Linux
            return _page()
    return _Number()


def _page() -> mmap.mmap:
    page = mmap.mmap(-1, mmap.PAGESIZE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    page.madvise(_MADV_WIPEONFORK)
    page[0] = 1
    return page


class _Number:
    """The same by the process's number, where the system cannot do that."""

    def __init__(self) -> None:
        self._own = os.getpid()

    def __getitem__(self, place: int, /) -> int:
        return os.getpid() == self._own
