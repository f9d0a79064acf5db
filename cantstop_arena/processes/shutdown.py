"""How this program ends at the user's request: by Ctrl-C (SIGINT) or SIGTERM.

An exception raised by a signal handler could interrupt an import, a compilation or a destructor,
and be suppressed or reported as another error there. So the signal ends the process at once, which
loses nothing, as files are written atomically. Where processes must be ended and work saved first,
the signal is recorded, and `check` raises Interrupted at points that are safe.
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
from typing import Protocol, TypeVar

from cantstop_arena.errors import Interrupted
from cantstop_arena.exit_codes import signal_exit_code


@dataclass
class _EndRequest:
    """The signal received (or 0), the number of open `defer_until_safe` sections, the message."""

    signal: int = 0
    sections: int = 0
    end_message: str = ""


MESSAGE_FROM_PARENT = "CANTSTOP_ARENA_MESSAGE_FROM_PARENT"
"""The environment variable of a process that prints no message when the user ends it: the one that
has started it does, and gets the same signal."""

_end_request = _EndRequest()
_has_parent_with_message = bool(os.environ.pop(MESSAGE_FROM_PARENT, ""))


@contextlib.contextmanager
def handle_signals(message: str) -> Iterator[None]:
    """Handle SIGINT and SIGTERM; `message` is printed when one ends the process."""
    global _end_request
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    earlier_request, _end_request = _end_request, _EndRequest(end_message=message)
    signals = [signal.SIGINT, signal.SIGTERM]
    # A background job of a shell starts with SIGINT ignored; it stays so.
    earlier_handlers = {n: h for n in signals if (h := signal.getsignal(n)) is not signal.SIG_IGN}
    for number in earlier_handlers:
        signal.signal(number, _handle)
    try:
        yield
    finally:
        for number, handler in earlier_handlers.items():
            signal.signal(number, handler)
        _end_request = earlier_request


@contextlib.contextmanager
def defer_interrupt() -> Iterator[None]:
    """Record Ctrl-C for `check` to raise, in programs and notebooks that use the API.

    The process goes on; a second Ctrl-C raises Interrupted at once.
    """
    global _end_request
    earlier_handler = signal.getsignal(signal.SIGINT)
    is_main_thread = threading.current_thread() is threading.main_thread()
    if not is_main_thread or earlier_handler not in (signal.default_int_handler, signal.SIG_DFL):
        yield
        return

    def record(number: int, frame: FrameType | None) -> None:
        if _end_request.signal:
            raise Interrupted(number)
        _end_request.signal = number

    earlier_request, _end_request = _end_request, _EndRequest()
    signal.signal(signal.SIGINT, record)
    try:
        yield
        check()
    finally:
        signal.signal(signal.SIGINT, earlier_handler)
        _end_request = earlier_request


class _Observer(Protocol):
    def close(self) -> None: ...


_AnyObserver = TypeVar("_AnyObserver", bound=_Observer)


@contextlib.contextmanager
def observed_by(observer: _AnyObserver) -> Iterator[_AnyObserver]:
    """Close the observer at the end; until then, Ctrl-C ends the run only where nothing is lost."""
    with contextlib.closing(observer), defer_interrupt():
        yield observer


def set_end_message(message: str) -> None:
    """Set the message that is printed when the user ends the process."""
    _end_request.end_message = message


def announce_resume() -> None:
    """Set the end message to the command line that continues this command."""
    command = shlex.join(
        ["arena", *(argument for argument in sys.argv[1:] if argument != "--fresh")]
    )
    set_end_message(f"\nStopped. Nothing finished is lost; go on with:\n  {command}")


def end_message() -> str:
    """The message that is printed when the user ends the process; empty if there is none."""
    return "" if _has_parent_with_message else _end_request.end_message


@contextlib.contextmanager
def defer_until_safe() -> Iterator[None]:
    """A section in which a signal raises Interrupted in `check`, or at the section's end."""
    end_request = _end_request  # another thread may replace it meanwhile
    end_request.sections += 1
    try:
        yield
        check()
    finally:
        end_request.sections -= 1


def check() -> None:
    """Raise Interrupted if a signal has been recorded."""
    if _end_request.signal:
        raise Interrupted(_end_request.signal)


def _handle(number: int, frame: FrameType | None) -> None:
    if _end_request.sections and not _end_request.signal:
        _end_request.signal = number
        return
    # Unbuffered, as the signal may interrupt a write of the stream.
    if message := end_message():
        os.write(2, f"{message}\n".encode())
    os._exit(signal_exit_code(number))
