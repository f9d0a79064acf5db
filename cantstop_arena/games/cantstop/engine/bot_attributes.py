"""Attributes and methods of `turn` in compiled bots: fields of the record, and computed ones."""

import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core.typing.templates import AttributeTemplate
from numba.extending import (
    infer_getattr,
    lower_getattr_generic,
    overload,
    overload_attribute,
    overload_method,
)

from cantstop_arena.games.cantstop.engine import moves
from cantstop_arena.games.cantstop.engine.bot_types import (
    COLUMN_SET,
    RIVAL_CLAIMS,
    RIVALS,
    RULES,
    SPACES,
    RivalClaimsType,
    RivalsType,
    RulesType,
    SpacesType,
    TurnType,
    as_columns,
    game_of,
    memory_of,
    space_in,
    spaces_at,
)
from cantstop_arena.games.cantstop.engine.engine_decorators import njit_inline
from cantstop_arena.games.cantstop.engine.game_array import COLUMNS, FIELDS
from cantstop_arena.games.cantstop.rules import ENGINE_FIELDS
from cantstop_arena.native.numba_store import INLINE

# Turn ---------------------------------------------------------------------------------------

_MARKERS_OFFSET = FIELDS["markers"][1]
_ROW_SIZE = 8 * COLUMNS


def _overload_attribute(kind: type, name: str, read: Callable[..., Any]) -> None:
    overload_attribute(kind, name, jit_options=INLINE)(lambda view: read)


_overload_attribute(
    TurnType, "usable", lambda view: as_columns(moves.usable_columns(game_of(view)))
)
_overload_attribute(TurnType, "memory", lambda view: memory_of(game_of(view), game_of(view).seat))


