"""Compiled functions as Python functions that take integers and return an integer or None.

Each has a wrapper of a few instructions that converts objects to numbers and back; LLVM assembles
it once, as it is the same in every process. A call takes half the time of numba's own, and a third
of that of ctypes.

An array is passed as the integers of numba's struct (`array_members`).
"""

import ctypes
from collections.abc import Callable, Iterator, Mapping
from itertools import starmap
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from cantstop_arena.native.object_files import Image, Loaded, assembled_object

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
