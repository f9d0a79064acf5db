"""What is written down of a block's games as they end."""

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from cantstop_arena.deals.outcomes import Tally


class Books(Protocol):
    """The books of one block.

    `winners` has a mask of the winning seats for each deal and order.
    """

    winners: NDArray[np.uint8]

    @property
    def measures(self) -> NDArray[Any]:
        """A row for each deal, if counts are kept deal by deal."""

    def enter(self, index: int, order: int) -> None:
        """Enter the game that has just ended: that of a deal, counted from the block's first."""

    def tallies(self) -> tuple[Tally, ...]:
        """What the games of each order add up to."""
