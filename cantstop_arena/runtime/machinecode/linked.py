"""Functions that only become part of others, which spares most of the time that compiling takes.

numba makes every function machine code of its own, together with all that it calls: code ten calls
deep is optimised ten times over. Here code that is called is left as it comes, and optimised once,
with the function that Python or the engine calls.
"""

from typing import Any

from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler


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


class _Linked(Compiler):  # type: ignore[misc]  # numba has no types
    """numba's compiler, for such functions."""

    def __init__(self, typingctx: Any, targetctx: Any, library: Any, *others: Any) -> None:
        own = library or _LinkedLibrary(targetctx.codegen(), "linked")
        super().__init__(typingctx, targetctx, own, *others)


LINKED = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, "pipeline_class": _Linked}
"""How `numba.njit` compiles them: Python cannot call them."""
