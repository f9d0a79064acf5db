"""The numba types of a compiled bot's arguments: pointers into the game record, and numbers.

The types offer what `turn.Turn` offers and nothing else: bots cannot write through them, and
cannot reach the dice or another seat's bot. A set of columns is a bit mask, and so is a move;
both can be iterated, counted and searched like the tuples a plain bot gets.
"""

from typing import Any

import numba
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, models, overload, register_model

from cantstop_arena.games.cantstop.engine.game_array import GAME
from cantstop_arena.native.bot_compiler import floats_at
from cantstop_arena.native.numba_store import INLINE

RECORD = numba.from_dtype(GAME)


# Types --------------------------------------------------------------------------------------


class ViewType(types.Type):
    """A pointer into the game record, through which a bot reads some of its fields."""


class SeriesType(types.IterableType):
    """A sequence: it has a length, items by index, and can be iterated."""

    def __init__(self, name: str, item: types.Type) -> None:
        self.item = item
        super().__init__(name=name)

    @property
    def iterator_type(self) -> "SeriesIteratorType":
        return SeriesIteratorType(self)


class SeriesIteratorType(types.SimpleIteratorType):
    """An iterator: a series, and a state from which its next item follows."""

    def __init__(self, series: SeriesType) -> None:
        self.series = series
        super().__init__(f"iter({series})", series.item)


class TurnType(ViewType):
    """The table as the player on turn sees it."""


class RulesType(ViewType):
    """The rules in force."""


class SpacesType(ViewType):
    """A number for every column, looked up by the column's number."""


class RivalsType(ViewType):
    """The rivals' markers, in order of play."""


class RivalClaimsType(ViewType):
    """The rivals' numbers of claimed columns, in order of play."""


class MovesType(SeriesType):
    """The legal moves."""


class ColumnsType(SeriesType):
    """A set of columns, as a bit mask."""


class MoveType(SeriesType):
    """The one or two columns a move advances, as the bit mask that a move is."""


TURN, RULES, SPACES = TurnType("Turn"), RulesType("Rules"), SpacesType("Spaces")
RIVALS, RIVAL_CLAIMS = RivalsType("Rivals"), RivalClaimsType("RivalClaims")
COLUMN_SET, MOVE = ColumnsType("Columns", types.int64), MoveType("Move", types.int64)
MOVES = MovesType("Moves", MOVE)

for _view in (TurnType, RulesType, SpacesType, RivalsType, RivalClaimsType, MovesType):
    register_model(_view)(models.OpaqueModel)


@register_model(ColumnsType)
@register_model(MoveType)
class _NumberModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: types.Type) -> None:
        super().__init__(manager, kind, ir.IntType(64))


@register_model(SeriesIteratorType)
class _SeriesIteratorModel(models.StructModel):
    def __init__(self, manager: Any, kind: SeriesIteratorType) -> None:
        members = [("series", kind.series), ("state", types.EphemeralPointer(types.int64))]
        super().__init__(manager, kind, members)


# Conversions of types ------------------------------------------------------------------------


def _reinterpreted(target: types.Type) -> Any:
    """An intrinsic that gives the same bits another type."""

    @intrinsic
    def cast(typing_context: Any, value: types.Type) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            kind = context.get_value_type(target)
            return builder.bitcast(arguments[0], kind)

        return target(value), generate

    return cast


game_of = _reinterpreted(RECORD)
as_turn = _reinterpreted(TURN)
as_moves = _reinterpreted(MOVES)
as_columns = _reinterpreted(COLUMN_SET)
as_move = _reinterpreted(MOVE)
number_in = _reinterpreted(types.int64)


def memory_of(game, seat):
    """The memory of the compiled bot in a seat during a game, as an array of float64."""
    raise NotImplementedError


@overload(memory_of, jit_options=INLINE)
def _memory_of(game, seat):
    return lambda game, seat: numba.carray(floats_at(game.memory_at[seat]), game.memory_sizes[seat])


@intrinsic
def spaces_at(typing_context: Any, view: types.Type, offset: types.Type) -> Any:
    """The numbers by column at `offset` bytes into the game record."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.gep(arguments[0], [arguments[1]])

    return SPACES(view, types.int64), generate


@intrinsic
def space_in(typing_context: Any, spaces: types.Type, column: types.Type) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        numbers = builder.bitcast(arguments[0], ir.IntType(64).as_pointer())
        return builder.load(builder.gep(numbers, [arguments[1]]))

    return types.int64(spaces, types.int64), generate
