"""Mean payoffs a game, their errors and differences, from sums over deals.

With S what a bot got in a deal of a lineup, and G all its games, its mean is m = Σ S / G. The
difference of two bots is that of their means. Both are weighted sums over deals of lineups, with
the variance and the degrees of freedom of such sums (`deals.deal_variance`): the chance that two
bots share in a deal cancels in their difference. Quantiles are Student's.

Where a bot's payoff is the same in all deals, others are, with 95% confidence, a share of less than
π = 1 - 0.05^(1/D) of all: with known bounds the interval is from (1 - π) m + π low to
(1 - π) m + π high, and without bounds there is none.

Where results are looked at while games go on, the interval is a confidence sequence, and with known
bounds its variance is never less than that of a share of deals that may not have been observed yet.
"""

from collections.abc import Callable, Sequence
from functools import cache, cached_property
from math import isfinite, sqrt

import msgspec
import numpy as np

from cantstop_arena.deals.deal_variance import SumVariance, WeightedDeals, sum_variance
from cantstop_arena.deals.outcomes import TournamentTotals
from cantstop_arena.deals.payoff import Payoff
from cantstop_arena.deals.sampling import DealSums
from cantstop_arena.ratings.estimate import Estimate
from cantstop_arena.ratings.model.evidence import Floats, Ints, Truths
from cantstop_arena.ratings.sequential.confidence import (
    FIRST_LOOK,
    min_variance,
    multiplier,
    p_value,
)
from cantstop_arena.ratings.significance import (
    SIGNIFICANT,
    assign_groups,
    holm,
    ranks,
    student_quantile,
    student_tail,
)

ALPHA = 0.05
FEW_DEALS = 12  # effective deals: with fewer an interval may be too narrow
HEAVY_TAILS = 6  # a kurtosis; the normal distribution has 3
_ROUNDING = 1e-12
_MAX_DEALS = 1000  # of equal differences: with many more, 2^(1 - n) would underflow


