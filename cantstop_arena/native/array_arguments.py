"""Arrays as the arguments of compiled functions, which take integers: see `python_calls`."""

from collections.abc import Iterator
from typing import Any

import numpy as np

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
