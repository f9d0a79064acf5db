"""A program on a terminal of its own, driven like a person would do it."""

import contextlib
import os
import re
import select
import struct
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import IO
from unicodedata import east_asian_width

import pytest

from helpers.time_limit import TIME_LIMIT

ARENA = (sys.executable, "-c", "from cantstop_arena.cli import main; main()")
UNSET = ("NO_COLOR", "COLUMNS", "LINES", "TERM")


class Terminal:
    """What is on the screen of a program, and the keyboard before it."""

    def __init__(self, process: "subprocess.Popen[bytes]", ours: int) -> None:
        self.process = process
        self.seen = ""
        self.ours = ours
        self._told = 0  # of `seen`, that was awaited

    def type(self, keys: str) -> None:
        """Press keys."""
        os.write(self.ours, keys.encode())

    def awaits(self, *texts: str) -> str:
        """Wait for one of the texts to appear after those that were awaited; returns which."""
        deadline = time.monotonic() + TIME_LIMIT
        while True:
            fresh = self.seen[self._told :]
            found = [(fresh.index(text), text) for text in texts if text in fresh]
            if found:
                place, text = min(found)
                self._told += place + len(text)
                return text
            assert time.monotonic() < deadline, (texts, fresh)
            assert self._reads(), (texts, fresh)

    def ends(self) -> int:
        """Wait for the end of the program; returns its exit code."""
        deadline = time.monotonic() + TIME_LIMIT
        while self._reads():
            assert time.monotonic() < deadline, f"goes on after {self.seen[-500:]!r}"
        return self.process.wait(TIME_LIMIT)

    def _reads(self) -> bool:
        if not select.select([self.ours], [], [], 1)[0]:
            return True
        try:
            part = os.read(self.ours, 1 << 16)
        except OSError:  # the end of a terminal
            return False
        self.seen += part.decode(errors="replace").replace("\r\n", "\n")
        return bool(part)


def picture(seen: str, columns: int = 120) -> list[str]:
    """What is left on a high terminal, after the codes that a live table is drawn with."""
    lines: defaultdict[int, list[str]] = defaultdict(list)
    row = column = 0
    for sign in re.findall(r"\x1b\[[?\d;]*[a-zA-Z]|.", seen, re.DOTALL):
        wide = 1 + (east_asian_width(sign[0]) in "WF")
        if sign == "\r":
            column = 0
        elif sign == "\n":
            row, column = row + 1, 0
        elif sign[0] != "\x1b":
            if column + wide > columns:
                row, column = row + 1, 0
            lines[row] += [" "] * (column + wide - len(lines[row]))
            lines[row][column : column + wide] = [sign, ""][:wide]
            column += wide
        elif sign[-1] == "A":
            row = max(0, row - int(sign[2:-1]))
        elif sign[-1] == "K":
            lines[row].clear()
        else:
            assert sign[-1] in "mhl", sign
    told = ["".join(lines[number]).rstrip() for number in range(max(lines, default=-1) + 1)]
    while told and not told[-1]:
        told.pop()
    return told


@contextmanager
def on_a_terminal(
    *words: str,
    size: tuple[int, int] = (120, 50),
    stdout: IO[bytes] | None = None,
    **environment: str,
) -> Iterator[Terminal]:
    """Run `arena` on a terminal of so many signs, by default its standard output, too."""
    pty: ModuleType = pytest.importorskip("pty")
    fcntl, termios = pytest.importorskip("fcntl"), pytest.importorskip("termios")
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
    clean = {k: v for k, v in os.environ.items() if k not in UNSET}
    process = subprocess.Popen(
        [*ARENA, *words],
        stdin=theirs,
        stdout=theirs if stdout is None else stdout,
        stderr=theirs,
        env={**clean, "TERM": "xterm", **environment},
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # Ctrl-C goes to its session
    )
    os.close(theirs)
    try:
        yield Terminal(process, ours)
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        process.wait()
        os.close(ours)
