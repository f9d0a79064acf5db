"""Machine code as object files, which are loaded without numba, as numba takes long to import.

A function compiled by numba is called by numba's calling convention (`numba.core.callconv`): with
the addresses of its return value and of its exception, then its arguments; it returns a status.

LLVM assembles and loads them.
"""

import ctypes
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any
from weakref import WeakValueDictionary

import llvmlite.binding as llvm
import msgspec

from cantstop_arena.native.code_cache import discard, key_of, path_of, read_checked, write_checked
from cantstop_arena.native.fingerprint import processor, toolchain

_OWN_PREFIX = "arena_"  # of this project's symbols


def llvm_processor() -> tuple[str, str, str]:
    """LLVM's target triple, name and feature list of this processor."""
    features = llvm.get_host_cpu_features().flatten()
    return llvm.get_process_triple(), llvm.get_host_cpu_name(), features


def assemble(text: str) -> bytes:
    """The object file of a module in LLVM assembly language."""
    code: bytes = _machine(opt=1).emit_object(llvm.parse_assembly(text))
    return code


class Image:
    """Object files loaded into memory, which is freed with this object."""

    def __init__(
        self,
        files: Sequence[bytes],
        symbols: Mapping[str, int],
        objects: Mapping[str, object] = MappingProxyType({}),
    ) -> None:
        """Link files with each other, with `symbols` (addresses by name) and with this process.

        `objects` are what the files' own variables of Python objects point to, by name.
        Raises RuntimeError when an object file cannot be loaded.
        """
        self._files = tuple(files)  # LLVM may read their bytes later
        self._objects = dict(objects)
        for name, address in symbols.items():
            # LLVM has one table of names per process; numba's entries must not be replaced.
            if name.startswith(_OWN_PREFIX) or not llvm.address_of_symbol(name):
                llvm.add_symbol(name, address)
        self._engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _machine())
        for file in self._files:
            self._engine.add_object_file(llvm.ObjectFileRef.from_data(file))
        self._engine.finalize_object()
        for name, value in self._objects.items():
            variable = self._engine.get_global_value_address(name)
            ctypes.c_void_p.from_address(variable).value = id(value)

    def address(self, name: str) -> int:
        """The address of a function. Raises RuntimeError when there is none."""
        address: int = self._engine.get_function_address(name)
        if not address:
            raise RuntimeError(f"an object file lacks {name}")
        return address


def _machine(opt: int = 2) -> Any:
    """The target machine that numba compiles for (`numba.core.codegen`)."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    target = llvm.Target.from_triple(llvm.get_process_triple())
    relocation = "static" if target.name.startswith("x86") else "default"
    return target.create_target_machine(opt=opt, reloc=relocation, jit=True)


# Called for an array that numba has created when its last reference ends. Where numba is not
# imported, all arrays are NumPy's, and it is never called.
ARRAY_DESTRUCTOR = "NRT_MemInfo_call_dtor"
_ASSEMBLER_VERSION = 1  # increase it when `assemble` makes other code of the same text


class Compiled(msgspec.Struct, frozen=True):
    """A function compiled by numba: an object file, and its symbol in it.

    `returns` is numba's name of the return type. `needs_numba` is true when the function calls
    numba's runtime or Python; then `environments` are the names of environments that it looks up.
    With `has_addresses` it contains addresses in this process, and is not stored.
    """

    object: bytes
    symbol: str
    returns: str
    needs_numba: bool
    environments: tuple[str, ...] = ()
    has_addresses: bool = False


class Loaded:
    """Compiled functions in memory, which is freed with this object."""

    def __init__(self, functions: Sequence[Compiled]) -> None:
        """Raises RuntimeError when an object file cannot be loaded."""
        self._image = _image(functions)
        self.addresses = tuple(self._image.address(function.symbol) for function in functions)
        self.returns = tuple(function.returns for function in functions)


def _image(functions: Sequence[Compiled]) -> Image:
    files = [function.object for function in functions]
    names = [name for function in functions for name in function.environments]
    if any(function.needs_numba for function in functions):
        from cantstop_arena.native.numba_store import runtime_environment

        return Image(files, {}, dict.fromkeys(names, runtime_environment()))
    return Image(files, {ARRAY_DESTRUCTOR: _address_of(ctypes.CDLL(None).abort)})


def _address_of(function: Any) -> int:
    return ctypes.cast(function, ctypes.c_void_p).value or 0


_LOADED: WeakValueDictionary[bytes, Loaded] = WeakValueDictionary()


def load(
    folder: Path | None, name: str, stamp: str, compile_all: Callable[[], Sequence[Compiled]]
) -> Loaded:
    """Load functions from disk, or else those that `compile_all` returns.

    `stamp` is a hash of all inputs of the compilation. Without a folder nothing is stored.
    """
    key = key_of(toolchain(), processor(), stamp, name)
    if folder and (loaded := _LOADED.get(key) or _stored_code(path_of(folder, name, key), key)):
        _LOADED[key] = loaded
        return loaded
    functions = compile_all()
    if folder and not any(function.has_addresses for function in functions):
        write_checked(path_of(folder, name, key), key, msgspec.msgpack.encode(functions))
    return Loaded(functions)


def assembled_object(folder: Path | None, name: str, text: str) -> bytes:
    """The object file of a module in LLVM assembly language, from disk or else assembled."""
    key = key_of(toolchain(), processor(), text, name, _ASSEMBLER_VERSION)
    if folder and (data := read_checked(path_of(folder, name, key), key)) is not None:
        return data
    code = assemble(text)
    if folder:
        write_checked(path_of(folder, name, key), key, code)
    return code


def _stored_code(path: Path, key: bytes) -> Loaded | None:
    payload = read_checked(path, key)
    if payload is None:
        return None
    try:
        return Loaded(msgspec.msgpack.decode(payload, type=list[Compiled]))
    except (msgspec.MsgspecError, RuntimeError):  # undamaged, but this process cannot use it
        discard(path)
        return None
