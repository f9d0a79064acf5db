"""Machine code as object files, which are loaded without numba, as numba takes long to import.

A function compiled by numba is called by numba's calling convention (`numba.core.callconv`): with
the addresses of its return value and of its exception, then its arguments; it returns a status.

LLVM assembles and loads them.

Python calls them as functions that take integers and return an integer or None. Each has a wrapper
of a few instructions that converts objects to numbers and back; LLVM assembles it once, as it is
the same in every process. A call takes half the time of numba's own, and a third of that of ctypes.
An array is passed as the integers of numba's struct (`array_members`).
"""

import ctypes
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import starmap
from pathlib import Path
from types import MappingProxyType
from typing import Any, NoReturn
from weakref import WeakValueDictionary

import llvmlite.binding as llvm
import msgspec
import numpy as np

from cantstop_arena.native.code_cache import (
    compiles,
    discard,
    key_of,
    path_of,
    processor,
    read_checked,
    toolchain,
    write_checked,
)
from cantstop_arena.native.memory_options import BLOCK, array_symbols, block_of

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

    def __init__(self, functions: Sequence[Compiled], options: Sequence[Any] = ()) -> None:
        """`options` are a bot's, of which its code reads some from memory.

        Raises RuntimeError when an object file cannot be loaded.
        """
        self._options = options  # arrays must stay alive
        self._block = ctypes.create_string_buffer(block_of(options))
        symbols = {BLOCK: ctypes.addressof(self._block), **array_symbols(options)}
        self._image = _image(functions, symbols)
        self.addresses = tuple(self._image.address(function.symbol) for function in functions)
        self.returns = tuple(function.returns for function in functions)


def _image(functions: Sequence[Compiled], symbols: Mapping[str, int]) -> Image:
    files = [function.object for function in functions]
    names = [name for function in functions for name in function.environments]
    if any(function.needs_numba for function in functions):
        from cantstop_arena.native.numba_store import runtime_environment

        return Image(files, symbols, dict.fromkeys(names, runtime_environment()))
    return Image(files, {**symbols, ARRAY_DESTRUCTOR: _address_of(ctypes.CDLL(None).abort)})


def _address_of(function: Any) -> int:
    return ctypes.cast(function, ctypes.c_void_p).value or 0


_LOADED: WeakValueDictionary[tuple[bytes, bytes], Loaded] = WeakValueDictionary()


def load(
    folder: Path | None,
    name: str,
    stamp: str,
    compile_all: Callable[[], Sequence[Compiled]],
    options: Sequence[Any] = (),
) -> Loaded:
    """Load functions from disk, or else those that `compile_all` returns.

    `stamp` is a hash of all inputs of the compilation. Without a folder nothing is stored.
    `options` are those of a bot, see `Loaded`.
    """
    key = key_of(toolchain(), processor(), stamp, name)
    block = block_of(options)
    loaded = _LOADED.get((key, block)) if folder else None
    if folder and not loaded:
        loaded = _stored_code(path_of(folder, name, key), key, options)
    if loaded:
        _LOADED[key, block] = loaded
        return loaded
    functions = compile_all()
    if folder and not any(function.has_addresses for function in functions):
        write_checked(path_of(folder, name, key), key, msgspec.msgpack.encode(functions))
    return Loaded(functions, options)


def assembled_object(folder: Path | None, name: str, text: str) -> bytes:
    """The object file of a module in LLVM assembly language, from disk or else assembled."""
    key = key_of(toolchain(), processor(), text, name, _ASSEMBLER_VERSION)
    if folder and (data := read_checked(path_of(folder, name, key), key)) is not None:
        return data
    code = assemble(text)
    if folder:
        write_checked(path_of(folder, name, key), key, code)
    return code


def _stored_code(path: Path, key: bytes, options: Sequence[Any]) -> Loaded | None:
    payload = read_checked(path, key)
    if payload is None:
        return None
    try:
        return Loaded(msgspec.msgpack.decode(payload, type=list[Compiled]), options)
    except (msgspec.MsgspecError, RuntimeError):  # undamaged, but this process cannot use it
        discard(path)
        return None


# Calls from Python

_DECLARATIONS = """
declare i64 @PyLong_AsLongLong(ptr)
declare ptr @PyLong_FromLongLong(i64)
declare ptr @PyLong_FromUnsignedLongLong(i64)
declare ptr @PyErr_Occurred()
declare void @Py_IncRef(ptr)
declare ptr @PyObject_CallFunction(ptr, ptr, ...)
@_Py_NoneStruct = external constant i8
@arena_raise = external constant i8
@arguments = private constant [3 x i8] c"iL\\00"
"""
_ARGUMENT = """
  %slot{n} = getelementptr ptr, ptr %values, i64 {n}
  %object{n} = load ptr, ptr %slot{n}
  %number{n} = call i64 @PyLong_AsLongLong(ptr %object{n})"""
