"""The engine and compiled bots: loaded from the cache, or compiled on first use.

numba is imported only to compile. With NUMBA_DISABLE_JIT=1 the engine is ordinary Python.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from cantstop_arena.games.cantstop.engine.engine_cache import ENGINE_CACHE
from cantstop_arena.games.cantstop.engine.game_array import TALLY, GameArray
from cantstop_arena.games.cantstop.hooks import Player
from cantstop_arena.hookspecs import compile_options, memory_of
from cantstop_arena.native.code_cache import (
    CompiledBot,
    compiles,
    functions_fingerprint,
    unwrap_partial,
)
from cantstop_arena.native.memory_options import kinds_of
from cantstop_arena.native.object_files import Kind, argument_count

_NUMBER = (np.dtype(np.int64), 0)
_NUMBERS, _PAIRS, _BOXES = ((np.dtype(np.int64), dimensions) for dimensions in (1, 2, 3))
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


_TABLE = (_NUMBERS, _PAIRS, _BOXES)  # the record, the heads, the swings
_GAMES = (_NUMBERS, _NUMBERS, _BOXES, *_RECORDS)  # waiting, numbers, seatings, and the tally
_FLAGS = np.dtype(np.bool_)
_BATCH = (
    (np.dtype(np.float32), 2),
    (_FLAGS, 2),
    (_FLAGS, 1),
    _NUMBERS,
    (np.dtype(np.float64), 1),
)  # observations, legal, live, seats, random
STEP_ENTRIES = {
    "begin_games": (*[_NUMBER] * 3, *_TABLE, _NUMBERS, *_GAMES),
    "choose_rows": (_NUMBER, *[_NUMBERS] * 3),
    "observe_rows": (_NUMBER, _NUMBERS, _PAIRS, _NUMBERS, *_BATCH),
    "answer_rows": (*[_NUMBER] * 3, *_TABLE, _NUMBERS, _NUMBERS, *_GAMES),
    "forfeit_game": (*[_NUMBER] * 4, *_TABLE, *_GAMES),
}
"""Those of `batch_steps`, in a group of their own, as most runs do not need them."""
STEPS = "steps"
"""The part of the cache in which they are stored."""


@cache
def engine() -> Any:
    """The functions of ENTRIES, as attributes. Arrays are passed as by `array_arguments`."""
    return _entries("engine", "kernel", ENTRIES)


@cache
def step_engine() -> Any:
    """The functions of STEP_ENTRIES, like those of `engine`."""
    return _entries(STEPS, "batch_steps", STEP_ENTRIES)


def _entries(part: str, module: str, entries: Mapping[str, Sequence[Kind]]) -> Any:
    """The entries of a module, loaded from this part of the cache, or compiled."""
    if not compiles():
        return _module(module)
    from cantstop_arena.native.object_files import PythonCalls, load

    def compile_all() -> list[Any]:
        from cantstop_arena.native.decorators import compiled_for

        functions = _module(module)
        return [compiled_for(getattr(functions, name), kinds) for name, kinds in entries.items()]

    folder = ENGINE_CACHE.folder(part)
    loaded = load(folder, module, ENGINE_CACHE.fingerprint, compile_all)
    arity = {name: sum(map(argument_count, kinds)) for name, kinds in entries.items()}
    calls = PythonCalls(loaded, arity, folder)
    return SimpleNamespace(calls=calls, **calls.functions)


def _module(name: str) -> Any:
    return import_module(f"{__package__}.{name}")


def handle_of(games: GameArray) -> Any:
    """The handle of a game: the address of its record, or the record itself where nothing is
    compiled."""
    return games.ctypes.data if compiles() else games[0]


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
    options = [option for _, options in decisions for option in options]
    shapes = [(function, kinds_of(options)) for function, options in decisions]
    stamp = functions_fingerprint(ENGINE_CACHE.fingerprint, *shapes)
    loaded = load(folder, "bot", stamp, compile_all, options)
    (address,) = loaded.addresses
    return CompiledBot(address, memory_of(function for function, _ in decisions), loaded)
