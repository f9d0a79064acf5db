"""Bot files: reading source texts and their digests, running a file."""

import contextlib
import hashlib
import json
import os
import signal
import sys
import threading
import time
import types
from collections.abc import Iterable, Iterator, Mapping
from importlib.machinery import PathFinder
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from cantstop_arena.atomic_files import create_below, write_result
from cantstop_arena.bots import file_imports
from cantstop_arena.bots.bot_paths import FOLDER_FILE, NET, bot_name, bot_path, is_in_folder
from cantstop_arena.bounded_files import MAX_SOURCE_BYTES, files_below, read_regular
from cantstop_arena.errors import BotError, Interrupted
from cantstop_arena.hookspecs import MODULE_PREFIX
from cantstop_arena.packages import module_of
from cantstop_arena.processes import system
from cantstop_arena.processes.interpreter_guard import InterpreterGuard
from cantstop_arena.processes.system import is_installed, short_path
from cantstop_arena.texts import INDENT, attribute_text, in_a_line, type_name

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

MAX_BESIDE = 200  # files beside a bot's file that can be part of the bot
NET_MODULE = b"""from cantstop_arena.bots.onnx_bots import describe_net
describe_net(globals())
"""
"""The module that the file of a net stands for: the code of a bot."""
_MAX_CODE_LENGTH = 100  # characters that are shown of a line that is no Python
_NO_SOURCES = "__pycache__"  # a folder that Python fills


class BotSource(msgspec.Struct, frozen=True):
    """The source files of a bot: its own file, and the files beside it that it imports or reads.

    Of a bot that is a folder, all files of the folder. `files_beside` are paths relative to
    `folder`. A `digest` is that of the texts: other texts are refused. `copies` is a folder with
    copies of the files, read instead of the originals.
    """

    path: Path
    files_beside: tuple[str, ...] = ()
    digest: str = ""
    copies: Path | None = None

    @classmethod
    def at(cls, path: Path, digest: str = "") -> "BotSource":
        """The source of the bot whose own file is at a path, with what is known before it runs.

        Raises BotError when the bot is a folder whose files cannot be listed.
        """
        if not is_in_folder(path):
            return cls(path, digest=digest)
        source = cls(path.absolute(), digest=digest)
        names = [
            file.relative_to(source.folder).as_posix() for file in _files_of(source.path.parent)
        ]
        return replace(source, files_beside=tuple(sorted({*names} - {source.name})))

    @property
    def folder(self) -> Path:
        """The folder that holds the bot's file, or the folder of the bot itself."""
        return bot_path(self.path).parent

    @property
    def name(self) -> str:
        """The path of the bot's own file, relative to `folder`."""
        return self.path.relative_to(self.folder).as_posix()

    @property
    def paths(self) -> dict[str, Path]:
        """The path of every file, by its path relative to `folder`."""
        return {name: self.folder / name for name in (self.name, *self.files_beside)}

    def texts(self) -> Mapping[str, bytes]:
        """The content of every file, by relative path.

        Raises BotError when a file cannot be read, or the texts do not have the digest.
        """
        return _identified_texts.get((self.path, self.digest)) or self._read()

    def _read(self) -> dict[str, bytes]:
        folder = self.folder if self.copies is None else self.copies
        texts: dict[str, bytes] = {}
        for name in self.paths:
            texts[name] = read_source(folder / name)
            if sum(map(len, texts.values())) > MAX_SOURCE_BYTES:
                message = f"they are larger than {MAX_SOURCE_BYTES >> 20} MiB together"
                files = f"{bot_path(self.path)} and what it imports"
                if is_in_folder(self.path):
                    files = f"the files in {bot_path(self.path)}"
                raise BotError(f"{files} cannot be read: {message}")
        if self.digest and digest_of_texts(texts) != self.digest:
            message = "has changed since the run started; run the command again"
            raise BotError(f"{self.copies or bot_path(self.path)} {message}")
        return texts

    def identified(self) -> "BotSource":
        """This source with the digest of its present texts. Raises BotError like `texts`.

        The texts stay in memory, in this process and those forked from it: later changes of the
        files have no effect there.
        """
        texts = replace(self, digest="").texts()
        digest = digest_of_texts(texts)
        _identified_texts[self.path, digest] = texts
        return replace(self, digest=digest)

    def copied(self, folder: Path) -> "BotSource":
        """This source with copies of its files in a subfolder named after the digest.

        A copy of a copy keeps its time, which tells when that version has played first. Raises
        UsageError when a file cannot be read or written, or a folder on its way is a link.
        """
        path = folder / self.digest
        is_copy = self.folder.name == self.digest
        for name, text in self.texts().items():
            if _write_copy(path / name, text, folder.parent) and is_copy:
                _copy_time(self.folder / name, path / name)
        return replace(self, copies=path)


