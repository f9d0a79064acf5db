"""Hashes of the inputs of compiled code: of a game's sources, and of the functions of bots.

numba compiles a function together with the functions and constants that it names, in any module,
and freezes the constants. A game lists the sources of all that it compiles. A bot can name values
of any module, so its hash covers the bytecode of all functions reached and the values of all
constants.
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
from typing import Any

import numpy as np

_CONSTANTS = (bool, int, float, complex, str, bytes, Enum, type(None), np.generic, np.dtype, range)
_HAS_DOCSTRING = 0x4000000  # a flag of code from Python 3.13 on
_SOURCE_ATTRIBUTES = {"__doc__", "__firstlineno__", "__static_attributes__"}
# Their versions are hashed, not their code.
_TOOL_PACKAGES = {*sys.stdlib_module_names, "numba", "llvmlite", "numpy"}


def sources_fingerprint(*paths: Path) -> str:
    """A hash (16 hex digits) of the toolchain and of sources: files, and the files in folders."""
    digest = hashlib.sha256(toolchain().encode())
    for path in paths:
        for file in sorted(path.glob("*.py")) if path.is_dir() else [path]:
            digest.update(file.name.encode() + hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()[:16]


def functions_fingerprint(*roots: object) -> str:
    """A hash (16 hex digits) of functions and constants, and all values that they name.

    A module that a function names counts by the attributes that the function uses, classes and
    objects of other types by their names. Comments, docstrings and line numbers do not count.
    """
    return hashlib.sha256(repr(list(_Walk().through(roots))).encode()).hexdigest()[:16]


def mentions(name: str, *roots: object) -> bool:
    """Whether functions, or what they name, use an attribute or a global of this name."""
    return any(f"'{name}'" in text for text in _Walk().through(roots))


class _Walk:
    """Yields texts for values and all that they name, each value once."""

    def __init__(self) -> None:
        # By id. The values stay alive, so that no other value gets the same id.
        self._visited: dict[int, object] = {}

    def through(self, roots: tuple[object, ...]) -> Iterator[str]:
        for root in roots:
            yield from self._value(root)

    def _value(self, value: Any) -> Iterator[str]:
        if isinstance(value, _CONSTANTS):
            yield f"{type(value).__name__} {value!r}"
        elif id(value) not in self._visited:
            self._visited[id(value)] = value
            yield from self._new_value(value)

    def _new_value(self, value: Any) -> Iterator[str]:
        if isinstance(value, np.ndarray):
            yield f"{value.dtype!r} {value.shape} {value.tobytes().hex()}"
        elif isinstance(value, Mapping):
            yield from self._items([*value, *value.values()])
        elif isinstance(value, tuple | list):
            yield from self._items(value)
        elif isinstance(value, set | frozenset):
            yield _stable_repr(frozenset(value))
        elif _is_numba_type(value):
            yield str(value)
        else:
            yield from self._function(value)

    def _items(self, values: Any) -> Iterator[str]:
        yield f"{len(values)} values"
        for value in values:
            yield from self._value(value)

    def _function(self, value: Any) -> Iterator[str]:
        """The texts of a function, plain or wrapped by numba."""
        yield repr(sorted(getattr(value, "targetoptions", {}).items()))
        function = getattr(value, "py_func", None) or getattr(value, "_defn", value)
        if not isinstance(function, FunctionType) or _is_of_tools(function):
            return
        yield from _function_texts(function.__code__)
        yield from self._items([function.__defaults__, function.__dict__])
        by_name = {**function.__globals__, **_closure_values(function)}
        yield from self._named_values(function.__code__, by_name)

    def _named_values(self, code: CodeType, by_name: Mapping[str, Any]) -> Iterator[str]:
        names = sorted({*_names_in(code), *code.co_freevars} - _SOURCE_ATTRIBUTES)
        for name in names:
            value = by_name.get(name)
            if isinstance(value, ModuleType):
                yield from self._module_attributes(value, names)
            elif name in by_name:
                yield name
                yield from self._value(value)

    def _module_attributes(self, module: ModuleType, names: list[str]) -> Iterator[str]:
        if not _is_of_tools(module):
            for name in names:
                if not isinstance(value := vars(module).get(name), ModuleType | None):
                    yield f"{module.__name__}.{name}"
                    yield from self._value(value)


def _is_of_tools(value: Any) -> bool:
    """Whether a function or module belongs to Python, numba or NumPy."""
    name = value.__name__ if isinstance(value, ModuleType) else value.__module__
    return (name or "").partition(".")[0] in _TOOL_PACKAGES


def _is_numba_type(value: Any) -> bool:
    modules = (class_.__module__ for class_ in type(value).__mro__)
    return any(name.startswith(("numba.core.types", "numba.core.typing")) for name in modules)


def _closure_values(function: FunctionType) -> dict[str, Any]:
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    return {name: cell.cell_contents for name, cell in cells if cell != CellType()}


def _names_in(code: CodeType) -> Iterator[str]:
    """The names of globals and attributes that a function and those inside it use."""
    yield from code.co_names
    for inner in _inner_code(code):
        yield from _names_in(inner)


def _inner_code(code: CodeType) -> Iterator[CodeType]:
    return (const for const in code.co_consts if isinstance(const, CodeType))


def _function_texts(code: CodeType) -> Iterator[str]:
    """Texts of a function's signature, bytecode, names and constants, independent of its place."""
    shape = code.co_argcount, code.co_kwonlyargcount, code.co_flags & ~_HAS_DOCSTRING
    yield repr((code.co_name, shape, code.co_code, code.co_exceptiontable))
    yield repr((code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars))
    yield from _constant_texts(code.co_consts[_has_docstring(code) :])