@overload_attribute(TurnType, "dice", jit_options=INLINE)
def _turn_dice(turn):
    def read(turn):
        roll, sides = game_of(turn).roll, game_of(turn).sides
        last, roll = roll % sides + 1, roll // sides
        third, roll = roll % sides + 1, roll // sides
        return (roll // sides + 1, roll % sides + 1, third, last)

    return read


@overload_method(TurnType, "position", jit_options=INLINE)
def _turn_position(turn, column):
    return lambda turn, column: moves.position(game_of(turn), column)


@overload_method(TurnType, "next_space", jit_options=INLINE)
def _turn_next_space(turn, column, space):
    return lambda turn, column, space: moves.next_space(game_of(turn), column, space)


@overload_method(TurnType, "chance", jit_options=INLINE)
def _turn_chance(turn, column):
    def read(turn, column):
        game = game_of(turn)
        if not 2 <= column <= 2 * game.sides:
            raise IndexError("there is no such column")
        return game.chances[moves.at(1 << column - 2)]

    return read


@overload_method(TurnType, "bust_chance", jit_options=INLINE)
def _turn_bust_chance(turn):
    def read(turn):
        game = game_of(turn)
        return 1.0 - game.chances[moves.at(moves.usable_columns(game) >> 2)]

    return read


@overload_method(TurnType, "random", jit_options=INLINE)
def _turn_random(turn):
    return lambda turn: moves.draw(game_of(turn))


@overload(operator.getitem, jit_options=INLINE)
def _spaces_item(spaces, column):
    if not isinstance(spaces, SpacesType):
        return None

    def read(spaces, column):
        if not 0 <= column < COLUMNS:
            raise IndexError("there is no such column")
        return space_in(spaces, column)

    return read


@overload(operator.getitem, jit_options=INLINE)
def _rivals_item(rivals, index):
    if not isinstance(rivals, RivalsType):
        return None

    def read(rivals, index):
        game = game_of(rivals)
        return spaces_at(rivals, _MARKERS_OFFSET + _ROW_SIZE * _rival_seat(game, index))

    return read


@overload(operator.getitem, jit_options=INLINE)
def _rival_claims_item(claims, index):
    if not isinstance(claims, RivalClaimsType):
        return None

    def read(claims, index):
        game = game_of(claims)
        return game.claims[_rival_seat(game, index)]

    return read


@njit_inline
def _rival_seat(game, index):
    if not 0 <= index < game.players - 1:
        raise IndexError("there is no such rival")
    seat = game.seat + 1 + index
    return seat - game.players if seat >= game.players else seat  # a division would take longer


@overload(len, jit_options=INLINE)
def _rivals_length(rivals):
    if not isinstance(rivals, RivalsType | RivalClaimsType):
        return None
    return lambda rivals: game_of(rivals).players - 1


# Rules --------------------------------------------------------------------------------------

_overload_attribute(RulesType, "columns", lambda view: range(2, 2 * game_of(view).sides + 1))


def _choice_reader(name: str, choices: tuple[str, ...]) -> Callable[..., Any]:
    """A reader of the word that stands in a field of the record as its index."""
    return lambda view: choices[game_of(view)[name]]


for _parameter, _field in ENGINE_FIELDS.items():
    if _field.choices:
        _overload_attribute(RulesType, _parameter, _choice_reader(_field.name, _field.choices))


_INT64 = ir.IntType(64)
_NUMBER_SIZE = 8

FieldReader = Callable[..., Any]
"""Generates, with a builder, the code that reads an attribute of the record at an address."""


def _address_reader(name: str, size: int = _NUMBER_SIZE) -> FieldReader:
    """A reader of a field's address; with an index, of the address of that item of the field."""

    def read(builder: Any, record: Any, index: Any = None) -> Any:
        start = builder.gep(record, [_INT64(FIELDS[name][1])])
        if index is None:
            return start
        return builder.gep(start, [builder.mul(index, _INT64(size))])

    return read


def _number_reader(name: str, upper_bound: int | None = None) -> FieldReader:
    """A reader of a field that is a number; with an index, of that item of the field.

    With an `upper_bound`, the compiler assumes that the number is in 0...`upper_bound` - 1.
    """

    def read(builder: Any, record: Any, index: Any = None) -> Any:
        address = _address_reader(name)(builder, record, index)
        number = builder.load(builder.bitcast(address, _INT64.as_pointer()))
        if upper_bound is not None:
            number.set_metadata(
                "range", builder.module.add_metadata([_INT64(0), _INT64(upper_bound)])
            )
        return number

    return read


def _own_item_reader(read: FieldReader) -> FieldReader:
    """A reader of the item of the seat on turn."""
    return lambda builder, record: read(builder, record, _number_reader("seat")(builder, record))


def _read_record(builder: Any, record: Any) -> Any:
    return record


_TURN_FIELDS = {
    "seat": (types.int64, _number_reader("seat")),
    "players": (types.int64, _number_reader("players")),
    "number": (types.int64, _number_reader("turn")),
    "rolls": (types.int64, _number_reader("rolls")),
    "runners": (SPACES, _address_reader("runners")),
    "free": (types.int64, _number_reader("free")),
    "placed": (COLUMN_SET, _number_reader("placed")),
    "claimed": (COLUMN_SET, _number_reader("claimed")),
    "markers": (SPACES, _own_item_reader(_address_reader("markers", _NUMBER_SIZE * COLUMNS))),
    "rivals": (RIVALS, _read_record),
    "claims": (types.int64, _own_item_reader(_number_reader("claims"))),
    "rival_claims": (RIVAL_CLAIMS, _read_record),
    "rules": (RULES, _read_record),
}
_RULES_FIELDS = {
    "lengths": (SPACES, _address_reader("lengths")),
    **{
        parameter: (types.int64, _number_reader(field.name, field.upper_bound))
        for parameter, field in ENGINE_FIELDS.items()
        if not field.choices
    },
}


def _register_attributes(
    view: type[types.Type], fields: dict[str, tuple[types.Type, FieldReader]]
) -> None:
    """Register the fields as attributes of a view with numba."""

    class Fields(AttributeTemplate):
        key = view

        def generic_resolve(self, view: types.Type, name: str) -> types.Type | None:
            return fields[name][0] if name in fields else None

    infer_getattr(Fields)

    @lower_getattr_generic(view)
    def read(context: Any, builder: Any, kind: types.Type, record: Any, name: str) -> Any:
        return fields[name][1](builder, record)


_register_attributes(TurnType, _TURN_FIELDS)
_register_attributes(RulesType, _RULES_FIELDS)
