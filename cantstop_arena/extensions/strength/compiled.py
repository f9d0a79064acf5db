"""The decorators of the compiled functions of this extension, and where their code is stored.

The cache is apart from the engine's, whose code does not depend on which extensions there are.
"""

from pathlib import Path

from cantstop_arena.games.cantstop.engine.engine_cache import ENGINE_CACHE
from cantstop_arena.native.code_cache import CodeCache
from cantstop_arena.native.decorators import decorators

_HERE = Path(__file__).parent
SOURCES = (*ENGINE_CACHE.sources, Path(__file__), _HERE / "exact", _HERE / "nets")
CACHE = CodeCache("cantstop-strength", SOURCES)

njit_entry, njit_inline, njit_call, _ = decorators(CACHE)
