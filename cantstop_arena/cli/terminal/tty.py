"""The user's terminal: its capabilities, and the keys that are pressed."""

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

_POLL_INTERVAL = 0.1  # seconds between two checks for a request to end
_SEQUENCE_LIMIT = 0.5  # seconds to wait for the rest of an escape sequence
_MAX_LENGTH = 32  # bytes of an escape sequence
CLEAR = "\x1b[2J\x1b[H"
AGAIN = b""  # in place of a key: the screen has to be redrawn
_LEAVING = (signal.SIGTSTP, signal.SIGHUP, signal.SIGQUIT)  # stop or end a program at once


def supports_colours() -> bool:
    """Whether the terminal supports colours and NO_COLOR is not set (https://no-color.org)."""
    return not os.environ.get("NO_COLOR") and supports_escape_codes()


def supports_escape_codes() -> bool:
    """Whether the terminal supports escape codes."""
    return os.environ.get("TERM") not in ("dumb", "unknown")


def supports_unicode(terminal: TextIO) -> bool:
    """Whether the terminal's encoding is a Unicode one, so that no character is escaped."""
    return (terminal.encoding or "utf-8").lower().replace("_", "-").startswith("utf")


def is_in_front(terminal: TextIO) -> bool:
    """Whether this process is in the terminal's foreground process group."""
    try:
        return os.tcgetpgrp(terminal.fileno()) == os.getpgrp()
    except OSError:  # there is no job control
        return True


def coloured() -> bool:
    """Whether the standard output is a terminal that supports colours."""
    return sys.stdout.isatty() and supports_colours()


@contextmanager
def on_signal(number: int, act: Callable[[], None]) -> Iterator[None]:
    """A context in which a signal calls `act`, unless the signal was ignored before."""

    def handle(number: int, frame: FrameType | None) -> None:
        act()

    previous = signal.getsignal(number)
    if previous is signal.SIG_IGN:
        yield
        return
    signal.signal(number, handle)
    try:
        yield
    finally:
        signal.signal(number, previous)


def wait_for_keys() -> None:
    """Wait until a line has been typed, or the terminal is gone.

    Waiting in the call that reads the line would delay a signal: one that arrives between Python's
    last check and that call, as happens on a busy machine, is handled only after the next line.
    """
    while not select.select([sys.stdin.fileno()], [], [], _POLL_INTERVAL)[0]:
        pass


@contextmanager
def raw_keys() -> Iterator[Iterator[bytes]]:
    """An iterator over the keys pressed, without echo, until the end of the input.

    It yields `AGAIN` when the program continues after Ctrl-Z. Raises Interrupted on a request to
    end. The settings of the terminal are restored, also when a signal stops or ends the program.
    """
    with shutdown.defer_until_safe():
        keyboard = _Keyboard(sys.stdin.fileno())
        try:
            with ExitStack() as stack:
                for number in _LEAVING:
                    stack.enter_context(on_signal(number, partial(keyboard.on_stop_signal, number)))
                stack.enter_context(on_signal(signal.SIGCONT, keyboard.on_continue))
                keyboard.enter_raw_mode()
                yield keyboard.keys()
        finally:
            keyboard.restore()


class _Keyboard:
    """A terminal in raw mode between `enter_raw_mode` and `restore`."""

    def __init__(self, terminal: int) -> None:
        import termios

        self._terminal = terminal
        self._before = termios.tcgetattr(terminal)
        self._returned = False

    def enter_raw_mode(self) -> None:
        """Deliver keys one by one, if the terminal still exists."""
        import termios
        import tty

        with suppress(termios.error):
            tty.setcbreak(self._terminal)

    def restore(self) -> None:
        """Restore the settings of the terminal, if it still exists."""
        import termios

        with suppress(termios.error):
            termios.tcsetattr(self._terminal, termios.TCSADRAIN, self._before)

    def on_stop_signal(self, number: int) -> None:
        """Restore the terminal, then let the signal stop or end the program."""
        self.restore()
        handler = signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
        signal.signal(number, handler)
        self.on_continue()

    def on_continue(self) -> None:
        """Enter raw mode again after a stop, as other programs have used the terminal."""
        self.enter_raw_mode()
        self._returned = True

    def keys(self) -> Iterator[bytes]:
        while True:
            shutdown.check()
            if self._returned:
                self._returned = False
                yield AGAIN
            elif select.select([self._terminal], [], [], _POLL_INTERVAL)[0]:
                if not (key := _read(self._terminal)):
                    return
                yield key


def _read(terminal: int) -> bytes:
    """The bytes of one key: a character, or a complete escape sequence."""
    try:
        key = os.read(terminal, 1)
        while _is_incomplete(key) and select.select([terminal], [], [], _SEQUENCE_LIMIT)[0]:
            key += os.read(terminal, 1)
    except OSError:  # the terminal is gone
        return b""
    return key


def _is_incomplete(key: bytes) -> bool:
    """Whether an escape sequence is incomplete: Escape, `Escape O`, or `Escape [ 1 ; 5`."""
    if key[:2] == b"\x1b[" and len(key) < _MAX_LENGTH:
        return len(key) == 2 or not (key[-1:].isalpha() or key[-1:] == b"~")
    return key in (b"\x1b", b"\x1bO")
