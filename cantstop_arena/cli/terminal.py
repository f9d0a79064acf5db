"""The user's terminal: whether it shows colours, and the keys that are pressed there."""

import os
import select
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

from cantstop_arena import stopping

_PULSE = 0.1  # seconds between looks at whether the user wants to end
_REST = 0.5  # seconds for the rest of what a key sends
_LONGEST = 32  # bytes that a key sends
CLEAR = "\x1b[2J\x1b[H"


def takes_colours() -> bool:
    """Whether this terminal shows colours, and its user wants any (https://no-color.org)."""
    return not os.environ.get("NO_COLOR") and is_clever()


def is_clever() -> bool:
    """Whether this terminal knows any codes."""
    return os.environ.get("TERM") not in ("dumb", "unknown")


def is_in_front(terminal: TextIO) -> bool:
    """Whether this terminal is ours at the moment, and not the shell's that put us behind."""
    try:
        return os.tcgetpgrp(terminal.fileno()) == os.getpgrp()
    except OSError:  # no shell there
        return True


def coloured() -> bool:
    """Whether to print in colours: on a terminal that takes them."""
    return sys.stdout.isatty() and takes_colours()


@contextmanager
def raw_keys() -> Iterator[Iterator[bytes]]:
    """The keys that are pressed, one by one, unseen; there are no more at the end of the input.

    Raises Interrupted where the user wants to end, with the terminal as it was before.
    """
    import termios
    import tty

    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)
    with stopping.in_order():
        try:
            tty.setcbreak(terminal)
            yield _keys(terminal)
        finally:
            termios.tcsetattr(terminal, termios.TCSADRAIN, before)


def _keys(terminal: int) -> Iterator[bytes]:
    while True:
        stopping.check()
        if select.select([terminal], [], [], _PULSE)[0]:
            if not (key := _read(terminal)):
                return
            yield key


def _read(terminal: int) -> bytes:
    """One key: a sign, or the whole of a sequence that begins with Escape."""
    try:
        key = os.read(terminal, 1)
        while _goes_on(key) and select.select([terminal], [], [], _REST)[0]:
            key += os.read(terminal, 1)
    except OSError:  # the terminal is gone
        return b""
    return key


def _goes_on(key: bytes) -> bool:
    """Whether more belongs to this key: to Escape, `Escape O`, or `Escape [ 1 ; 5`."""
    if key[:2] == b"\x1b[" and len(key) < _LONGEST:
        return len(key) == 2 or not (key[-1:].isalpha() or key[-1:] == b"~")
    return key in (b"\x1b", b"\x1bO")
