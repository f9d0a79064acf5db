"""Deals that are others played again: those of a group in which nothing was drawn.

Bots that never draw, in a game without chance, play the same game from the same opening. Such deals
say no more than one, so they count once, and as soon as enough of them are alike, no more are
played.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cantstop_arena.deals.outcomes import ENOUGH_REPEATED, Tally


def different_deals(fingerprints: NDArray[Any], are_all: bool) -> int | None:
    """The number of deals before those that repeat them; None if they may not go on to do so.

    `fingerprints` are those of a group's deals from the first on, 0 where something was drawn;
    `are_all` says that these are all that are asked for.
    """
    repeats = np.ones(len(fingerprints), bool)
    repeats[np.unique(fingerprints, return_index=True)[1]] = False
    repeats[fingerprints == 0] = False
    last = np.flatnonzero(~repeats)
    number = int(last[-1]) + 1 if len(last) else 0
    repeated = len(fingerprints) - number
    is_enough = repeated >= ENOUGH_REPEATED - 1 or (are_all and repeated > 0)
    return number if is_enough else None


def of_one_deal(tally: Tally) -> Tally:
    """The tally of one of the deals of a seating, which are all alike."""
    deals = tally.games
    return Tally(
        games=1,
        wins=tuple(wins // deals for wins in tally.wins),
        unfinished=tally.unfinished // deals,
        forfeits=0,
        counts={
            name: tuple(count // deals for count in counts) for name, counts in tally.counts.items()
        },
        squares=_shared(tally.squares, deals),
        lengths={length: (games // deals, deal) for length, (games, deal) in tally.lengths.items()},
        highlights=tally.highlights,
    )


def _shared(sums: Mapping[str, int], deals: int) -> dict[str, int]:
    return {name: number // deals for name, number in sums.items()}
