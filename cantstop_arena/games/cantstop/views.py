"""What a compiled bot is shown: `Turn` and the moves, as numba types over the game record.

The types offer what `turn.Turn` offers and nothing else: there is no way to write through them,
and none to the dice or to another seat's bot. A set of columns is a bit mask, a move a packed
number; both can be iterated, counted and searched like the tuples a plain bot gets.
"""

import operator
from collections.abc import Callable
from typing import Any

import numba
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.imputils import RefType, iternext_impl
from numba.extending import (
    intrinsic,
    lower_builtin,
    models,
    overload,
    overload_attribute,
    overload_method,
    register_model,
)

from cantstop_arena.games.cantstop import climb
from cantstop_arena.games.cantstop.compiler import part
from cantstop_arena.games.cantstop.rules import LANDINGS, STOPS
from cantstop_arena.games.cantstop.state import COLUMNS, GAME

RECORD = numba.from_dtype(GAME)
_INLINE = {"forceinline": True}


# Types --------------------------------------------------------------------------------------


class View(types.Type):
    """A pointer into the game record, seen as something a bot may look at."""


class Series(types.IterableType):
    """Something with a length whose items are looked up by position, and can be iterated."""

    def __init__(self, name: str, item: types.Type) -> None:
        self.item = item
        super().__init__(name=name)

    @property
    def iterator_type(self) -> "SeriesIterator":
        return SeriesIterator(self)


class SeriesIterator(types.SimpleIteratorType):
    """A series and the position of its next item."""

    def __init__(self, series: Series) -> None:
        self.series = series
        super().__init__(f"iter({series})", series.item)


class _Turn(View):
    """The table as the player on turn sees it."""


class _Rules(View):
    """The rules in force."""


class _Spaces(View):
    """A number for every column, looked up by the column's number."""


class _Rivals(View):
    """The rivals' markers, in order of play."""


class _RivalClaims(View):
    """The rivals' numbers of claimed columns, in order of play."""


class _Moves(Series):
    """The legal moves."""


class _Columns(Series):
    """A set of columns, as a bit mask."""


class _Move(Series):
    """The one or two columns a move advances, packed."""


TURN, RULES, SPACES = _Turn("Turn"), _Rules("Rules"), _Spaces("Spaces")
RIVALS, RIVAL_CLAIMS = _Rivals("Rivals"), _RivalClaims("RivalClaims")
COLUMN_SET, MOVE = _Columns("Columns", types.int64), _Move("Move", types.int64)
MOVES = _Moves("Moves", MOVE)

for _view in (_Turn, _Rules, _Spaces, _Rivals, _RivalClaims, _Moves):
    register_model(_view)(models.OpaqueModel)


@register_model(_Columns)
@register_model(_Move)
class _NumberModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: types.Type) -> None:
        super().__init__(manager, kind, ir.IntType(64))


@register_model(SeriesIterator)
class _SeriesIteratorModel(models.StructModel):
    def __init__(self, manager: Any, kind: SeriesIterator) -> None:
        members = [("series", kind.series), ("state", types.EphemeralPointer(types.int64))]
        super().__init__(manager, kind, members)


# Seeing one type as another ------------------------------------------------------------------


def _seen_as(target: types.Type) -> Any:
    """An intrinsic that gives the same bits another type."""

    @intrinsic
    def cast(typing_context: Any, value: types.Type) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            kind = context.get_value_type(target)
            return builder.bitcast(arguments[0], kind)

        return target(value), generate

    return cast


_game = _seen_as(RECORD)
_rules = _seen_as(RULES)
_moves = _seen_as(MOVES)
_rivals = _seen_as(RIVALS)
_rival_claims = _seen_as(RIVAL_CLAIMS)
_as_columns = _seen_as(COLUMN_SET)
_as_move = _seen_as(MOVE)
_as_number = _seen_as(types.int64)


