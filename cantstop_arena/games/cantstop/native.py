"""Compiled bots: turned into machine code once, and called by the engine through its address."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import numba
import numpy as np
from numba import types
from numba.core import cgutils, config
from numba.core.errors import TypingError
from numba.extending import intrinsic, overload, register_jitable

from cantstop_arena.errors import BotError
from cantstop_arena.games.cantstop import series, views  # noqa: F401 - they teach numba the types
from cantstop_arena.games.cantstop.compiler import caching_in, part
from cantstop_arena.games.cantstop.complaints import plain_words
from cantstop_arena.games.cantstop.shapes import MOVES, RECORD, TURN
from cantstop_arena.games.cantstop.state import GameArray
from cantstop_arena.hookspecs import Player, compile_options

_CHOOSE_MOVE = types.int64(TURN, MOVES)
_ROLL_AGAIN = types.boolean(TURN)


# Asking -------------------------------------------------------------------------------------


def _asker(question: Any) -> Any:
    """An intrinsic that calls machine code at an address with views of the game."""
    answer, shown = question.return_type, question.args

    @intrinsic
    def ask(typing_context: Any, address: types.Type, game: types.Type) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            kind = context.call_conv.get_function_type(answer, shown).as_pointer()
            function = builder.inttoptr(arguments[0], kind)
            pointers = [
                builder.bitcast(arguments[1], context.get_value_type(view)) for view in shown
            ]
            status, value = context.call_conv.call_function(
                builder, function, answer, shown, pointers
            )
            with cgutils.if_unlikely(builder, status.is_error):
                context.call_conv.return_status_propagate(builder, status)
            return value

        return answer(types.int64, game), generate

    return ask


_ask_choose_move = _asker(_CHOOSE_MOVE)
_ask_roll_again = _asker(_ROLL_AGAIN)


@part
def ask_choose_move(game):
    """The answer of the compiled bot on turn: the index of a move, not yet checked."""
    return _ask_choose_move(game.choose_at[game.seat], game)


@part
def ask_roll_again(game):
    """The answer of the compiled bot on turn: whether to roll again."""
    return _ask_roll_again(game.again_at[game.seat], game)


# Handles ------------------------------------------------------------------------------------


def handle_of(games: GameArray) -> Any:
    """What Python passes for a game: the address of its record, or the record itself where
    nothing is compiled."""
    return games[0] if config.DISABLE_JIT else games.ctypes.data


@intrinsic
def _record_at(typing_context, address):
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], context.get_value_type(RECORD))

    return RECORD(types.int64), generate


def game_at(handle: Any) -> Any:
    """The game record behind a handle."""
    return handle


@overload(game_at, jit_options={"forceinline": True})
def _game_at(handle):
    return lambda handle: _record_at(handle)


# Answers ------------------------------------------------------------------------------------


class NoAnswer(Exception):
    """A compiled function has ended without an answer."""


def _index(answer: Any) -> int:
    raise NotImplementedError


def _yes(answer: Any) -> bool:
    raise NotImplementedError


@overload(_index, jit_options={"forceinline": True})
def _checked_index(answer):
    if isinstance(answer, types.Integer) and not isinstance(answer, types.Boolean):
        return lambda answer: answer
    if isinstance(answer, types.NoneType):
        return _no_answer
    raise TypingError(f"choose_move must return the index of a move, not a value of type {answer}")


@overload(_yes, jit_options={"forceinline": True})
def _checked_yes(answer):
    if isinstance(answer, types.Boolean | types.Integer):
        return lambda answer: bool(answer)
    if isinstance(answer, types.NoneType):
        return _no_answer
    raise TypingError(f"roll_again must return True or False, not a value of type {answer}")


def _no_answer(answer):
    """Stands in for None, which a function answers that has no return, or that always raises."""
    if _ALWAYS[0]:  # what numba knows to be true would leave no answer of the type wanted
        raise NoAnswer("the answer was None")
    return False


_ALWAYS = np.ones(1, np.bool_)


# Compiling ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class NativePlayer:
    """The addresses of a bot's machine code, and what keeps that code in memory."""

    addresses: tuple[int, int]
    owners: tuple[Any, ...]


def compile_player(player: Player, name: str, cache: Path | None) -> NativePlayer | None:
    """Compile a bot whose functions are both marked; None where it is to play as plain Python.

    Raises BotError when numba cannot compile it.
    """
    if config.DISABLE_JIT or not is_compiled(player):
        return None
    try:
        with caching_in(cache) as cached:
            choose = _compile(_CHOOSE_MOVE, _choose_move_of(*_opened(player.choose_move)), cached)
            again = _compile(_ROLL_AGAIN, _roll_again_of(*_opened(player.roll_again)), cached)
    except BotError as error:
        raise BotError(f"{name} does not compile: {error}") from error
    except Exception as error:  # numba raises more than its own errors
        raise BotError(f"{name} does not compile: {plain_words(error)}") from error
    return NativePlayer((_address(choose), _address(again)), (choose, again))


def is_compiled(player: Player) -> bool:
    """Whether both decisions of a bot are marked `@compiled`."""
    functions = (_opened(player.choose_move)[0], _opened(player.roll_again)[0])
    return all(compile_options(function) is not None for function in functions)


def _opened(function: Callable[..., Any]) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """A function and the values of its options, which a partial holds by keyword."""
    if isinstance(function, partial):
        return function.func, tuple(function.keywords.values())
    return function, ()


def _choose_move_of(function: Callable[..., Any], options: tuple[Any, ...]) -> Callable[..., Any]:
    _make_callable(function)

    def choose_move(turn, moves):
        return _index(function(turn, moves, *options))

    return choose_move


def _roll_again_of(function: Callable[..., Any], options: tuple[Any, ...]) -> Callable[..., Any]:
    _make_callable(function)

    def roll_again(turn):
        return _yes(function(turn, *options))

    return roll_again


def _compile(signature: Any, function: Callable[..., Any], cached: bool) -> Any:
    return numba.njit(signature, cache=cached)(function)


def _address(dispatcher: Any) -> int:
    (compiled,) = dispatcher.overloads.values()
    address: int = compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name)
    return address


_NO_FUNCTION = (
    "{} is a method, and only functions can be @compiled: "
    "register a function that returns Player(choose_move, roll_again)"
)
_callable: set[Any] = set()
_SHARED = random.random.__self__  # type: ignore[attr-defined]  # behind `from random import ...`


def _make_callable(function: Any) -> None:
    """Let compiled code call a plain function, and whatever functions of its module it calls."""
    if function in _callable:
        return
    if not isinstance(function, FunctionType):
        raise BotError(_NO_FUNCTION.format(getattr(function, "__name__", "what is marked")))
    _refuse_unseeded(function)
    _callable.add(function)
    register_jitable(forceinline=True, **(compile_options(function) or {}))(function)
    for called in _called_by(function):
        if compile_options(called) is not None or called.__module__ == function.__module__:
            _make_callable(called)


def _refuse_unseeded(function: FunctionType) -> None:
    """numba's own generators cannot be seeded for each deal, so no game could be repeated."""
    named = _named_in(function)
    draws = any(value is random or getattr(value, "__self__", None) is _SHARED for value in named)
    numpys = "random" in _names(function.__code__) and any(value is np for value in named)
    if draws or numpys:
        raise BotError(f"{function.__name__} draws from random; a compiled bot has turn.random()")


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
