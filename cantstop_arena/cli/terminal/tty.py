"""The user's terminal: whether it shows colours, and the keys that are pressed there."""

import os
import select
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from types import FrameType
from typing import TextIO

from cantstop_arena.processes import shutdown

_PULSE = 0.1  # seconds between looks at whether the user wants to end
_PAUSE = 0.5  # seconds for the rest of what a key sends
_MAX_LENGTH = 32  # bytes that a key sends
CLEAR = "\x1b[2J\x1b[H"
AGAIN = b""  # no key: what is shown has to be shown again
_LEAVING = (signal.SIGTSTP, signal.SIGHUP, signal.SIGQUIT)  # which stop or end a program at once


def takes_colours() -> bool:
    """Whether this terminal shows colours, and its user wants any (https://no-color.org)."""
    return not os.environ.get("NO_COLOR") and is_clever()


def is_clever() -> bool:
    """Whether this terminal knows any codes."""
    return os.environ.get("TERM") not in ("dumb", "unknown")


def speaks_unicode(terminal: TextIO) -> bool:
    """Whether what is written is as wide as it is drawn: no sign has to be spelled out."""
    return (terminal.encoding or "utf-8").lower().replace("_", "-").startswith("utf")


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
def on_signal(number: int, act: Callable[[], None]) -> Iterator[None]:
    """Do something whenever a signal comes, unless it is to be ignored."""

    def heard(number: int, frame: FrameType | None) -> None:
        act()

    before = signal.getsignal(number)
    if before is signal.SIG_IGN:
        yield
        return
    signal.signal(number, heard)
    try:
        yield
    finally:
        signal.signal(number, before)


def wait_for_keys() -> None:
    """Wait until a line was typed, or the terminal is gone.

    Not in the call that reads it: a signal between Python's last look and that call, which happens
    on a busy machine, would be heard only after the next line.
    """
    while not select.select([sys.stdin.fileno()], [], [], _PULSE)[0]:
        pass


@contextmanager
def raw_keys() -> Iterator[Iterator[bytes]]:
    """The keys that are pressed, one by one, unseen; there are no more at the end of the input.

    `AGAIN` comes in place of a key when the program goes on after Ctrl-Z. Raises Interrupted where
    the user wants to end. However it ends or is stopped, the terminal is as it was before.
    """
    with shutdown.defer_until_safe():
        keyboard = _Keyboard(sys.stdin.fileno())
        try:
            with ExitStack() as stack:
                for number in _LEAVING:
                    stack.enter_context(on_signal(number, partial(keyboard.leaves, number)))
                stack.enter_context(on_signal(signal.SIGCONT, keyboard.returns))
                keyboard.takes()
                yield keyboard.keys()
        finally:
            keyboard.gives_back()


class _Keyboard:
    """A terminal that tells every key at once, between `takes` and `gives_back`."""

    def __init__(self, terminal: int) -> None:
        import termios

        self._terminal = terminal
        self._before = termios.tcgetattr(terminal)
        self._returned = False

    def takes(self) -> None:
        """From now on keys come one by one, if the terminal is still there."""
        import termios
        import tty

        with suppress(termios.error):
            tty.setcbreak(self._terminal)

    def gives_back(self) -> None:
        """Leave the terminal as it was, if it is still there."""
        import termios

        with suppress(termios.error):
            termios.tcsetattr(self._terminal, termios.TCSADRAIN, self._before)

    def leaves(self, number: int) -> None:
        """A signal stops or ends the program: not before the terminal has been given back."""
        self.gives_back()
        result = signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
        signal.signal(number, result)
        self.returns()

    def returns(self) -> None:
        """The program goes on, on a terminal that others have used."""
        self.takes()
        self._returned = True

    def keys(self) -> Iterator[bytes]:
        while True:
            shutdown.check()
            if self._returned:
                self._returned = False
                yield AGAIN
            elif select.select([self._terminal], [], [], _PULSE)[0]:
                if not (key := _read(self._terminal)):
                    return
                yield key


def _read(terminal: int) -> bytes:
    """One key: a sign, or the whole of a sequence that begins with Escape."""
    try:
        key = os.read(terminal, 1)
        while _goes_on(key) and select.select([terminal], [], [], _PAUSE)[0]:
            key += os.read(terminal, 1)
    except OSError:  # the terminal is gone
        return b""
    return key


def _goes_on(key: bytes) -> bool:
    """Whether more belongs to this key: to Escape, `Escape O`, or `Escape [ 1 ; 5`."""
    if key[:2] == b"\x1b[" and len(key) < _MAX_LENGTH:
        return len(key) == 2 or not (key[-1:].isalpha() or key[-1:] == b"~")
    return key in (b"\x1b", b"\x1bO")