@intrinsic
def _spaces(typing_context: Any, view: types.Type, offset: types.Type) -> Any:
    """The numbers by column that begin `offset` bytes into the game record."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.gep(arguments[0], [arguments[1]])

    return SPACES(view, types.int64), generate


@intrinsic
def _space(typing_context: Any, spaces: types.Type, column: types.Type) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        numbers = builder.bitcast(arguments[0], ir.IntType(64).as_pointer())
        return builder.load(builder.gep(numbers, [arguments[1]]))

    return types.int64(spaces, types.int64), generate


# Turn ---------------------------------------------------------------------------------------

_RUNNERS, _MARKERS, _LENGTHS = (GAME.fields[name][1] for name in ("runners", "markers", "lengths"))
_ROW = 8 * COLUMNS


def _attribute(kind: type, name: str, read: Callable[..., Any]) -> None:
    overload_attribute(kind, name, jit_options=_INLINE)(lambda view: read)


_attribute(_Turn, "seat", lambda view: _game(view).seat)
_attribute(_Turn, "players", lambda view: _game(view).players)
_attribute(_Turn, "number", lambda view: _game(view).turn)
_attribute(_Turn, "rolls", lambda view: _game(view).rolls)
_attribute(_Turn, "runners", lambda view: _spaces(view, _RUNNERS))
_attribute(_Turn, "free", lambda view: _game(view).free)
_attribute(_Turn, "placed", lambda view: _as_columns(_game(view).placed))
_attribute(_Turn, "usable", lambda view: _as_columns(climb.usable_columns(_game(view))))
_attribute(_Turn, "claimed", lambda view: _as_columns(_game(view).claimed))
_attribute(_Turn, "markers", lambda view: _spaces(view, _MARKERS + _ROW * _game(view).seat))
_attribute(_Turn, "rivals", lambda view: _rivals(view))
_attribute(_Turn, "claims", lambda view: _game(view).claims[_game(view).seat])
_attribute(_Turn, "rival_claims", lambda view: _rival_claims(view))
_attribute(_Turn, "rules", lambda view: _rules(view))


@overload_attribute(_Turn, "dice", jit_options=_INLINE)
def _turn_dice(turn):
    def read(turn):
        roll, sides = _game(turn).roll, _game(turn).sides
        last, roll = roll % sides + 1, roll // sides
        third, roll = roll % sides + 1, roll // sides
        return (roll // sides + 1, roll % sides + 1, third, last)

    return read


@overload_method(_Turn, "position", jit_options=_INLINE)
def _turn_position(turn, column):
    return lambda turn, column: climb.position(_game(turn), column)


@overload_method(_Turn, "next_space", jit_options=_INLINE)
def _turn_next_space(turn, column, space):
    return lambda turn, column, space: climb.next_space(_game(turn), column, space)


@overload_method(_Turn, "chance", jit_options=_INLINE)
def _turn_chance(turn, column):
    def read(turn, column):
        game = _game(turn)
        if not 2 <= column <= 2 * game.sides:
            raise IndexError("there is no such column")
        return game.hits[1 << column - 2] / game.roll_total

    return read


@overload_method(_Turn, "bust_chance", jit_options=_INLINE)
def _turn_bust_chance(turn):
    def read(turn):
        game = _game(turn)
        return 1.0 - game.hits[climb.usable_columns(game) >> 2] / game.roll_total

    return read


@overload_method(_Turn, "random", jit_options=_INLINE)
def _turn_random(turn):
    return lambda turn: climb.draw(_game(turn))


@overload(operator.getitem, jit_options=_INLINE)
def _spaces_item(spaces, column):
    if not isinstance(spaces, _Spaces):
        return None

    def read(spaces, column):
        if not 0 <= column < COLUMNS:
            raise IndexError("there is no such column")
        return _space(spaces, column)

    return read


@overload(operator.getitem, jit_options=_INLINE)
def _rivals_item(rivals, index):
    if not isinstance(rivals, _Rivals):
        return None

    def read(rivals, index):
        game = _game(rivals)
        return _spaces(rivals, _MARKERS + _ROW * _rival_seat(game, index))

    return read


@overload(operator.getitem, jit_options=_INLINE)
def _rival_claims_item(claims, index):
    if not isinstance(claims, _RivalClaims):
        return None

    def read(claims, index):
        game = _game(claims)
        return game.claims[_rival_seat(game, index)]

    return read


@part
def _rival_seat(game, index):
    if not 0 <= index < game.players - 1:
        raise IndexError("there is no such rival")
    return (game.seat + 1 + index) % game.players


@overload(len, jit_options=_INLINE)
def _rivals_length(rivals):
    if not isinstance(rivals, _Rivals | _RivalClaims):
        return None
    return lambda rivals: _game(rivals).players - 1


# Rules --------------------------------------------------------------------------------------

_attribute(_Rules, "sides", lambda view: _game(view).sides)
_attribute(_Rules, "columns", lambda view: range(2, 2 * _game(view).sides + 1))
_attribute(_Rules, "lengths", lambda view: _spaces(view, _LENGTHS))
_attribute(_Rules, "runners", lambda view: _game(view).runner_count)
_attribute(_Rules, "columns_to_win", lambda view: _game(view).columns_to_win)
_attribute(_Rules, "landing", lambda view: LANDINGS[_game(view).landing])
_attribute(_Rules, "stop", lambda view: STOPS[_game(view).stop])
_attribute(_Rules, "turn_limit", lambda view: _game(view).turn_limit)


# Moves and sets of columns ------------------------------------------------------------------


@overload(len, jit_options=_INLINE)
def _series_length(series):
    if isinstance(series, _Moves):
        return lambda series: _game(series).move_count
    if isinstance(series, _Move):
        return lambda series: 2 if _as_number(series) & 31 else 1
    if isinstance(series, _Columns):
        return lambda series: climb.count_columns(_as_number(series))
    return None


@overload(operator.getitem, jit_options=_INLINE)
def _series_item(series, index):
    if not isinstance(series, Series):
        return None

    def read(series, index):
        if not 0 <= index < len(series):
            raise IndexError("index out of range")
        return _item(series, index)

    return read


@overload(operator.contains, jit_options=_INLINE)
def _series_contains(series, column):
    if isinstance(series, _Columns):
        return lambda series, column: (
            0 <= column < COLUMNS and _as_number(series) >> column & 1 == 1
        )
    if isinstance(series, _Move):
        return lambda series, column: series[0] == column or series[len(series) - 1] == column
    return None


def _item(series: Any, index: int) -> Any:
    """The item at a position that is known to exist."""
    raise NotImplementedError


@overload(_item, jit_options=_INLINE)
def _series_item_at(series, index):
    if isinstance(series, _Moves):
        return lambda series, index: _as_move(_game(series).moves[index])
    if isinstance(series, _Move):
        return lambda series, index: _as_number(series) & 31 if index else _as_number(series) >> 5

    def read(series, index):
        mask = _as_number(series)
        for _ in range(index):
            mask &= mask - 1
        return climb.lowest_column(mask)

    return read


# Iteration: one number says how far it has come. A set of columns gives its lowest bits away one
# by one, a packed move its upper half first, and the moves count.


def _start(series):
    """The number with which an iteration begins."""
    raise NotImplementedError


def _more(series, state):
    """Whether another item follows."""
    raise NotImplementedError


def _following(series, state):
    """The number after the next item is taken."""
    raise NotImplementedError


def _next(series, state):
    """The next item."""
    raise NotImplementedError


@overload(_start, jit_options=_INLINE)
def _series_start(series):
    return (lambda series: 0) if isinstance(series, _Moves) else lambda series: _as_number(series)


@overload(_more, jit_options=_INLINE)
def _series_more(series, state):
    if isinstance(series, _Moves):
        return lambda series, state: state < len(series)
    return lambda series, state: state != 0


@overload(_next, jit_options=_INLINE)
def _series_next(series, state):
    if isinstance(series, _Moves):
        return lambda series, state: _item(series, state)
    if isinstance(series, _Move):
        return lambda series, state: state >> 5 if state >> 5 else state
    return lambda series, state: climb.lowest_column(state)


@overload(_following, jit_options=_INLINE)
def _series_following(series, state):
    if isinstance(series, _Moves):
        return lambda series, state: state + 1
    if isinstance(series, _Move):
        return lambda series, state: state & 31 if state >> 5 else 0
    return lambda series, state: state & (state - 1)


_STEPS = {
    "start": lambda series: _start(series),
    "more": lambda series, state: _more(series, state),
    "next": lambda series, state: _next(series, state),
    "following": lambda series, state: _following(series, state),
}


def _step(name: str, answer: types.Type, context: Any, builder: Any, *arguments: Any) -> Any:
    """Generate the code of one step of an iteration over (type, value) pairs."""
    kinds, values = zip(*arguments, strict=True)
    return context.compile_internal(builder, _STEPS[name], answer(*kinds), values)


@lower_builtin("getiter", Series)
def _begin_iteration(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    iterator = context.make_helper(builder, signature.return_type)
    iterator.series = arguments[0]
    series = (signature.args[0], arguments[0])
    state = _step("start", types.int64, context, builder, series)
    iterator.state = cgutils.alloca_once_value(builder, state)
    return iterator._getvalue()


@lower_builtin("iternext", SeriesIterator)
@iternext_impl(RefType.UNTRACKED)
def _next_item(context: Any, builder: Any, signature: Any, arguments: Any, result: Any) -> None:
    kind = signature.args[0].series
    iterator = context.make_helper(builder, signature.args[0], arguments[0])
    place = ((kind, iterator.series), (types.int64, builder.load(iterator.state)))
    more = _step("more", types.boolean, context, builder, *place)
    result.set_valid(more)
    with builder.if_then(more):
        result.yield_(_step("next", kind.item, context, builder, *place))
        builder.store(_step("following", types.int64, context, builder, *place), iterator.state)
