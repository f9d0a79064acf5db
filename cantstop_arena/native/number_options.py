"""Options that are numbers: machine code reads them from memory, so it serves all their values.

An option of any other type, such as a text or a list, is a constant of the machine code.
"""

import struct
from collections.abc import Sequence
from typing import Any

BLOCK = "arena_numbers"
"""The symbol of the block of memory in which machine code finds the numbers."""
SIZE = 8  # bytes of a number
_FORMATS = {bool: "q", int: "q", float: "d"}


def is_number(option: object) -> bool:
    """Whether an option is a flag or a number that takes 64 bits."""
    if type(option) is int:
        return -(1 << 63) <= option < 1 << 63
    return type(option) in _FORMATS


def kinds_of(options: Sequence[Any]) -> tuple[Any, ...]:
    """What the machine code depends on: the types of numbers, and the other options themselves."""
    return tuple((type(each).__name__,) if is_number(each) else (each, "") for each in options)


def block_of(options: Sequence[Any]) -> bytes:
    """The numbers among options, in this order, as they lie in memory."""
    numbers = [option for option in options if is_number(option)]
    return struct.pack(f"={''.join(_FORMATS[type(number)] for number in numbers)}", *numbers)
