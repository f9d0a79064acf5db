"""Compiled bots before they are compiled, and after: functions marked so, and addresses of code."""

from collections.abc import Callable
from functools import partial
from typing import Any

import msgspec
import numpy as np

from cantstop_arena.games.cantstop.hooks import Player
from cantstop_arena.hookspecs import compile_options


class NativePlayer(msgspec.Struct, frozen=True):
    """The address of a bot's machine code, how many numbers it keeps during a game, and what
    keeps that code in memory."""

    address: int
    memory: int
    owner: Any


def is_compiled(player: Player) -> bool:
    """Whether both decisions of a bot are marked `@compiled`."""
    functions = (opened(player.choose_move)[0], opened(player.roll_again)[0])
    return all(compile_options(function) is not None for function in functions)


def opened(function: Callable[..., Any]) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """A function and the values of its options, which a partial holds by keyword."""
    if isinstance(function, partial):
        return function.func, tuple(function.keywords.values())
    return function, ()


def is_live(options: tuple[Any, ...]) -> bool:
    """Whether a bot plays with numbers that may change while it does: an array open to writing.

    Its machine code reads them in memory, at an address that no other process would understand.
    """
    return any(isinstance(option, np.ndarray) and option.flags.writeable for option in options)
