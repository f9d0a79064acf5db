"""The machine code of kernels and of their bots: loaded from the cache, or compiled on first use.

numba is imported only to compile.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np

from cantstop_arena.hookspecs import compile_options
from cantstop_arena.native.code_cache import (
    CodeCache,
    CompiledBot,
    compiles,
    functions_fingerprint,
    mentions,
    unwrap_partial,
)
from cantstop_arena.native.memory_options import kinds_of
from cantstop_arena.native.object_files import PythonCalls, argument_count, array_members, load

KERNEL_CACHE = CodeCache("kernels", sources=())
"""The machine code of kernels, in folders by the game; stamps say of which functions it is."""

_LOOP = "play"
_NUMBER = (np.dtype(np.int64), 0)
_ROW, _ROWS, _WORDS = (np.dtype(np.int64), 1), (np.dtype(np.int64), 2), (np.dtype(np.uint64), 2)
LOOP_ARGUMENTS = (_ROW,) * 8 + (_ROWS,) * 4 + (_WORDS,) * 2 + (_NUMBER,) * 3
"""The arguments of `kernel_loop.loop_of`'s function: see there."""
_RANDOM = "random"


FUNCTIONS = ("setup", "who", "legal", "act", "observe", "payoffs", "outcomes", "name")
"""The functions of a kernel; those of chance may be None."""


class RulesOfKernel(Protocol):
    """What of a `game_api.kernel_spec.Kernel` is compiled."""

    @property
    def size(self) -> int: ...
    @property
    def widest(self) -> int: ...
    @property
    def seen(self) -> int: ...
    @property
    def view(self) -> Mapping[str, int | slice]: ...
    @property
    def functions(self) -> Mapping[str, Callable[..., Any] | None]: ...


class Slots(NamedTuple):
    """The places of the numbers that other processes watch, and the marks of whose code runs."""

    cursor: int
    seat: int
    mark: int
    step: int
    positions: int
    arena: int
    game: int
    bot: int


class NamedNumbers(NamedTuple):
    """A field of the view that is a named tuple of whole numbers, and where these begin."""

    kind: type[tuple[int, ...]]
    start: int


Field: TypeAlias = int | slice | NamedNumbers | list[NamedNumbers]
"""What a field of the view is: one of the numbers that a seat sees, or several.

A list of named tuples is a tuple of these in the view.
"""


class KernelWorkspace(NamedTuple):
    """What a compiled bot reads: a row of whole numbers, in this order.

    They are seat, players, the number of legal actions, the address of the stream of random
    numbers, the answer, the rules, what the seat sees, and the legal actions. A bot gets no legal
    actions where there are none (`widest` is 0); then the module `methods` has the methods of the
    view for machine code, with their names in `METHODS`, and `answer` says what a bot must return.
    """

    rules: Mapping[str, Any]
    seen: int
    widest: int
    view: Mapping[str, Field]
    methods: str = ""
    answer: str = "the index of a move"

    @property
    def eyes(self) -> int:
        """Where begins what the seat sees."""
        return RULES + sum(map(rule_width, self.rules.values()))

    @property
    def moves(self) -> int:
        """Where the legal actions begin."""
        return self.eyes + self.seen

    @property
    def size(self) -> int:
        """The count of all numbers."""
        return self.moves + self.widest

    @property
    def layout(self) -> tuple[Any, ...]:
        """All that a bot's machine code depends on, without the values of the rules."""
        rules = {name: (rule_kind(value), rule_width(value)) for name, value in self.rules.items()}
        view = {name: repr(offset) for name, offset in self.view.items()}
        return rules, self.seen, self.widest, view, self.methods


SEAT, PLAYERS, MOVES, STREAM, ANSWER, RULES = range(6)
"""The places of the first numbers of a workspace, and where the rules begin."""
NO_ANSWER = -(1 << 63)
"""The answer of a bot that returns None."""
ENDLESS, NO_SEAT, NO_ACTION, NO_OUTCOME, BAD_OPENING = range(5)
"""What is wrong with a kernel or an opening: the answer where the loop has stopped."""
CHANCE, OVER = -1, -4
"""What a kernel's `who` returns in place of a seat."""


def rule_kind(value: Any) -> str:
    """What a parameter of the rules is in machine code: a flag, a number or a tuple of numbers."""
    return type(value).__name__


def rule_width(value: Any) -> int:
    """How many numbers a parameter takes."""
    return len(value) if isinstance(value, tuple) else 1


def game_loop(kernel: RulesOfKernel, slots: Slots, game: str) -> Callable[..., int]:
    """The function that plays games of compiled bots, see `kernel_loop.loop_of`; it takes arrays.

    Raises BotError when a function of the kernel does not compile.
    """
    functions = kernel.functions
    stamp = functions_fingerprint(
        KERNEL_CACHE.fingerprint, kernel.size, tuple(slots), [*functions.values()]
    )
    folder = KERNEL_CACHE.folder(game)

    def compile_all() -> list[Any]:
        from cantstop_arena.native.kernel_loop import compile_loop

        return compile_loop(kernel, slots, game)

    loaded = load(folder, _LOOP, stamp, compile_all)
    arity = {_LOOP: sum(map(argument_count, LOOP_ARGUMENTS))}
    calls = PythonCalls(loaded, arity, folder)
    function = calls.functions[_LOOP]

    def play(*arguments: Any) -> int:
        numbers = [
            number
            for argument in arguments
            for number in ((argument,) if isinstance(argument, int) else array_members(argument))
        ]
        answer: int = function(*numbers)
        return answer

    play.__dict__["calls"] = calls  # which holds the code in memory
    return play


def compiled_bot(
    function: Any,
    decision: str,
    workspace: KernelWorkspace,
    name: str,
    digest: str,
    cache: CodeCache = KERNEL_CACHE,
) -> CompiledBot | None:
    """The machine code of a bot's function for a decision; None if it plays as plain Python.

    Its `memory` is 1 if it draws random numbers. `cache` is that of the code which the view's
    methods are part of. Raises BotError when it does not compile.
    """
    plain, options = unwrap_partial(function)
    if not (compiles() and compile_options(plain) is not None):
        return None
    folder = cache.bot_folder(digest)
    stamp = functions_fingerprint(cache.fingerprint, plain, kinds_of(options), workspace.layout)

    def compile_all() -> list[Any]:
        from cantstop_arena.native.kernel_bots import compile_bot

        return compile_bot(plain, options, decision, workspace, name)

    loaded = load(folder, "bot", stamp, compile_all, options)
    (address,) = loaded.addresses
    return CompiledBot(address, int(mentions(_RANDOM, plain)), loaded)


def row(numbers: Sequence[int]) -> Any:
    """Whole numbers as an array for compiled functions."""
    return np.array(numbers, np.int64)
