"""The decorators of compiled functions, and how numba is called for each kind of them.

Importing this imports numba, which takes a quarter of a second: compiled functions that are stored
already are loaded by `object_files`, without it.
"""

import gc
from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import numba
import numpy as np
from numba import types
from numba.core import config, event

from cantstop_arena.native.numba_store import LINKED, LinkedStore, Store


class _Pause(event.Listener):  # type: ignore[misc]  # numba has no types
    """Disables garbage collection while the outermost function, and others in it, are compiled."""

    def __init__(self) -> None:
        self._depth = 0
        self._was_on = False

    def on_start(self, event: Any) -> None:
        """Disable it where the outermost function begins."""
        if not self._depth:
            self._was_on = gc.isenabled()
            gc.disable()
        self._depth += 1

    def on_end(self, event: Any) -> None:
        """Enable it again where that function ends."""
        self._depth -= 1
        if not self._depth and self._was_on:
            gc.enable()


@cache
def pause_gc_while_compiling() -> None:
    """From now on no garbage is collected while something is compiled."""
    event.register("numba:compile", _Pause())


pause_gc_while_compiling()

UNWRAPPED = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
"""Options of functions that are never called through numba's dispatcher."""


class Decorators(NamedTuple):
    """The decorators of one game's compiled functions. The first three take `nrt=False`.

    `nrt=False` compiles without numba's reference counting, which takes most of the time of small
    functions that only read and write arrays; the function must make no array.
    """

    njit_entry: Any
    """For a function that Python calls; its machine code is stored on disk."""
    njit_inline: Any
    """For a function that only compiled functions call; it becomes part of its caller."""
    njit_call: Any
    """The same for a function so large that it is compiled once, and called."""
    njit_bot: Any
    """For the functions of a bot: they become part of their caller, and x / 0 is an error."""


def decorators(
    stamp_of: Callable[[Callable[..., Any]], Callable[[], str]],
    folder: Callable[..., Path],
    stores_inline: Callable[[Callable[..., Any]], bool] = lambda function: False,
) -> Decorators:
    """The decorators of a game.

    `stamp_of(function)()` stands for all that a function is compiled from; `folder(part)` is where
    machine code is stored. Both are called when a function is compiled. Functions under
    `njit_inline` are stored where `stores_inline` says so: those that each bot is compiled with.
    """

    def entry(function: Callable[..., Any], nrt: bool) -> Any:
        if config.DISABLE_JIT:
            return np.errstate(over="ignore")(function)  # random numbers wrap around
        options = {} if nrt else {"_nrt": False}
        dispatcher = numba.njit(nogil=True, error_model="numpy", **options)(function)
        dispatcher._cache = Store(function.__name__, stamp_of(function), folder)
        return dispatcher

    def inline(function: Callable[..., Any], nrt: bool) -> Any:
        dispatcher = _linked(nrt, forceinline=True)(function)
        if stores_inline(function) and not config.DISABLE_JIT:
            name = f"{function.__module__}.{function.__name__}"
            store = LinkedStore(name, stamp_of(function), partial(folder, "parts"))
            dispatcher._cache = store
        return dispatcher

    def call(function: Callable[..., Any], nrt: bool) -> Any:
        return _linked(nrt)(function)

    def bot(function: Callable[..., Any]) -> Any:
        return numba.njit(forceinline=True, error_model="python", **LINKED)(function)

    return Decorators(_with_options(entry), _with_options(inline), _with_options(call), bot)


def _linked(nrt: bool, **options: Any) -> Any:
    """numba's decorator for functions that only compiled functions call."""
    counting = {} if nrt else {"_nrt": False}
    return numba.njit(error_model="numpy", **options, **counting, **LINKED)


def _with_options(decorate: Callable[..., Any]) -> Any:
    """A decorator that is written with and without `(nrt=False)`."""

    def decorator(function: Callable[..., Any] | None = None, *, nrt: bool = True) -> Any:
        return partial(decorate, nrt=nrt) if function is None else decorate(function, nrt=nrt)

    return decorator


def compiled_for(function: Any, kinds: Sequence[tuple[Any, int]]) -> Any:
    """What numba makes of an entry for arguments of these types and numbers of dimensions."""
    signature = tuple(
        types.Array(numba.from_dtype(kind), dimensions, "C")
        if dimensions
        else numba.from_dtype(kind)
        for kind, dimensions in kinds
    )
    dispatcher = numba.njit(error_model="numpy", **UNWRAPPED)(function.py_func)
    dispatcher.compile(signature)
    return dispatcher.overloads[signature]
