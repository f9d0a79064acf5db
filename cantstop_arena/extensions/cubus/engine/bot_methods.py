"""The methods of the view in machine code; `choices.bot_view` has the same for plain Python.

They call the functions of `options` by their addresses, so that these are not compiled with every
bot.
"""

import numba
import numpy as np
from numba import types
from numba.extending import overload_method

from cantstop_arena.extensions.cubus.engine import bot_row as at
from cantstop_arena.extensions.cubus.engine.bot_row import BEGIN, END, PileOption
from cantstop_arena.extensions.cubus.engine.query_arrays import (
    LIDS,
    LYING,
    TOP,
)
from cantstop_arena.native.bot_compiler import caller, floats_at, integers_at
from cantstop_arena.native.kernel_bots import WORKSPACE
from cantstop_arena.native.numba_store import INLINE

METHODS = ("options", "keep", "choose", "choose_nearby", "bound", "bound_after")
_call = caller(types.int64(types.int64))
_GROUP = 7  # columns of the library's groups


def _is_view(view):
    return WORKSPACE in view.fields


@numba.njit(**INLINE)
def _row(view):
    return numba.carray(integers_at(view.workspace_address), at.SIZE)


@numba.njit(**INLINE)
def _option(row, number):
    """The option of a group."""
    group = numba.carray(integers_at(row[at.GROUPS] + 8 * _GROUP * number), _GROUP)
    lying, lids = row[at.LIMITS + LYING], row[at.LIMITS + LIDS]
    least = max(np.int64(0), group[1] - lying - lids)
    points = group[0] - row[at.VALUE]
    return PileOption(number, points, group[1], group[2], group[3], group[4], least)


@overload_method(types.NamedTuple, "options", jit_options=INLINE)
def _options(view, rising=False):
    if not _is_view(view):
        return None

    def each(view, rising=False):
        row, number = _row(view), np.int64(BEGIN)
        while True:
            row[at.GIVEN], row[at.FLAG] = number, rising
            number = _call(row[at.NEXT_OPTION], view.workspace_address)
            if number == END:
                break
            yield _option(row, number)

    return each


@overload_method(types.NamedTuple, "keep", jit_options=INLINE)
def _keep(view, option, worth):
    if not (_is_view(view) and getattr(option, "instance_class", None) is PileOption):
        return None

    def keep(view, option, worth):
        row = _row(view)
        if not 0 <= option.number < row[at.GROUP_COUNT]:
            raise IndexError("there is no such option")
        kept = numba.carray(floats_at(view.workspace_address + 8 * at.WORTH), 1)
        if row[at.KEPT] and worth < kept[0]:
            return False
        if row[at.KEPT] and worth > kept[0]:
            row[at.KEPT] = 0
        kept[0] = worth
        if row[at.KEPT] < at.MAX_GROUPS:
            row[at.KEPT_GROUPS + row[at.KEPT]] = option.number
            row[at.KEPT] += 1
        return True

    return keep


@overload_method(types.NamedTuple, "choose", jit_options=INLINE)
def _choose(view, most=False):
    if not _is_view(view):
        return None

    def choose(view, most=False):
        row = _row(view)
        row[at.FLAG] = most
        return _call(row[at.CHOOSE], view.workspace_address)

    return choose


@overload_method(types.NamedTuple, "choose_nearby", jit_options=INLINE)
def _choose_nearby(view):
    if not _is_view(view):
        return None

    def choose(view):
        return _call(_row(view)[at.CHOOSE_NEARBY], view.workspace_address)

    return choose


@overload_method(types.NamedTuple, "bound", jit_options=INLINE)
def _bound(view):
    if not _is_view(view):
        return None

    def bound(view):
        row = _row(view)
        return max(np.int64(0), row[at.LIMITS + TOP] - row[at.VALUE])

    return bound


@overload_method(types.NamedTuple, "bound_after", jit_options=INLINE)
def _bound_after(view, option, tops, left, right):
    if not _is_view(view):
        return None

    def bound(view, option, tops, left, right):
        row = _row(view)
        best = numba.carray(integers_at(row[at.BEST_VALUES]), (17, 17, 17))
        value = best[
            min(16, max(0, option.tops + tops)),
            min(16, max(0, option.left + left)),
            min(16, max(0, option.right + right)),
        ]
        return max(np.int64(0), value - option.points - row[at.VALUE])

    return bound
