"""Functions that only become part of others, which spares most of the time that compiling takes.

numba makes every function machine code of its own, together with all that it calls: code ten calls
deep is optimised ten times over. Here code that is called is left as it comes, and optimised once,
with the function that Python or the engine calls.
"""

from typing import Any

from llvmlite.binding import parse_bitcode
from numba import types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, compile_result
from numba.core.sigutils import normalize_signature

from cantstop_arena.runtime.machinecode.store import Store


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

    def rebuilt(self, target_context: Any, kept: Any) -> Any:
        """The function as if it had been compiled."""
        code, fndesc, environment, signature, reload_init = kept
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