# numba's status is 0, or -2 when the function returns None; any other status is an exception.
_FUNCTION = """
declare i32 @arena_to_{name}(ptr, ptr{kinds})
define ptr @arena_call_{name}(ptr %self, ptr %values, i64 %count) {{
  %answer = alloca i64
  %info = alloca ptr
  store ptr null, ptr %info{arguments}
  %error = call ptr @PyErr_Occurred()
  %is_valid = icmp eq ptr %error, null
  br i1 %is_valid, label %call, label %refuse
refuse:
  ret ptr null
call:
  %status = call i32 @arena_to_{name}(ptr %answer, ptr %info{numbers})
  switch i32 %status, label %raise [i32 0, label %done i32 -2, label %done]
raise:
  %raised = load ptr, ptr %info
  %none = call ptr (ptr, ptr, ...) @PyObject_CallFunction(
    ptr @arena_raise, ptr @arguments, i32 %status, ptr %raised)
  ret ptr %none
done:
{return_block}
}}
"""
_RETURN_NUMBER = """  %number = load i64, ptr %answer
  %object = call ptr @{make}(i64 %number)
  ret ptr %object"""
_RETURN_NONE = """  call void @Py_IncRef(ptr @_Py_NoneStruct)
  ret ptr @_Py_NoneStruct"""
_RETURN_BLOCKS = {
    "int64": _RETURN_NUMBER.format(make="PyLong_FromLongLong"),
    "uint64": _RETURN_NUMBER.format(make="PyLong_FromUnsignedLongLong"),
    "none": _RETURN_NONE,
}
_FASTCALL = 0x80  # METH_FASTCALL: the arguments are an array


class _Method(ctypes.Structure):
    """The C struct PyMethodDef."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("address", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


class PythonCalls:
    """Python functions for loaded ones, by name; `arity` has the number of arguments of each.

    The number of arguments of a call is not checked. The wrappers are stored in `folder`, if any.
    """

    def __init__(self, loaded: Loaded, arity: Mapping[str, int], folder: Path | None) -> None:
        self._loaded = loaded
        text = _DECLARATIONS + "".join(map(_function_source, arity.items(), loaded.returns))
        targets = zip(arity, loaded.addresses, strict=True)
        symbols = {f"arena_to_{name}": address for name, address in targets}
        code = assembled_object(folder, "calls", text)
        self._image = Image([code], {**symbols, "arena_raise": id(_raise)})
        self._methods = {
            name: _Method(name.encode(), self._image.address(f"arena_call_{name}"), _FASTCALL)
            for name in arity
        }
        self.functions: dict[str, Callable[..., Any]] = dict(
            starmap(_python_function, self._methods.items())
        )


def _function_source(signature: tuple[str, int], returns: str) -> str:
    name, count = signature
    return _FUNCTION.format(
        name=name,
        kinds=", i64" * count,
        arguments="".join(_ARGUMENT.format(n=number) for number in range(count)),
        numbers="".join(f", i64 %number{number}" for number in range(count)),
        return_block=_RETURN_BLOCKS[returns],
    )


def _python_function(name: str, method: _Method) -> tuple[str, Callable[..., Any]]:
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype, make.argtypes = ctypes.py_object, (ctypes.c_void_p,) * 3
    return name, make(ctypes.addressof(method), None, None)


class _ExceptionInfo(ctypes.Structure):
    """An exception raised by numba's code (`excinfo_t` in numba.core.callconv)."""

    _fields_ = (
        ("packed", ctypes.c_void_p),
        ("size", ctypes.c_int32),
        ("values", ctypes.c_void_p),
        ("unwrap", ctypes.c_void_p),
        ("count", ctypes.c_int32),
    )


def _raise(status: int, address: int) -> NoReturn:
    """Raise the exception of compiled code, as numba does; numba is imported only now."""
    if status <= 0 or not address:
        raise SystemError(f"compiled code failed with status {status}")
    from numba import _helperlib
    from numba.core import serialize

    info = _ExceptionInfo.from_address(address)
    packed = ctypes.string_at(info.packed, info.size)
    if info.count:
        values = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p)(info.unwrap)(info.values)
        data = serialize.runtime_build_excinfo_struct(packed, values)
    else:
        data = serialize.loads(packed)
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(data))  # do_raise takes one reference
    do_raise = getattr(_helperlib, "c_helpers")["do_raise"]  # noqa: B009 - of an untyped extension
    ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object)(do_raise)(data)
    raise SystemError("compiled code has raised nothing")


Kind = tuple[np.dtype[Any], int]
"""An argument of a compiled function: its dtype, and its number of dimensions, 0 for a number."""


def argument_count(kind: Kind) -> int:
    """The count of integers that pass an argument: see `array_members`."""
    return 5 + 2 * kind[1] if kind[1] else 1


def array_members(array: Any) -> Iterator[int]:
    """The members of numba's array struct (`numba.core.datamodel`); the first two are owners.

    The caller must hold the array meanwhile.
    """
    yield from (0, 0, array.size, array.itemsize, array.ctypes.data, *array.shape, *array.strides)


def array_arguments(*arrays: Any) -> tuple[Any, ...]:
    """The arguments that pass arrays to entries, which are ordinary Python where nothing compiles.

    The caller must hold the arrays meanwhile.
    """
    if not compiles():
        return arrays
    return tuple(number for array in arrays for number in array_members(array))
