"""The order of the corners of piles as texts."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

FAR = 64  # corners lie between -64 and 63


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
