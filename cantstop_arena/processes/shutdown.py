"""How this program ends when its user wants it to: by Ctrl-C, or by a request to end (SIGTERM).

An exception out of a signal handler could strike in the middle of an import, a compilation or a
destructor, and be swallowed or reported as something else there. So the wish ends the process at
once, which loses nothing, as files appear whole or not at all; but where there are processes to
end and work to write down, it is noted, and `check` raises Interrupted at places that are safe.
"""

import contextlib
import os
import shlex
import signal
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from types import FrameType

from cantstop_arena.errors import Interrupted


@dataclass
class _EndRequest:
    """The signal that came, how many sections want to end in order, and what is said at the end."""

    signal: int = 0
    sections: int = 0
    end_message: str = ""


_wish = _EndRequest()


@contextlib.contextmanager
def handle_signals(farewell: str) -> Iterator[None]:
    """Listen to the user's wish to end."""
    global _wish
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before_wish, _wish = _wish, _EndRequest(end_message=farewell)
    wanted = [signal.SIGINT, signal.SIGTERM]
    # A job in the background of a shell ignores Ctrl-C, and so do we then.
    before = {n: h for n in wanted if (h := signal.getsignal(n)) is not signal.SIG_IGN}
    for number in before:
        signal.signal(number, _note)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        _wish = before_wish


@contextlib.contextmanager
def defer_interrupt() -> Iterator[None]:
    """Note Ctrl-C, for `check` to raise, where no command hears it: in a program, in a notebook.

    The process goes on; a second Ctrl-C is raised at once, as KeyboardInterrupt.
    """
    global _wish
    before = signal.getsignal(signal.SIGINT)
    is_ours = threading.current_thread() is threading.main_thread()
    if not is_ours or before not in (signal.default_int_handler, signal.SIG_DFL):
        yield
        return

    def note(number: int, frame: FrameType | None) -> None:
        if _wish.signal:
            raise Interrupted(number)
        _wish.signal = number

    before_wish, _wish = _wish, _EndRequest()
    signal.signal(signal.SIGINT, note)
    try:
        yield
        check()
    finally:
        signal.signal(signal.SIGINT, before)
        _wish = before_wish


def set_end_message(farewell: str) -> None:
    """What to tell a user who wants to end from now on."""
    _wish.end_message = farewell


def announce_resume() -> None:
    """From now on a user who stops the command is told how to continue it."""
    again = shlex.join(["arena", *(word for word in sys.argv[1:] if word != "--fresh")])
    set_end_message(f"\nStopped. Nothing finished is lost; go on with:\n  {again}")


def end_message() -> str:
    """What to tell a user who wanted to end."""
    return _wish.end_message


@contextlib.contextmanager
def defer_until_safe() -> Iterator[None]:
    """A section that ends by Interrupted, raised by `check` or at its end."""
    wish = _wish  # another thread may begin to listen meanwhile
    wish.sections += 1
    try:
        yield
        check()
    finally:
        wish.sections -= 1


def check() -> None:
    """Raise Interrupted, if the user wants to end."""
    if _wish.signal:
        raise Interrupted(_wish.signal)


def _note(number: int, frame: FrameType | None) -> None:
    if _wish.sections and not _wish.signal:
        _wish.signal = number
        return
    os.write(2, f"{_wish.end_message}\n".encode())  # no stream, which may be at work already
    os._exit(128 + number)
