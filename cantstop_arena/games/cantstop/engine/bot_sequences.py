"""Moves and sets of columns in compiled bots: len(), index, `in` and iteration."""

import operator
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba import types
from numba.core import cgutils
from numba.core.imputils import RefType, iternext_impl
from numba.extending import lower_builtin, overload

from cantstop_arena.games.cantstop.engine.bot_types import (
    ColumnsType,
    MovesType,
    MoveType,
    SeriesIteratorType,
    SeriesType,
    as_move,
    game_of,
    number_in,
)
from cantstop_arena.games.cantstop.engine.column_sets import count_columns, lowest_column
from cantstop_arena.games.cantstop.engine.engine_decorators import njit_inline
from cantstop_arena.games.cantstop.engine.game_array import TWICE
from cantstop_arena.games.cantstop.engine.moves import at
from cantstop_arena.native.numba_store import INLINE

_COLUMNS = (1 << TWICE) - 1


@overload(len, jit_options=INLINE)
def _series_length(series):
    if isinstance(series, MovesType):
        return lambda series: game_of(series).move_count
    if isinstance(series, MoveType | ColumnsType):
        return lambda series: count_columns(number_in(series))
    return None


@overload(operator.getitem, jit_options=INLINE)
def _series_item(series, index):
    is_index = isinstance(index, types.Integer | types.Boolean)
    if not isinstance(series, SeriesType) or not is_index:
        return None
    count = _columns_of_move if isinstance(series, MoveType) else len

    def read(series, index):
        position = np.int64(index)
        # One test for most indices, as they are not negative.
        if at(position) >= at(count(series)):
            position += count(series)
            if not 0 <= position < count(series):
                raise IndexError("index out of range")
        return _item(series, position)

    return read


@njit_inline
def _columns_of_move(move):
    """The length of a move, of which the compiler sees that it is 1 or 2."""
    return 2 if _upper_bits(move) else 1


@njit_inline
def _upper_bits(move):
    """What a move has besides its lowest column: the bit of another, or of a second advance."""
    bits = number_in(move)
    return bits & (bits - 1)


@overload(operator.contains, jit_options=INLINE)
def _series_contains(series, column):
    if isinstance(series, MoveType | ColumnsType):
        return lambda series, column: (
            0 <= column < TWICE and (number_in(series) & _COLUMNS) >> column & 1 == 1
        )
    return None


def _item(series: Any, index: Any) -> Any:
    """The item at an index, without a range check."""
    raise NotImplementedError


@overload(_item, jit_options=INLINE)
def _series_item_at(series, index):
    if isinstance(series, MovesType):
        return lambda series, index: as_move(game_of(series).moves[at(index)])
    if isinstance(series, MoveType):
        return _column_of_move

    def read(series, index):
        mask = number_in(series)
        for _ in range(index):
            mask &= mask - 1
        return lowest_column(mask)

    return read


def _column_of_move(series, index):
    upper = _upper_bits(series)
    return lowest_column(upper | upper >> TWICE if index else number_in(series))


# Iteration: its state is one number. For a set of columns, that is the mask of those that remain,
# lowest first. For a move, and for the list of moves, it is an index.


class _Steps(NamedTuple):
    """The steps of an iteration: its first state; whether there is another item, which item, and
    the state after it."""

    start: Callable[..., Any]
    more: Callable[..., Any]
    next: Callable[..., Any]
    following: Callable[..., Any]


_MOVES_STEPS = _Steps(
    lambda series: 0,
    lambda series, state: state < game_of(series).move_count,
    lambda series, state: _item(series, state),
    lambda series, state: state + 1,
)
_MOVE_STEPS = _MOVES_STEPS._replace(more=lambda series, state: state < _columns_of_move(series))
_COLUMNS_STEPS = _Steps(
    lambda series: number_in(series),
    lambda series, state: state != 0,
    lambda series, state: lowest_column(state),
    lambda series, state: state & (state - 1),
)
_STEPS = {MovesType: _MOVES_STEPS, ColumnsType: _COLUMNS_STEPS, MoveType: _MOVE_STEPS}


def _step(name: str, answer: types.Type, context: Any, builder: Any, *arguments: Any) -> Any:
    """Generate the code of one step of an iteration; the arguments are (type, value) pairs."""
    kinds, values = zip(*arguments, strict=True)
    step = getattr(_STEPS[type(kinds[0])], name)
    return context.compile_internal(builder, step, answer(*kinds), values)


@lower_builtin("getiter", SeriesType)
def _begin_iteration(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    iterator = context.make_helper(builder, signature.return_type)
    iterator.series = arguments[0]
    series = (signature.args[0], arguments[0])
    state = _step("start", types.int64, context, builder, series)
    iterator.state = cgutils.alloca_once_value(builder, state)
    return iterator._getvalue()


@lower_builtin("iternext", SeriesIteratorType)
@iternext_impl(RefType.UNTRACKED)
def _next_item(context: Any, builder: Any, signature: Any, arguments: Any, result: Any) -> None:
    kind = signature.args[0].series
    iterator = context.make_helper(builder, signature.args[0], arguments[0])
    step_arguments = ((kind, iterator.series), (types.int64, builder.load(iterator.state)))
    more = _step("more", types.boolean, context, builder, *step_arguments)
    result.set_valid(more)
    with builder.if_then(more):
        result.yield_(_step("next", kind.item, context, builder, *step_arguments))
        builder.store(
            _step("following", types.int64, context, builder, *step_arguments), iterator.state
        )
