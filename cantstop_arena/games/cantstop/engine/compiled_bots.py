"""Compiled bots: turned into machine code once, and called by the engine through its address."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, TypeAlias

import numba
from numba.core import config
from numba.extending import register_jitable

from cantstop_arena.errors import BotError
from cantstop_arena.games.cantstop.engine.calling import (
    CHOOSE_MOVE,
    PLAY_TURN,
    ROLL_AGAIN,
    NoAnswer,
    answering_again,
    answering_move,
    is_live,
    turn_of,
)
from cantstop_arena.games.cantstop.engine.compiler import own_code
from cantstop_arena.games.cantstop.engine.compiler_messages import plain_words
from cantstop_arena.games.cantstop.engine.state import GameArray
from cantstop_arena.games.cantstop.hooks import Player
from cantstop_arena.hookspecs import compile_options, memory_of
from cantstop_arena.runtime.machinecode.fingerprint import fingerprint
from cantstop_arena.runtime.machinecode.store import Store

__all__ = ["NativePlayer", "NoAnswer", "compile_player", "handle_of", "is_compiled"]


def handle_of(games: GameArray) -> Any:
    """What Python passes for a game: the address of its record, or the record itself where
    nothing is compiled."""
    return games[0] if config.DISABLE_JIT else games.ctypes.data


# Compiling ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class NativePlayer:
    """The address of a bot's machine code, how many numbers it keeps during a game, and what
    keeps that code in memory."""

    address: int
    memory: int
    owner: Any


def compile_player(player: Player, name: str, folder: Path | None) -> NativePlayer | None:
    """Compile a bot whose functions are both marked; None where it is to play as plain Python.

    Raises BotError when numba cannot compile it.
    """
    if config.DISABLE_JIT or not is_compiled(player):
        return None
    opened = _opened(player.choose_move), _opened(player.roll_again)
    try:
        turns = _compile(opened, folder)
    except BotError as error:
        raise BotError(f"{name} does not compile: {error}") from error
    except Exception as error:  # numba raises more than its own errors
        raise BotError(f"{name} does not compile: {plain_words(error)}") from error
    return NativePlayer(_address(turns), memory_of([function for function, _ in opened]), turns)


def is_compiled(player: Player) -> bool:
    """Whether both decisions of a bot are marked `@compiled`."""
    functions = (_opened(player.choose_move)[0], _opened(player.roll_again)[0])
    return all(compile_options(function) is not None for function in functions)


_Opened: TypeAlias = tuple[Callable[..., Any], tuple[Any, ...]]


def _opened(function: Callable[..., Any]) -> _Opened:
    """A function and the values of its options, which a partial holds by keyword."""
    if isinstance(function, partial):
        return function.func, tuple(function.keywords.values())
    return function, ()


def _compile(opened: tuple[_Opened, _Opened], folder: Path | None) -> Any:
    """The function that plays a bot's turns, with its decisions inside."""
    for function, _ in opened:
        _make_callable(function)
    choose_move = own_code(answering_move(*opened[0]))
    roll_again = own_code(answering_again(*opened[1]))
    is_kept = not any(is_live(options) for _, options in opened)
    turns = numba.njit(turn_of(choose_move, roll_again))
    turns._cache = Store(
        turns.__name__,
        lambda: fingerprint(opened),
        lambda: folder if is_kept else None,
        lambda _: _refuse_unseeded((choose_move, roll_again)),
    )
    try:
        turns.compile(PLAY_TURN)
    except Exception:
        choose_move.compile(CHOOSE_MOVE)  # what is wrong with either is told best by itself
        roll_again.compile(ROLL_AGAIN)
        raise
    return turns


def _address(dispatcher: Any) -> int:
    (compiled,) = dispatcher.overloads.values()
    address: int = compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name)
    return address


_NO_FUNCTION = (
    "{} is a method, and only functions can be @compiled: "
    "register a function that returns Player(choose_move, roll_again)"
)
_callable: set[Any] = set()
# What numba has generators of its own for, `random` and `numpy.random`, asks these for their state.
_GENERATORS = {"numba_get_py_random_state", "numba_get_np_random_state"}


def _make_callable(function: Any) -> None:
    """Let compiled code call a plain function, and whatever functions of its module it calls."""
    if function in _callable:
        return
    if not isinstance(function, FunctionType):
        raise BotError(_NO_FUNCTION.format(getattr(function, "__name__", "what is marked")))
    _callable.add(function)
    register_jitable(forceinline=True, **(compile_options(function) or {}))(function)
    for called in _called_by(function):
        if compile_options(called) is not None or called.__module__ == function.__module__:
            _make_callable(called)


def _refuse_unseeded(decisions: Iterable[Any]) -> None:
    """numba's own generators cannot be seeded for each deal, so no game could be repeated."""
    for decision in decisions:
        (compiled,) = decision.overloads.values()
        called = {function.name for function in compiled.library._final_module.functions}
        if not called.isdisjoint(_GENERATORS):
            raise BotError(
                f"{decision.__name__} draws from random; a compiled bot has turn.random()"
            )


def _called_by(function: FunctionType) -> list[FunctionType]:
    """The plain Python functions a function names."""
    return [value for value in _named_in(function) if isinstance(value, FunctionType)]


def _named_in(function: FunctionType) -> list[Any]:
    """What a function names, of what its module knows or it closes over."""
    closed_over = [cell.cell_contents for cell in function.__closure__ or ()]
    cells = dict(zip(function.__code__.co_freevars, closed_over, strict=True))
    known = {**function.__globals__, **cells}
    return [known[name] for name in _names(function.__code__) if name in known]


def _names(code: CodeType) -> list[str]:
    inner = [
        name for const in code.co_consts if isinstance(const, CodeType) for name in _names(const)
    ]
    return [*code.co_names, *code.co_freevars, *inner]
