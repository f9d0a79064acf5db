"""The compiler of bots: machine code, which the engine calls by its address."""

from collections.abc import Callable, Iterable
from types import CodeType, FunctionType, ModuleType
from typing import Any, TypeAlias

import numba
from numba.extending import overload

from cantstop_arena.errors import BotError
from cantstop_arena.games.cantstop.engine.bot_calls import (
    CHOOSE_MOVE,
    PLAY_TURN,
    ROLL_AGAIN,
    checked_choose_move,
    checked_roll_again,
    turn_function,
)
from cantstop_arena.games.cantstop.engine.bot_generators import without_generator_expressions
from cantstop_arena.games.cantstop.engine.code_cache import unwrap_partial
from cantstop_arena.games.cantstop.engine.compile_errors import plain_message
from cantstop_arena.games.cantstop.engine.engine_decorators import njit_bot
from cantstop_arena.games.cantstop.hooks import Player
from cantstop_arena.hookspecs import MODULE_PREFIX, compile_options
from cantstop_arena.native.decorators import UNWRAPPED, with_frame_room
from cantstop_arena.native.numba_store import LINKED

_FunctionAndOptions: TypeAlias = tuple[Callable[..., Any], tuple[Any, ...]]


def compile_player(player: Player, name: str) -> list[Any]:
    """numba's compile result of a bot's turns, as a list of one.

    Raises BotError when numba cannot compile them.
    """
    try:
        return [_compile(unwrap_partial(player.choose_move), unwrap_partial(player.roll_again))]
    except BotError as error:
        raise BotError(f"{name} does not compile: {error}") from error
    except Exception as error:  # numba raises more than its own errors
        raise BotError(f"{name} does not compile: {plain_message(error)}") from error


def _compile(*decisions: _FunctionAndOptions) -> Any:
    """The compile result of the function that plays a bot's turns, with its decisions inlined."""
    for function, _ in decisions:
        _register(function)
    choose_move = njit_bot(checked_choose_move(*decisions[0]))
    roll_again = njit_bot(checked_roll_again(*decisions[1]))
    play_turn = numba.njit(**UNWRAPPED)(turn_function(choose_move, roll_again))
    try:
        with_frame_room(play_turn.compile, PLAY_TURN)
    except Exception:
        choose_move.compile(CHOOSE_MOVE)  # compiled alone, each gives a clearer error
        roll_again.compile(ROLL_AGAIN)
        raise
    _refuse_unseeded((choose_move, roll_again))
    (compiled,) = play_turn.overloads.values()
    return compiled


_METHOD_MESSAGE = (
    "{} is a method, and only functions can be @compiled: "
    "register a function that returns Player(choose_move, roll_again)"
)
_registered: set[Any] = set()
# Compiled code that uses `random` or `numpy.random` calls these for the generators' state.
_GENERATORS = {"numba_get_py_random_state", "numba_get_np_random_state"}


def _register(function: Any) -> None:
    """Register a plain function as callable from compiled code, and the functions that it calls.

    Of these, only functions of its own module, of its bot's folder, or marked `@compiled`. Raises
    BotError when it is no plain function.
    """
    if function in _registered:
        return
    if not isinstance(function, FunctionType):
        raise BotError(_METHOD_MESSAGE.format(getattr(function, "__name__", "what is marked")))
    _registered.add(function)
    options = {"forceinline": True, **LINKED, **(compile_options(function) or {})}
    code = without_generator_expressions(function)
    overload(function, jit_options=options, strict=False)(lambda *_, **__: code)
    for referenced in _referenced_functions(code):
        if compile_options(referenced) is not None or _are_of_one_bot(referenced, function):
            _register(referenced)


def _are_of_one_bot(*functions: FunctionType) -> bool:
    """Whether functions are of one module, or of the modules of one bot that is a folder."""
    modules = {function.__module__ or "" for function in functions}
    packages = {module.partition(".")[0] for module in modules}
    return len(modules) == 1 or (len(packages) == 1 and packages.pop().startswith(MODULE_PREFIX))


def _refuse_unseeded(decisions: Iterable[Any]) -> None:
    """Raises BotError when a decision uses numba's own random generators.

    They cannot be seeded for each deal, so games could not be replayed.
    """
    for decision in decisions:
        (compiled,) = decision.overloads.values()
        symbols = {function.name for function in compiled.library._final_module.functions}
        if not symbols.isdisjoint(_GENERATORS):
            raise BotError(
                f"{decision.__name__} draws from random; a compiled bot has turn.random()"
            )


def _referenced_functions(function: FunctionType) -> list[FunctionType]:
    """The plain Python functions to which a function refers, by name or as a module's attribute."""
    values = _referenced_values(function)
    modules = [value for value in values if isinstance(value, ModuleType)]
    names = _referenced_names(function.__code__)
    attributes = [vars(module).get(name) for module in modules for name in names]
    return [value for value in (*values, *attributes) if isinstance(value, FunctionType)]


def _referenced_values(function: FunctionType) -> list[Any]:
    """The globals and closure variables to which a function refers."""
    closed_over = [cell.cell_contents for cell in function.__closure__ or ()]
    cells = dict(zip(function.__code__.co_freevars, closed_over, strict=True))
    by_name = {**function.__globals__, **cells}
    return [by_name[name] for name in _referenced_names(function.__code__) if name in by_name]


def _referenced_names(code: CodeType) -> list[str]:
    inner = [
        name
        for const in code.co_consts
        if isinstance(const, CodeType)
        for name in _referenced_names(const)
    ]
    return [*code.co_names, *code.co_freevars, *inner]
