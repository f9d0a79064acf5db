"""How bots of games with a kernel are compiled: they get a view as a named tuple.

It has the fields of a plain view: `seat`, `players`, `rules`, and those of `Kernel.view`; slices
are arrays that cannot be written to. `view.random()` works as in plain Python.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from importlib import import_module
from types import FunctionType
from typing import Any

import numba
import numpy as np
from numba import types
from numba.core.errors import TypingError
from numba.extending import intrinsic, overload, overload_method

from cantstop_arena.errors import BotError
from cantstop_arena.native.bot_compiler import (
    draws_unseeded,
    errors_of_bot,
    integers_at,
    options_reader,
    read_only,
    register_function,
    words_at,
)
from cantstop_arena.native.compile_errors import BotWording
from cantstop_arena.native.decorators import with_frame_room
from cantstop_arena.native.kernel_code import (
    MOVES,
    NO_ANSWER,
    PLAYERS,
    RULES,
    SEAT,
    STREAM,
    Field,
    KernelWorkspace,
    NamedNumbers,
    rule_kind,
    rule_width,
)
from cantstop_arena.native.kernel_loop import DECIDE, number_at
from cantstop_arena.native.numba_store import INLINE, UNWRAPPED, object_code
from cantstop_arena.native.object_files import Compiled

_STREAM = "stream_address"  # the field of a view behind its random()
WORKSPACE = "workspace_address"
"""The field of a view behind the methods of `KernelWorkspace.methods`."""
_BITS, _UNIT = np.uint64(11), 1 / (1 << 53)


# The view -------------------------------------------------------------------------------------


@numba.njit(**INLINE)
def numbers_at(address, offset, count):
    """So many numbers of the workspace at an address."""
    return read_only(numba.carray(integers_at(address + 8 * offset), count))


@overload_method(types.NamedTuple, "random", jit_options=INLINE)
def _random(view):
    if _STREAM not in view.fields:
        return None

    def read(view):
        stream = numba.carray(words_at(view.stream_address), 2)  # its key, and its count
        stream[1] += np.uint64(1)
        return np.float64(number_at(stream[0], stream[1]) >> _BITS) * _UNIT

    return read


def view_maker(workspace: KernelWorkspace) -> Callable[[int], Any]:
    """A function for compiled code that returns the view on the workspace at an address.

    It is written as text, since compiled code makes tuples of a fixed number of fields only.
    """
    offset = RULES
    rules = []
    for value in workspace.rules.values():
        rules.append(_rule_text(value, offset))
        offset += rule_width(value)
    fields = [
        _field_text(workspace.eyes, chosen, workspace.seen) for chosen in workspace.view.values()
    ]
    names = ("seat", "players", "rules", _STREAM, WORKSPACE, *workspace.view)
    scope: dict[str, Any] = {
        **{field.kind.__name__: field.kind for field in _named_fields(workspace)},
        "Rules": namedtuple("Rules", workspace.rules),
        "View": namedtuple("View", names),
        "numbers": numbers_at,
    }
    values = (
        f"row[{SEAT}]",
        f"row[{PLAYERS}]",
        f"Rules({', '.join(rules)})",
        f"row[{STREAM}]",
        "address",
    )
    text = (
        "def view_at(address):\n"
        f"    row = numbers(address, 0, {workspace.size})\n"
        f"    return View({', '.join((*values, *fields))})\n"
    )
    exec(text, scope)
    maker: Callable[[int], Any] = scope["view_at"]
    return maker


def _rule_text(value: Any, offset: int) -> str:
    """The expression of a parameter of the rules that begins at a place of the workspace."""
    if rule_kind(value) == "bool":
        return f"row[{offset}] != 0"
    if rule_kind(value) == "tuple":
        return "(" + "".join(f"row[{offset + index}], " for index in range(len(value))) + ")"
    return f"row[{offset}]"


def _named_fields(workspace: KernelWorkspace) -> Iterator[NamedNumbers]:
    for chosen in workspace.view.values():
        if isinstance(chosen, NamedNumbers):
            yield chosen
        elif isinstance(chosen, list):
            yield from chosen


def _field_text(eyes: int, chosen: Field, seen: int) -> str:
    """The expression of a field of the view: a number, or a part of what the seat sees."""
    if isinstance(chosen, NamedNumbers):
        start, kind = eyes + chosen.start, chosen.kind
        count = len(getattr(kind, "_fields"))  # noqa: B009 - of any named tuple
        return f"{kind.__name__}({', '.join(f'row[{start + index}]' for index in range(count))})"
    if isinstance(chosen, list):
        return "(" + "".join(f"{_field_text(eyes, field, seen)}, " for field in chosen) + ")"
    if isinstance(chosen, slice):
        start, stop, step = chosen.indices(seen)
        if step != 1:
            raise BotError("Kernel.view has a slice with a step")
        return f"numbers(address, {eyes + start}, {max(0, stop - start)})"
    return f"row[{eyes + range(seen)[chosen]}]"


# The answer -----------------------------------------------------------------------------------


@intrinsic
def _given(typing_context: Any, optional: types.Type) -> Any:
    """The value of an optional number that is not None."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return context.cast(builder, arguments[0], signature.args[0], signature.return_type)

    return optional.type(optional), generate


