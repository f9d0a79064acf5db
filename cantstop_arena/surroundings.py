"""What plain bots could leave behind in a process that others play in after them."""

import contextlib
import os
import signal
import sys
import threading
from pathlib import Path

import numpy as np

_ALARM = getattr(signal, "SIGALRM", None)


class Surroundings:
    """The state of the interpreter as it was when this was made."""

    def __init__(self) -> None:
        self._folder = Path.cwd()
        self._recursion = sys.getrecursionlimit()
        self._digits = sys.get_int_max_str_digits()
        self._numpy = np.geterr()

    def restore(self) -> None:
        """Undo what changes how other code runs. A bot that wants to can do worse."""
        sys.settrace(None)
        sys.setprofile(None)
        self.restore_quickly()
        sys.set_int_max_str_digits(self._digits)
        sys.excepthook, sys.unraisablehook = sys.__excepthook__, sys.__unraisablehook__
        np.seterr(**self._numpy)
        with contextlib.suppress(OSError):
            os.chdir(self._folder)

    def restore_quickly(self) -> None:
        """Undo what would hurt whoever decides next."""
        if sys.getrecursionlimit() != self._recursion:
            sys.setrecursionlimit(self._recursion)
        if threading.excepthook is not threading.__excepthook__:
            threading.excepthook = threading.__excepthook__
        if _ALARM is not None and signal.getsignal(_ALARM) is not signal.SIG_IGN:
            signal.signal(_ALARM, signal.SIG_IGN)
            signal.setitimer(signal.ITIMER_REAL, 0)
