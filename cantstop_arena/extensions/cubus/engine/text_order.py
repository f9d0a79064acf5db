"""The order of the corners of piles as texts, and the keys of targets, which contain it."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cantstop_arena.extensions.cubus.engine.bot_row import MAX_VALUE, SPAN

FAR = 64  # corners lie between -64 and 63
MAX_HITS = SPAN * SPAN  # of a pile
VALUE_SHIFT = 35  # of the bits of a key, see `search`


class TextOrder(NamedTuple):
    """The order of corners as texts: the rank of each number, and the number of each rank."""

    x_ranks: NDArray[np.int64]
    y_ranks: NDArray[np.int64]
    xs: NDArray[np.int64]
    ys: NDArray[np.int64]


def _order() -> TextOrder:
    numbers = range(-FAR, FAR)
    xs = sorted(numbers, key="{},".format)
    ys = sorted(numbers, key=str)
    ranked = [np.argsort(np.array(listed)) for listed in (xs, ys)]
    return TextOrder(ranked[0], ranked[1], np.array(xs), np.array(ys))


ORDER = _order()


def value_of(key: int) -> int:
    """F of the pile of a key."""
    return MAX_VALUE - (key >> VALUE_SHIFT)


def keys_between(value: int) -> tuple[int, int]:
    """The least key of piles of an F, and that after the greatest."""
    return (MAX_VALUE - value) << VALUE_SHIFT, (MAX_VALUE - value + 1) << VALUE_SHIFT