@cache
def _index_of(expected: str) -> Callable[[Any], int]:
    """A function for compiled code that returns an answer as a number.

    `expected` is what a bot must return, for the error message.
    """

    def index(answer: Any) -> int:
        raise NotImplementedError

    @overload(index, jit_options=INLINE)
    def checked_index(answer):
        if isinstance(answer, types.Integer) and not isinstance(answer, types.Boolean):
            return lambda answer: np.int64(answer)
        if isinstance(answer, types.NoneType):
            return lambda answer: NO_ANSWER
        if isinstance(answer, types.Optional) and isinstance(answer.type, types.Integer):
            return lambda answer: NO_ANSWER if answer is None else np.int64(_given(answer))
        raise TypingError(f"it must return {expected}, not a value of type {answer}")

    return index


# The compiler ---------------------------------------------------------------------------------


def compile_bot(
    function: Callable[..., Any],
    options: tuple[Any, ...],
    decision: str,
    workspace: KernelWorkspace,
    name: str,
) -> list[Compiled]:
    """The machine code of a bot's decision, as a list of one. Raises BotError."""
    methods = import_module(workspace.methods).METHODS if workspace.methods else ()
    with errors_of_bot(name, _wording(workspace, decision, methods)):
        if not isinstance(function, FunctionType):
            raise BotError(f"{decision} is a method, and only functions can be @compiled")
        register_function(function)
        view_at, read_options = map(
            numba.njit(**INLINE), (view_maker(workspace), options_reader(options))
        )
        moves_offset, index = workspace.moves, _index_of(workspace.answer)

        def decide(address):
            return index(function(view_at(address), *read_options()))

        def decide_among(address):
            row = numbers_at(address, 0, RULES)
            moves = numbers_at(address, moves_offset, row[MOVES])
            return index(function(view_at(address), moves, *read_options()))

        decide_now = decide_among if workspace.widest else decide
        dispatcher = numba.njit(error_model="python", **UNWRAPPED)(decide_now)
        with_frame_room(dispatcher.compile, DECIDE)
        if draws_unseeded(dispatcher):
            raise BotError(f"{decision} draws from random; a compiled bot has view.random()")
        (compiled,) = dispatcher.overloads.values()
        return [object_code(compiled)]


def _wording(workspace: KernelWorkspace, decision: str, methods: Sequence[str]) -> BotWording:
    names = ["seat", "players", "rules", "random", *workspace.view, *methods]

    def hint(type_name: str, attribute: str) -> str:
        attributes = {"View": names, "Rules": [*workspace.rules]}.get(type_name, [])
        return f"; it has {', '.join(attributes)}" if attributes else ""

    kinds = ((r"View(\(.*)?", "the view"), (r"Rules(\(.*)?", "view.rules"))
    return BotWording(types=kinds, decisions=(decision, "decide"), hint=hint)
