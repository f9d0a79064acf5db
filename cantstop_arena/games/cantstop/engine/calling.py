"""How the engine asks compiled bots: by the address of their code, with views of the game."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import carray, types
from numba.core import cgutils
from numba.core.errors import TypingError
from numba.extending import intrinsic, overload

from cantstop_arena.errors import BotError
from cantstop_arena.game_api.answers import IllegalAnswer
from cantstop_arena.games.cantstop.engine import (  # noqa: F401 - they teach numba the types
    native_attributes,
    native_sequences,
)
from cantstop_arena.games.cantstop.engine.compiler import part
from cantstop_arena.games.cantstop.engine.native_types import MOVES, RECORD, TURN
from cantstop_arena.games.cantstop.engine.players import is_live

CHOOSE_MOVE = types.int64(TURN, MOVES)
ROLL_AGAIN = types.boolean(TURN)


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


_ask_choose_move = _asker(CHOOSE_MOVE)
_ask_roll_again = _asker(ROLL_AGAIN)


@part
def ask_choose_move(game):
    """The answer of the compiled bot on turn: the index of a move, not yet checked."""
    return _ask_choose_move(game.choose_at[game.seat], game)


@part
def ask_roll_again(game):
    """The answer of the compiled bot on turn: whether to roll again."""
    return _ask_roll_again(game.again_at[game.seat], game)


# Handles ------------------------------------------------------------------------------------


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


class NoAnswer(IllegalAnswer):
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


# Options ------------------------------------------------------------------------------------


@intrinsic
def _numbers_at(typing_context, address):
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], context.get_value_type(signature.return_type))

    return types.CPointer(types.float64)(types.int64), generate


def _reader(options: tuple[Any, ...]) -> Callable[[], Any]:
    """What gives compiled code the options: as constants, or one array as it stands."""
    if not is_live(options):
        return lambda: options
    (numbers,) = options
    if numbers.dtype != np.float64:
        raise BotError(f"numbers that may change must be float64, not {numbers.dtype}")
    address, count = numbers.ctypes.data, len(numbers)
    return lambda: (carray(_numbers_at(address), count),)


def answering_move(function: Callable[..., Any], options: tuple[Any, ...]) -> Callable[..., Any]:
    """`choose_move` of a bot with these options, its answer held to be a number."""
    read = part(_reader(options))

    def choose_move(turn, moves):
        return _index(function(turn, moves, *read()))

    return choose_move


def answering_again(function: Callable[..., Any], options: tuple[Any, ...]) -> Callable[..., Any]:
    """`roll_again` of a bot with these options, its answer held to be true or false."""
    read = part(_reader(options))

    def roll_again(turn):
        return _yes(function(turn, *read()))

    return roll_again