def identified_files() -> dict[str, str]:
    """The digests of all files of bots that were identified so far, by absolute path."""
    return {
        str(BotSource(path).folder.absolute() / name): hashlib.sha256(text).hexdigest()
        for (path, _), texts in _identified_texts.items()
        for name, text in texts.items()
    }


_identified_texts: dict[tuple[Path, str], Mapping[str, bytes]] = {}


def _files_of(folder: Path) -> Iterator[Path]:
    """The files of a bot's folder: all but hidden ones, and what Python stores.

    Raises BotError when a folder cannot be read, or there are too many files.
    """
    count = 0
    for parent, folders, names in os.walk(folder, onerror=_refuse_folder):
        folders[:] = [name for name in folders if name[0] != "." and name != _NO_SOURCES]
        for name in names:
            if name[0] == ".":
                continue
            if not name.isprintable():
                raise BotError(f"{folder} cannot be read: a file has the name {name!r:.60}")
            count += 1
            if count > MAX_BESIDE + 1:
                raise BotError(f"{folder} cannot be read: it has more than {count - 1} files")
            yield Path(parent, name)


def _refuse_folder(error: OSError) -> None:
    raise BotError(f"{error.filename} cannot be read: {error.strerror}") from error


def _write_copy(path: Path, text: bytes, results: Path) -> bool:
    """Write a file below `results`, and return whether it had another content.

    Raises UsageError.
    """
    try:
        create_below(results, path.parent)
        if os.path.isfile(path) and path.read_bytes() == text:
            return False
        write_result(path.parent, path.name, text)
    except OSError as error:
        message = f"the copy {path} of a bot that plays cannot be written: {error.strerror}"
        raise BotError(f"{message}; move away what is there, and run the command again") from error
    return True


def _copy_time(source: Path, copy: Path) -> None:
    with contextlib.suppress(OSError):
        time_ns = source.stat().st_mtime_ns
        os.utime(copy, ns=(time_ns, time_ns))


def stored_texts(folder: Path) -> Mapping[str, bytes]:
    """The texts of all files in a folder of copies, by relative path. Raises BotError."""
    return {file.relative_to(folder).as_posix(): read_source(file) for file in _files_of(folder)}


def lines_of(text: bytes | None) -> list[str]:
    """The lines of a file; none if there is no file. Raises UnicodeDecodeError for other data."""
    return (text or b"").decode().splitlines()


def read_source(path: Path) -> bytes:
    """The content of a regular file of at most MAX_SOURCE_BYTES. Raises BotError for any other."""
    try:
        return read_regular(path, MAX_SOURCE_BYTES)
    except OSError as error:
        raise BotError(f"{path} cannot be read: {error.strerror}") from error


def digest_of_texts(texts: Mapping[str, bytes]) -> str:
    """The SHA-256 digest of a bot's texts by name; of a single text, that of its content alone."""
    digests = {name: hashlib.sha256(text).hexdigest() for name, text in texts.items()}
    if len(digests) == 1:
        return next(iter(digests.values()))
    return hashlib.sha256(json.dumps(digests, sort_keys=True).encode()).hexdigest()


