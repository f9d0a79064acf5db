"""The decorators of compiled functions, and how numba is called for each kind of them.

Importing this module imports numba, which takes a quarter of a second; `object_files` loads stored
functions without numba.
"""

import sys
import traceback
from collections.abc import Callable, Sequence
from functools import cached_property, partial, update_wrapper
from types import CellType, FunctionType
from typing import Any, NamedTuple

import numba
import numpy as np
from numba import types

from cantstop_arena.atomic_files import draft_of
from cantstop_arena.native.code_cache import CodeCache
from cantstop_arena.native.numba_store import (
    INLINE,
    LINKED,
    UNWRAPPED,
    WITHOUT_COUNTING,
    LinkedStore,
    Store,
    object_code,
    pause_gc_while_compiling,
    set_llvm_options,
    store_in,
    without_literals,
)
from cantstop_arena.native.object_files import Compiled

pause_gc_while_compiling()
set_llvm_options()


def with_frame_room(function: Callable[..., Any], *arguments: Any) -> Any:
    """`function(*arguments)`, with room in memory for the frames of all calls that it makes.

    Python keeps frames in chunks of 16 kB, and gives a chunk back when its first frame ends. Where
    a compiler's frames cross the end of a chunk, every call of a small function gets a chunk from
    the system and gives it back: half a million times for a large engine, a third of the time. This
    function's own frame is so large that its chunk, of twice that size, holds the others, too.
    """
    return function(*arguments)


with_frame_room.__code__ = with_frame_room.__code__.replace(co_stacksize=1 << 16)


class Decorators(NamedTuple):
    """The decorators of one game's compiled functions. The first three take `nrt=False`.

    `nrt=False` compiles without numba's reference counting, which takes most of the time of small
    functions that only read and write arrays; the function must not create arrays.
    """

    njit_entry: Any
    """For a function that Python calls; its machine code is stored on disk.

    Compiled functions may call it, too: then it is compiled as a part of them.
    """
    njit_inline: Any
    """For a function that only compiled functions call; it is inlined."""
    njit_call: Any
    """For a large function that only compiled functions call; it is called, not inlined."""
    njit_bot: Any
    """For the functions of a bot: they are inlined, and x / 0 raises ZeroDivisionError."""


def decorators(cache: CodeCache, inlined_in_bots: str = "") -> Decorators:
    """The decorators of a game, whose machine code is stored in `cache`.

    Functions that its sources do not contain, and those inside others, are not stored. Under
    `njit_inline` only those of the package `inlined_in_bots` are, which are compiled with each bot.
    """

    def stamp() -> str:
        return cache.fingerprint

    def entry(function: Callable[..., Any], nrt: bool) -> Any:
        if numba.config.DISABLE_JIT:
            return np.errstate(over="ignore")(function)  # random numbers wrap around
        return EntryFunction(function, cache, nrt)

    def inline(function: Callable[..., Any], nrt: bool) -> Any:
        dispatcher = _linked(nrt, forceinline=True)(function)
        is_in_bots = inlined_in_bots == function.__module__.rpartition(".")[0]
        if numba.config.DISABLE_JIT or not (is_in_bots and cache.covers(function)):
            return dispatcher
        folder = partial(cache.folder, "parts")
        return store_in(LinkedStore(_name_of(function), stamp, folder), dispatcher)

    def call(function: Callable[..., Any], nrt: bool) -> Any:
        # By default numba inlines what an inlined function calls, too.
        linked = _linked(nrt, forceinline=False)(function)
        return linked if numba.config.DISABLE_JIT else without_literals(linked)

    def bot(function: Callable[..., Any]) -> Any:
        return numba.njit(error_model="python", **INLINE)(function)

    return Decorators(_with_options(entry), _with_options(inline), _with_options(call), bot)


def _name_of(function: Callable[..., Any]) -> str:
    return f"{function.__module__}.{function.__qualname__}"


