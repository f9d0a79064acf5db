"""Files that are bots: found in a folder, run as modules of their own, known by their contents."""

import contextlib
import hashlib
import inspect
import json
import os
import signal
import stat
import sys
import threading
import time
import types
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from cantstop_arena.atomic_files import draft_of
from cantstop_arena.bots import file_imports
from cantstop_arena.errors import BotError, Interrupted
from cantstop_arena.processes import system
from cantstop_arena.processes.system import short_path
from cantstop_arena.texts import attribute_text, in_a_line, type_name


def bot_files(folder: Path) -> list[Path]:
    """The files of a folder that are bots: *.py, sorted, but for names that begin with _ or dot."""
    if not folder.is_dir():
        return []
    return sorted(path for path in folder.glob("*.py") if path.name[0] not in "._")


LARGEST = 1 << 24  # bytes of a source text, with those that it imports
MAX_BESIDE = 200  # files beside a bot's that can be part of it


class BotSource(msgspec.Struct, frozen=True):
    """Where the text of a bot lies: its file, and the modules beside it that it imports.

    `beside` are paths from the file's folder. With a `digest`, nothing else is taken for the text;
    it is then read from the copy in `kept`, if there is one.
    """

    path: Path
    beside: tuple[str, ...] = ()
    digest: str = ""
    copies: Path | None = None

    @property
    def paths(self) -> dict[str, Path]:
        """Every file, by its path from the folder of the first."""
        return {name: self.path.parent / name for name in (self.path.name, *self.beside)}

    def texts(self) -> Mapping[str, bytes]:
        """The content of every file. Raises BotError where one cannot be read, or has changed."""
        return _identified.get((self.path, self.digest)) or self._read()

    def _read(self) -> dict[str, bytes]:
        folder = self.path.parent if self.copies is None else self.copies
        texts: dict[str, bytes] = {}
        for name in self.paths:
            texts[name] = read_source(folder / name)
            if sum(map(len, texts.values())) > LARGEST:
                text = f"they are larger than {LARGEST >> 20} MiB together"
                raise BotError(f"{self.path} and what it imports cannot be read: {text}")
        if self.digest and digest_of_texts(texts) != self.digest:
            text = "has changed since the run started; run the command again"
            raise BotError(f"{self.path if self.copies is None else self.copies} {text}")
        return texts

    def identified(self) -> "BotSource":
        """The same, with the digest of what it says now, whatever it says later. Raises BotError.

        This process, and those forked from it, remember the text.
        """
        texts = replace(self, digest="").texts()
        digest = digest_of_texts(texts)
        _identified[self.path, digest] = texts
        return replace(self, digest=digest)

    def copied(self, folder: Path) -> "BotSource":
        """The same, with a copy below a folder, named after the digest. Raises BotError."""
        path = folder / self.digest
        for name, text in self.texts().items():
            _keep(path / name, text)
        return replace(self, copies=path)


_identified: dict[tuple[Path, str], Mapping[str, bytes]] = {}


def _keep(path: Path, text: bytes) -> None:
    """Write a file, whole or not at all, where there is not the same."""
    try:
        if os.path.isfile(path) and path.read_bytes() == text:
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        with draft_of(path) as draft:
            draft.write_bytes(text)
    except OSError as error:
        message = f"the copy {path} of a bot that plays cannot be written: {error.strerror}"
        raise BotError(f"{message}; move away what stands there, and run it again") from error


def read_source(path: Path) -> bytes:
    """The content of a regular file of sane size. Raises BotError for any other."""
    try:
        # Not blocking, as opening a pipe would wait for somebody to write.
        file = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise BotError(f"{path} cannot be read: {reason}") from error
    try:
        is_regular = stat.S_ISREG(os.fstat(file).st_mode)
        content = _read_up_to(file, LARGEST + 1) if is_regular else b""
    except OSError as error:
        raise BotError(f"{path} cannot be read: {error.strerror}") from error
    finally:
        os.close(file)
    if not is_regular:
        raise BotError(f"{path} cannot be read: it is no regular file")
    if len(content) > LARGEST:
        raise BotError(f"{path} cannot be read: it is larger than {LARGEST >> 20} MiB")
    return content


def _read_up_to(file: int, maximum: int) -> bytes:
    content = b""
    while chunk := os.read(file, maximum - len(content)):
        content += chunk
    return content


def digest_of_texts(texts: Mapping[str, bytes]) -> str:
    """A digest of a bot's texts; of one alone that of its content, whatever it is called."""
    digests = {name: hashlib.sha256(text).hexdigest() for name, text in texts.items()}
    if len(digests) == 1:
        return next(iter(digests.values()))
    return hashlib.sha256(json.dumps(digests, sort_keys=True).encode()).hexdigest()


