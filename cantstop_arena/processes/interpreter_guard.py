"""The interpreter's global state, restored around foreign code that shares a process."""

import _signal  # type: ignore[import-not-found]
import contextlib
import gc
import locale
import os
import signal
import sys
import threading
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

_ALARM = signal.SIGALRM
_SIGNALS = tuple(sorted(signal.valid_signals()))
_TIMERS = (signal.ITIMER_REAL, signal.ITIMER_VIRTUAL, signal.ITIMER_PROF)
_NUMPY_ERRORS = {"divide": "warn", "over": "warn", "under": "ignore", "invalid": "warn"}
_PRIVATE = 0o077  # the mask of files that are created while the real one is read
_handler: Callable[[int], Any] = _signal.getsignal  # ten times as fast as signal.getsignal


class _Item(NamedTuple):
    """A part of the state: functions that read it, and set it to what was read."""

    read: Callable[[], Any]
    restore: Callable[[Any], object]


class InterpreterGuard:
    """The state of the interpreter when it was noted, which `restore` brings back.

    As a context manager it restores the state at the beginning of the block. `has_restored` says
    whether anything had to be restored so far.
    """

    def __init__(self) -> None:
        self.has_restored = False
        self.note()

    def note(self) -> None:
        """Note the present state as the one to restore."""
        self._values = [(item, item.read()) for item in _ITEMS]
        self.recursion = sys.getrecursionlimit()
        self._excepthooks = (threading.excepthook, sys.excepthook)
        self._alarm_handler = _alarm_handler()

    def __enter__(self) -> "InterpreterGuard":
        return self

    def __exit__(self, *_: object) -> None:
        self._undisturbed(self._restore)

    def restore(self) -> None:
        """Restore everything that affects other code; hostile bots are for isolation."""
        self._undisturbed(self._restore)
        self.restore_quickly()

    def _undisturbed(self, restore: Callable[[], None]) -> None:
        try:
            restore()
        except Exception:  # an alarm that a bot had set went off in the middle
            restore()

    def _restore(self) -> None:
        for item, value in self._values:
            if value != item.read():
                self.has_restored = True
                item.restore(value)

    def restore_quickly(self) -> None:
        """Restore only the settings that could break the next bot's turn."""
        try:  # not `_undisturbed`, whose call costs as much as this: it is called every turn
            self._restore_quickly()
        except Exception:
            self._restore_quickly()

    def _restore_quickly(self) -> None:
        if sys.getrecursionlimit() != self.recursion:
            sys.setrecursionlimit(self.recursion)
        if (threading.excepthook, sys.excepthook) != self._excepthooks:
            threading.excepthook, sys.excepthook = self._excepthooks
        if self._alarm_handler is not None and _handler(_ALARM) != self._alarm_handler:
            _restore_handlers({_ALARM: self._alarm_handler})
            _stop_timers([False] * len(_TIMERS))


class LeftAlone(InterpreterGuard):
    """A state that is not restored: bots run in a program that is not the arena's alone."""

    def restore(self) -> None:
        pass

    def restore_quickly(self) -> None:
        pass


def _alarm_handler() -> Any:
    """The handler of SIGALRM while bots play; None off the main thread, which cannot set one."""
    if threading.current_thread() is not threading.main_thread():
        return None
    handler = _handler(_ALARM)
    # By default an alarm that a bot has set would end the process.
    return int(signal.SIG_IGN) if handler == signal.SIG_DFL else handler


def _environment() -> tuple[Any, dict[Any, Any]]:
    """The mapping, and its content as it is stored: copying it decoded takes 50 times as long."""
    return os.environ, dict(getattr(os.environ, "_data", ()))


def _restore_environment(was: tuple[Any, dict[Any, Any]]) -> None:
    """Restore the mapping and its variables, which C code sees, too."""
    os.environ, variables = was
    stored: Any = os.environb if os.supports_bytes_environ else os.environ
    for name in stored.keys() - variables.keys():
        del stored[name]
    stored.update(variables)


def _hooks() -> tuple[Any, ...]:
    return sys.excepthook, sys.unraisablehook, sys.displayhook, threading.excepthook


