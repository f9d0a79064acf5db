"""The decorators of Can't Stop's compiled functions."""

from cantstop_arena.games.cantstop.engine.engine_cache import ENGINE_CACHE
from cantstop_arena.native.decorators import decorators

njit_entry, njit_inline, njit_call, njit_bot = decorators(
    ENGINE_CACHE, inlined_in_bots=__name__.rpartition(".")[0]
)
