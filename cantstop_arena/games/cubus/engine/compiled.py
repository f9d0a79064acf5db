"""The decorators of Cubus' compiled functions, and the folder of its machine code and tables."""

from pathlib import Path
from typing import Any

from cantstop_arena.native.code_cache import CodeCache, cache_root, private_folder
from cantstop_arena.native.decorators import decorators

_GAME = Path(__file__).parents[1]
_PACKAGE = _GAME.parents[1]
_GAME_API = ("bot_options", "net_files", "rulebook", "streams")

ENGINE_CACHE = CodeCache(
    "cubus",
    sources=(
        _GAME / "engine",
        _GAME / "builds",
        _GAME / "nets",
        *(_GAME / f"{name}.py" for name in ("chance", "counts", "records", "rules")),
        *(_PACKAGE / "game_api" / f"{name}.py" for name in _GAME_API),
        _PACKAGE / "errors.py",
    ),
)
njit_entry, _, njit_call, _ = decorators(ENGINE_CACHE)


def cache_folder() -> Path:
    """The private folder of the game's tables. Raises ArenaError when there is none."""
    return private_folder(cache_root(), ENGINE_CACHE.game)


@njit_call(nrt=False)
def copy_numbers(target: Any, source: Any) -> None:
    """`target[:len(source)] = source`; numba takes 0.3 s to compile each slice assignment."""
    for index in range(len(source)):
        target[index] = source[index]


@njit_call(nrt=False)
def copy_rows(target: Any, source: Any) -> None:
    """`target[:len(source)] = source` for arrays of rows of numbers."""
    for row in range(source.shape[0]):
        for index in range(source.shape[1]):
            target[row, index] = source[row, index]
