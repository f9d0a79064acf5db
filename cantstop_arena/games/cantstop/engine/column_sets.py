"""Sets of columns as bit masks: how many columns they hold, and which is the lowest."""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

from cantstop_arena.games.cantstop.engine.engine_decorators import njit_inline
from cantstop_arena.games.cantstop.engine.game_array import COLUMNS
from cantstop_arena.native.numba_store import INLINE


@njit_inline
def count_columns(columns):
    """How many columns a set holds (numba turns the loop into one instruction)."""
    count = 0
    while columns:
        columns &= columns - 1
        count += 1
    return count


def lowest_column(columns: Any) -> Any:
    """The lowest column of a set that is not empty."""
    columns = int(columns)
    return (columns & -columns).bit_length() - 1


@overload(lowest_column, jit_options=INLINE)
def _lowest_column(columns):
    return lambda columns: _lowest_bit(np.int64(columns))


@intrinsic
def _lowest_bit(typing_context: Any, columns: Any) -> Any:
    """The lowest column, of which the compiler knows that it is one.

    So it tests no index by column, and sees that writing a space by column changes no other number.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        column = builder.cttz(arguments[0], ir.IntType(1)(1))
        bounds = [ir.IntType(64)(0), ir.IntType(64)(COLUMNS)]
        column.set_metadata("range", builder.module.add_metadata(bounds))
        return column

    return types.int64(types.int64), generate
