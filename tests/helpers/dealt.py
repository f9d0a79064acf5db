"""Deals made by hand, for tests of what is computed from them."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from cantstop_arena.deals.outcomes import WIDTH, WIN_UNITS, TournamentTotals, Until
from cantstop_arena.deals.sampling import DealSums, Populations, gather_rows
from cantstop_arena.deals.seatings import Group
from cantstop_arena.ratings.estimate import Estimate
from cantstop_arena.ratings.scores import scores
from helpers.simulated import results


def populations_of(
    rows: Mapping[Any, NDArray[Any]], families: Sequence[tuple[Group, ...]] = ()
) -> tuple[Populations, ...]:
    """Deals of groups from 0 on: a row of numbers for each."""
    numbers = next(iter(rows.values())).shape[1]
    return gather_rows(
        {group: [(0, len(table))] for group, table in rows.items()},
        lambda start, count: [(group, 0, table, table) for group, table in rows.items()],
        lambda blocks: np.concatenate([table for *_, table in blocks]).astype(np.float64),
        numbers,
        {group: family for family in families for group in family},
    )


def deals_alone(deals: int, bots: int) -> DealSums:
    """Deals that bots played alone, and won nothing in them."""
    return DealSums(populations_of({(bot,): np.zeros((deals, 2)) for bot in range(bots)}))


def met(won: dict[Group, Sequence[float]], expected: float | None = None) -> TournamentTotals:
    """Games of two: what the first bot of each group won in each of its deals, of two games."""
    rows = {}
    for group, games in won.items():
        first = WIN_UNITS * np.array(games, float)
        seats = np.full((2, len(first)), WIN_UNITS)
        rows[group] = np.stack([first, 2 * WIN_UNITS - first, *seats], axis=1)
    played = results(1 + max(map(max, won)), 2, [])
    until = Until(WIDTH, 0.1, expected) if expected else None
    return replace(played, deals=DealSums(populations_of(rows)), until=until)


def score_of(won: Sequence[float], expected: float | None = None) -> Estimate:
    """The score of a bot that won so many of two games against another one, deal by deal."""
    return scores(met({(0, 1): won}, expected))[0]