class PayoffError(msgspec.Struct, frozen=True):
    """The error of a mean payoff, or of a difference of two, in some deals.

    Payoffs are within `bounds`, if these are known. With `expected` deals the interval is a
    confidence sequence for them.
    """

    mean: float
    summed: SumVariance
    bounds: tuple[float, float] | None
    expected: float | None = None

    @property
    def deals(self) -> int:
        """The deals in which it was paid."""
        return self.summed.deals

    @property
    def is_unknown(self) -> bool:
        """Whether there are too few deals."""
        return self.deals < (2 if self.expected is None else FIRST_LOOK)

    @property
    def standard_error(self) -> float:
        """The standard error; 0 where all deals are equal."""
        variance = self.summed.variance
        if self.expected is not None and self.bounds is not None and not self.is_unknown:
            distance = max(self.bounds[1] - self.mean, self.mean - self.bounds[0])
            minimum = min_variance(distance, self.deals, self.expected) / max(self.deals - 1, 1)
            variance = max(variance, minimum)
        return sqrt(variance)

    @property
    def interval(self) -> tuple[float | None, float | None]:
        """The ends of the 95% interval; None where nothing bounds it."""
        if self.is_unknown:
            return None, None
        if error := self.standard_error:
            low, high = self._quantiles
            return self.mean - low * error, self.mean + high * error
        if self.bounds is None:
            return None, None
        rare = 1 - ALPHA ** (1 / self.deals)
        low, high = ((1 - rare) * self.mean + rare * bound for bound in self.bounds)
        return low, high

    @property
    def _quantiles(self) -> tuple[float, float]:
        """Those of the lower and of the upper end."""
        if self.expected is not None:
            return (multiplier(self.deals, self.expected),) * 2
        low, high = map(student_quantile, self.summed.degrees_of_freedom)
        return low, high

    @property
    def p_of_zero(self) -> float:
        """The p-value of a mean of 0, where the interval has the same quantile."""
        if self.is_unknown or self.mean == 0:
            return 1.0
        if error := self.standard_error:
            deviate = abs(self.mean) / error
            if self.expected is not None:
                return p_value(deviate, self.deals, self.expected)
            dof = np.array([self.summed.degrees_of_freedom.towards(-self.mean)])
            return min(1.0, float(2 * student_tail(np.array([deviate]), dof)[0]))
        if self.bounds is None:  # the sign test
            return float(2.0 ** max(1 - self.deals, -_MAX_DEALS))
        across = abs(self.bounds[0 if self.mean > 0 else 1])  # what others would have to pay
        return float((across / (across + abs(self.mean))) ** self.deals)

    @property
    def superiority(self) -> float:
        """The probability that the mean is above 0, under an even prior."""
        if self.is_unknown or self.mean == 0:
            return 0.5
        if not (error := self.standard_error):
            return float(self.mean > 0)
        deviate = abs(self.mean) / error
        dof = np.array([self.summed.degrees_of_freedom.towards(-self.mean)])
        tail = float(student_tail(np.array([deviate]), dof)[0])
        return 1 - tail if self.mean > 0 else tail

    @property
    def estimate(self) -> Estimate:
        """The mean with its interval."""
        low, high = (None if end is None or not isfinite(end) else end for end in self.interval)
        return Estimate(self.mean, low, high)


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

    def bot(self, number: int) -> PayoffError | None:
        """The error of a bot's mean payoff; None without games."""
        return self._error(self._unit(number), self.payoff.bounds)

    def seat(self, seat: int) -> PayoffError | None:
        """The error of a seat's mean payoff, whoever sat there; None without games."""
        return self._error(self._unit(self.bots + seat), self.payoff.bounds)

    def ahead(self, bot: int, rival: int) -> PayoffError | None:
        """How much better the mean payoff of a bot is; None where one has no games."""
        return None if bot == rival else self.ahead_of(bot, [rival])

    def ahead_of(self, bot: int, rivals: Sequence[int]) -> PayoffError | None:
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
        error = self.bot(bot)
        if error is None:
            return None
        effective = error.summed.effective_deals
        if effective >= min(FEW_DEALS, error.deals / HEAVY_TAILS):
            return None
        return max(1, round(effective))

    def missing_deals(self, played: DealSums) -> int:
        """The deals of groups that were played, and have no payoffs."""
        return sum(
            sign * int(each.deals.sum()) * each.lineups.shape[1]
            for sign, sums in ((1, played), (-1, self.sums))
            for each in sums.populations
        )

    def groups(self, order: Sequence[int]) -> tuple[str, ...]:
        """For each bot the letters of its groups, corrected for all pairs (Holm)."""
        groups = [""] * self.bots
        if order:
            assign_groups(self._different(tuple(order)), list(order), groups)
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
        different = np.zeros((self.bots, self.bots), np.bool_)
        pairs = [(bot, rival) for i, bot in enumerate(order) for rival in order[i + 1 :]]
        errors = [self.ahead(*pair) for pair in pairs]
        p_values = np.array([1.0 if error is None else error.p_of_zero for error in errors])
        for pair, is_different in zip(pairs, holm(p_values) <= SIGNIFICANT, strict=True):
            different[pair] = different[pair[::-1]] = is_different
        return different

    def _unit(self, index: int) -> Floats:
        contrast = np.zeros(self.bots + self.players)
        contrast[index] = 1.0
        return contrast

    def _error(self, contrast: Floats, bounds: tuple[float, float] | None) -> PayoffError | None:
        taken = contrast != 0
        if not self._games[taken].all():
            return None
        per_game = contrast / np.maximum(self._games, 1) / self.payoff.parts
        expected = self._means * self.orders * self.payoff.parts
        parts = []
        for each, parameters in zip(self.sums.populations, self._parameters, strict=True):
            rows = np.flatnonzero((per_game[parameters] != 0).any(axis=1))
            weights = per_game[parameters[rows]]
            of_deal = (weights * expected[parameters[rows]]).sum(axis=1)
            parts.append(WeightedDeals(each, rows, weights, of_deal))
        summed = sum_variance(parts, self.expected is None)
        return PayoffError(float(contrast @ self._means), summed, bounds, self.expected)

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
