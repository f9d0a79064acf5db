"""What compiled code was made from, as a hash: its functions, and every value that they name.

numba compiles a function together with the functions and constants that it names, wherever these
come from, and freezes the constants. So functions are followed by what they name, and constants
count with their values. Comments, docstrings and line numbers do not count.
"""

import hashlib
import os
import platform
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from enum import Enum
from functools import cache
from importlib.util import find_spec
from inspect import CO_OPTIMIZED
from itertools import takewhile
from pathlib import Path
from types import CellType, CodeType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

_CONSTANTS = (bool, int, float, complex, str, bytes, Enum, type(None), np.generic, np.dtype, range)
_HAS_DOCSTRING = 0x4000000  # a flag of code from Python 3.13 on
_OF_ITS_SOURCE = {"__doc__", "__firstlineno__", "__static_attributes__"}
_TOOLS = {*sys.stdlib_module_names, "numba", "llvmlite", "numpy"}  # known by their versions


def fingerprint(*roots: object) -> str:
    """A hash of modules (each as a whole), functions and constants, and all that they name.

    Of a module that is only named, what a function looks up in it counts. Classes and objects of
    other kinds count by nothing but their names.
    """
    return hashlib.sha256(repr(list(_Walk().through(roots))).encode()).hexdigest()[:16]


class _Walk:
    """Goes through values and what they name, each once."""

    def __init__(self) -> None:
        self._visited: dict[int, object] = {}  # kept alive: no other value can take their identity

    def through(self, roots: tuple[object, ...]) -> Iterator[str]:
        for root in roots:
            yield from self._module(root) if isinstance(root, ModuleType) else self._value(root)

    def _module(self, module: ModuleType) -> Iterator[str]:
        yield module.__name__
        yield from _spelt_out(_code_of(module))
        for code in functions_in(module):
            yield from self._named(code, vars(module))

    def _value(self, value: Any) -> Iterator[str]:
        if isinstance(value, _CONSTANTS):
            yield f"{type(value).__name__} {value!r}"
        elif id(value) not in self._visited:
            self._visited[id(value)] = value
            yield from self._once(value)

    def _once(self, value: Any) -> Iterator[str]:
        if isinstance(value, np.ndarray):
            yield f"{value.dtype!r} {value.shape} {value.tobytes().hex()}"
        elif isinstance(value, Mapping):
            yield from self._each([*value, *value.values()])
        elif isinstance(value, tuple | list):
            yield from self._each(value)
        elif isinstance(value, set | frozenset):
            yield _repr(frozenset(value))
        elif _is_numba_type(value):
            yield str(value)
        else:
            yield from self._function(value)

    def _each(self, values: Any) -> Iterator[str]:
        yield f"{len(values)} values"
        for value in values:
            yield from self._value(value)

    def _function(self, value: Any) -> Iterator[str]:
        """A function, also one that numba has taken over."""
        yield repr(sorted(getattr(value, "targetoptions", {}).items()))
        function = getattr(value, "py_func", None) or getattr(value, "_defn", value)
        if not isinstance(function, FunctionType) or is_of_tools(function):
            return
        yield from _spelt(function.__code__)
        yield from self._each([function.__defaults__, function.__dict__])
        by_name = {**function.__globals__, **_closed_over(function)}
        yield from self._named(function.__code__, by_name)

    def _named(self, code: CodeType, by_name: Mapping[str, Any]) -> Iterator[str]:
        names = sorted({*names_in(code), *code.co_freevars} - _OF_ITS_SOURCE)
        for name in names:
            value = by_name.get(name)
            if isinstance(value, ModuleType):
                yield from self._name_lines(value, names)
            elif name in by_name:
                yield name
                yield from self._value(value)

    def _name_lines(self, module: ModuleType, names: list[str]) -> Iterator[str]:
        if not is_of_tools(module):
            for name in names:
                if not isinstance(result := vars(module).get(name), ModuleType | None):
                    yield f"{module.__name__}.{name}"
                    yield from self._value(result)


def _code_of(module: ModuleType) -> CodeType:
    """As Python keeps it beside the source, which takes no time."""
    code: CodeType = module.__spec__.loader.get_code(module.__name__)  # type: ignore
    return code


def is_of_tools(value: Any) -> bool:
    """Whether a function or module belongs to Python, numba or NumPy."""
    name = value.__name__ if isinstance(value, ModuleType) else value.__module__
    return (name or "").partition(".")[0] in _TOOLS


def _is_numba_type(value: Any) -> bool:
    kinds = (kind.__module__ for kind in type(value).__mro__)
    return any(kind.startswith(("numba.core.types", "numba.core.typing")) for kind in kinds)


def _closed_over(function: FunctionType) -> dict[str, Any]:
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    return {name: cell.cell_contents for name, cell in cells if cell != CellType()}


def names_in(code: CodeType) -> Iterator[str]:
    """The names of globals and attributes in a function, and in those inside it."""
    yield from code.co_names
    for inner in _inner(code):
        yield from names_in(inner)