class EntryFunction:
    """A function that Python calls compiled, and plain where numba cannot compile it.

    Where a compiled function calls it, it becomes a part of that function: it is inlined if its
    caller is inlined, else called. It is compiled by itself only if Python calls it.
    """

    def __init__(self, function: Callable[..., Any], cache: CodeCache, nrt: bool) -> None:
        update_wrapper(self, function)
        self.py_func = function
        self.targetoptions = _counting(nrt)  # as of numba's dispatchers: fingerprints contain it
        self._cache = cache

    @property
    def _numba_type_(self) -> Any:
        """What numba takes this for where compiled functions call it."""
        return types.Dispatcher(self._as_called)

    @cached_property
    def _as_called(self) -> Any:
        called = numba.njit(error_model="numpy", **self.targetoptions, **LINKED)(self.py_func)
        return without_literals(called)

    def __call__(self, *arguments: Any) -> Any:
        return self._function(*arguments)

    @cached_property
    def _function(self) -> Callable[..., Any]:
        """numba's dispatcher, which becomes the plain function if it cannot compile."""
        options = {"nogil": True, "error_model": "numpy", **self.targetoptions}
        dispatcher = numba.njit(**options)(self.py_func)
        if self._cache.covers(self.py_func):
            cache = self._cache
            store_in(
                Store(_name_of(self.py_func), lambda: cache.fingerprint, cache.folder), dispatcher
            )
        compile_for_types = dispatcher.compile

        def compile_or_raise(signature: Any) -> Any:
            try:
                return with_frame_room(compile_for_types, signature)
            except Exception as error:
                raise _NotCompiled from error

        def call(*arguments: Any) -> Any:
            try:
                return dispatcher(*arguments)
            except _NotCompiled as error:
                self._report(error.__cause__)
                self.__dict__["_function"] = as_plain_function(self)
                return self._function(*arguments)

        dispatcher.compile = compile_or_raise
        return call

    def _report(self, error: BaseException | None) -> None:
        """Print one sentence; the traceback goes to a file beside the machine code."""
        name = _name_of(self.py_func)
        try:
            path = self._cache.folder() / f"{name}-not-compiled.txt"
            with draft_of(path) as draft:
                draft.write_text("".join(traceback.format_exception(error)))
            details = f" Details: {path}"
        except OSError:
            details = ""
        print(
            f"arena: {name} cannot be compiled here ({type(error).__name__}); it runs as plain"
            f" Python, which takes some hundred times as long.{details}",
            file=sys.stderr,
        )


class _NotCompiled(Exception):
    """numba has failed to compile a function; the cause is its error."""


def as_plain_function(compiled: Any) -> Callable[..., Any]:
    """A compiled function, and all compiled functions that it calls, as plain Python."""
    plain: Callable[..., Any] = _as_plain(compiled, {})
    return np.errstate(over="ignore")(plain)  # random numbers wrap around


def _as_plain(value: Any, plain: dict[Any, Any]) -> Any:
    """The same for a compiled function, and any other value as it is.

    `plain` has the results for the functions that have been met.
    """
    function = getattr(value, "py_func", None)
    if function is None:
        return value
    if function not in plain:
        scope: dict[str, Any] = {}
        cells = [CellType() for _ in function.__closure__ or ()]
        plain[function] = FunctionType(
            function.__code__, scope, function.__name__, function.__defaults__, tuple(cells)
        )
        for name, content in function.__globals__.items():
            scope[name] = _as_plain(content, plain)
        for new, cell in zip(cells, function.__closure__ or (), strict=True):
            new.cell_contents = _as_plain(cell.cell_contents, plain)
    return plain[function]


def _linked(nrt: bool, **options: Any) -> Any:
    """`numba.njit` for functions that only compiled functions call."""
    return numba.njit(error_model="numpy", **options, **_counting(nrt), **LINKED)


def _counting(nrt: bool) -> dict[str, bool]:
    return {} if nrt else WITHOUT_COUNTING


def _with_options(decorate: Callable[..., Any]) -> Any:
    """A decorator that can be written with and without `(nrt=False)`."""

    def decorator(function: Callable[..., Any] | None = None, *, nrt: bool = True) -> Any:
        return partial(decorate, nrt=nrt) if function is None else decorate(function, nrt=nrt)

    return decorator


def compiled_for(function: Any, arguments: Sequence[tuple[Any, int]]) -> Compiled:
    """The machine code of an entry for arguments of these dtypes and numbers of dimensions.

    An argument with 0 dimensions is a scalar.
    """
    signature = tuple(
        types.Array(numba.from_dtype(dtype), dimensions, "C")
        if dimensions
        else numba.from_dtype(dtype)
        for dtype, dimensions in arguments
    )
    dispatcher = numba.njit(error_model="numpy", **UNWRAPPED)(function.py_func)
    with_frame_room(dispatcher.compile, signature)
    return object_code(dispatcher.overloads[signature])
