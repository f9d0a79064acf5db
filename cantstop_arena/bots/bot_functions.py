"""What a bot is made of: its functions, their lane, and what stands below their wrappers."""

import inspect
import types
from collections.abc import Callable, Iterable
from functools import partial, wraps
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cantstop_arena.errors import BotError
from cantstop_arena.game_api.decisions import GAME_OVER
from cantstop_arena.hookspecs import BotFunctions, compile_options, compiled, memory_of


def backend_of(player: Any, decisions: Iterable[str]) -> str:
    """ "compiled" where a bot's functions are marked so, or "plain"."""
    marked = any(_is_marked(player, hook) for hook in decisions)
    return "compiled" if marked else "plain"


def as_compiled(player: Any, decisions: Iterable[str]) -> BotFunctions:
    """A plain bot as if its functions were marked `@compiled`; it stays as it is.

    Raises BotError where they are no functions of Python.
    """
    entries = {hook: getattr(player, hook, None) for hook in decisions}
    return BotFunctions(**{hook: _marked(hook, item) for hook, item in entries.items() if item})


def _marked(hook: str, function: Any) -> Any:
    """A copy with the mark, with the same options."""
    inner = _inner(function)
    if not isinstance(inner, types.FunctionType):
        raise BotError(f"{hook} is no function, and only functions can be compiled")
    parts = inner.__code__, inner.__globals__, inner.__name__, inner.__defaults__
    copy = compiled(types.FunctionType(*parts, inner.__closure__))
    return partial(copy, **function.keywords) if isinstance(function, partial) else copy


def _is_marked(player: Any, hook: str) -> bool:
    return compile_options(_inner(getattr(player, hook, None))) is not None


def check_backends(player: Any, name: str, decisions: Iterable[str]) -> None:
    """Raise BotError where only some functions of a bot are compiled."""
    there = [hook for hook in decisions if hasattr(player, hook)]
    marked = [hook for hook in there if _is_marked(player, hook)]
    if marked and len(marked) < len(there):
        both = "both functions" if len(there) == 2 else "all functions"
        raise BotError(f"{name}: only {marked[0]} is @compiled; mark {both}, or neither")
    if marked and hasattr(player, GAME_OVER):
        raise BotError(f"{name}: {GAME_OVER} is for plain bots; compiled ones remember no game")


def with_memory(player: Any, decisions: Iterable[str]) -> Any:
    """A compiled bot that plays as plain Python, with the memory that it has when compiled."""
    functions = {hook: getattr(player, hook, None) for hook in decisions}
    size = memory_of(_inner(function) for function in functions.values())
    if not size:
        return player
    memory = np.zeros(size)
    return BotFunctions(
        **{hook: _with_memory(function, memory) for hook, function in functions.items() if function}
    )


def _with_memory(function: Callable[..., Any], memory: NDArray[np.float64]) -> Callable[..., Any]:
    """A function that shows its bot the memory as well."""

    @wraps(innermost(function))
    def decide(view: Any, *others: Any) -> Any:
        return function(view._replace(memory=memory), *others)

    return decide


def source_line_of(function: Any) -> str:
    """The file and line where a bot's function begins; empty where it is not written in Python."""
    code = getattr(innermost(function), "__code__", None)
    if not isinstance(code, types.CodeType):
        return ""
    return f"{code.co_filename}:{code.co_firstlineno}"


def innermost(function: Any) -> Any:
    """What somebody wrote, below options, objects and decorators."""
    function = _inner(function)
    try:
        return inspect.unwrap(getattr(function, "__func__", function))
    except ValueError:  # it says that it decorates itself
        return function


def _inner(function: Any) -> Any:
    return function.func if isinstance(function, partial) else function
