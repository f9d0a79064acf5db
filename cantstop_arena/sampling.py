"""The statistics of deals, the units of sampling.

The games of a deal share their dice, so the deal, not the game, is what was sampled. What errors
need of the deals is in their first and second moments, whole numbers that add up in any order.
For one deal, W is the vector of the parts of WHOLE won by each bot and then by each seat, all games
of the deal added up over all groups and seatings.
"""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Ints: TypeAlias = NDArray[np.int64]
Group: TypeAlias = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Stretch:
    """Deals that the same groups played: the sums of W and of W Wᵀ over them."""

    groups: tuple[Group, ...]
    deals: int
    totals: Ints
    products: Ints


@dataclass(frozen=True, slots=True)
class Pairs:
    """Sums over all deals of a[i, j], a[i, j]² and a[i, j] · a[j, i].

    a[i, j] are the parts of WHOLE that bot i won in a deal in games in which bot j sat too.
    """

    won: Ints
    squares: Ints
    crossed: Ints


@dataclass(frozen=True, slots=True)
class Deals:
    """All deals of a tournament, added up."""

    stretches: tuple[Stretch, ...]
    pairs: Pairs


def no_deals(bots: int) -> Deals:
    """Of a tournament that has not begun."""
    none = np.zeros((bots, bots), np.int64)
    return Deals((), Pairs(none, none, none))