class BotFile:
    """The compiled code of a bot's file, and its source with the digest of the texts.

    Python's own import would trust a stale bytecode file if the source's size and the second of
    its last change are unchanged. Raises BotError when the file cannot be read or compiled.
    """

    def __init__(self, source: BotSource) -> None:
        texts = source.texts()
        self.path = source.path
        self.source = replace(source, digest=digest_of_texts(texts))
        path_digest = hashlib.sha256(os.fsencode(self.path)).hexdigest()[:8]
        self._name = f"{MODULE_PREFIX}{bot_name(self.path).replace('.', '_')}_{path_digest}"
        self._texts_by_path = {str(source.paths[name]): text for name, text in texts.items()}
        names_of_others = file_imports.loaded_names()  # of which a new file may have its own
        self._names_beside = file_imports.names_in(source.files_beside) | names_of_others
        text = NET_MODULE if self.path.suffix == NET else texts[source.name]
        try:
            self._code = compile(text, str(self.path), "exec")
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise BotError(f"does not import: {exception_line(error)}") from error
        file_imports.provide_lines(str(self.path), text)

    def load(self) -> types.ModuleType:
        """Run the file as a new module. Raises BotError when that fails."""
        try:
            with foreign_code():
                return self.run()
        except Interrupted as error:
            raise BotError("does not import: it pretends that the user wants to end") from error
        except BaseException as error:
            sys.modules.pop(self._name, None)
            if self.path.suffix == NET:  # the code is the arena's own
                raise BotError(_net_reason(error)) from error
            reason = f"{exception_line(error)}{self._hint(error)}"
            raise BotError(f"does not import: {reason}") from error

    def run(self) -> types.ModuleType:
        """Run the file as a new module; an earlier module of the file is replaced.

        A bot that is a folder is a new package: its other modules are run again, too.
        """
        file_imports.provide(self._texts_by_path)
        if is_in_folder(self.path):
            module = file_imports.new_package(self._name, str(self.path))
        else:
            module = types.ModuleType(self._name)
            module.__file__ = str(self.path)
            file_imports.exchange_modules(self._names_beside, self._texts_by_path)
        sys.modules[self._name] = module
        with self._modules_beside():
            exec(self._code, vars(module))
        return module

    @contextlib.contextmanager
    def _modules_beside(self) -> Iterator[None]:
        """A context in which a bot that is a single file can import the modules beside it.

        Those of Python and of installed packages come first: bots/random.py hides none of them.
        """
        folder = str(self.source.folder)
        if is_in_folder(self.path) or folder in sys.path:
            yield
            return
        sys.path.append(folder)
        try:
            yield
        finally:
            with contextlib.suppress(ValueError):  # the bot has removed it
                sys.path.remove(folder)

    def _hint(self, error: BaseException) -> str:
        """How a helper module is imported, where the bot imports it in another way; else empty."""
        if not isinstance(error, ImportError):
            return ""
        name = str(error.name).partition(".")[0]
        if not is_in_folder(self.path):
            is_relative = error.name is None and error.path is None
            if is_relative or name == self.source.folder.name:
                return f"; write: from MODULE import NAME, for MODULE.py beside {self.path.name}"
            return ""
        files = (self.path.with_name(f"{name}.py"), self.path.parent / name / self.path.name)
        if any(str(file) in self._texts_by_path for file in files):
            return f"; write: from . import {name}"
        if (file := self.source.folder / f"{name}.py").is_file():
            into = f"move {short_path(str(file))} into {bot_name(self.path)}/"
            return f"; {into}, and write: from . import {name}"
        return ""


def files_beside(source: BotSource) -> tuple[str, ...]:
    """The files below a source's folder that were imported or read, as relative paths.

    Those that the source has already are left out.
    """
    files = (getattr(module, "__file__", None) for module in list(sys.modules.values()))
    sources = (file for file in files if isinstance(file, str) and file.endswith(".py"))
    imported = (file for file in sources if not is_installed(file))  # few: resolving them is slow
    paths = {os.path.realpath(file) for file in (*imported, *file_imports.read_paths())}
    folder = os.path.realpath(source.folder)
    names = sorted(os.path.relpath(file, folder) for file in paths if _is_below(file, folder))
    return tuple(name for name in names if name not in source.paths)[:MAX_BESIDE]


def _is_below(file: str, folder: str) -> bool:
    return file.startswith(f"{folder}{os.sep}") and os.path.isfile(file) and not is_installed(file)


def _net_reason(error: BaseException) -> str:
    """Why a net cannot be used, without the arena's own files and functions."""
    if isinstance(error, BotError):
        return str(error)
    if isinstance(error, MemoryError):
        return "it needs more memory than it may use"
    return f"it cannot be read: {type_name(error)}: {attribute_text(error, str)}"


@contextlib.contextmanager
def foreign_code() -> Iterator[None]:
    """A context in which a plug-in's code is loaded: its output is discarded, its time limited.

    Changes of the interpreter's settings, the environment, the current folder and the like are
    undone at the end.
    Its output must not mix with a command's own; in a tournament the file is run again, and its
    output goes to a log. Raises TookTooLong after MAX_IMPORT_SECONDS, not counting time spent
    waiting for a processor. Threads load code one after the other, as output and settings are
    those of the process.
    """
    with _one_thread, InterpreterGuard(), _discarded_output(), _import_deadline():
        yield


_one_thread = threading.RLock()  # code that is loaded may load code


