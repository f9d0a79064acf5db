"""No garbage is collected while numba compiles.

That makes very many objects, nearly all of which stay: a seventh of its time went into looking
through them again and again.
"""

import gc
from functools import cache
from typing import Any

from numba.core import event


class _Pause(event.Listener):  # type: ignore[misc]  # numba has no types
    """Hears where a function begins to be compiled, within which others are, and where it ends."""

    def __init__(self) -> None:
        self._depth = 0
        self._was_on = False

    def on_start(self, event: Any) -> None:
        """Pause with the outermost function."""
        if not self._depth:
            self._was_on = gc.isenabled()
            gc.disable()
        self._depth += 1

    def on_end(self, event: Any) -> None:
        """Go on after it."""
        self._depth -= 1
        if not self._depth and self._was_on:
            gc.enable()


@cache
def collect_nothing_meanwhile() -> None:
    """From now on nothing is collected while something is compiled."""
    event.register("numba:compile", _Pause())
