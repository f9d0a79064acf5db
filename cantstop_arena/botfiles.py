"""Files that are bots: found in a folder, run as modules of their own, known by their contents."""

import contextlib
import hashlib
import inspect
import os
import sys
import types
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from cantstop_arena.errors import BotError


def bot_files(folder: Path) -> list[Path]:
    """The files of a folder that are bots: *.py, sorted, but for names that begin with _ or dot."""
    if not folder.is_dir():
        return []
    return sorted(path for path in folder.glob("*.py") if path.name[0] not in "._")


def import_file(path: Path) -> tuple[types.ModuleType, str]:
    """Run a file as a module of its own; the digest is that of the text which ran.

    Python's own import would trust a stale bytecode file whose source kept size and second.
    """
    try:
        source = path.read_bytes()
    except OSError as error:
        raise BotError(f"{path} cannot be read: {error.strerror}") from error
    digest = hashlib.sha256(source).hexdigest()
    place = hashlib.sha256(os.fsencode(path)).hexdigest()[:8]
    module = types.ModuleType(f"cantstop_arena_bot_{path.stem}_{place}")
    module.__file__ = str(path)
    sys.modules[module.__name__] = module
    try:
        with output_aside():
            exec(compile(source, str(path), "exec"), vars(module))
    except (Exception, SystemExit) as error:
        del sys.modules[module.__name__]
        raise BotError(f"does not import: {in_a_line(error)}") from error
    return module, digest


@contextlib.contextmanager
def output_aside() -> Iterator[None]:
    """What a plug-in prints while it is imported must not mix with what a command prints."""
    with contextlib.redirect_stdout(sys.stderr):
        yield


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


def in_a_line(error: BaseException) -> str:
    """An exception in one line, with the file and line it came from where it is known."""
    message = f"{type(error).__name__}: {' '.join(str(error).split())}"
    if isinstance(error, SyntaxError):
        return message
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return message
    return f"{message} ({trace.tb_frame.f_code.co_filename}:{trace.tb_lineno})"
