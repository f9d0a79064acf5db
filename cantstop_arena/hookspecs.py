"""What a plug-in can offer: a bot, families of bots, rule sets.

A file with `choose_move` and `roll_again` is a bot. A package, or a file with several bots,
implements `register_bots`. Nothing here imports the game at run time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar, overload

import pluggy

if TYPE_CHECKING:
    from cantstop_arena.games.cantstop.rules import RuleSet
    from cantstop_arena.games.cantstop.turn import Turn

PROJECT = "cantstop_arena"
hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)

Function = TypeVar("Function", bound=Callable[..., Any])
_COMPILED = "cantstop_arena_compiled"


@overload
def compiled(function: Function) -> Function: ...
@overload
def compiled(*, boundscheck: bool = ...) -> Callable[[Function], Function]: ...
def compiled(
    function: Function | None = None, *, boundscheck: bool = True
) -> Function | Callable[[Function], Function]:
    """Mark a bot's function to be turned into machine code (by numba, when it first plays).

    With `boundscheck=False` an index outside an array of the bot's own is no longer noticed,
    which makes a bot some percent faster.
    """

    def mark(function: Function) -> Function:
        setattr(function, _COMPILED, {"boundscheck": boundscheck})
        return function

    return mark if function is None else mark(function)


def compile_options(function: object) -> dict[str, bool] | None:
    """The options with which a function is to be compiled; None for plain Python."""
    options: dict[str, bool] | None = getattr(function, _COMPILED, None)
    return options


@dataclass(frozen=True)
class Bot:
    """A bot that a plug-in registers.

    `build` is called with the bot's options as keyword arguments, and returns anything that has
    the methods (or functions) `choose_move(turn, moves)` and `roll_again(turn)`: a class, say, or
    a function that returns a `Player`. Its parameters, with their defaults, are the options.
    """

    name: str
    build: Callable[..., Any]


@dataclass(frozen=True)
class Player:
    """The two decisions of a bot, as plain functions."""

    choose_move: Callable[[Turn, Sequence[Sequence[int]]], int]
    roll_again: Callable[[Turn], bool]


@hookspec
def choose_move(turn: Turn, moves: Sequence[Sequence[int]]) -> int:  # type: ignore[empty-body]
    """Return the index of the move to make. Asked only where there are two or more."""


@hookspec
def roll_again(turn: Turn) -> bool:  # type: ignore[empty-body]
    """Return whether to roll again. Asked only where stopping is allowed and would not win."""


@hookspec
def register_bots() -> Iterable[Bot]:  # type: ignore[empty-body]
    """Return the bots of a package, or a family of bots with options."""


@hookspec
def register_rules() -> Iterable[RuleSet]:  # type: ignore[empty-body]
    """Return rule sets that tournaments may use by name."""
