"""Files beside a bot's file: imported and read with the texts of its digest, not from disk."""

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
    """Loads a module from its text, with the path of its file."""

    def __init__(self, path: str, text: bytes) -> None:
        self._path = path
        self._text = text

    def get_filename(self, fullname: str) -> str:
        return self._path

    def get_data(self, path: str) -> bytes:
        """The module's text. Raises OSError for any other path: a bytecode file may be stale."""
        if path != self._path:
            raise OSError(path)
        return self._text


class _FileImporter:
    """Imports modules from given texts, in the order in which Python would find their files."""

    def __init__(self) -> None:
        self.texts: dict[str, bytes] = {}

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        for folder in sys.path if path is None else path:
            origin = self._path_of_text(folder, name) or _file_in(folder, name)
            if origin:
                return self._spec(name, origin) if origin in self.texts else None
        return None

    def _path_of_text(self, folder: str, name: str) -> str | None:
        """The path of a module's text in a folder, which need not exist; None if there is none."""
        stem = f"{folder}{os.sep}{name.rpartition('.')[2]}"
        candidates = (f"{stem}{os.sep}{_PACKAGE_FILE}", f"{stem}.py")
        return next((origin for origin in candidates if origin in self.texts), None)

    def _spec(self, name: str, origin: str) -> ModuleSpec | None:
        folder, file = os.path.split(origin)
        loader, package_folders = (
            _ModuleText(origin, self.texts[origin]),
            [folder] if file == _PACKAGE_FILE else None,
        )
        return spec_from_file_location(
            name, origin, loader=loader, submodule_search_locations=package_folders
        )


_PACKAGE_FILE = "__init__.py"


def _file_in(folder: str, name: str) -> str | None:
    """The file that Python finds for a module in a folder; None if none, or only a folder."""
    spec = PathFinder.find_spec(name, [folder])
    return spec.origin if spec else None


_importer = _FileImporter()
_read_paths: set[str] | None = None  # files beside bots that were read; None: not recorded


def provide(texts: Mapping[str, bytes]) -> None:
    """Set the texts of a bot's files, by path, for imports and `read_beside` in this process."""
    _importer.texts.update(texts)
    if len(texts) > 1 and _importer not in sys.meta_path:
        sys.meta_path.insert(0, _importer)


def note_reading() -> None:
    """Let bots read files beside theirs in this process, and record which."""
    global _read_paths
    _read_paths = set()


def read_paths() -> frozenset[str]:
    """The files beside bots that were read in this process since `note_reading`."""
    return frozenset(_read_paths or ())


def read_beside(file: str, name: str) -> bytes:
    """The content of a file beside a bot's file or below its folder, such as a model.

    It becomes a part of the bot: the bot's digest covers it, a run stores a copy, and every
    process reads the same content. `file` is the bot's own `__file__`. Read it while the bot's
    file is loaded, or while the bot is built with its default options.

    Raises BotError when the file cannot be read, or was not read when the bot was described.
    """
    path = str(Path(file).parent / name)
    if path in _importer.texts:
        return _importer.texts[path]
    if _read_paths is None:
        message = "is no part of the bot: read it when the file is loaded, whatever the options"
        raise BotError(f"{name} {message}")
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise BotError(f"{name} beside {file} cannot be read: {error.strerror}") from error
    _read_paths.add(path)
    return content
