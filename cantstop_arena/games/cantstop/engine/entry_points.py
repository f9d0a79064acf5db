"""The engine and compiled bots: loaded from the cache, or compiled on first use.

numba is imported only to compile. With NUMBA_DISABLE_JIT=1 the engine is ordinary Python.
"""

from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from cantstop_arena.games.cantstop.engine.engine_cache import ENGINE_CACHE
from cantstop_arena.games.cantstop.engine.game_array import TALLY, GameArray
from cantstop_arena.games.cantstop.hooks import Player
from cantstop_arena.hookspecs import compile_options, memory_of
from cantstop_arena.native.array_arguments import argument_count, array_members
from cantstop_arena.native.code_cache import CompiledBot, has_writable_array, unwrap_partial
from cantstop_arena.native.fingerprint import compiles, functions_fingerprint

_NUMBER = (np.dtype(np.int64), 0)
_NUMBERS, _PAIRS = (np.dtype(np.int64), 1), (np.dtype(np.int64), 2)
_RECORDS = (_NUMBERS, (TALLY, 1), (np.dtype(np.uint8), 2), (np.dtype(np.int32), 2))
ENTRIES = {
    "start_game": (_NUMBER, _NUMBER),
    "advance": (_NUMBER, _NUMBER),
    "forfeit": (_NUMBER, _NUMBER),
    "bot_key": (_NUMBER, _NUMBER),
    "tally_finished_game": (_NUMBER, *_RECORDS, _NUMBER, _NUMBER),
    "play_native": (_NUMBER, _PAIRS, _PAIRS, _NUMBER, _NUMBER, _NUMBER, *_RECORDS),
}
"""The functions of `kernel` that Python calls, and their arguments: (dtype, number of dimensions),
0 dimensions for a number."""


@cache
def engine() -> Any:
    """The functions of ENTRIES, as attributes. They take arrays as `array_arguments`."""
    if not compiles():
        from cantstop_arena.games.cantstop.engine import kernel

        return kernel
    from cantstop_arena.native.object_files import load
    from cantstop_arena.native.python_calls import PythonCalls

    folder = ENGINE_CACHE.folder("engine")
    loaded = load(folder, "kernel", ENGINE_CACHE.fingerprint, _compiled_entries)
    arity = {name: sum(map(argument_count, kinds)) for name, kinds in ENTRIES.items()}
    calls = PythonCalls(loaded, arity, folder)
    return SimpleNamespace(calls=calls, **calls.functions)


def _compiled_entries() -> list[Any]:
    from cantstop_arena.games.cantstop.engine import kernel
    from cantstop_arena.native.decorators import compiled_for

    return [compiled_for(getattr(kernel, name), kinds) for name, kinds in ENTRIES.items()]


def handle_of(games: GameArray) -> Any:
    """The handle of a game: the address of its record, or the record itself where nothing is
    compiled."""
    return games.ctypes.data if compiles() else games[0]


def array_arguments(*arrays: Any) -> tuple[Any, ...]:
    """The arguments that pass arrays to the engine; the caller must hold the arrays meanwhile."""
    return (
        tuple(number for array in arrays for number in array_members(array))
        if compiles()
        else arrays
    )


def is_compiled(player: Player) -> bool:
    """Whether both decisions of a bot are marked `@compiled`."""
    functions = (unwrap_partial(player.choose_move)[0], unwrap_partial(player.roll_again)[0])
    return all(compile_options(function) is not None for function in functions)


def native_player(player: Player, name: str, folder: Path | None) -> CompiledBot | None:
    """The machine code of a bot, loaded from the folder or compiled.

    None if the bot plays as plain Python. Raises BotError when numba cannot compile it.
    """
    if not (compiles() and is_compiled(player)):
        return None
    from cantstop_arena.native.object_files import load

    def compile_all() -> list[Any]:
        from cantstop_arena.games.cantstop.engine.bot_calls import compile_player

        return compile_player(player, name)

    decisions = [unwrap_partial(player.choose_move), unwrap_partial(player.roll_again)]
    path = None if any(has_writable_array(options) for _, options in decisions) else folder
    stamp = functions_fingerprint(ENGINE_CACHE.fingerprint, *decisions)
    loaded = load(path, "bot", stamp, compile_all)
    (address,) = loaded.addresses
    return CompiledBot(address, memory_of(function for function, _ in decisions), loaded)
