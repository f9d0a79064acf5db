"""The decorators of the compiled functions of this extension, and where their code is stored.

The cache is apart from the engine's, whose code does not depend on which extensions there are.
"""

from pathlib import Path

from cantstop_arena.extensions.strength.compiled import SOURCES
from cantstop_arena.native.code_cache import CodeCache
from cantstop_arena.native.decorators import decorators

_HERE = Path(__file__).parent

CACHE = CodeCache(
    "cantstop-learn", (*SOURCES, Path(__file__), _HERE / "lockstep", _HERE / "training")
)

njit_entry, njit_inline, njit_call, _ = decorators(CACHE)
