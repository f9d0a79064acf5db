"""The most crates of piles, computed: the table of `engine/max_crates.npy`."""

from collections.abc import Iterator
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from cantstop_arena.extensions.cubus.engine.bound import MAX_CARDS_PLACED


def computed_max_crates() -> NDArray[np.int64]:
    """The table in `max_crates.npy`."""
    table = np.zeros((MAX_CARDS_PLACED + 1,) * 3, np.int64)
    for highest in range(1, MAX_CARDS_PLACED + 1):
        lines = list(_falling(highest, MAX_CARDS_PLACED - highest))
        for row in lines:
            for column in lines:
                _enter(table, (highest, *row), (highest, *column))
    return table


def _falling(highest: int, remaining: int) -> Iterator[tuple[int, ...]]:
    """Falling heights, none above `highest`, with a sum of at most `remaining`."""
    yield ()
    for height in range(1, min(highest, remaining) + 1):
        yield from ((height, *more) for more in _falling(height, remaining - height))


def _enter(table: NDArray[np.int64], row: tuple[int, ...], column: tuple[int, ...]) -> None:
    """Enter the piles with a back row and a back column of these heights into the table."""
    min_tops = len(row) + len(column) - 1
    if min_tops > MAX_CARDS_PLACED:
        return
    inner = sorted((min(a, b) for a in row[1:] for b in column[1:]), reverse=True)
    crates = accumulate(
        inner[: MAX_CARDS_PLACED - min_tops], initial=sum(row) + sum(column) - row[0]
    )
    for tops, number in enumerate(crates, start=min_tops):
        index = (tops, sum(column), sum(row))
        table[index] = max(table[index], number)
