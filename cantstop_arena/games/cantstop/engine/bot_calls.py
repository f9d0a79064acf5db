"""How bots are compiled, and called by the address of their code, with views of the game."""

from collections.abc import Callable
from types import FunctionType
from typing import Any, TypeAlias

import numba
import numpy as np
from numba import types
from numba.core.errors import TypingError
from numba.extending import intrinsic, overload

from cantstop_arena.errors import BotError
from cantstop_arena.game_api.answers import IllegalAnswer
from cantstop_arena.game_api.bot_options import did_you_mean
from cantstop_arena.games.cantstop.engine import (  # noqa: F401 - register types with numba
    bot_attributes,
    bot_sequences,
)
from cantstop_arena.games.cantstop.engine.bot_types import (
    MOVES,
    RECORD,
    TURN,
    as_moves,
    as_turn,
)
from cantstop_arena.games.cantstop.engine.engine_decorators import njit_bot, njit_inline
from cantstop_arena.games.cantstop.engine.moves import at
from cantstop_arena.games.cantstop.engine.turns import turn_player
from cantstop_arena.games.cantstop.hooks import Player
from cantstop_arena.games.cantstop.turn import Turn
from cantstop_arena.native.bot_compiler import (
    caller,
    draws_unseeded,
    errors_of_bot,
    options_reader,
    register_function,
)
from cantstop_arena.native.code_cache import unwrap_partial
from cantstop_arena.native.compile_errors import BotWording
from cantstop_arena.native.decorators import with_frame_room
from cantstop_arena.native.memory_options import in_memory
from cantstop_arena.native.numba_store import INLINE, UNWRAPPED, object_code
from cantstop_arena.native.object_files import Compiled

CHOOSE_MOVE = types.int64(TURN, MOVES)
ROLL_AGAIN = types.boolean(TURN)
PLAY_TURN = types.int64(RECORD)


# Calls --------------------------------------------------------------------------------------


_call = caller(PLAY_TURN)


@njit_inline
def play_turn_of_bot(game):
    """Continue the turn of the compiled bot on turn; returns where it stops (see `turn_player`)."""
    return _call(game.turn_at[at(game.seat)], game)


# Handles ------------------------------------------------------------------------------------


@intrinsic
def _record_at(typing_context, address):
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], context.get_value_type(RECORD))

    return RECORD(types.int64), generate


def game_at(handle: Any) -> Any:
    """The game record behind a handle."""
    return handle


@overload(game_at, jit_options=INLINE)
def _game_at(handle):
    return lambda handle: _record_at(handle)


# Answers ------------------------------------------------------------------------------------


class NoAnswer(IllegalAnswer):
    """A compiled function returned None instead of an answer."""


def _index(answer: Any) -> int:
    raise NotImplementedError


def _truth(answer: Any) -> bool:
    raise NotImplementedError


@overload(_index, jit_options=INLINE)
def _checked_index(answer):
    if isinstance(answer, types.Integer) and not isinstance(answer, types.Boolean):
        return lambda answer: answer
    if isinstance(answer, types.NoneType):
        return _no_answer
    raise TypingError(f"choose_move must return the index of a move, not a value of type {answer}")


@overload(_truth, jit_options=INLINE)
def _checked_truth(answer):
    if isinstance(answer, types.Boolean | types.Integer):
        return lambda answer: bool(answer)
    if isinstance(answer, types.NoneType):
        return _no_answer
    raise TypingError(f"roll_again must return True or False, not a value of type {answer}")


def _no_answer(answer):
    """Replaces an answer of type None: the function has no return statement, or always raises."""
    if _TRUE[0]:  # were it a constant, numba would remove the return, and its type
        raise NoAnswer("the answer was None")
    return False


_TRUE = np.ones(1, np.bool_)


# Options ------------------------------------------------------------------------------------


def checked_choose_move(
    function: Callable[..., Any], options: tuple[Any, ...]
) -> Callable[..., Any]:
    """`choose_move` of a bot with these options; its answer is checked to be an integer."""
    read_options = njit_inline(options_reader(options))

    def choose_move(turn, moves):
        return _index(function(turn, moves, *read_options()))

    return choose_move


def checked_roll_again(
    function: Callable[..., Any], options: tuple[Any, ...], first: int
) -> Callable[..., Any]:
    """`roll_again` of a bot with these options; its answer is checked to be a bool or integer.

    `first` is the index of its first option in the block of both decisions.
    """
    read_options = njit_inline(options_reader(options, first))

    def roll_again(turn):
        return _truth(function(turn, *read_options()))

    return roll_again


def turn_function(choose_move: Any, roll_again: Any) -> Callable[..., Any]:
    """A function that plays turns of a bot, with both decisions compiled into it."""

    @njit_inline
    def choose(game, answer):
        return np.int64(choose_move(as_turn(game), as_moves(game)))

    @njit_inline
    def again(game, answer):
        return roll_again(as_turn(game))

    play_on = njit_inline(turn_player(choose, again, outside=False))

    def play_turn(game):
        return play_on(game, -1)

    return play_turn


# The compiler -------------------------------------------------------------------------------


_FunctionAndOptions: TypeAlias = tuple[Callable[..., Any], tuple[Any, ...]]


def _attribute_hint(type_name: str, attribute: str) -> str:
    names = [name for name in dir(Turn) if name[0] != "_"]
    return did_you_mean(attribute, names) if type_name == "Turn" else ""


_WORDING = BotWording(
    types=(
        (r"Spaces", "what is kept by column"),
        (r"Columns", "a set of columns"),
        (r"Moves", "the moves"),
        (r"Move", "a move"),
        (r"Rivals", "the rivals"),
        (r"RivalClaims", "the rivals' claims"),
        (r"Rules", "turn.rules"),
        (r"Turn", "turn"),
    ),
    decisions=("choose_move", "roll_again"),
    hint=_attribute_hint,
)


def compile_player(player: Player, name: str) -> list[Compiled]:
    """The machine code of a bot's turns, as a list of one.

    Raises BotError when it cannot be compiled.
    """
    with errors_of_bot(name, _WORDING):
        return [_compile(unwrap_partial(player.choose_move), unwrap_partial(player.roll_again))]


def _compile(*decisions: _FunctionAndOptions) -> Compiled:
    """The machine code of the function that plays a bot's turns, with its decisions inlined."""
    for function, _ in decisions:
        if not isinstance(function, FunctionType):
            name = getattr(function, "__name__", "what is marked")
            raise BotError(_METHOD_MESSAGE.format(name))
        register_function(function)
    choose_move = njit_bot(checked_choose_move(*decisions[0]))
    first = len(in_memory(decisions[0][1]))
    roll_again = njit_bot(checked_roll_again(*decisions[1], first))
    play_turn = numba.njit(**UNWRAPPED)(turn_function(choose_move, roll_again))
    try:
        with_frame_room(play_turn.compile, PLAY_TURN)
    except Exception:
        choose_move.compile(CHOOSE_MOVE)  # compiled alone, each gives a clearer error
        roll_again.compile(ROLL_AGAIN)
        raise
    for decision in (choose_move, roll_again):
        if draws_unseeded(decision):
            name = decision.__name__
            raise BotError(f"{name} draws from random; a compiled bot has turn.random()")
    (compiled,) = play_turn.overloads.values()
    return object_code(compiled)


_METHOD_MESSAGE = (
    "{} is a method, and only functions can be @compiled: "
    "register a function that returns Player(choose_move, roll_again)"
)
