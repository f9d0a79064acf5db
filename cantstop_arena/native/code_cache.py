"""Where the machine code of games and of bots is stored; reading it does not import numba.

Files are deleted when they are damaged or when another user could write to them.

Whoever can write such a file can run any code in this process. So folders must belong to the user,
and every file begins with a hash of its key and its content: a file that was truncated, changed or
renamed is deleted, and its code is compiled again.

It is stored by hashes of the inputs of compiled code: of a game's sources, and of the functions of
bots. numba compiles a function together with the functions and constants that it names, in any
module, and freezes the constants. A game lists the sources of all that it compiles. A bot can name
values of any module, so its hash covers the bytecode of all functions reached and the values of all
constants.
"""

import hashlib
import os
import platform
import shutil
import stat
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from enum import Enum
from functools import cache, cached_property, partial
from importlib.util import find_spec
from inspect import CO_OPTIMIZED
from itertools import takewhile
from pathlib import Path
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any

import msgspec
import numpy as np
from platformdirs import user_cache_path

from cantstop_arena.atomic_files import draft_of
from cantstop_arena.errors import ArenaError

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


SUFFIX = ".code"
_CACHE = "CANTSTOP_ARENA_CACHE"
_MAGIC = b"machine code\n"
_DIGEST_SIZE = hashlib.sha256().digest_size
_ROOT_USER = 0
_READABLE = 0o555  # for a folder: also to be entered
_WRITABLE_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH


def cache_root() -> Path:
    """The folder of compiled code: $CANTSTOP_ARENA_CACHE, or the user's cache folder."""
    if path := os.environ.get(_CACHE):
        return Path(path)
    try:
        return user_cache_path("cantstop-arena")
    except RuntimeError:  # this user has no home
        return _temporary_root()


def cache_folder(*parts: str) -> Path:
    """A private folder in the folder of compiled code.

    Where that cannot be used, this process and its children use one in the folder of temporary
    files: a warning says so, once. Raises ArenaError where that cannot be used, too.
    """
    try:
        return private_folder(cache_root(), *parts)
    except ArenaError as error:
        try:
            spare = _temporary_root()
        except OSError:
            raise error from None
        if spare.is_symlink() or cache_root() == spare:
            raise
        folder = private_folder(spare, *parts)
        os.environ[_CACHE] = str(spare)
        _print_once(f"{error} Until then it is kept in {spare}.")
        return folder


def _temporary_root() -> Path:
    """A folder of this user's that later runs find again, until temporary files are deleted.

    Raises OSError when there is nowhere to put them.
    """
    return Path(tempfile.gettempdir()) / f"cantstop-arena-{os.getuid()}"


def key_of(*inputs: object) -> bytes:
    """A hash of all inputs of a file's content."""
    return hashlib.sha256(repr(inputs).encode()).digest()


def path_of(folder: Path, name: str, key: bytes) -> Path:
    """The path of the file with a key."""
    return folder / f"{name}-{key.hex()[:16]}{SUFFIX}"


def write_checked(path: Path, key: bytes, payload: bytes) -> None:
    """Write a file atomically: complete or not at all, also when other processes write it.

    A failure is printed to stderr, once.
    """
    try:
        with draft_of(path) as draft:
            draft.write_bytes(b"".join((_MAGIC, _digest_of(key, payload), payload)))
    except OSError as error:
        reason = error.strerror or str(error)
        _print_once(
            f"compiled code cannot be kept in {path.parent}: {reason}."
            " It is compiled again next time."
        )


def read_checked(path: Path, key: bytes) -> bytes | None:
    """The content of a file written with this key; None when there is none.

    A file with another key, damaged or of another owner is deleted.
    """
    try:
        data = _read(path)
    except FileNotFoundError:
        return None
    except OSError:
        data = b""
    digest, payload = data[len(_MAGIC) :][:_DIGEST_SIZE], data[len(_MAGIC) + _DIGEST_SIZE :]
    if data.startswith(_MAGIC) and digest == _digest_of(key, payload):
        return payload
    discard(path)
    return None


def _digest_of(key: bytes, payload: bytes) -> bytes:
    return hashlib.sha256(key + payload).digest()


def _read(path: Path) -> bytes:
    """The bytes of a regular file that only its owner can write to, else b""."""
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW), "rb") as file:
        status = os.fstat(file.fileno())
        return b"" if not stat.S_ISREG(status.st_mode) or others_in(status) else file.read()


def discard(path: Path) -> None:
    """Delete a file or folder, so that its content is compiled again; ignores errors."""
    with suppress(OSError):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()


@cache
def _print_once(message: str) -> None:
    print(f"arena: {message}", file=sys.stderr)