def _forget_other_threads() -> None:
    """In a forked process: a thread that holds the lock is not there."""
    global _one_thread
    _one_thread = threading.RLock()


os.register_at_fork(after_in_child=_forget_other_threads)


@contextlib.contextmanager
def _import_deadline() -> Iterator[None]:
    # Not in the sandbox, where whoever started the process limits it.
    has_clock = sys.platform != "linux" or system.counts_waiting()
    if not has_clock or threading.current_thread() is not threading.main_thread():
        yield
        return
    start = time.monotonic() - system.run_queue_seconds()

    def on_alarm(*_: object) -> None:
        if time.monotonic() - system.run_queue_seconds() - start >= MAX_IMPORT_SECONDS:
            raise TookTooLong(f"not done within {MAX_IMPORT_SECONDS:g} s")

    previous_handler = signal.signal(signal.SIGALRM, on_alarm)
    # Once a second from then on, as a plug-in can catch whatever is raised.
    signal.setitimer(signal.ITIMER_REAL, MAX_IMPORT_SECONDS, 1.0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous_handler)


class TookTooLong(BaseException):
    """A plug-in's code ran for too long; raised inside that code."""


@contextlib.contextmanager
def _discarded_output() -> Iterator[None]:
    saved = [os.dup(descriptor) for descriptor in _STANDARD_STREAMS]
    devnull = os.open(os.devnull, os.O_WRONLY)
    try:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        for descriptor in _STANDARD_STREAMS:
            os.dup2(devnull, descriptor)
        with (
            Path(os.devnull).open("w") as sink,
            contextlib.redirect_stdout(sink),
            contextlib.redirect_stderr(sink),
        ):
            yield
    finally:
        for descriptor, saved_descriptor in zip(_STANDARD_STREAMS, saved, strict=True):
            os.dup2(saved_descriptor, descriptor)
        for file in (*saved, devnull):
            os.close(file)


MAX_IMPORT_SECONDS = 10.0
_STANDARD_STREAMS = (1, 2)  # file descriptors of standard output and standard error


def digest_of_package(point: "EntryPoint") -> str:
    """The SHA-256 digest of an entry point's sources: all files of its package, or its module.

    They are found without running their code, which could name any file of the machine. Raises
    BotError when they cannot be read.
    """
    name, *names = module_of(point).split(".")
    try:
        spec = find_spec(name)  # a top-level name: nothing is imported
        for name in names:
            places = spec.submodule_search_locations if spec else None
            spec = PathFinder.find_spec(name, places or [])
    except (ImportError, ValueError, AttributeError):
        spec = None
    if spec is None or not spec.origin:
        raise BotError(f"no file of the module {in_a_line(point.value)} is found")
    file = Path(spec.origin)
    if file.name != FOLDER_FILE:
        return digest_of([file])
    return digest_of(path for path in files_below(file.parent) if path.suffix == ".py")


def digest_of(sources: Iterable[Path]) -> str:
    """The SHA-256 digest of source files, in the order of their paths; names do not count.

    Raises BotError when a file cannot be read.
    """
    digest = hashlib.sha256()
    for path in sorted(sources):
        digest.update(read_source(path))
    return digest.hexdigest()


def exception_line(error: BaseException) -> str:
    """An exception in one line, with the file and line that raised it, if known.

    After a SyntaxError two more lines show the code, as Python does.
    """
    message = f"{type_name(error)}: {attribute_text(error, str) or 'no message'}"
    if isinstance(error, SyntaxError):
        return message + _code_with_caret(error)
    entry, source_entry = error.__traceback__, None
    while entry is not None:
        if entry.tb_frame.f_code.co_filename != __file__:
            source_entry = entry
        entry = entry.tb_next
    if source_entry is None:
        return message
    file = short_path(source_entry.tb_frame.f_code.co_filename)
    return in_a_line(f"{message} ({file}:{source_entry.tb_lineno})")


def _code_with_caret(error: SyntaxError) -> str:
    """Two indented lines: the line that is no Python, and a caret where that shows."""
    if not (isinstance(error.text, str) and isinstance(error.offset, int)):
        return ""
    line = error.text.rstrip().replace("\t", " ")
    code = line.lstrip()
    column = max(0, error.offset - 1 - (len(line) - len(code)))
    lines = [code, " " * column + "^"] if column < _MAX_CODE_LENGTH else [code]
    return "".join(f"\n{INDENT}{line[:_MAX_CODE_LENGTH]}" for line in lines if code)
