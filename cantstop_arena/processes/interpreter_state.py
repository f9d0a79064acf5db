"""The interpreter's global state, restored between plain bots that share a process."""

import _signal  # type: ignore[import-not-found]
import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

_ALARM: Any = getattr(signal, "SIGALRM", None)
_handler: Callable[[int], Any] = _signal.getsignal  # ten times as fast as signal.getsignal


class InterpreterState:
    """The state of the interpreter at the time of construction."""

    def __init__(self) -> None:
        self._folder = Path.cwd()
        self.recursion = sys.getrecursionlimit()
        self._max_digits = sys.get_int_max_str_digits()
        self._numpy_errors = np.geterr()
        self._trace, self._profile = sys.gettrace(), sys.getprofile()  # a debugger's, say
        self._excepthooks = (threading.excepthook, sys.excepthook)
        self._alarm_handler = _current_alarm_handler()

    def restore(self) -> None:
        """Restore all settings that affect other code; hostile bots are for isolation."""
        if sys.gettrace() is not self._trace:
            sys.settrace(self._trace)
        if sys.getprofile() is not self._profile:
            sys.setprofile(self._profile)
        self.restore_quickly()
        sys.set_int_max_str_digits(self._max_digits)
        sys.unraisablehook = sys.__unraisablehook__
        np.seterr(**self._numpy_errors)
        with contextlib.suppress(OSError):
            os.chdir(self._folder)

    def restore_quickly(self) -> None:
        """Restore only the settings that could break the next bot's turn."""
        try:
            self._restore_quickly()
        except Exception:  # an alarm that a bot had set went off in the middle
            self._restore_quickly()

    def _restore_quickly(self) -> None:
        if sys.getrecursionlimit() != self.recursion:
            sys.setrecursionlimit(self.recursion)
        if (threading.excepthook, sys.excepthook) != self._excepthooks:
            threading.excepthook, sys.excepthook = self._excepthooks
        if self._alarm_handler is not None and _handler(_ALARM) is not self._alarm_handler:
            signal.signal(_ALARM, self._alarm_handler)
            signal.setitimer(signal.ITIMER_REAL, 0)


def _current_alarm_handler() -> Any:
    """The handler of SIGALRM to restore; None off the main thread, which cannot set one."""
    if _ALARM is None or threading.current_thread() is not threading.main_thread():
        return None
    handler = _handler(_ALARM)
    # By default an alarm that a bot has set would end the process.
    return int(signal.SIG_IGN) if handler == signal.SIG_DFL else handler