def functions_in(module: ModuleType) -> Iterator[CodeType]:
    """The functions and classes at the top of a module."""
    return _inner(_code_of(module))


def _inner(code: CodeType) -> Iterator[CodeType]:
    return (const for const in code.co_consts if isinstance(const, CodeType))


def _spelt(code: CodeType) -> Iterator[str]:
    """What a function does, wherever it stands."""
    shape = code.co_argcount, code.co_kwonlyargcount, code.co_flags & ~_HAS_DOCSTRING
    yield repr((code.co_name, shape, code.co_code, code.co_exceptiontable))
    yield repr((code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars))
    yield from _constants(code.co_consts[_has_docstring(code) :])


def _spelt_out(code: CodeType) -> Iterator[str]:
    """What stands at the top of a module, or in a class: what it names, and its functions."""
    yield repr([name for name in code.co_names if name not in _OF_ITS_SOURCE])
    in_module = code.co_name == "<module>"
    yield from _constants(
        code.co_consts["__doc__" in code.co_names :] if in_module else _inner(code)
    )


def _constants(consts: Iterable[object]) -> Iterator[str]:
    for const in consts:
        if not isinstance(const, CodeType):
            yield _repr(const)
        elif const.co_flags & CO_OPTIMIZED:
            yield from _spelt(const)
        else:
            yield from _spelt_out(const)


def _has_docstring(code: CodeType) -> bool:
    """Whether the first constant is a docstring, or, up to Python 3.12, None in place of one."""
    if sys.version_info >= (3, 13):
        return bool(code.co_flags & _HAS_DOCSTRING)
    return not code.co_name.startswith("<")


def _repr(const: object) -> str:
    """The same in every process: the order of a set is not."""
    return str(sorted(map(repr, const))) if isinstance(const, frozenset) else repr(const)


_SETTINGS_FILE = ".numba_config.yaml"  # numba reads it where it is started
_TOLD_BY_LINUX = ("x86_64", "aarch64")  # in a form that is known here
_OF_A_PROCESSOR = ("vendor_id", "cpu family", "model", "stepping", "flags", "CPU ", "Features")
_OF_NO_ACCOUNT = {"NUMBA_DISABLE_JIT", "NUMBA_CACHE_DIR"}


def compiles() -> bool:
    """Whether anything is compiled at all: not with NUMBA_DISABLE_JIT=1."""
    return os.environ.get("NUMBA_DISABLE_JIT", "0").strip() in ("", "0")


@cache
def toolchain() -> str:
    """Python, NumPy, numba with what it needs, and its settings."""
    versions = [_version("numba"), _version("llvmlite"), np.__version__]
    chosen = {name: value for name, value in os.environ.items() if name.startswith("NUMBA_")}
    settings = sorted(item for item in chosen.items() if item[0] not in _OF_NO_ACCOUNT)
    return repr((sys.version, versions, settings, _text(Path(_SETTINGS_FILE))))


@cache
def processor() -> tuple[str, ...]:
    """What kind of processor code is made for, and what it can do, as Linux or else LLVM says."""
    if platform.machine() in _TOLD_BY_LINUX:
        with suppress(OSError), Path("/proc/cpuinfo").open(encoding="utf-8") as data:
            lines = takewhile(str.strip, data)  # of the first
            if texts := tuple(line.strip() for line in lines if line.startswith(_OF_A_PROCESSOR)):
                return platform.machine(), *texts
    from cantstop_arena.native.llvm_loader import processor as seen

    return seen()


def sources(package: str) -> str:
    """A hash of all Python sources of a package."""
    digest = hashlib.sha256()
    for location in sorted(entry.path for entry in _source_files(_folders(package)[0])):
        digest.update(f"{location}\n".encode() + Path(location).read_bytes())
    return digest.hexdigest()


def source_stats_hash(package: str) -> str:
    """A hash of what the file system says of them, in a tenth of the time.

    It is another one after anything was written: nobody can set when a file was changed last.
    """
    observed = [
        (entry.path, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
        for entry in _source_files(_folders(package)[0])
        for status in (entry.stat(),)
    ]
    return hashlib.sha256(repr(sorted(observed)).encode()).hexdigest()


def _source_files(folder: str) -> "Iterator[os.DirEntry[str]]":
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(".py"):
                yield entry
            elif entry.is_dir() and entry.name != "__pycache__":
                yield from _source_files(entry.path)


def _version(package: str) -> str:
    """Its version and revision, as noted in its sources: metadata take longer to read."""
    if stored := _text(Path(_folders(package)[0], "_version.py")):
        return stored
    from importlib import metadata

    return metadata.version(package)


def _folders(package: str) -> list[str]:
    spec = find_spec(package)
    assert spec and spec.submodule_search_locations, package
    return list(spec.submodule_search_locations)


def _text(path: Path) -> str:
    return path.read_text("utf-8", "replace") if path.is_file() else ""
