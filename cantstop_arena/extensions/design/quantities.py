"""Quantities of a game that its designer asks for, each with what every deal adds to it.

Most are quotients of sums over deals: the measures of comparisons, and some more. Deals are the
units of sampling, and the error of a quantity is that of the mean of its *influences*
(`ratings.mean_error`).
"""

from collections.abc import Mapping, Sequence
from itertools import combinations
from math import inf

import msgspec
import numpy as np
from msgspec.structs import replace

from cantstop_arena.comparisons.deal_ratios import BOT, DealRatios
from cantstop_arena.comparisons.samples import RatioSample
from cantstop_arena.comparisons.statistics import Numbers, Ratio
from cantstop_arena.deals.counting import COUNT, SHARE
from cantstop_arena.extensions.design.sample_games import SampleGames
from cantstop_arena.game_api.game import Game
from cantstop_arena.ratings.estimate import Estimate
from cantstop_arena.ratings.mean_error import TAIL, MeanError, mean_error

LUCK, DRAWS, LENGTH = "luck", "drawn", "length"


class Quantity(msgspec.Struct, frozen=True, eq=False):
    """A value, and the influence of each deal on it, whose mean is 0. A share is from 0 to 1."""

    value: float
    influences: Numbers
    is_share: bool = False

    @property
    def error(self) -> float:
        """The standard error; infinite with a single deal."""
        return inf if len(self.influences) < 2 else self._mean_error.standard_error

    def interval(self, tail: float = TAIL) -> tuple[float, float]:
        """The interval that the value leaves with this probability, on either side.

        A single deal says nothing; a count that is the same in all deals is known.
        """
        low, high = self._mean_error.interval_at(tail)
        if low is None or high is None:
            return (0.0, 1.0) if self.is_share else (-inf, inf)
        return (max(low, 0.0), min(high, 1.0)) if self.is_share else (low, high)

    @property
    def _mean_error(self) -> MeanError:
        bounds = (0.0, 1.0) if self.is_share else (self.value, self.value)
        return mean_error(self.value, self.influences, bounds)

    def estimate(self, tail: float = TAIL) -> Estimate:
        """The value with its interval; without one where there is a single deal, or a count is the
        same in all."""
        if len(self.influences) < 2:
            return Estimate(self.value)
        low, high = self.interval(tail)
        return Estimate(self.value, low, high) if -inf < low < high < inf else Estimate(self.value)


class Luck(Quantity, frozen=True, eq=False):
    """The luck in a single game: 1 - (`depth`² - `bias`), the influences being those on the depth.

    The depth is the root of the mean over pairs of (2 p - 1)², p being the score of one against the
    other; to that their errors add the bias. Near a half the squares are skewed, the root is not.
    """

    depth: float = 0.0
    bias: float = 0.0

    @property
    def error(self) -> float:
        """The standard error; infinite with a single deal."""
        return 2 * self.depth * super().error

    def interval(self, tail: float = TAIL) -> tuple[float, float]:
        """The interval that the luck leaves with this probability, on either side."""
        shallow, deep = Quantity(self.depth, self.influences, is_share=True).interval(tail)
        low, high = 1 - deep**2 + self.bias, 1 - shallow**2 + self.bias
        return min(max(low, 0.0), self.value), min(high, 1.0)


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
        return luck_of(scores_of_pairs(games))
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


def scores_of_pairs(games: SampleGames) -> list[Quantity]:
    """The score of one against the other, of every two different bots."""
    return [score for pair in pair_wins(games).values() if (score := score_of(*pair))]


def luck_of(scores: Sequence[Quantity]) -> Quantity | None:
    """The luck in a single game, from the scores of all pairs; None with a single bot."""
    if not scores:
        return None
    leads = np.array([2 * score.value - 1 for score in scores])
    bias = float(np.mean([4 * score.error**2 for score in scores]))
    depth = float(np.sqrt(np.mean(leads**2)))
    slopes = 2 * (leads / depth if depth else np.ones_like(leads)) / len(scores)
    influences = slopes @ np.array([score.influences for score in scores])
    value = min(1.0, 1 - depth**2 + bias)
    return Luck(value, influences, is_share=True, depth=depth, bias=bias)
