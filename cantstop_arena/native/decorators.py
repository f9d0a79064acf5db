"""The decorators of compiled functions, and how numba is called for each kind of them.

Importing this module imports numba, which takes a quarter of a second; `object_files` loads stored
functions without numba.
"""

import gc
import sys
import traceback
from collections.abc import Callable, Sequence
from functools import cache, cached_property, partial, update_wrapper
from pathlib import Path
from types import CellType, FunctionType
from typing import Any, NamedTuple

import numba
import numpy as np
from numba import types
from numba.core import config, event

from cantstop_arena.atomic_files import draft_of
from cantstop_arena.native.numba_store import LINKED, LinkedStore, Store


class _GcPause(event.Listener):  # type: ignore[misc]  # numba has no types
    """Disables garbage collection while numba compiles a function and those that it calls."""

    def __init__(self) -> None:
        self._depth = 0
        self._was_enabled = False

    def on_start(self, event: Any) -> None:
        """Disable it when the compilation of the outermost function starts."""
        if not self._depth:
            self._was_enabled = gc.isenabled()
            gc.disable()
        self._depth += 1

    def on_end(self, event: Any) -> None:
        """Enable it again when that compilation ends."""
        self._depth -= 1
        if not self._depth and self._was_enabled:
            gc.enable()


@cache
def pause_gc_while_compiling() -> None:
    """Disable garbage collection during all later compilations."""
    event.register("numba:compile", _GcPause())


pause_gc_while_compiling()


def with_frame_room(function: Callable[..., Any], *arguments: Any) -> Any:
    """`function(*arguments)`, with room in memory for the frames of all calls that it makes.

    Python keeps frames in chunks of 16 kB, and gives a chunk back when its first frame ends. Where
    a compiler's frames cross the end of a chunk, every call of a small function gets a chunk from
    the system and gives it back: half a million times for Cubus, a third of the time. This
    function's own frame is so large that its chunk, of twice that size, holds the others, too.
    """
    return function(*arguments)


with_frame_room.__code__ = with_frame_room.__code__.replace(co_stacksize=1 << 16)

UNWRAPPED = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
"""Options of `numba.njit` for functions that are never called through numba's dispatcher."""


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


def decorators(
    stamp_of: Callable[[Callable[..., Any]], Callable[[], str]],
    folder: Callable[..., Path],
    stores_inline: Callable[[Callable[..., Any]], bool] = lambda function: False,
) -> Decorators:
    """The decorators of a game.

    `stamp_of(function)()` is a hash of all inputs of a function's compilation; `folder()` and
    `folder(part)` are where code is stored. Both are called when a function is compiled. Functions
    under `njit_inline` are stored when `stores_inline` is true: those compiled with each bot.
    """

    def entry(function: Callable[..., Any], nrt: bool) -> Any:
        if config.DISABLE_JIT:
            return np.errstate(over="ignore")(function)  # random numbers wrap around
        return EntryFunction(function, Store(function.__name__, stamp_of(function), folder), nrt)

    def inline(function: Callable[..., Any], nrt: bool) -> Any:
        dispatcher = _linked(nrt, forceinline=True)(function)
        if stores_inline(function) and not config.DISABLE_JIT:
            name = f"{function.__module__}.{function.__name__}"
            store = LinkedStore(name, stamp_of(function), partial(folder, "parts"))
            dispatcher._cache = store
        return dispatcher

    def call(function: Callable[..., Any], nrt: bool) -> Any:
        return _without_literals(_linked(nrt)(function))

    def bot(function: Callable[..., Any]) -> Any:
        return numba.njit(forceinline=True, error_model="python", **LINKED)(function)

    return Decorators(_with_options(entry), _with_options(inline), _with_options(call), bot)


class EntryFunction:
    """A function that Python calls compiled, and plain where numba cannot compile it.

    Compiled functions that call it get it as if it were under `njit_call`, so that it is compiled
    by itself only if Python calls it.
    """

    def __init__(self, function: Callable[..., Any], store: Store, nrt: bool) -> None:
        update_wrapper(self, function)
        self.py_func = function
        self.targetoptions = _counting(nrt)  # as of numba's dispatchers: fingerprints contain it
        self._store = store

    @property
    def _numba_type_(self) -> Any:
        """What numba takes this for where compiled functions call it."""
        return types.Dispatcher(self._as_called)

    @cached_property
    def _as_called(self) -> Any:
        called = numba.njit(error_model="numpy", **self.targetoptions, **LINKED)(self.py_func)
        return _without_literals(called)

    def __call__(self, *arguments: Any) -> Any:
        return self._function(*arguments)

    @cached_property
    def _function(self) -> Callable[..., Any]:
        """numba's dispatcher, which becomes the plain function if it cannot compile."""
        options = {"nogil": True, "error_model": "numpy", **self.targetoptions}
        dispatcher = numba.njit(**options)(self.py_func)
        dispatcher._cache = self._store
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
        path = Path(self._store.cache_path) / f"{self.py_func.__name__}-not-compiled.txt"
        try:
            with draft_of(path) as draft:
                draft.write_text("".join(traceback.format_exception(error)))
            details = f" Details: {path}"
        except OSError:
            details = ""
        name = f"{self.py_func.__module__}.{self.py_func.__name__}"
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


def _without_literals(dispatcher: Any) -> Any:
    """A dispatcher that compiles no version of its own for a call with literals."""
    if numba.config.DISABLE_JIT:
        return dispatcher  # which is the function itself
    template = dispatcher.get_call_template

    def template_without_literals(arguments: Sequence[Any], keywords: Any) -> Any:
        return template(tuple(map(types.unliteral, arguments)), keywords)

    dispatcher.get_call_template = template_without_literals
    return dispatcher


def _counting(nrt: bool) -> dict[str, bool]:
    return {} if nrt else {"_nrt": False}


def _with_options(decorate: Callable[..., Any]) -> Any:
    """A decorator that can be written with and without `(nrt=False)`."""

    def decorator(function: Callable[..., Any] | None = None, *, nrt: bool = True) -> Any:
        return partial(decorate, nrt=nrt) if function is None else decorate(function, nrt=nrt)

    return decorator


def compiled_for(function: Any, arguments: Sequence[tuple[Any, int]]) -> Any:
    """numba's CompileResult of an entry for arguments of these dtypes and numbers of dimensions.

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
    return dispatcher.overloads[signature]
