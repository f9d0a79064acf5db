"""The decorators of Can't Stop's compiled functions."""

from collections.abc import Callable
from functools import partial
from typing import Any

from cantstop_arena.games.cantstop.engine.code_cache import (
    code_folder,
    engine_fingerprint,
    is_of_engine,
)
from cantstop_arena.native.decorators import decorators
from cantstop_arena.native.fingerprint import fingerprint, toolchain


def _stamp_of(function: Callable[..., Any]) -> Callable[[], str]:
    """The engine has one fingerprint; any other function goes by what it is compiled from."""
    if is_of_engine(function):
        return engine_fingerprint
    return partial(fingerprint, toolchain(), function)


njit_entry, njit_inline, njit_call, njit_bot = decorators(_stamp_of, code_folder, is_of_engine)
