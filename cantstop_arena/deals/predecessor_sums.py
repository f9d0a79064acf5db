"""Effects of the predecessor at the table: what bots count right after each other bot.

Where a game names the count (`Counts.followed`), it is stored for every deal and every two
positions of the group. What a bot counts after another, and how much more the bots after it count,
are weighted sums over deals, with the errors of such sums (`deal_variance`).
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from math import sqrt
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from cantstop_arena.deals.deal_variance import WeightedDeals, sum_variance
from cantstop_arena.deals.outcomes import Span
from cantstop_arena.deals.sampling import (
    Families,
    Floats,
    Ints,
    Populations,
    StoredBlock,
    gather_rows,
)
from cantstop_arena.deals.seatings import Group, pairs_of_positions

Blocks = Iterable[tuple[Group, int, NDArray[Any]]]
"""Blocks of deals: the group, the first deal, and a row for each deal (`stored_measures`)."""


class MeanCount(NamedTuple):
    """A mean count a game with its standard error, and the error's degrees of freedom.

    With fewer than two deals there is no error.
    """

    mean: float
    error: float | None
    degrees_of_freedom: float


class Predecessors(msgspec.Struct, frozen=True):
    """What bots count after others, by deal: `populations` of matrices of positions.

    What the row's bot counted right after the column's is a sum over `games` of each two.
    """

    populations: tuple[Populations, ...]
    games: int

    def __add__(self, other: "Predecessors") -> "Predecessors":
        return Predecessors(self.populations + other.populations, self.games)

    def after(self, bot: int, predecessor: int) -> MeanCount | None:
        """What a bot counts per game right after another one; None if it never sat there."""

        def weights(lineups: Ints) -> Floats:
            is_cell: Floats = (
                (lineups == bot)[..., None] * 1.0 * (lineups == predecessor)[..., None, :]
            )
            return is_cell

        return self._mean(weights, self.games, {bot, predecessor})

    def effect(self, bot: int) -> MeanCount | None:
        """How much more per game those right after a bot count than with it elsewhere at the table,
        among the same bots: the sum over the others of what each counts after it, times the number
        of the remaining ones, less what it counts after those.
        """
        players = self._players

        def weights(lineups: Ints) -> Floats:
            is_bot = lineups == bot
            right_after = (players - 1.0) * is_bot[..., None, :] - ~is_bot[..., None]
            of_lineup: Floats = np.where(is_bot.any(axis=-1)[..., None, None], right_after, 0.0)
            return of_lineup

        return self._mean(weights, self.games * (players - 1) * (players - 2), {bot})

    @property
    def _players(self) -> int:
        return next((each.lineups.shape[2] for each in self.populations), 0)

    def _mean(
        self, weights_in: Callable[[Ints], Floats], games: int, bots: set[int]
    ) -> MeanCount | None:
        """The mean of a weighted sum over the lineups in which these bots sit."""
        parts, total, count = list[WeightedDeals](), 0.0, 0
        for each in self.populations:
            seated = [(each.lineups == bot).any(axis=2) for bot in bots]
            together = np.logical_and.reduce(seated)
            rows = np.flatnonzero(together.any(axis=1))
            weights = weights_in(each.lineups[rows]) * together[rows][:, :, None, None]
            weights = weights.reshape(len(rows), each.totals.shape[1])
            lineups = together[rows].sum(axis=1)
            total += float((weights * each.totals[rows]).sum())
            count += games * int(lineups @ each.deals[rows])
            parts.append(WeightedDeals(each, rows, weights, games * lineups))
        if not count:
            return None
        mean = total / count
        summed = sum_variance(part._replace(expected=mean * part.expected) for part in parts)
        error = sqrt(summed.variance) / count if summed.deals > 1 else None
        return MeanCount(mean, error, summed.degrees_of_freedom.low)


def gather_predecessors(
    players: int,
    orders: int,
    spans: Mapping[Group, Iterable[Span]],
    read: Callable[[int, int], Blocks],
    families: Families | None = None,
) -> Predecessors:
    """The sums over the deals of each group.

    `read(start, count)` returns the blocks that have some of those deals. Orders seat each
    bot right after each other one equally often. Deals in which a group's game ended by a fault are
    left out for that group.
    """

    def blocks(start: int, count: int) -> Iterator[StoredBlock]:
        for group, first, stored in read(start, count):
            order = np.argsort(group)
            matrices = _matrices(stored, players)[:, order[:, None], order]
            rows = matrices.reshape(len(stored), -1).astype(np.float64)
            rows[stored[:, 0] != orders] = np.nan
            yield tuple(sorted(group)), first, rows, rows

    populations = gather_rows(
        spans,
        blocks,
        lambda chunk: np.concatenate([rows for *_, rows in chunk]),
        players**2,
        families,
    )
    return Predecessors(populations, orders // (players - 1))


def _matrices(stored: NDArray[Any], players: int) -> Ints:
    """A matrix for each deal: what the row's position counted right after the column's."""
    matrices = np.zeros((len(stored), players, players), np.int64)
    pairs = pairs_of_positions(players)
    rows, columns = zip(*pairs, strict=True)
    matrices[:, rows, columns] = stored[:, -len(pairs) :]
    return matrices
