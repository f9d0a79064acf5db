"""Files that are bots: found in a folder, run as modules of their own, known by their contents."""

import contextlib
import hashlib
import inspect
import os
import signal
import sys
import threading
import types
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from cantstop_arena.errors import BotError, Interrupted
from cantstop_arena.system import short_path
from cantstop_arena.texts import in_a_line, said_by, type_name


def bot_files(folder: Path) -> list[Path]:
    """The files of a folder that are bots: *.py, sorted, but for names that begin with _ or dot."""
    if not folder.is_dir():
        return []
    return sorted(path for path in folder.glob("*.py") if path.name[0] not in "._")


class BotFile:
    """A bot's file as it was read: its code, and the digest of the text which runs.

    Python's own import would trust a stale bytecode file whose source kept size and second.
    Raises BotError where the file cannot be read or compiled.
    """

    def __init__(self, path: Path) -> None:
        try:
            source = path.read_bytes()
        except OSError as error:
            raise BotError(f"{path} cannot be read: {error.strerror}") from error
        self.path = path
        self.digest = hashlib.sha256(source).hexdigest()
        place = hashlib.sha256(os.fsencode(path)).hexdigest()[:8]
        self._name = f"cantstop_arena_bot_{path.stem}_{place}"
        try:
            self._code = compile(source, str(path), "exec")
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise BotError(f"does not import: {described(error)}") from error

    def load(self) -> types.ModuleType:
        """Run the file as a module of its own. Raises BotError where it fails."""
        try:
            with foreign_code():
                return self.run()
        except Interrupted:
            raise
        except BaseException as error:
            del sys.modules[self._name]
            raise BotError(f"does not import: {described(error)}") from error

    def run(self) -> types.ModuleType:
        """Run the file as a new module, in which nothing is left of earlier ones."""
        module = types.ModuleType(self._name)
        module.__file__ = str(self.path)
        sys.modules[self._name] = module
        exec(self._code, vars(module))
        return module


@contextlib.contextmanager
def foreign_code() -> Iterator[None]:
    """While a plug-in's code is loaded here: it may not print, nor take for ever.

    What it prints must not mix with what a command prints; in a tournament its file is run again,
    and that goes to its log. Raises TookTooLong after LONGEST_IMPORT seconds.
    """
    with _output_aside(), _in_time():
        yield


@contextlib.contextmanager
def _in_time() -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "SIGALRM"):
        yield
        return
    before = signal.signal(signal.SIGALRM, _time_is_up)
    # Again and again, as a plug-in can catch whatever is raised.
    signal.setitimer(signal.ITIMER_REAL, LONGEST_IMPORT, 1.0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


class TookTooLong(BaseException):
    """Raised in the middle of a plug-in's code."""


def _time_is_up(number: int, frame: types.FrameType | None) -> None:
    raise TookTooLong(f"not done within {LONGEST_IMPORT:g} s")


@contextlib.contextmanager
def _output_aside() -> Iterator[None]:
    kept = [os.dup(standard) for standard in _STANDARD]
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        for standard in _STANDARD:
            os.dup2(nowhere, standard)
        with (
            Path(os.devnull).open("w") as sink,
            contextlib.redirect_stdout(sink),
            contextlib.redirect_stderr(sink),
        ):
            yield
    finally:
        for standard, copy in zip(_STANDARD, kept, strict=True):
            os.dup2(copy, standard)
        for file in (*kept, nowhere):
            os.close(file)


LONGEST_IMPORT = 20.0
_STANDARD = (1, 2)  # file descriptors of standard output and standard error


def sources_of(plugin: Any) -> Iterable[Path]:
    """The source files of a plug-in: all of its package, or its one module."""
    module = plugin if inspect.ismodule(plugin) else inspect.getmodule(plugin)
    file = Path(getattr(module, "__file__", None) or __file__)
    return file.parent.rglob("*.py") if file.name == "__init__.py" else [file]


def digest_of(sources: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for path in sorted(sources):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def described(error: BaseException) -> str:
    """An exception in one line, with the file and line it came from where it is known."""
    message = f"{type_name(error)}: {said_by(error, str) or 'no message'}"
    if isinstance(error, SyntaxError):
        return message
    trace, place = error.__traceback__, None
    while trace is not None:
        if trace.tb_frame.f_code.co_filename != __file__:
            place = trace
        trace = trace.tb_next
    if place is None:
        return message
    file = short_path(place.tb_frame.f_code.co_filename)
    return in_a_line(f"{message} ({file}:{place.tb_lineno})")
