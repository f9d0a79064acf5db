"""The hooks of plug-ins, which register bots, rule sets and games.

A file with a function for each decision of its game (`Game.hooks`) is a bot. A package, or a file
with several bots, implements `register_bots`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from types import SimpleNamespace
from typing import Any, TypeVar, overload

import pluggy

PROJECT = "cantstop_arena"
MODULE_PREFIX = "cantstop_arena_bot_"  # of the names of modules from bot files
hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)

Function = TypeVar("Function", bound=Callable[..., Any])
_COMPILED = "cantstop_arena_compiled"
_MEMORY = "cantstop_arena_memory"


@overload
def compiled(function: Function) -> Function: ...
@overload
def compiled(*, boundscheck: bool = ..., memory: int = ...) -> Callable[[Function], Function]: ...
def compiled(
    function: Function | None = None, *, boundscheck: bool = True, memory: int = 0
) -> Function | Callable[[Function], Function]:
    """Mark a bot's function to be turned into machine code (by numba, when it first plays).

    With `boundscheck=False` an index outside an array of the bot's own is not detected, which
    makes a bot some percent faster. `memory` is how many numbers it can store during a game, in
    `turn.memory`; the functions of a bot share them.
    """

    def mark(function: Function) -> Function:
        setattr(function, _COMPILED, {"boundscheck": boundscheck})
        setattr(function, _MEMORY, memory)
        return function

    return mark if function is None else mark(function)


def compile_options(function: object) -> dict[str, bool] | None:
    """The options with which numba compiles a function; None for plain Python."""
    options: dict[str, bool] | None = getattr(function, _COMPILED, None)
    return options


def memory_of(functions: Iterable[object]) -> int:
    """How many numbers the functions of a compiled bot can store during a game: the maximum.

    They may be bound to options.
    """
    plain = (each.func if isinstance(each, partial) else each for each in functions)
    return max((getattr(function, _MEMORY, 0) for function in plain), default=0)


@dataclass(frozen=True)
class Bot:
    """A bot that a plug-in registers.

    `build` is called with the bot's options as keyword arguments, and returns anything that has a
    method (or function) for each decision of the game: a class, say. Its parameters, with their
    defaults, are the options.
    """

    name: str
    build: Callable[..., Any]


class BotFunctions(SimpleNamespace):
    """The functions of one bot, by the names of the decisions that they take."""


BATCH_HOOK = "decide"
SPEED_HINT = "speed_hint"  # attribute of a bot's functions: how it could play faster


class BatchHooks:
    """The hook of bots that decide for many games at once, in place of the hooks of the game.

    It is in a class of its own, as a game may have a decision of this name.
    """

    @staticmethod
    @hookspec
    def decide(batch: Any) -> Any:
        """Return an array with the action of each row, or with a logit for each of its actions."""


@hookspec
def register_bots() -> Iterable[Bot]:  # type: ignore[empty-body]
    """Return the bots of a package, or a family of bots with options."""


@hookspec
def register_rules() -> Iterable[Any]:  # type: ignore[empty-body]
    """Return rule sets that tournaments may use by name."""


@hookspec
def register_games() -> Iterable[Any]:  # type: ignore[empty-body]
    """Return the games of a package, objects of subclasses of `game_api.game.Game`."""
