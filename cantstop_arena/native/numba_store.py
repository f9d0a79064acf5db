"""Functions that only become part of others, which spares most of the time that compiling takes.

numba makes every function machine code of its own, together with all that it calls: code ten calls
deep is optimised ten times over. Here code that is called is left as it comes, and optimised once,
with the function that Python or the engine calls.
"""

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

from llvmlite.binding import parse_bitcode
from numba import types
from numba.core.caching import _Cache
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, CompileResult, compile_result
from numba.core.serialize import dumps
from numba.core.sigutils import normalize_signature

from cantstop_arena.native.code_files import discard, key_of, path_of, read_checked, write_checked
from cantstop_arena.native.fingerprint import toolchain


class Store(_Cache):  # type: ignore[misc]  # numba is not typed
    """The machine code of one function, as numba's dispatchers ask for it.

    `stamp` stands for all that the function is compiled from, and `folder` is where it is kept;
    both are asked for when it is compiled.
    """

    def __init__(self, name: str, stamp: Callable[[], str], folder: Callable[[], Path]) -> None:
        self._name, self._stamp, self._folder = name, stamp, folder

    @property
    def cache_path(self) -> str:
        """The folder."""
        return str(self._folder())

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """What was compiled for a signature; None where it is not there, or not to be trusted."""
        target_context.refresh()
        key = self._key(sig, target_context.codegen())
        path = path_of(self._folder(), self._name, key)
        packed = read_checked(path, key)
        if packed is None:
            return None
        try:
            return self.rebuilt(target_context, pickle.loads(packed))
        except Exception:  # whole, and still of no use to this process
            discard(path)
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what was compiled, if it can be kept."""
        if not data.library.has_dynamic_globals and not data.lifted:
            key = self._key(sig, data.codegen)
            write_checked(path_of(self._folder(), self._name, key), key, dumps(self.reduced(data)))

    def reduced(self, data: Any) -> Any:
        """What is kept of a result of the compiler, as values that can be pickled."""
        return data._reduce()

    def rebuilt(self, target_context: Any, stored: Any) -> Any:
        """The result that was kept."""
        return CompileResult._rebuild(target_context, *stored)

    def _key(self, sig: Any, codegen: Any) -> bytes:
        return key_of(toolchain(), codegen.magic_tuple(), self._stamp(), self._name, str(sig))

    def enable(self) -> None:
        """Always so."""

    def disable(self) -> None:
        """Never so."""

    def flush(self) -> None:
        """Forget nothing: what is stale has another name."""


class _LinkedLibrary(JITCodeLibrary):  # type: ignore[misc]  # numba has no types
    """Code that is linked into other code, and never runs by itself."""

    def _optimize_final_module(self) -> None:
        """Whatever it is linked into is optimised."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """There is no machine code to point to."""
        self._ensure_finalized()
        return 0

    @property
    def codegen(self) -> Any:
        """Who is told of environments, which there are not."""
        return self

    def set_env(self, env_name: str, env: Any) -> None:
        """Code of the arena's and of bots asks no environment."""

    @classmethod
    def of(cls, codegen: Any, name: str, bitcode: bytes) -> "_LinkedLibrary":
        """A library with code that was kept."""
        library = cls(codegen, name)
        library._final_module = parse_bitcode(bitcode)
        library._finalized = True
        return library


class _Linked(Compiler):  # type: ignore[misc]  # numba has no types
    """numba's compiler, for such functions."""

    def __init__(self, typingctx: Any, targetctx: Any, library: Any, *others: Any) -> None:
        own = library or _LinkedLibrary(targetctx.codegen(), "linked")
        super().__init__(typingctx, targetctx, own, *others)


LINKED = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, "pipeline_class": _Linked}
"""How `numba.njit` compiles them: Python cannot call them."""


class LinkedStore(Store):
    """Keeps such functions as what they are linked as, with all that they call."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """What was compiled, unless for a function as argument, of which its type tells little."""
        return None if _has_functions(sig) else super().load_overload(sig, target_context)

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what was compiled, as above."""
        if not _has_functions(sig):
            super().save_overload(sig, data)

    def reduced(self, data: Any) -> Any:
        """The code, and what its callers have to know."""
        data.fndesc.typemap = data.fndesc.calltypes = None  # of no use to them
        code = data.library._final_module.as_bitcode()
        return code, data.fndesc, data.environment, data.signature, data.reload_init

    def rebuilt(self, target_context: Any, stored: Any) -> Any:
        """The function as if it had been compiled."""
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
    kinds, _ = normalize_signature(signature)
    return any(isinstance(kind, types.Callable) for kind in kinds)