# Folders --------------------------------------------------------------------------------------


def private_folder(root: Path, *parts: str) -> Path:
    """The folder root/parts that only its owner can write to, created if missing.

    Raises ArenaError when it cannot be created, or when others could write to it or its parents up
    to `root`.
    """
    folder = root
    for depth in range(len(parts) + 1):
        folder = root.joinpath(*parts[:depth])
        try:
            folder.mkdir(mode=0o755, parents=True, exist_ok=True)
            _check_private(folder, folder.stat())
        except OSError as error:
            reason = error.strerror or str(error)
            raise _unusable(folder, reason, "Change its permissions") from error
    return folder


def readable_folder(root: Path, name: str) -> Path | None:
    """The folder root/name if there is one, readable for all if this process is root.

    In a sandbox of root's another user reads it.
    """
    folder = root / name
    if not folder.is_dir():
        return None
    if os.getuid() == _ROOT_USER:
        with suppress(OSError):  # then it is compiled again inside
            for parent, _, _ in os.walk(folder):
                Path(parent).chmod(Path(parent).stat().st_mode | _READABLE)
    return folder


def _check_private(folder: Path, status: os.stat_result) -> None:
    if others_in(status):
        reason = "others could put code of theirs into it"
        raise _unusable(folder, reason, "Make it yours alone (chmod go-w)")


def others_in(status: os.stat_result) -> bool:
    """Whether another user owns a file or folder or can write to it.

    A folder with the sticky bit is safe, as only owners can replace what lies in it.
    """
    shared = status.st_mode & _WRITABLE_BY_OTHERS and not status.st_mode & stat.S_ISVTX
    return bool(shared) or status.st_uid not in (os.getuid(), _ROOT_USER)


def _unusable(folder: Path, reason: str, remedy: str) -> ArenaError:
    return ArenaError(
        f"{folder}, where compiled code is kept, cannot be used: {reason}. {remedy}, or"
        f" set {_CACHE} to another folder."
    )


_NATIVE = Path(__file__).parent
_BOTS = "bot-code"  # beside the games, as a bot in the sandbox sees its game's folder


class CodeCache:
    """Where the machine code of a game, and of its bots, is stored.

    `sources` are the files of all that is compiled, and of all that they import; a folder stands
    for the files in it. When one of them changes, everything is compiled again.
    """

    def __init__(self, game: str, sources: Iterable[Path]) -> None:
        self.game = game
        self.sources = (_NATIVE, *sources)

    @cached_property
    def fingerprint(self) -> str:
        """A hash of the sources and of the toolchain."""
        return sources_fingerprint(*self.sources)

    def covers(self, function: Callable[..., Any]) -> bool:
        """Whether a function is defined in the sources, and not inside another function.

        Then its name and the fingerprint identify its machine code.
        """
        file = Path(function.__code__.co_filename)
        is_source = file in self.sources or file.parent in self.sources
        return is_source and function.__qualname__.isidentifier()

    def folder(self, *parts: str) -> Path:
        """The folder of the game's machine code, or a folder inside.

        Raises ArenaError when it cannot be created, or when other users can write to it.
        """
        return cache_folder(self.game, "code", self.fingerprint, *parts)

    def bot_folder(self, digest: str) -> Path | None:
        """The folder of the machine code of the bot with this digest; None if nothing is compiled.

        Raises ArenaError as `folder` does.
        """
        if not compiles():
            return None
        return cache_folder(_BOTS, self.fingerprint, code_part(digest))

    def has_code(self, part: str) -> bool:
        """Whether a part of the game is stored."""
        return _has_code(self.folder(part))

    def has_bot(self, digest: str) -> bool:
        """Whether the bot with this digest is stored, or nothing is compiled."""
        folder = self.bot_folder(digest)
        return folder is None or _has_code(folder)


OPTIONS = "+"
"""In the digest of a bot, what stands before the part for options that may be in memory."""


def code_part(digest: str) -> str:
    """The part of a bot's digest that its machine code depends on."""
    return digest.partition(OPTIONS)[0]


def _has_code(folder: Path) -> bool:
    return any(folder.glob(f"*{SUFFIX}"))


class CompiledBot(msgspec.Struct, frozen=True):
    """A bot's machine code: its address, the size of the bot's memory during a game (numbers), and
    the owner, which holds the code in memory."""

    address: int
    memory: int
    owner: Any


def unwrap_partial(function: Callable[..., Any]) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """A function, and the values of its options, the keyword arguments of a partial."""
    if isinstance(function, partial):
        return function.func, tuple(function.keywords.values())
    return function, ()