class BotFile:
    """A bot's file as it was read: its code, and the source whose digest is that of the text.

    Python's own import would trust a stale bytecode file whose source kept size and second.
    Raises BotError where the file cannot be read or compiled.
    """

    def __init__(self, source: BotSource) -> None:
        texts = source.texts()
        self.path = source.path
        self.source = replace(source, digest=digest_of_texts(texts))
        location = hashlib.sha256(os.fsencode(self.path)).hexdigest()[:8]
        self._name = f"cantstop_arena_bot_{self.path.stem}_{location}"
        self._beside = {str(source.paths[name]): text for name, text in texts.items()}
        try:
            self._code = compile(texts[self.path.name], str(self.path), "exec")
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise BotError(f"does not import: {exception_line(error)}") from error

    def load(self) -> types.ModuleType:
        """Run the file as a module of its own. Raises BotError where it fails."""
        try:
            with foreign_code():
                return self.run()
        except Interrupted as error:
            raise BotError("does not import: it pretends that the user wants to end") from error
        except BaseException as error:
            sys.modules.pop(self._name, None)
            raise BotError(f"does not import: {exception_line(error)}") from error

    def run(self) -> types.ModuleType:
        """Run the file as a new module, in which nothing is left of earlier ones."""
        module = types.ModuleType(self._name)
        module.__file__ = str(self.path)
        sys.modules[self._name] = module
        file_imports.provide(self._beside)
        exec(self._code, vars(module))
        return module


def beside(path: Path) -> tuple[str, ...]:
    """What was imported or read from below a file's folder, as paths from there."""
    files = (getattr(module, "__file__", None) for module in list(sys.modules.values()))
    imported = (file for file in files if isinstance(file, str) and file.endswith(".py"))
    below = {os.path.realpath(file) for file in (*imported, *file_imports.were_read())}
    folder = os.path.realpath(path.parent)
    matches = sorted(os.path.relpath(file, folder) for file in below if _is_below(file, folder))
    return tuple(name for name in matches if name != path.name)[:MAX_BESIDE]


def _is_below(file: str, folder: str) -> bool:
    return file.startswith(f"{folder}{os.sep}") and os.path.isfile(file) and not is_installed(file)


def is_installed(file: str) -> bool:
    """Whether a file belongs to Python, or to what is installed there."""
    return file.startswith((str(Path(__file__).parents[1]), sys.prefix, sys.base_prefix))


@contextlib.contextmanager
def foreign_code() -> Iterator[None]:
    """While a plug-in's code is loaded here: it may not print, nor take for ever.

    What it prints must not mix with what a command prints; in a tournament its file is run again,
    and that goes to its log. Raises TookTooLong after LONGEST_IMPORT seconds, without those in
    which there was no processor for it.
    """
    with _output_aside(), _in_time():
        yield


@contextlib.contextmanager
def _in_time() -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "SIGALRM"):
        yield
        return
    begin = time.monotonic() - system.run_queue_seconds()

    def ring(*_: object) -> None:
        if time.monotonic() - system.run_queue_seconds() - begin >= MAX_IMPORT_SECONDS:
            raise TookTooLong(f"not done within {MAX_IMPORT_SECONDS:g} s")

    before = signal.signal(signal.SIGALRM, ring)
    # Again and again, as a plug-in can catch whatever is raised.
    signal.setitimer(signal.ITIMER_REAL, MAX_IMPORT_SECONDS, 1.0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


class TookTooLong(BaseException):
    """Raised in the middle of a plug-in's code."""


@contextlib.contextmanager
def _output_aside() -> Iterator[None]:
    stored = [os.dup(standard) for standard in _STANDARD]
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
        for standard, copy in zip(_STANDARD, stored, strict=True):
            os.dup2(copy, standard)
        for file in (*stored, nowhere):
            os.close(file)


MAX_IMPORT_SECONDS = 10.0
_STANDARD = (1, 2)  # file descriptors of standard output and standard error


def sources_of(plugin: Any) -> Iterable[Path]:
    """The source files of a plug-in: all of its package, or its one module."""
    module = plugin if inspect.ismodule(plugin) else inspect.getmodule(plugin)
    file = Path(getattr(module, "__file__", None) or __file__)
    return file.parent.rglob("*.py") if file.name == "__init__.py" else [file]


def digest_of(sources: Iterable[Path]) -> str:
    """A hash of source texts, whatever their files are called. Raises BotError."""
    digest = hashlib.sha256()
    for path in sorted(sources):
        digest.update(read_source(path))
    return digest.hexdigest()


def exception_line(error: BaseException) -> str:
    """An exception in one line, with the file and line it came from where it is known."""
    message = f"{type_name(error)}: {attribute_text(error, str) or 'no message'}"
    if isinstance(error, SyntaxError):
        return message
    trace, position = error.__traceback__, None
    while trace is not None:
        if trace.tb_frame.f_code.co_filename != __file__:
            position = trace
        trace = trace.tb_next
    if position is None:
        return message
    file = short_path(position.tb_frame.f_code.co_filename)
    return in_a_line(f"{message} ({file}:{position.tb_lineno})")
