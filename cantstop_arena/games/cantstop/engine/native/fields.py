"""Attributes that are numbers in the game record, or places in it.

Each is an instruction or two. As an `overload` each would be a function, which takes numba longer
to compile than many a bot's own.
"""

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core.typing.templates import AttributeTemplate
from numba.extending import infer_getattr, lower_getattr_generic

from cantstop_arena.games.cantstop.engine.native.types import (
    COLUMN_SET,
    RIVAL_CLAIMS,
    RIVALS,
    RULES,
    SPACES,
    Rules,
    Turn,
)
from cantstop_arena.games.cantstop.engine.state import COLUMNS, FIELDS, MAX_SIDES

_NUMBER = ir.IntType(64)
_SIZE = 8

Read = Callable[..., Any]
"""Writes, with a builder, what finds an attribute in the record at an address."""


def _place(name: str, size: int = _SIZE) -> Read:
    """Where a field begins; or, in one of several items, where the item with an index does."""

    def read(builder: Any, record: Any, index: Any = None) -> Any:
        begin = builder.gep(record, [_NUMBER(FIELDS[name][1])])
        if index is None:
            return begin
        return builder.gep(begin, [builder.mul(index, _NUMBER(size))])

    return read


def _number(name: str, below: int | None = None) -> Read:
    """A field that is a number; or, of several, the one with an index.

    Of numbers that are in 0...`below` - 1, the compiler is told so.
    """

    def read(builder: Any, record: Any, index: Any = None) -> Any:
        found = _place(name)(builder, record, index)
        number = builder.load(builder.bitcast(found, _NUMBER.as_pointer()))
        if below is not None:
            number.set_metadata("range", builder.module.add_metadata([_NUMBER(0), _NUMBER(below)]))
        return number

    return read


def _of_the_seat(read: Read) -> Read:
    """The item of the seat on turn."""
    return lambda builder, record: read(builder, record, _number("seat")(builder, record))


def _all(builder: Any, record: Any) -> Any:
    return record


_OF_TURNS = {
    "seat": (types.int64, _number("seat")),
    "players": (types.int64, _number("players")),
    "number": (types.int64, _number("turn")),
    "rolls": (types.int64, _number("rolls")),
    "runners": (SPACES, _place("runners")),
    "free": (types.int64, _number("free")),
    "placed": (COLUMN_SET, _number("placed")),
    "claimed": (COLUMN_SET, _number("claimed")),
    "markers": (SPACES, _of_the_seat(_place("markers", _SIZE * COLUMNS))),
    "rivals": (RIVALS, _all),
    "claims": (types.int64, _of_the_seat(_number("claims"))),
    "rival_claims": (RIVAL_CLAIMS, _all),
    "rules": (RULES, _all),
}
_OF_RULES = {
    "sides": (types.int64, _number("sides", MAX_SIDES + 1)),
    "lengths": (SPACES, _place("lengths")),
    "runners": (types.int64, _number("runner_count")),
    "columns_to_win": (types.int64, _number("columns_to_win")),
    "turn_limit": (types.int64, _number("turn_limit")),
}


def _teach(view: type[types.Type], fields: dict[str, tuple[types.Type, Read]]) -> None:
    """Have numba find these attributes of a view."""

    class Fields(AttributeTemplate):  # type: ignore[misc]  # numba has no types
        key = view

        def generic_resolve(self, view: types.Type, name: str) -> types.Type | None:
            return fields[name][0] if name in fields else None

    infer_getattr(Fields)

    @lower_getattr_generic(view)  # type: ignore[untyped-decorator]
    def read(context: Any, builder: Any, kind: types.Type, record: Any, name: str) -> Any:
        return fields[name][1](builder, record)


_teach(Turn, _OF_TURNS)
_teach(Rules, _OF_RULES)
