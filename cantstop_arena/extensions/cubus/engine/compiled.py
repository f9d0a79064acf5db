"""The decorators of Cubus' compiled functions."""

from typing import Any

from cantstop_arena.extensions.cubus.engine.engine_cache import ENGINE_CACHE
from cantstop_arena.native.decorators import decorators

njit_entry, njit_inline, njit_call, _ = decorators(ENGINE_CACHE)


@njit_call(nrt=False)
def copy_rows(target: Any, source: Any) -> None:
    """`target[:len(source)] = source`; numba takes 0.3 s to compile each slice assignment."""
    for row in range(source.shape[0]):
        for index in range(source.shape[1]):
            target[row, index] = source[row, index]
