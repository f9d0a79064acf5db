"""A program on a terminal of its own, driven like a person would do it."""

import contextlib
import os
import select
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType

import pytest

ARENA = (sys.executable, "-c", "from cantstop_arena.cli import main; main()")
PATIENCE = 60.0


class Terminal:
    """What is on the screen of a program, and the keyboard before it."""

    def __init__(self, process: "subprocess.Popen[bytes]", ours: int) -> None:
        self.process = process
        self.seen = ""
        self._ours = ours
        self._told = 0  # of `seen`, that was awaited

    def type(self, keys: str) -> None:
        """Press keys."""
        os.write(self._ours, keys.encode())

    def awaits(self, *texts: str) -> str:
        """Wait for one of the texts to appear after those that were awaited; returns which."""
        deadline = time.monotonic() + PATIENCE
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
        while self._reads():
            pass
        return self.process.wait(PATIENCE)

    def _reads(self) -> bool:
        if not select.select([self._ours], [], [], 1)[0]:
            return True
        try:
            part = os.read(self._ours, 1 << 16)
        except OSError:  # the end of a terminal
            return False
        self.seen += part.decode(errors="replace").replace("\r\n", "\n")
        return bool(part)


@contextmanager
def on_a_terminal(*words: str, **environment: str) -> Iterator[Terminal]:
    """Run `arena` on a terminal of 120 by 50 signs."""
    pty: ModuleType = pytest.importorskip("pty")
    fcntl, termios = pytest.importorskip("fcntl"), pytest.importorskip("termios")
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 120, 0, 0))
    clean = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "COLUMNS", "TERM")}
    process = subprocess.Popen(
        [*ARENA, *words],
        stdin=theirs,
        stdout=theirs,
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
