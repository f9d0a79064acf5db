"""Files beside a bot's file: imported and read with the texts of its digest, not from disk."""

import linecache
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.abc import SourceLoader
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import decode_source, module_from_spec, spec_from_file_location
from pathlib import Path
from types import CodeType, ModuleType

from cantstop_arena.bots.bot_paths import FOLDER_FILE
from cantstop_arena.bounded_files import MAX_SOURCE_BYTES, read_regular
from cantstop_arena.errors import BotError
from cantstop_arena.hookspecs import MODULE_PREFIX
from cantstop_arena.processes.system import is_installed


class _ModuleText(SourceLoader):
    """Loads a module from its text, with the path of its file."""

    def __init__(self, path: str, text: bytes) -> None:
        self._path = path
        self._text = text

    def is_one_of(self, texts: Mapping[str, bytes]) -> bool:
        """Whether the module's text is among these, by path."""
        return texts.get(self._path) == self._text

    def get_filename(self, fullname: str) -> str:
        return self._path

    def get_data(self, path: str) -> bytes:
        """The text of a file of the bot. Raises OSError for others: bytecode may be stale."""
        if path not in _importer.texts:
            raise OSError(path)
        return _importer.texts[path]

    def get_code(self, fullname: str) -> CodeType:
        """The module's code, compiled once: a bot that is a folder is run for every game."""
        return _compiled(self._path, self._text)


@cache
def _compiled(path: str, text: bytes) -> CodeType:
    code: CodeType = compile(text, path, "exec", dont_inherit=True)
    provide_lines(path, text)
    return code


def provide_lines(path: str, text: bytes) -> None:
    """Let tracebacks and the compiler read a file's lines as they were when it was loaded."""
    lines = [f"{line}\n" for line in decode_source(text).split("\n")]
    linecache.cache[path] = (len(text), None, lines, path)


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
                is_text = origin in self.texts and origin.endswith(".py")
                return self.spec(name, origin) if is_text else None
        return None

    def _path_of_text(self, folder: str, name: str) -> str | None:
        """The path of a module's text in a folder, which need not exist; None if there is none."""
        stem = f"{folder}{os.sep}{name.rpartition('.')[2]}"
        candidates = (f"{stem}{os.sep}{FOLDER_FILE}", f"{stem}.py")
        return next((origin for origin in candidates if origin in self.texts), None)

    def spec(self, name: str, origin: str) -> ModuleSpec | None:
        """The spec of a module whose text is at the path `origin`."""
        folder, file = os.path.split(origin)
        loader, package_folders = (
            _ModuleText(origin, self.texts[origin]),
            [folder] if file == FOLDER_FILE else None,
        )
        return spec_from_file_location(
            name, origin, loader=loader, submodule_search_locations=package_folders
        )


def _file_in(folder: str, name: str) -> str | None:
    """The file that Python finds for a module in a folder; None if none, or only a folder."""
    spec = PathFinder.find_spec(name, [folder])
    return spec.origin if spec else None


_importer = _FileImporter()
_read_paths: set[str] | None = None  # files beside bots that were read; None: not recorded


def provide(texts: Mapping[str, bytes]) -> None:
    """Set the texts of a bot's files, by path, for imports and `read_beside` in this process."""
    _importer.texts.update(texts)
    if len(texts) > 1:
        _install_importer()


def _install_importer() -> None:
    if _importer not in sys.meta_path:
        sys.meta_path.insert(0, _importer)


def names_in(files: Iterable[str]) -> frozenset[str]:
    """The top-level names under which files can be imported, given by paths below a folder.

    Any folder on the way to a file may be in Python's path.
    """
    sources = (Path(file) for file in files if file.endswith(".py"))
    return frozenset(part for file in sources for part in file.with_suffix("").parts)


def loaded_names() -> frozenset[str]:
    """The top-level names of the modules beside bots' files that this process has imported."""
    names = (name for name, module in list(sys.modules.items()) if _is_beside(module))
    return frozenset(name.partition(".")[0] for name in names if not name.startswith(MODULE_PREFIX))


def _is_beside(module: ModuleType) -> bool:
    return isinstance(getattr(module, "__loader__", None), _ModuleText)


def exchange_modules(names: Iterable[str], texts: Mapping[str, bytes]) -> None:
    """Set aside other bots' modules with these top-level names, and put back those of `texts`.

    Else a bot's `import _net` would find the `_net` of a bot in another folder that was loaded
    into this process before.
    """
    for name in names:
        if name in sys.modules and not _is_own(name, texts):
            modules = _family(name)
            for each in modules:
                del sys.modules[each]
            families = _set_aside.setdefault(name, [])
            own = next((family for family in families if _has_text(family, texts)), {})
            families[:] = [family for family in families if family is not own]
            if _has_text(modules, _importer.texts):  # others are imported from disk again
                families.append(modules)
            sys.modules.update(own)


_set_aside: dict[str, list[dict[str, ModuleType]]] = {}


def _is_own(name: str, texts: Mapping[str, bytes]) -> bool:
    """Whether a bot with these texts may use an imported module: its own, or an installed one."""
    module = sys.modules[name]
    if _has_text({name: module}, texts):
        return True
    file = getattr(module, "__file__", None)
    if name in sys.stdlib_module_names or (isinstance(file, str) and is_installed(file)):
        return True
    return file is None and _has_text(_family(name), texts)  # a folder without a file of its own


def _family(name: str) -> dict[str, ModuleType]:
    """A module and those below it, by name."""
    below = f"{name}."
    return {
        each: module
        for each, module in list(sys.modules.items())
        if each == name or each.startswith(below)
    }


def _has_text(modules: Mapping[str, ModuleType], texts: Mapping[str, bytes]) -> bool:
    """Whether any of the modules was loaded from these texts."""
    loaders = (getattr(module, "__loader__", None) for module in modules.values())
    return any(isinstance(loader, _ModuleText) and loader.is_one_of(texts) for loader in loaders)


def new_package(name: str, origin: str) -> ModuleType:
    """A new package from the text at the path `origin`, not run yet; its old modules are dropped.

    Relative imports in it find the bot's own texts, under names that no other bot has.
    """
    for module in [module for module in sys.modules if module.startswith(f"{name}.")]:
        del sys.modules[module]
    _install_importer()
    spec = _importer.spec(name, origin)
    assert spec
    return module_from_spec(spec)


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
        content = read_regular(path, MAX_SOURCE_BYTES)
    except OSError as error:
        raise BotError(f"{name} beside {file} cannot be read: {error.strerror}") from error
    _read_paths.add(path)
    return content
