"""Files beside a bot's: imported and read as they were when it was identified, not from disk."""

import os
import sys
from collections.abc import Mapping, Sequence
from importlib.abc import SourceLoader
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType

from cantstop_arena.errors import BotError


class _ModuleText(SourceLoader):
    """Loads a module from its text, under the name of its file."""

    def __init__(self, path: str, text: bytes) -> None:
        self._path = path
        self._text = text

    def get_filename(self, fullname: str) -> str:
        return self._path

    def get_data(self, path: str) -> bytes:
        """The text; there is no bytecode, which could be that of another."""
        if path != self._path:
            raise OSError(path)
        return self._text


class _FileImporter:
    """Finds what Python would find if all texts lay where they came from, and gives it its text."""

    def __init__(self) -> None:
        self.texts: dict[str, bytes] = {}

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        for folder in sys.path if path is None else path:
            origin = self._text_in(folder, name) or _file_in(folder, name)
            if origin:
                return self._spec(name, origin) if origin in self.texts else None
        return None

    def _text_in(self, folder: str, name: str) -> str | None:
        """Where the text of a module of this name lay in a folder, which need not be there."""
        location = f"{folder}{os.sep}{name.rpartition('.')[2]}"
        position = (f"{location}{os.sep}{_PACKAGE}", f"{location}.py")
        return next((origin for origin in position if origin in self.texts), None)

    def _spec(self, name: str, origin: str) -> ModuleSpec | None:
        folder, file = os.path.split(origin)
        loader, positions = (
            _ModuleText(origin, self.texts[origin]),
            [folder] if file == _PACKAGE else None,
        )
        return spec_from_file_location(
            name, origin, loader=loader, submodule_search_locations=positions
        )


_PACKAGE = "__init__.py"


def _file_in(folder: str, name: str) -> str | None:
    """The file of a module of this name that Python finds in a folder; none for a mere folder."""
    result = PathFinder.find_spec(name, [folder])
    return result.origin if result else None


_finder = _FileImporter()
_read: set[str] | None = None  # files beside bots that were read, where that is noted


def provide(texts: Mapping[str, bytes]) -> None:
    """Let these files have these texts from now on in this process: a bot's, and what it needs."""
    _finder.texts.update(texts)
    if len(texts) > 1 and _finder not in sys.meta_path:
        sys.meta_path.insert(0, _finder)


def note_reading() -> None:
    """Let bots read files beside theirs in this process, and remember which."""
    global _read
    _read = set()


def were_read() -> frozenset[str]:
    """The files beside bots that were read in this process since that was to be noted."""
    return frozenset(_read or ())


def read_beside(file: str, name: str) -> bytes:
    """The content of a file beside a bot's, or below: a model, say. It becomes a part of the bot.

    `file` is the bot's own `__file__`. The bot's digest is then of both; a run keeps a copy, and
    every process has this content. It is to be read when the bot's file is loaded, or when the bot
    is built with its usual options.

    Raises BotError where it cannot be read, or was not when the bot was looked at.
    """
    path = str(Path(file).parent / name)
    if path in _finder.texts:
        return _finder.texts[path]
    if _read is None:
        text = "is no part of the bot: read it when the file is loaded, whatever the options"
        raise BotError(f"{name} {text}")
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise BotError(f"{name} beside {file} cannot be read: {error.strerror}") from error
    _read.add(path)
    return content