def _restore_hooks(was: tuple[Any, ...]) -> None:
    sys.excepthook, sys.unraisablehook, sys.displayhook, threading.excepthook = was


def _handlers() -> list[Any]:
    return [_handler(number) for number in _SIGNALS]


def _restore_handlers(was: dict[int, Any]) -> None:
    if threading.current_thread() is not threading.main_thread():
        return  # no bot can have set one here
    for number, handler in was.items():
        if handler is not None and _handler(number) != handler:
            signal.signal(number, handler)


def _running_timers() -> list[bool]:
    return [signal.getitimer(timer) != (0.0, 0.0) for timer in _TIMERS]


def _stop_timers(was: list[bool]) -> None:
    """Stop the timers that did not run."""
    for timer, ran in zip(_TIMERS, was, strict=True):
        if not ran:
            signal.setitimer(timer, 0)


def _garbage_collection() -> tuple[Any, ...]:
    return gc.isenabled(), gc.get_threshold(), gc.get_debug(), tuple(gc.callbacks)


def _restore_garbage_collection(was: tuple[Any, ...]) -> None:
    is_enabled, threshold, debug, gc.callbacks[:] = was
    (gc.enable if is_enabled else gc.disable)()
    gc.set_threshold(*threshold)
    gc.set_debug(debug)


def _restore_warnings(was: tuple[Any, ...]) -> None:
    warnings.resetwarnings()  # so that what Python remembers of the filters is void
    warnings.filters[:] = was  # type: ignore[index]


def _folder() -> str | None:
    try:
        return os.getcwd()  # noqa: PTH109
    except OSError:  # it has been deleted
        return None


def _restore_folder(was: str | None) -> None:
    with contextlib.suppress(OSError):
        if was is not None:
            os.chdir(was)


def _umask() -> int:
    mask = os.umask(_PRIVATE)
    os.umask(mask)
    return mask


def _restore_locale(was: str) -> None:
    locale.setlocale(locale.LC_ALL, was)


def _numpy_errors() -> Any:
    """NumPy's reactions to errors; the usual ones while it is not loaded."""
    numpy: Any = sys.modules.get("numpy")
    return numpy.geterr() if hasattr(numpy, "geterr") else _NUMPY_ERRORS


def _restore_numpy_errors(was: Any) -> None:
    sys.modules["numpy"].seterr(**was)


def _restore_profile(was: Any) -> None:
    if hasattr(was, "enable"):  # cProfile's own object, which is no function
        was.enable()
    else:
        sys.setprofile(was)


def _standard_files() -> tuple[Any, ...]:
    return sys.stdin, sys.stdout, sys.stderr


def _restore_standard_files(was: tuple[Any, ...]) -> None:
    sys.stdin, sys.stdout, sys.stderr = was


_ITEMS = (
    _Item(sys.getrecursionlimit, sys.setrecursionlimit),  # first: the others need it
    _Item(sys.gettrace, sys.settrace),
    _Item(sys.getprofile, _restore_profile),
    _Item(threading.gettrace, threading.settrace),
    _Item(threading.getprofile, threading.setprofile),
    _Item(_running_timers, _stop_timers),
    _Item(_handlers, lambda was: _restore_handlers(dict(zip(_SIGNALS, was, strict=True)))),
    _Item(
        lambda: signal.pthread_sigmask(signal.SIG_BLOCK, ()),
        lambda was: signal.pthread_sigmask(signal.SIG_SETMASK, was),
    ),
    _Item(sys.getswitchinterval, sys.setswitchinterval),
    _Item(sys.get_int_max_str_digits, sys.set_int_max_str_digits),
    _Item(_hooks, _restore_hooks),
    _Item(_garbage_collection, _restore_garbage_collection),
    _Item(lambda: tuple(warnings.filters), _restore_warnings),
    _Item(_environment, _restore_environment),
    _Item(_folder, _restore_folder),
    _Item(_umask, os.umask),
    _Item(lambda: locale.setlocale(locale.LC_ALL), _restore_locale),
    _Item(_numpy_errors, _restore_numpy_errors),
    _Item(_standard_files, _restore_standard_files),
)
"""Everything that is restored."""
