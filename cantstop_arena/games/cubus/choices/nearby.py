"""Targets near the pile on the table, for bots that look no further."""

import numpy as np
from numpy.typing import NDArray

from cantstop_arena.games.cubus.builds.build import Table
from cantstop_arena.games.cubus.builds.piles import pile_of
from cantstop_arena.games.cubus.choices.targets import Target, Wanted, aimed, cells_of
from cantstop_arena.games.cubus.engine import near


def nearby(wanted: Wanted) -> list[Target]:
    """One cell changed, one layer slid under, or both: by falling points, then by text."""
    cells = cells_of(wanted.table)
    worth = wanted.table.pile.shape.worth
    found = near.candidates(aimed(wanted), cells, len(cells), wanted.free_swap, worth)
    listed = {_target(wanted.table, cells, candidate) for candidate in found}
    return sorted(listed, key=lambda target: (-target.points, target.pile))


def _target(table: Table, cells: NDArray[np.int64], candidate: NDArray[np.int64]) -> Target:
    after = np.empty((len(cells) + 1, 4), np.int64)
    count = near.applied(cells, len(cells), candidate, after)
    pile = pile_of({(x, y): height for x, y, height, _ in after[:count].tolist()})
    placed = pile if table.open else pile.moved(0, 0)
    points, least, most = candidate[near.POINTS :].tolist()
    return Target(placed.text, points, least, most)
