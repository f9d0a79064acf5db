"""The folder of Cubus' machine code and tables."""

from pathlib import Path

from cantstop_arena.native.code_cache import CodeCache

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
        *(_PACKAGE / f"{name}.py" for name in ("errors", "hookspecs")),
    ),
)
