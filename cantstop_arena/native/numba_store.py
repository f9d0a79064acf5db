"""numba's internals: stores of compiled functions, object files, and linked functions.

This module and `object_files` alone use names of numba that its documentation does not have.

Linked functions save most of the compilation time: numba makes machine code for every function,
together with all that it calls, so that code ten calls deep is optimised ten times. A linked
function is only called by compiled functions; it stays unoptimised and is optimised once, with the
function that Python or the engine calls.
"""

import gc
import pickle
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from llvmlite.binding import parse_bitcode, set_option
from numba import _dynfunc, types
from numba.core import event
from numba.core.caching import _Cache
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, CompileResult, compile_result
from numba.core.registry import cpu_target
from numba.core.serialize import dumps
from numba.core.sigutils import normalize_signature

from cantstop_arena.native.code_cache import (
    discard,
    key_of,
    path_of,
    read_checked,
    toolchain,
    write_checked,
)
from cantstop_arena.native.object_files import ARRAY_DESTRUCTOR, Compiled

_Environment = getattr(_dynfunc, "Environment")  # noqa: B009 - of an untyped extension
_ENVIRONMENT_PREFIX = "_ZN08NumbaEnv"
_RUNTIME_PREFIXES = ("numba_", "NRT_", "Py", "_Py")
WITHOUT_COUNTING = {"_nrt": False}
"""Options of `numba.njit` for functions without numba's reference counting."""
UNWRAPPED = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
"""Options of `numba.njit` for functions that are never called through numba's dispatcher."""


class Store(_Cache):  # type: ignore[misc]  # numba is not typed
    """The stored machine code of one function, with the interface of numba's caches.

    `stamp` returns a hash of all inputs of the compilation, and `folder` the folder of the files;
    both are called when the function is compiled.
    """

    def __init__(self, name: str, stamp: Callable[[], str], folder: Callable[[], Path]) -> None:
        self._name, self._stamp, self._folder = name, stamp, folder

    @property
    def cache_path(self) -> str:
        """The folder of the files."""
        return str(self._folder())

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The CompileResult stored for a signature; None when it is missing or invalid."""
        target_context.refresh()
        key = self._key(sig, target_context.codegen())
        path = path_of(self._folder(), self._name, key)
        payload = read_checked(path, key)
        if payload is None:
            return None
        try:
            return self.rebuilt(target_context, pickle.loads(payload))
        except Exception:  # undamaged, but this process cannot use it
            discard(path)
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Store a CompileResult, if it can be stored."""
        if not data.library.has_dynamic_globals and not data.lifted:
            key = self._key(sig, data.codegen)
            write_checked(path_of(self._folder(), self._name, key), key, dumps(self.reduced(data)))

    def reduced(self, data: Any) -> Any:
        """The parts of a CompileResult to store, as values that can be pickled."""
        return data._reduce()

    def rebuilt(self, target_context: Any, stored: Any) -> Any:
        """The CompileResult of stored parts."""
        return CompileResult._rebuild(target_context, *stored)

    def _key(self, sig: Any, codegen: Any) -> bytes:
        return key_of(toolchain(), codegen.magic_tuple(), self._stamp(), self._name, str(sig))

    def enable(self) -> None:
        """Do nothing: the store is always enabled."""

    def disable(self) -> None:
        """Do nothing: the store cannot be disabled."""

    def flush(self) -> None:
        """Do nothing: stale files have other names."""


class _LinkedLibrary(JITCodeLibrary):  # type: ignore[misc]  # numba has no types
    """Code that is linked into other code, and never called from outside."""

    def _optimize_final_module(self) -> None:
        """Do nothing: the code is optimised with its callers."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """Return 0, as there is no machine code to point to."""
        self._ensure_finalized()
        return 0

    @property
    def codegen(self) -> Any:
        """This library, which receives numba's calls of `set_env`."""
        return self

    def set_env(self, env_name: str, env: Any) -> None:
        """Do nothing: linked code uses no environment."""

    @classmethod
    def of(cls, codegen: Any, name: str, bitcode: bytes) -> "_LinkedLibrary":
        """The library with stored code."""
        library = cls(codegen, name)
        library._final_module = parse_bitcode(bitcode)
        library._finalized = True
        return library


