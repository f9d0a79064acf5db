"""Mean payoffs a game, their errors and differences, from sums over deals.

With S what a bot got in a deal of a lineup, and G all its games, its mean is m = Σ S / G. The
difference of two bots is that of their means. Both are weighted sums over deals of lineups, with
the variance and the degrees of freedom of such sums (`deals.deal_variance`): the chance that two
bots share in a deal cancels in their difference. Intervals and p-values are those of `mean_error`.
"""

from collections.abc import Callable, Sequence
from functools import cache, cached_property
from itertools import combinations

import msgspec
import numpy as np

from cantstop_arena.deals.deal_variance import SumVariance, WeightedDeals, sum_variance
from cantstop_arena.deals.outcomes import TournamentTotals
from cantstop_arena.deals.payoff import Payoff
from cantstop_arena.deals.sampling import DealSums
from cantstop_arena.ratings.mean_error import MeanError
from cantstop_arena.ratings.model.evidence import Floats, Ints, Truths
from cantstop_arena.ratings.significance import (
    assign_groups,
    ranks,
    significant_pairs,
)

FEW_DEALS = 12  # effective deals: with fewer an interval may be too narrow
HEAVY_TAILS = 6  # a kurtosis; the normal distribution has 3


class MeanPayoffs(msgspec.Struct, frozen=True, dict=True):
    """The mean payoffs of `bots`, by number, and of seats, from `sums`: in units of the `payoff`.

    Each deal is played in so many `orders`.
    """

    sums: DealSums
    payoff: Payoff
    bots: int
    players: int
    orders: int
    expected: float | None = None

    def bot(self, number: int) -> MeanError | None:
        """The error of a bot's mean payoff; None without games."""
        return self._error(self._unit(number), self.payoff.bounds)

    def seat(self, seat: int) -> MeanError | None:
        """The error of a seat's mean payoff, whoever sat there; None without games."""
        return self._error(self._unit(self.bots + seat), self.payoff.bounds)

    def ahead(self, bot: int, rival: int) -> MeanError | None:
        """How much better the mean payoff of a bot is; None where one has no games."""
        return None if bot == rival else self.ahead_of(bot, [rival])

    def ahead_of(self, bot: int, rivals: Sequence[int]) -> MeanError | None:
        """How much better the mean payoff of a bot is than the mean of its rivals'."""
        if not rivals:
            return None
        of_rivals = sum((self._unit(rival) for rival in rivals), self._unit(bot) * 0)
        contrast = self.payoff.sign * (self._unit(bot) - of_rivals / len(rivals))
        bounds = self.payoff.bounds
        widest = None if bounds is None else (bounds[0] - bounds[1], bounds[1] - bounds[0])
        return self._error(contrast, widest)

    def deciding_deals(self, bot: int) -> int | None:
        """How many deals decide a bot's mean, if these are few, and its interval may be narrow.

        That is fewer than FEW_DEALS, with tails much heavier than the normal distribution's.
        """
        contrast = self._unit(bot)
        if not self._games[bot]:
            return None
        summed = self._summed(contrast)
        if summed.effective_deals >= min(FEW_DEALS, summed.deals / HEAVY_TAILS):
            return None
        return max(1, round(summed.effective_deals))

    def missing_deals(self, played: DealSums) -> int:
        """The deals of groups that were played, and have no payoffs."""
        return sum(
            sign * int(each.deals.sum()) * each.lineups.shape[1]
            for sign, sums in ((1, played), (-1, self.sums))
            for each in sums.populations
        )

    def groups(self, fields: Sequence[Sequence[int]]) -> tuple[str, ...]:
        """For each bot the letters of its groups, corrected for all pairs of its field (Holm)."""
        groups, count = [""] * self.bots, 0
        for order in filter(None, fields):
            different = self._different(tuple(order))
            count += assign_groups(different, list(order), groups, count)
        return tuple(groups)

    def ranks(self, order: Sequence[int]) -> tuple[tuple[int, int], ...]:
        """The best and the worst possible rank of each bot."""
        means = self.payoff.sign * self._means[: self.bots]
        return ranks(self._different(tuple(order)) & (means[:, None] > means))

    @cached_property
    def _different(self) -> Callable[[tuple[int, ...]], Truths]:
        """Which of some bots differ significantly."""
        return cache(self._significant_pairs)

    def _significant_pairs(self, order: Sequence[int]) -> Truths:
        p_values = np.ones((self.bots, self.bots))
        tested = np.zeros_like(p_values, np.bool_)
        for pair in combinations(sorted(order), 2):
            error = self.ahead(*pair)
            tested[pair], p_values[pair] = True, 1.0 if error is None else error.p_of_zero
        return significant_pairs(p_values, tested)

    def _unit(self, index: int) -> Floats:
        contrast = np.zeros(self.bots + self.players)
        contrast[index] = 1.0
        return contrast

    def _error(self, contrast: Floats, bounds: tuple[float, float] | None) -> MeanError | None:
        taken = contrast != 0
        if not self._games[taken].all():
            return None
        summed = self._summed(contrast)
        return MeanError(
            float(contrast @ self._means),
            summed.variance,
            summed.deals,
            summed.degrees_of_freedom,
            bounds,
            self.expected,
        )

    def _summed(self, contrast: Floats) -> SumVariance:
        """The variance of a contrast of means."""
        per_game = contrast / np.maximum(self._games, 1) / self.payoff.parts
        expected = self._means * self.orders * self.payoff.parts
        parts = []
        for each, parameters in zip(self.sums.populations, self._parameters, strict=True):
            rows = np.flatnonzero((per_game[parameters] != 0).any(axis=1))
            weights = per_game[parameters[rows]]
            of_deal = (weights * expected[parameters[rows]]).sum(axis=1)
            parts.append(WeightedDeals(each, rows, weights, of_deal))
        return sum_variance(parts, self.expected is None)

    @cached_property
    def _parameters(self) -> list[Ints]:
        """The bot or the seat of each number of a deal."""
        return [each.parameters(self.bots) for each in self.sums.populations]

    @cached_property
    def _games(self) -> Floats:
        """The games of each bot, then of each seat."""
        games = np.zeros(self.bots + self.players)
        for each, parameters in zip(self.sums.populations, self._parameters, strict=True):
            np.add.at(games, parameters, self.orders * each.deals[:, None])
        return games

    @cached_property
    def _means(self) -> Floats:
        totals = np.zeros(self.bots + self.players, object)
        for each, parameters in zip(self.sums.populations, self._parameters, strict=True):
            np.add.at(totals, parameters, each.totals)
        means: Floats = totals.astype(np.float64) / np.maximum(self._games, 1) / self.payoff.parts
        return means


def mean_payoffs(results: TournamentTotals) -> MeanPayoffs | None:
    """The mean payoffs of a tournament; None in a game without."""
    if results.payoffs is None or results.payoff is None:
        return None
    return MeanPayoffs(
        results.payoffs,
        results.payoff,
        len(results.bots),
        results.players,
        len(results.orders),
        results.until.expected if results.until else None,
    )
