"""Compiled bots: turned into machine code once, and called by the engine through its address."""

from collections.abc import Callable, Iterable
from types import CodeType, FunctionType
from typing import Any, TypeAlias

import numba
from numba.extending import register_jitable

from cantstop_arena.errors import BotError
from cantstop_arena.games.cantstop.engine.bot_calls import (
    CHOOSE_MOVE,
    PLAY_TURN,
    ROLL_AGAIN,
    answering_again,
    answering_move,
    turn_of,
)
from cantstop_arena.games.cantstop.engine.code_cache import unwrap_partial
from cantstop_arena.games.cantstop.engine.compile_errors import plain_message
from cantstop_arena.games.cantstop.engine.engine_decorators import njit_bot
from cantstop_arena.games.cantstop.hooks import Player
from cantstop_arena.hookspecs import compile_options
from cantstop_arena.native.decorators import UNWRAPPED
from cantstop_arena.native.numba_store import LINKED

_Opened: TypeAlias = tuple[Callable[..., Any], tuple[Any, ...]]


def compile_player(player: Player, name: str) -> list[Any]:
    """What numba makes of a bot's turns. Raises BotError where it cannot compile them."""
    try:
        return [_compile(unwrap_partial(player.choose_move), unwrap_partial(player.roll_again))]
    except BotError as error:
        raise BotError(f"{name} does not compile: {error}") from error
    except Exception as error:  # numba raises more than its own errors
        raise BotError(f"{name} does not compile: {plain_message(error)}") from error


def _compile(*decisions: _Opened) -> Any:
    """The function that plays a bot's turns, with its decisions inside."""
    for function, _ in decisions:
        _make_callable(function)
    choose_move = njit_bot(answering_move(*decisions[0]))
    roll_again = njit_bot(answering_again(*decisions[1]))
    turns = numba.njit(**UNWRAPPED)(turn_of(choose_move, roll_again))
    try:
        turns.compile(PLAY_TURN)
    except Exception:
        choose_move.compile(CHOOSE_MOVE)  # what is wrong with either is told best by itself
        roll_again.compile(ROLL_AGAIN)
        raise
    _refuse_unseeded((choose_move, roll_again))
    (compiled,) = turns.overloads.values()
    return compiled


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
    options = {"forceinline": True, **LINKED, **(compile_options(function) or {})}
    register_jitable(**options)(function)
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
    by_name = {**function.__globals__, **cells}
    return [by_name[name] for name in _names(function.__code__) if name in by_name]


def _names(code: CodeType) -> list[str]:
    inner = [
        name for const in code.co_consts if isinstance(const, CodeType) for name in _names(const)
    ]
    return [*code.co_names, *code.co_freevars, *inner]
