"""The decorators of Can't Stop's compiled functions."""

from collections.abc import Callable
from functools import partial
from typing import Any

from cantstop_arena.games.cantstop.engine.code_cache import (
    code_folder,
    engine_fingerprint,
    is_engine_function,
)
from cantstop_arena.native.decorators import decorators
from cantstop_arena.native.fingerprint import fingerprint, toolchain


def _stamp_of(function: Callable[..., Any]) -> Callable[[], str]:
    """A function that returns the stamp under which a function's machine code is cached.

    It is the engine's fingerprint, or else a hash of what the function is compiled from.
    """
    if is_engine_function(function):
        return engine_fingerprint
    return partial(fingerprint, toolchain(), function)


njit_entry, njit_inline, njit_call, njit_bot = decorators(
    _stamp_of, code_folder, is_engine_function
)
