"""What a compiled bot reads from its turn: what is reckoned, besides the record's `fields`."""

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
    INLINE,
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
from cantstop_arena.games.cantstop.engine.game_array import COLUMNS, FIELDS, MAX_SIDES
from cantstop_arena.games.cantstop.rules import LANDINGS, STOPS

# Turn ---------------------------------------------------------------------------------------

_MARKERS = FIELDS["markers"][1]
_ROW = 8 * COLUMNS


def _attribute(kind: type, name: str, read: Callable[..., Any]) -> None:
    overload_attribute(kind, name, jit_options=INLINE)(lambda view: read)


_attribute(TurnType, "usable", lambda view: as_columns(moves.usable_columns(game_of(view))))
_attribute(TurnType, "memory", lambda view: memory_of(game_of(view), game_of(view).seat))


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
        return spaces_at(rivals, _MARKERS + _ROW * _rival_seat(game, index))

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

_attribute(RulesType, "columns", lambda view: range(2, 2 * game_of(view).sides + 1))
_attribute(RulesType, "landing", lambda view: LANDINGS[game_of(view).landing])
_attribute(RulesType, "stop", lambda view: STOPS[game_of(view).stop])


_NUMBER = ir.IntType(64)
_SIZE = 8

Read = Callable[..., Any]
"""Writes, with a builder, what finds an attribute in the record at an address."""


def _address_reader(name: str, size: int = _SIZE) -> Read:
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
        result = _address_reader(name)(builder, record, index)
        number = builder.load(builder.bitcast(result, _NUMBER.as_pointer()))
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
    "runners": (SPACES, _address_reader("runners")),
    "free": (types.int64, _number("free")),
    "placed": (COLUMN_SET, _number("placed")),
    "claimed": (COLUMN_SET, _number("claimed")),
    "markers": (SPACES, _of_the_seat(_address_reader("markers", _SIZE * COLUMNS))),
    "rivals": (RIVALS, _all),
    "claims": (types.int64, _of_the_seat(_number("claims"))),
    "rival_claims": (RIVAL_CLAIMS, _all),
    "rules": (RULES, _all),
}
_OF_RULES = {
    "sides": (types.int64, _number("sides", MAX_SIDES + 1)),
    "lengths": (SPACES, _address_reader("lengths")),
    "runners": (types.int64, _number("runner_count")),
    "columns_to_win": (types.int64, _number("columns_to_win")),
    "turn_limit": (types.int64, _number("turn_limit")),
}


def _teach(view: type[types.Type], fields: dict[str, tuple[types.Type, Read]]) -> None:
    """Have numba find these attributes of a view."""

    class Fields(AttributeTemplate):
        key = view

        def generic_resolve(self, view: types.Type, name: str) -> types.Type | None:
            return fields[name][0] if name in fields else None

    infer_getattr(Fields)

    @lower_getattr_generic(view)
    def read(context: Any, builder: Any, kind: types.Type, record: Any, name: str) -> Any:
        return fields[name][1](builder, record)


_teach(TurnType, _OF_TURNS)
_teach(RulesType, _OF_RULES)
