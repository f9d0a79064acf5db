"""Whose scores compare: bots that met the same rivals equally often."""

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


def alike(games: Ints) -> list[list[int]]:
    """The bots, grouped by whom else they met how often; `games` are those of every two bots.

    Two bots are alike if each third one met both equally often, and so are all of a group.
    """
    groups: list[list[int]] = []
    left = list(range(len(games)))
    while left:
        others = games != games[left[0]]
        others[:, left[0]] = False
        np.fill_diagonal(others, False)
        same = ~others.any(axis=1)
        groups.append([bot for bot in left if same[bot]])
        left = [bot for bot in left if not same[bot]]
    return groups
