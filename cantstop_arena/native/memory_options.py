"""Options that machine code reads from memory, so that it serves all their values.

They are numbers, flags, and arrays that are large or that may change. An option of any other type,
such as a text or a list, is a constant of the machine code.
"""

import struct
from collections.abc import Sequence
from typing import Any, TypeGuard

import numpy as np

BLOCK = "arena_options"
"""The symbol of the block of memory in which machine code finds numbers."""
ARRAY = "arena_array_{}"
"""The symbol of an array's memory, with its index in the block, which has the address, too."""
SIZE = 8  # bytes of a number in the block
_FORMATS = {bool: "q", int: "q", float: "d"}
_LARGE = 1024  # bytes; the compiler computes with the values of a smaller array


def is_number(option: object) -> bool:
    """Whether an option is a flag or a number that takes 64 bits."""
    if type(option) is int:
        return -(1 << 63) <= option < 1 << 63
    return type(option) in _FORMATS


def is_array(option: object) -> TypeGuard[np.ndarray[Any, Any]]:
    """Whether an option is an array that stays in memory."""
    if not isinstance(option, np.ndarray) or not option.flags.c_contiguous:
        return False
    return option.flags.writeable or option.nbytes > _LARGE


def in_memory(options: Sequence[Any]) -> list[Any]:
    """Those of these options that are in memory; their indexes in the block are in this order."""
    return [option for option in options if is_number(option) or is_array(option)]


def kinds_of(options: Sequence[Any]) -> tuple[Any, ...]:
    """What the machine code depends on: the types of what is in memory, and all else."""
    return tuple(map(_kind_of, options))


def _kind_of(option: Any) -> tuple[Any, ...]:
    if is_number(option):
        return (type(option).__name__,)
    if is_array(option):
        return ("array", option.dtype, option.shape, option.flags.writeable)
    return option, ""


def block_of(options: Sequence[Any]) -> bytes:
    """The block of these options: numbers, and addresses of arrays, which must stay alive."""
    return b"".join(map(_bytes_of, in_memory(options)))


def _bytes_of(option: Any) -> bytes:
    if is_array(option):
        return struct.pack("=q", option.ctypes.data)
    return struct.pack(f"={_FORMATS[type(option)]}", option)


def array_symbols(options: Sequence[Any]) -> dict[str, int]:
    """The symbols of arrays in memory, and their addresses."""
    return {
        ARRAY.format(index): option.ctypes.data
        for index, option in enumerate(in_memory(options))
        if is_array(option)
    }
