"""Quantities of a game that its designer asks for, each with what every deal adds to it.

Most are quotients of sums over deals: the measures of comparisons, and some more. Deals are the
units of sampling, and the error of a quantity is that of the mean of its *influences*, by Student's
t with the degrees of freedom of clusters with heavy tails (`degrees_of_freedom`).
"""

from collections.abc import Mapping, Sequence
from itertools import combinations
from math import inf, sqrt

import msgspec
import numpy as np
from msgspec.structs import replace

from cantstop_arena.comparisons.deal_ratios import BOT, DealRatios
from cantstop_arena.comparisons.samples import RatioSample
from cantstop_arena.comparisons.statistics import Numbers, Ratio
from cantstop_arena.deals.counting import COUNT, SHARE
from cantstop_arena.deals.deal_variance import degrees_of_freedom
from cantstop_arena.extensions.design.sample_games import SampleGames
from cantstop_arena.game_api.game import Game
from cantstop_arena.ratings.estimate import Estimate
from cantstop_arena.ratings.significance import CENTRAL, student_quantile

LUCK, DRAWS, LENGTH = "luck", "drawn", "length"
_TAIL = (1 - CENTRAL) / 2
_ROUNDING = 1e-12


class Quantity(msgspec.Struct, frozen=True, eq=False):
    """A value, and the influence of each deal on it, whose mean is 0. A share is from 0 to 1."""

    value: float
    influences: Numbers
    is_share: bool = False

    @property
    def error(self) -> float:
        """The standard error; infinite with a single deal."""
        deals = len(self.influences)
        return float(self.influences.std(ddof=1)) / sqrt(deals) if deals > 1 else inf

    def interval(self, tail: float = _TAIL) -> tuple[float, float]:
        """The interval that the value leaves with this probability, on either side.

        A share that is the same in all deals is another in a share of less than 1 - tail^(1/deals)
        of all. A single deal says nothing.
        """
        deals = len(self.influences)
        if deals < 2:
            return (0.0, 1.0) if self.is_share else (-inf, inf)
        if self.error > _ROUNDING:
            away = self.influences - self.influences.mean()
            dof = degrees_of_freedom(deals, away)
            below, above = (student_quantile(of_end, tail) * self.error for of_end in dof)
        else:
            below = above = 1 - tail ** (1 / deals) if self.is_share else 0.0
        low, high = self.value - below, self.value + above
        return (max(low, 0.0), min(high, 1.0)) if self.is_share else (low, high)

    def estimate(self, tail: float = _TAIL) -> Estimate:
        """The value with its interval; without one where there is a single deal, or a count is the
        same in all."""
        if len(self.influences) < 2:
            return Estimate(self.value)
        low, high = self.interval(tail)
        return Estimate(self.value, low, high) if -inf < low < high < inf else Estimate(self.value)


def mean_of(values: Sequence[float] | Numbers, is_share: bool = False) -> Quantity:
    """The mean of numbers, one for each deal."""
    numbers = np.asarray(values, np.float64)
    return Quantity(float(numbers.mean()), numbers - numbers.mean(), is_share)


def ratio_of(ratio: Ratio, is_share: bool = False) -> Quantity | None:
    """The quotient of two sums; None where it is not defined."""
    value = ratio.value
    return None if value is None else Quantity(value, ratio.influences(value), is_share)


def kinds_of(game: Game, players: int, bots: Sequence[str]) -> Mapping[str, str]:
    """The quantities that can be asked of a game between these bots: COUNT or SHARE, by key."""
    size = game.lineup_size(players)
    measures = DealRatios(game.counts).measures_for(size, bots)
    kinds = {measure.key: measure.kind for measure in measures if not measure.key.startswith(BOT)}
    always = {LENGTH: COUNT, DRAWS: SHARE} | ({LUCK: SHARE} if min(size, len(bots)) > 1 else {})
    return {**dict.fromkeys(game.counts.names, COUNT), **kinds, **always}


def quantity_of(key: str, games: SampleGames, sample: RatioSample) -> Quantity | None:
    """A quantity of the games of one rule set; None where it is not defined for them.

    Deals that are all alike count as a single one.
    """
    quantity = _of_all_deals(key, games, sample)
    if quantity is None or not games.are_equal:
        return quantity
    return replace(quantity, influences=np.zeros(1))


def _of_all_deals(key: str, games: SampleGames, sample: RatioSample) -> Quantity | None:
    if key == LUCK:
        return luck_of(games)
    counts = games.game.counts
    played = sample.sums["games"]
    if key == DRAWS:
        several = games.shared_by_several().astype(np.float64)
        return ratio_of(Ratio(several - sample.sums["unfinished"], played), is_share=True)
    if key == LENGTH:
        return ratio_of(Ratio(sample.sums[counts.length], played))
    measure = next((each for each in DealRatios(counts).all if each.key == key), None)
    if measure is None:
        return ratio_of(Ratio(sample.sums[key], played))
    return ratio_of(sample.ratio(measure), measure.kind == SHARE)


def pair_wins(games: SampleGames) -> Mapping[tuple[int, int], tuple[Numbers, Numbers]]:
    """For every two different bots, what each has won in the games in which both sat, by deal."""
    pairs: dict[tuple[int, int], tuple[Numbers, Numbers]] = {}
    bots = len(games.bots)
    for number, group in enumerate(games.groups):
        wins = games.wins(number).astype(np.float64)
        for (index, seated), (other, rival) in combinations(enumerate(group), 2):
            bot, against = seated % bots, rival % bots
            if bot == against:
                continue
            won, lost = wins[:, index], wins[:, other]
            if bot > against:
                bot, against, won, lost = against, bot, lost, won
            before = pairs.get((bot, against), (0.0, 0.0))
            pairs[bot, against] = (before[0] + won, before[1] + lost)
    return pairs


def score_of(own: Numbers, against: Numbers) -> Quantity | None:
    """The score of a bot against another, from what both have won by deal."""
    return ratio_of(Ratio(own, own + against), is_share=True)


def luck_of(games: SampleGames) -> Quantity | None:
    """The luck in a single game: 1 less the mean over pairs of bots of (2 p - 1)^2, where p is the
    score of one against the other, less what the error of p adds. None with a single bot."""
    scores = [score for pair in pair_wins(games).values() if (score := score_of(*pair))]
    if not scores:
        return None
    value = 1 - np.mean([(2 * each.value - 1) ** 2 - 4 * each.error**2 for each in scores])
    slopes = [-4 * (2 * each.value - 1) * each.influences for each in scores]
    return Quantity(min(1.0, float(value)), np.mean(slopes, axis=0), is_share=True)