class _LinkingCompiler(Compiler):  # type: ignore[misc]  # numba has no types
    """numba's compiler with a library for linked functions."""

    def __init__(self, typingctx: Any, targetctx: Any, library: Any, *arguments: Any) -> None:
        linked_library = library or _LinkedLibrary(targetctx.codegen(), "linked")
        super().__init__(typingctx, targetctx, linked_library, *arguments)


LINKED = {**UNWRAPPED, "pipeline_class": _LinkingCompiler}
"""Options of `numba.njit` for linked functions, which Python cannot call."""
INLINE = {"forceinline": True, **LINKED}
"""The same for functions that become a part of their caller before it is optimised."""


class LinkedStore(Store):
    """A store of one linked function, as LLVM bitcode together with all that it calls."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The stored result; None for functions as arguments, as types do not identify them."""
        return None if _has_functions(sig) else super().load_overload(sig, target_context)

    def save_overload(self, sig: Any, data: Any) -> None:
        """Store a result, unless an argument is a function."""
        if not _has_functions(sig):
            super().save_overload(sig, data)

    def reduced(self, data: Any) -> Any:
        """The bitcode, and the description that callers need."""
        data.fndesc.typemap = data.fndesc.calltypes = None  # callers do not need them
        code = data.library._final_module.as_bitcode()
        return code, data.fndesc, data.environment, data.signature, data.reload_init

    def rebuilt(self, target_context: Any, stored: Any) -> Any:
        """The CompileResult of a stored function."""
        code, fndesc, environment, signature, reload_init = stored
        library = _LinkedLibrary.of(target_context.codegen(), fndesc.mangled_name, code)
        return compile_result(
            typing_context=target_context.typing_context,
            target_context=target_context,
            entry_point=target_context.get_executable(library, fndesc, environment),
            fndesc=fndesc,
            library=library,
            environment=environment,
            signature=signature,
            objectmode=False,
            lifted=(),
            reload_init=reload_init,
            referenced_envs=(),
        )


def _has_functions(signature: Any) -> bool:
    types_of_arguments, _ = normalize_signature(signature)
    return any(isinstance(argument_type, types.Callable) for argument_type in types_of_arguments)


# Object files ---------------------------------------------------------------------------------


def object_code(result: Any) -> Compiled:
    """The object file of a CompileResult of an `UNWRAPPED` function."""
    _, _, (code, *_) = result.library.serialize_using_object_code()
    external_names = declared_names(result)
    needs_numba = any(
        name.startswith(_RUNTIME_PREFIXES) for name in external_names - {ARRAY_DESTRUCTOR}
    )
    environments = (
        variable.name
        for variable in result.library._final_module.global_variables
        if variable.name.startswith(_ENVIRONMENT_PREFIX)
    )
    return Compiled(
        code,
        result.fndesc.llvm_func_name,
        str(result.signature.return_type),
        needs_numba,
        tuple(environments) if needs_numba else (),
        has_addresses=result.library.has_dynamic_globals,
    )


def runtime_environment() -> object:
    """An empty environment for object files that need one; LLVM can find numba's runtime now."""
    cpu_target.target_context.refresh()
    return _Environment(globals={})


def declared_names(result: Any) -> set[str]:
    """The names of the functions that the code of a CompileResult calls, and does not contain."""
    functions = result.library._final_module.functions
    return {function.name for function in functions if function.is_declaration}


# Dispatchers ----------------------------------------------------------------------------------


def store_in(store: Store, dispatcher: Any) -> Any:
    """A dispatcher, which now reads and writes its machine code in a store."""
    dispatcher._cache = store
    return dispatcher


def without_literals(dispatcher: Any) -> Any:
    """A dispatcher that compiles no version of its own for a call with literals."""
    template = dispatcher.get_call_template

    def templatewithout_literals(arguments: Sequence[Any], keywords: Any) -> Any:
        return template(tuple(map(types.unliteral, arguments)), keywords)

    dispatcher.get_call_template = templatewithout_literals
    return dispatcher


# Garbage collection ---------------------------------------------------------------------------


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


# LLVM -----------------------------------------------------------------------------------------

_LLVM_OPTIONS = (
    "-unroll-runtime=0",  # loops over moves and columns are short, and larger code is slower
    "-enable-ext-tsp-block-placement=1",  # fewer jumps
)


@cache
def set_llvm_options() -> None:
    """Set options of LLVM for all later compilations; it ignores those that it does not know."""
    for option in _LLVM_OPTIONS:
        set_option("arena", option)
