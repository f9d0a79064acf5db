"""Where Can't Stop's machine code is stored, and from which sources it is compiled."""

from pathlib import Path

from cantstop_arena.native.code_cache import CodeCache

_GAME = Path(__file__).parents[1]
_PACKAGE = _GAME.parents[1]
_GAME_API = ("answers", "bot_options", "decisions", "rulebook")

ENGINE_CACHE = CodeCache(
    "cantstop",
    sources=(
        _GAME / "engine",
        *(_GAME / f"{name}.py" for name in ("counts", "dice_odds", "hooks", "rules", "turn")),
        _GAME / "bots" / "heuristic.py",
        _PACKAGE / "deals",
        *(_PACKAGE / "game_api" / f"{name}.py" for name in _GAME_API),
        *(_PACKAGE / f"{name}.py" for name in ("errors", "hookspecs", "texts")),
    ),
)
