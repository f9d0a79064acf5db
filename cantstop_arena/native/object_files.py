"""Machine code as object files, which are loaded without numba: it takes long to import.

A function of numba's is called as its own compiled code calls it (`numba.core.callconv`): with the
addresses of its answer and of what it raises, then its arguments; it returns a status.
"""

import ctypes
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol
from weakref import WeakValueDictionary

import msgspec

from cantstop_arena.native import elf
from cantstop_arena.native.code_files import discard, key_of, path_of, read_checked, write_checked
from cantstop_arena.native.fingerprint import processor, toolchain

# Called for an array that numba has made when nobody holds it any more. Where numba is not
# imported, all arrays are NumPy's, and it never is.
_NEVER_CALLED = "NRT_MemInfo_call_dtor"
_ASSEMBLING = 1  # to be raised when `jit.assemble` makes other code of the same text
_ENVIRONMENT = "_ZN08NumbaEnv"
_OF_NUMBA = ("numba_", "NRT_", "Py", "_Py")


class Compiled(msgspec.Struct, frozen=True):
    """A function as numba has compiled it: an object file, and its name in there.

    It `needs_numba` where it calls what numba brings along, to say what is wrong with a number, for
    one; then these are the names of the `environments` that it looks for.
    """

    object: bytes
    symbol: str
    returns: str
    needs_numba: bool
    environments: tuple[str, ...] = ()


class Image(Protocol):
    """Object files in memory, as long as this is kept."""

    def address(self, name: str) -> int:
        """Where a symbol is."""


class Loaded:
    """Compiled functions in memory, as long as this is kept."""

    def __init__(self, functions: Sequence[Compiled]) -> None:
        """Raises RuntimeError where an object file is of no use."""
        self._image = _image(functions)
        self.addresses = tuple(self._image.address(function.symbol) for function in functions)
        self.returns = tuple(function.returns for function in functions)


def _image(functions: Sequence[Compiled]) -> Image:
    files = [function.object for function in functions]
    if not any(function.needs_numba for function in functions):
        return link_objects(files, {_NEVER_CALLED: _address_of(ctypes.CDLL(None).abort)})
    from cantstop_arena.native.llvm_loader import ObjectImage as Jit

    names = [name for function in functions for name in function.environments]
    return Jit(files, {}, names, needs_numba=True)


def link_objects(files: Sequence[bytes], symbols: Mapping[str, int]) -> Image:
    """Object files in memory, linked with symbols and with what this process has anyway.

    Raises RuntimeError where one is of no use.
    """
    if elf.FITS:
        with suppress(elf.Unfamiliar):
            return elf.Image(files, symbols)
    from cantstop_arena.native.llvm_loader import ObjectImage as Jit

    return Jit(files, symbols)


def _address_of(function: Any) -> int:
    return ctypes.cast(function, ctypes.c_void_p).value or 0


_LOADED: WeakValueDictionary[bytes, Loaded] = WeakValueDictionary()


def load(
    folder: Path | None, name: str, stamp: str, compile_all: Callable[[], Sequence[Any]]
) -> Loaded:
    """Functions as they are kept on disk, or else as numba compiles them (its CompileResults).

    `stamp` stands for all that they are compiled from; without a folder nothing is kept.
    """
    key = key_of(toolchain(), processor(), stamp, name)
    if folder and (loaded := _LOADED.get(key) or _stored_code(path_of(folder, name, key), key)):
        _LOADED[key] = loaded
        return loaded
    results = compile_all()
    functions = [_taken_from(result) for result in results]
    if folder and not any(result.library.has_dynamic_globals for result in results):
        write_checked(path_of(folder, name, key), key, msgspec.msgpack.encode(functions))
    return Loaded(functions)


def assembled_object(folder: Path | None, name: str, text: str) -> bytes:
    """The object file of a module in LLVM's own language, as it is kept on disk or else made."""
    key = key_of(toolchain(), processor(), text, name, _ASSEMBLING)
    if folder and (data := read_checked(path_of(folder, name, key), key)) is not None:
        return data
    from cantstop_arena.native.llvm_loader import assemble

    code = assemble(text)
    if folder:
        write_checked(path_of(folder, name, key), key, code)
    return code


def _stored_code(path: Path, key: bytes) -> Loaded | None:
    packed = read_checked(path, key)
    if packed is None:
        return None
    try:
        return Loaded(msgspec.msgpack.decode(packed, type=list[Compiled]))
    except (msgspec.MsgspecError, RuntimeError):  # whole, and still of no use to this process
        discard(path)
        return None


def _taken_from(result: Any) -> Compiled:
    """What numba has compiled without wrappers for Python."""
    _, _, (code, *_) = result.library.serialize_using_object_code()
    module = result.library._final_module
    called = {function.name for function in module.functions if function.is_declaration}
    needs_numba = any(name.startswith(_OF_NUMBA) for name in called - {_NEVER_CALLED})
    environments = (
        item.name for item in module.global_variables if item.name.startswith(_ENVIRONMENT)
    )
    symbol, returns = result.fndesc.llvm_func_name, str(result.signature.return_type)
    return Compiled(code, symbol, returns, needs_numba, (*environments,) if needs_numba else ())
