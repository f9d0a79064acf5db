"""Machine code on disk as numba's dispatchers load it: a file for each function and signature."""

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

from numba.core.caching import _Cache
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps

from cantstop_arena.runtime.machinecode.files import key_of, path_of, seal, throw_away, unsealed
from cantstop_arena.runtime.machinecode.toolchain import toolchain


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
        packed = unsealed(path, key)
        if packed is None:
            return None
        try:
            return self.rebuilt(target_context, pickle.loads(packed))
        except Exception:  # whole, and still of no use to this process
            throw_away(path)
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what was compiled, if it can be kept."""
        if not data.library.has_dynamic_globals and not data.lifted:
            key = self._key(sig, data.codegen)
            seal(path_of(self._folder(), self._name, key), key, dumps(self.reduced(data)))

    def reduced(self, data: Any) -> Any:
        """What is kept of a result of the compiler, as values that can be pickled."""
        return data._reduce()

    def rebuilt(self, target_context: Any, kept: Any) -> Any:
        """The result that was kept."""
        return CompileResult._rebuild(target_context, *kept)

    def _key(self, sig: Any, codegen: Any) -> bytes:
        return key_of(toolchain(), codegen.magic_tuple(), self._stamp(), self._name, str(sig))

    def enable(self) -> None:
        """Always so."""

    def disable(self) -> None:
        """Never so."""

    def flush(self) -> None:
        """Forget nothing: what is stale has another name."""
