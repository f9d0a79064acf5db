"""Compiled functions as functions of Python: whole numbers in, a whole number or None out.

For each there are a few instructions that turn objects into numbers and back, which LLVM has put
together once, as they are the same in every process. A call takes half the time of numba's own, and
a third of that of ctypes.
"""

import ctypes
from collections.abc import Callable, Mapping
from itertools import starmap
from pathlib import Path
from typing import Any, NoReturn

from cantstop_arena.native.object_files import Loaded, assembled_object, link_objects

_HEAD = """
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
  %place{n} = getelementptr ptr, ptr %given, i64 {n}
  %object{n} = load ptr, ptr %place{n}
  %number{n} = call i64 @PyLong_AsLongLong(ptr %object{n})"""
# numba's status is 0, or -2 where the answer is None; whatever else is there, something was raised.
_FUNCTION = """
declare i32 @arena_to_{name}(ptr, ptr{kinds})
define ptr @arena_call_{name}(ptr %self, ptr %given, i64 %count) {{
  %answer = alloca i64
  %info = alloca ptr
  store ptr null, ptr %info{arguments}
  %unfit = call ptr @PyErr_Occurred()
  %is_fit = icmp eq ptr %unfit, null
  br i1 %is_fit, label %call, label %refuse
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
{done}
}}
"""
_NUMBER = """  %number = load i64, ptr %answer
  %object = call ptr @{make}(i64 %number)
  ret ptr %object"""
_NONE = """  call void @Py_IncRef(ptr @_Py_NoneStruct)
  ret ptr @_Py_NoneStruct"""
_DONE = {
    "int64": _NUMBER.format(make="PyLong_FromLongLong"),
    "uint64": _NUMBER.format(make="PyLong_FromUnsignedLongLong"),
    "none": _NONE,
}
_FASTCALL = 0x80  # METH_FASTCALL: the arguments lie in a row


class _Method(ctypes.Structure):
    """PyMethodDef."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("address", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


class PythonCalls:
    """Functions of Python for loaded ones, by name; `arity` says how many numbers each takes.

    Nobody checks how many are given. What calls them is kept in the folder, if there is one.
    """

    def __init__(self, loaded: Loaded, arity: Mapping[str, int], folder: Path | None) -> None:
        self._loaded = loaded
        text = _HEAD + "".join(map(_function_source, arity.items(), loaded.returns))
        called = zip(arity, loaded.addresses, strict=True)
        symbols = {f"arena_to_{name}": address for name, address in called}
        code = assembled_object(folder, "calls", text)
        self._image = link_objects([code], {**symbols, "arena_raise": id(_raise)})
        self._methods = {
            name: _Method(name.encode(), self._image.address(f"arena_call_{name}"), _FASTCALL)
            for name in arity
        }
        self.functions: dict[str, Callable[..., Any]] = dict(
            starmap(_function, self._methods.items())
        )


def _function_source(signature: tuple[str, int], returns: str) -> str:
    name, count = signature
    return _FUNCTION.format(
        name=name,
        kinds=", i64" * count,
        arguments="".join(_ARGUMENT.format(n=number) for number in range(count)),
        numbers="".join(f", i64 %number{number}" for number in range(count)),
        done=_DONE[returns],
    )


def _function(name: str, method: _Method) -> tuple[str, Callable[..., Any]]:
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype, make.argtypes = ctypes.py_object, (ctypes.c_void_p,) * 3
    return name, make(ctypes.addressof(method), None, None)


class _Raised(ctypes.Structure):
    """What numba's code says of an exception (`excinfo_t` in numba.core.callconv)."""

    _fields_ = (
        ("packed", ctypes.c_void_p),
        ("size", ctypes.c_int32),
        ("values", ctypes.c_void_p),
        ("unwrap", ctypes.c_void_p),
        ("count", ctypes.c_int32),
    )


def _raise(status: int, address: int) -> NoReturn:
    """Raise what compiled code has raised, as numba does; that it is imported now is no matter."""
    if status <= 0 or not address:
        raise SystemError(f"compiled code failed with status {status}")
    from numba import _helperlib
    from numba.core import serialize

    raised = _Raised.from_address(address)
    packed = ctypes.string_at(raised.packed, raised.size)
    if raised.count:
        values = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p)(raised.unwrap)(raised.values)
        data = serialize.runtime_build_excinfo_struct(packed, values)
    else:
        data = serialize.loads(packed)
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(data))  # which the next call takes
    do_raise = getattr(_helperlib, "c_helpers")["do_raise"]  # noqa: B009 - of an untyped extension
    ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object)(do_raise)(data)
    raise SystemError("compiled code has raised nothing")
