"""Modules beside a bot's file: imported from the text that was identified, not from the disk."""

import sys
from collections.abc import Mapping, Sequence
from importlib.abc import SourceLoader
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import spec_from_file_location
from types import ModuleType


class _Text(SourceLoader):
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


class _Finder:
    """Finds what Python would find, and gives it its text."""

    def __init__(self) -> None:
        self.texts: dict[str, bytes] = {}

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        found = PathFinder.find_spec(name, path, target)
        origin = found.origin if found else None
        if origin is None or origin not in self.texts:
            return None
        loader = _Text(origin, self.texts[origin])
        places = found.submodule_search_locations if found else None
        return spec_from_file_location(
            name, origin, loader=loader, submodule_search_locations=places
        )


_finder = _Finder()


def provide(texts: Mapping[str, bytes]) -> None:
    """Let the modules of these files be made of these texts from now on in this process."""
    _finder.texts.update(texts)
    if _finder not in sys.meta_path:
        sys.meta_path.insert(0, _finder)
