"""Mean payoffs a game, their errors and differences, from sums over deals.

With S what a bot got in a deal and g its games there, its mean over D deals is m = Σ S / Σ g, and
the variance of that (Cochran 1977, 6.3)

    D / (D - 1) Σ (S - m g)² / (Σ g)²

The difference of two bots is that of their means; its variance is the same sum over the difference
of the two residuals, (S - m g) / Σ g, so that the chance that they share in a deal cancels.
Intervals and p-values are those of `mean_error`.
"""

from collections.abc import Callable, Sequence
from functools import cache, cached_property
from itertools import combinations
from typing import Any

import msgspec
import numpy as np

from cantstop_arena.deals.outcomes import TournamentTotals
from cantstop_arena.deals.payoff import Payoff
from cantstop_arena.deals.sampling import DealRange, DealSums
from cantstop_arena.ratings.covariance import (
    MANY_DEALS,
    MIN_SAMPLED,
    degrees_of_freedom,
)
from cantstop_arena.ratings.mean_error import ROUNDING, MeanError
from cantstop_arena.ratings.model.evidence import Floats, Truths
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
        effective = self._effective_deals(bot)
        deals = self._deals_of(self._unit(bot))
        if effective is None or effective >= min(FEW_DEALS, deals / HEAVY_TAILS):
            return None
        return max(1, round(effective))

    def _effective_deals(self, bot: int) -> float | None:
        """(Σ r²)² / Σ r⁴ over its deals with the residuals r, estimated from a sample of them.

        That is their number by their kurtosis; None where that is not known.
        """
        residuals = self._influence[bot]
        fourth = float((residuals**4).sum())
        if not fourth:
            return None
        share = float((residuals**2).sum()) ** 2 / fourth / len(residuals)
        return share * self._deals_of(self._unit(bot))

    def missing_deals(self, played: DealSums) -> int:
        """The deals of groups that were played, and have no payoffs."""
        return sum(
            sign * run.deals * len(run.groups)
            for sign, sums in ((1, played), (-1, self.sums))
            for run in sums.ranges
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
        deals = self._deals_of(contrast)
        variance = float(contrast @ self._covariance @ contrast)
        scale = float((contrast**2) @ np.maximum(self._covariance.diagonal(), 0.0))
        scale += float(contrast @ self._means) ** 2 * ROUNDING
        return MeanError(
            float(contrast @ self._means),
            variance if variance > ROUNDING * scale else 0.0,
            deals,
            degrees_of_freedom(deals, contrast @ self._influence),
            bounds,
            self.expected,
        )

    def _deals_of(self, contrast: Floats) -> int:
        """The deals in which any of these bots and seats played."""
        taken = contrast != 0
        return sum(
            deal_range.deals
            for deal_range in self.sums.ranges
            if self._games_a_deal(deal_range)[taken].any()
        )

    def _games_a_deal(self, deal_range: DealRange) -> Floats:
        """The games of each bot, then of each seat, in a deal."""
        counts = np.bincount(np.array(deal_range.groups).ravel(), minlength=self.bots)
        seats = np.full(self.players, len(deal_range.groups))
        games: Floats = self.orders * np.concatenate([counts, seats]).astype(np.float64)
        return games

    @cached_property
    def _games(self) -> Floats:
        """The games of each bot, then of each seat."""
        games = np.zeros(self.bots + self.players)
        for run in self.sums.ranges:
            games += run.deals * self._games_a_deal(run)
        return games

    @cached_property
    def _means(self) -> Floats:
        none = np.zeros(self.bots + self.players, object)
        totals = sum((run.totals for run in self.sums.ranges), none)
        means: Floats = totals.astype(np.float64) / np.maximum(self._games, 1) / self.payoff.parts
        return means

    @cached_property
    def _covariance(self) -> Floats:
        """Σ r rᵀ over the deals, with the residuals r = (S - m g) / Σ g in units."""
        size = self.bots + self.players
        scatter = sum((self._scatter(run) for run in self.sums.ranges), np.zeros((size, size)))
        games = np.maximum(self._games, 1)
        covariance: Floats = scatter / np.outer(games, games) / self.payoff.parts**2
        return covariance

    def _scatter(self, run: DealRange) -> Floats:
        """Σ (S - m g)(S - m g)ᵀ over a range, in parts.

        An integer near the mean is subtracted first, exactly: less is lost by rounding.
        """
        totals: Any = run.totals.astype(object)
        centre: Any = totals // run.deals
        remainder = (totals - run.deals * centre).astype(np.float64)
        outer = np.outer(centre, totals)
        centred = run.products - outer - outer.T + run.deals * np.outer(centre, centre)
        expected = self._means * self.payoff.parts * self._games_a_deal(run)
        offset = expected - centre.astype(np.float64)
        cross = np.outer(offset, remainder)
        scatter: Floats = centred.astype(np.float64) - cross - cross.T
        scatter += run.deals * np.outer(offset, offset)
        return scatter

    @cached_property
    def _influence(self) -> Floats:
        """The residuals of sampled deals: a row for each bot and seat; no deals if not sampled."""
        size = self.bots + self.players
        sample = self.sums.sample.winners
        deals = min(map(len, sample.values()), default=0)
        played = sum(run.deals for run in self.sums.ranges)
        if deals < MIN_SAMPLED or played > MANY_DEALS or self.expected is not None:
            return np.zeros((size, 0))
        paid = np.zeros((size, deals))
        for group, rows in sample.items():
            paid[[*group, *range(self.bots, size)]] += rows.T
        residuals: Floats = paid - paid.mean(axis=1, keepdims=True)
        return residuals / np.maximum(self._games, 1)[:, None]


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
