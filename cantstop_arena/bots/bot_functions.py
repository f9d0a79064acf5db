"""The functions of a bot: compiled or plain, their memory, and the functions inside wrappers."""

import inspect
import types
from collections.abc import Callable, Iterable
from functools import partial, wraps
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cantstop_arena.errors import BotError
from cantstop_arena.game_api.decisions import GAME_OVER
from cantstop_arena.hookspecs import BATCH_HOOK, BotFunctions, compile_options, compiled, memory_of
from cantstop_arena.table.batched_bot import BatchedBot

PRINTED_BACKENDS = {"compiled": "compiled", "batched": "batched", "plain": "python"}
"""The backends as tables print them, by their values in code and in JSON."""


def backend_of(player: Any, decisions: Iterable[str]) -> str:
    """ "batched" for a bot with `decide(batch)`, "compiled" if one of a bot's functions is marked
    `@compiled`, else "plain"."""
    if isinstance(player, BatchedBot):
        return "batched"
    marked = any(_is_marked(player, hook) for hook in decisions)
    return "compiled" if marked else "plain"


def functions_of(player: Any, decisions: Iterable[str]) -> dict[str, Any]:
    """The functions of a bot by name; of a batched bot the one that takes all decisions."""
    hooks = [BATCH_HOOK] if isinstance(player, BatchedBot) else decisions
    functions = {hook: getattr(player, hook, None) for hook in hooks}
    return {hook: function for hook, function in functions.items() if function is not None}


def as_compiled(player: Any, decisions: Iterable[str]) -> BotFunctions:
    """A copy of a plain bot whose functions are marked `@compiled`.

    Raises BotError when they are not Python functions.
    """
    functions = {hook: getattr(player, hook, None) for hook in decisions}
    return BotFunctions(
        **{hook: _marked_copy(hook, function) for hook, function in functions.items() if function}
    )


def _marked_copy(hook: str, function: Any) -> Any:
    """A copy of a function, marked `@compiled`, with the same options."""
    plain = _without_options(function)
    if not isinstance(plain, types.FunctionType):
        raise BotError(f"{hook} is no function, and only functions can be compiled")
    arguments = plain.__code__, plain.__globals__, plain.__name__, plain.__defaults__
    copy = compiled(types.FunctionType(*arguments, plain.__closure__))
    return partial(copy, **function.keywords) if isinstance(function, partial) else copy


def _is_marked(player: Any, hook: str) -> bool:
    return compile_options(_without_options(getattr(player, hook, None))) is not None


def check_backends(player: Any, name: str, decisions: Iterable[str]) -> None:
    """Raise BotError when only some functions of a bot are compiled, or one has `game_over`."""
    defined = [hook for hook in decisions if hasattr(player, hook)]
    marked = [hook for hook in defined if _is_marked(player, hook)]
    if marked and len(marked) < len(defined):
        functions_text = "both functions" if len(defined) == 2 else "all functions"
        raise BotError(f"{name}: only {marked[0]} is @compiled; mark {functions_text}, or neither")
    if marked and hasattr(player, GAME_OVER):
        raise BotError(f"{name}: {GAME_OVER} is for plain bots; compiled ones remember no game")


def with_memory(player: Any, decisions: Iterable[str]) -> Any:
    """A compiled bot for play as plain Python; its views have the memory of compiled play."""
    functions = {hook: getattr(player, hook, None) for hook in decisions}
    size = memory_of(_without_options(function) for function in functions.values())
    if not size:
        return player
    memory = np.zeros(size)
    return BotFunctions(
        **{hook: _with_memory(function, memory) for hook, function in functions.items() if function}
    )


def _with_memory(function: Callable[..., Any], memory: NDArray[np.float64]) -> Callable[..., Any]:
    """The function, with the memory put into its view."""

    @wraps(innermost(function))
    def decide(view: Any, *moves: Any) -> Any:
        return function(view._replace(memory=memory), *moves)

    return decide


def source_line_of(function: Any) -> str:
    """The file and line where a bot's function begins; empty if it is not written in Python."""
    code = getattr(innermost(function), "__code__", None)
    if not isinstance(code, types.CodeType):
        return ""
    return f"{code.co_filename}:{code.co_firstlineno}"


def innermost(function: Any) -> Any:
    """The function as written, without options, bound objects and decorators."""
    function = _without_options(function)
    try:
        return inspect.unwrap(getattr(function, "__func__", function))
    except ValueError:  # `__wrapped__` leads back to the function itself
        return function


def _without_options(function: Any) -> Any:
    return function.func if isinstance(function, partial) else function