def _body_texts(code: CodeType) -> Iterator[str]:
    """Texts of the body of a class: the names it uses, and its functions."""
    yield repr([name for name in code.co_names if name not in _SOURCE_ATTRIBUTES])
    yield from _constant_texts(_inner_code(code))


def _constant_texts(consts: Iterable[object]) -> Iterator[str]:
    for const in consts:
        if not isinstance(const, CodeType):
            yield _stable_repr(const)
        elif const.co_flags & CO_OPTIMIZED:
            yield from _function_texts(const)
        else:
            yield from _body_texts(const)


def _has_docstring(code: CodeType) -> bool:
    """Whether the first constant is a docstring, or, up to Python 3.12, None in place of one."""
    if sys.version_info >= (3, 13):
        return bool(code.co_flags & _HAS_DOCSTRING)
    return not code.co_name.startswith("<")


def _stable_repr(const: object) -> str:
    """A repr that is the same in every process; the order of a set differs between processes."""
    return str(sorted(map(repr, const))) if isinstance(const, frozenset) else repr(const)


_SETTINGS_FILE = ".numba_config.yaml"  # numba reads it in the working directory
_CPUINFO_MACHINES = ("x86_64", "aarch64")  # machines whose /proc/cpuinfo has these fields
_CPUINFO_FIELDS = ("vendor_id", "cpu family", "model", "stepping", "flags", "CPU ", "Features")
_IGNORED_VARIABLES = {"NUMBA_DISABLE_JIT", "NUMBA_CACHE_DIR"}


def compiles() -> bool:
    """Whether numba compiles functions: not with NUMBA_DISABLE_JIT=1."""
    return os.environ.get("NUMBA_DISABLE_JIT", "0").strip() in ("", "0")


@cache
def toolchain() -> str:
    """The versions of Python, NumPy, numba and llvmlite, and numba's settings, as one text."""
    versions = [_version("numba"), _version("llvmlite"), np.__version__]
    variables = {name: value for name, value in os.environ.items() if name.startswith("NUMBA_")}
    settings = sorted(item for item in variables.items() if item[0] not in _IGNORED_VARIABLES)
    return repr((sys.version, versions, settings, _file_text(Path(_SETTINGS_FILE))))


@cache
def processor() -> tuple[str, ...]:
    """The model and the features of this processor, as read from Linux or else from LLVM."""
    if platform.machine() in _CPUINFO_MACHINES:
        with suppress(OSError), Path("/proc/cpuinfo").open(encoding="utf-8") as cpuinfo:
            lines = takewhile(str.strip, cpuinfo)  # of the first core
            if fields := tuple(line.strip() for line in lines if line.startswith(_CPUINFO_FIELDS)):
                return platform.machine(), *fields
    from cantstop_arena.native.object_files import llvm_processor

    return llvm_processor()


def _version(package: str) -> str:
    """The text of a package's _version.py, else its version: metadata take longer to read."""
    spec = find_spec(package)
    assert spec and spec.submodule_search_locations, package
    if revision := _file_text(Path(next(iter(spec.submodule_search_locations)), "_version.py")):
        return revision
    from importlib import metadata

    return metadata.version(package)


def _file_text(path: Path) -> str:
    return path.read_text("utf-8", "replace") if path.is_file() else ""
