"""The ratings of a tournament: Elo with errors, and the probabilities that one bot is better.

The probability that i is better than j, the likelihood of superiority of tournament tables, is that
of Student's t below difference / error: the posterior under an even prior.
"""

from collections.abc import Mapping

import msgspec
from msgspec.structs import replace

from cantstop_arena.ratings.covariance import ContrastVariance
from cantstop_arena.ratings.labels import Label
from cantstop_arena.ratings.model.evidence import Floats
from cantstop_arena.ratings.model.luce import ELO


class Points(msgspec.Struct, frozen=True):
    """A number of Elo points, its standard error and its 95% interval.

    `error` is None with too few deals to estimate it. `low` or `high` is None where the games set
    no bound on that side, or there is no error.
    """

    points: float
    error: float | None
    low: float | None
    high: float | None


EVEN_ELO = 1500.0
NO_DIFFERENCE = Points(0.0, 0.0, 0.0, 0.0)


class RatingDifference(msgspec.Struct, frozen=True):
    """How many points one bot is ahead of another, and the probability that it is better."""

    ahead: Points
    superiority: float


class Ratings(msgspec.Struct, frozen=True, eq=False):
    """The bots' ratings, by number.

    `fields` gives for each bot the lowest number among the bots it is connected with by games; Elo
    of different fields cannot be compared. `at_bound` are the bots whose rating the games bound on
    one side only, so that it rests on virtual games: those outside the largest set of bots that all
    won, directly or through others, against each other.

    `seats` are the seats' effects relative to their mean and `first_seat` the first seat's relative
    to the mean of the others, the first-player advantage. `groups` are letters: bots that share one
    are not significantly different. `ranks` are the best and worst possible of each. `labels` are
    the limits of the ratings, each with its bots. `covariance` is that of the Elo, in squared
    points, with no correction for few deals; `errors` include it. `pair` is how far the first of
    two bots is ahead of the second, where that is the Elo of the score (`with_elo_of_score`).
    """

    bots: tuple[str, ...]
    ratings: tuple[Points, ...]
    seats: tuple[Points, ...]
    first_seat: Points | None
    fields: tuple[int, ...]
    at_bound: tuple[int, ...]
    groups: tuple[str, ...]
    ranks: tuple[tuple[int, int], ...]
    labels: Mapping[Label, tuple[int, ...]]
    deals: int
    covariance: Floats
    _pair_variance: ContrastVariance
    _lead_variance: ContrastVariance
    _superior: Floats
    pair: Points | None = None

    @property
    def elo(self) -> tuple[float, ...]:
        """The Elo of the bots, without errors."""
        return tuple(rating.points for rating in self.ratings)

    @property
    def errors(self) -> tuple[float | None, ...]:
        """The standard errors of the Elo."""
        return tuple(rating.error for rating in self.ratings)

    @property
    def low(self) -> tuple[float | None, ...]:
        """The lower ends of the intervals."""
        return tuple(rating.low for rating in self.ratings)

    @property
    def high(self) -> tuple[float | None, ...]:
        """The upper ends of the intervals."""
        return tuple(rating.high for rating in self.ratings)

    @property
    def regularised(self) -> bool:
        """Whether virtual games were needed."""
        return Label.ONE_SIDED in self.labels or Label.SEATS_ONE_SIDED in self.labels

    def is_comparable(self, bot: int, rival: int) -> bool:
        """Whether the two can be compared: games connect them."""
        return self.fields[bot] == self.fields[rival]

    def superiority(self, bot: int, rival: int) -> float | None:
        """The probability that a bot is better than a rival; None if games do not connect them."""
        return float(self._superior[bot, rival]) if self.is_comparable(bot, rival) else None

    def difference(self, bot: int, rival: int) -> RatingDifference | None:
        """How far a bot is ahead of a rival; None if games do not connect them."""
        if not self.is_comparable(bot, rival):
            return None
        return RatingDifference(self._ahead(bot, rival), float(self._superior[bot, rival]))

    def lead_over_others(self, bot: int) -> Points:
        """How far a bot is ahead of the mean of the others that games connect it with."""
        others = [
            elo
            for number, elo in enumerate(self.elo)
            if number != bot and self.is_comparable(bot, number)
        ]
        if not others:
            return NO_DIFFERENCE
        if self.pair is not None:
            return self._ahead(bot, 1 - bot)
        lead = points_of(self.elo[bot] - sum(others) / len(others), self._lead_variance, bot)
        rating = self.ratings[bot]
        return replace(
            lead,
            low=None if rating.low is None else lead.low,
            high=None if rating.high is None else lead.high,
        )

    def _ahead(self, bot: int, rival: int) -> Points:
        if bot == rival:
            return NO_DIFFERENCE
        if self.pair is not None:
            return self.pair if bot == 0 else reversed_points(self.pair)
        if self.fields.count(self.fields[bot]) == 2:
            return _between(self.ratings[bot], self.ratings[rival])
        points = self.elo[bot] - self.elo[rival]
        return points_of(points, self._pair_variance, (bot, rival))


def reversed_points(points: Points) -> Points:
    """The same from the rival's side."""
    low, high = (None if end is None else -end for end in (points.high, points.low))
    return Points(-points.points, points.error, low, high)


def _between(first: Points, second: Points) -> Points:
    """The lead of the first of two bots that have a field of their own.

    As much as one gains, the other loses, so that their errors add up.
    """

    def difference(end: float | None, rival_end: float | None) -> float | None:
        return None if end is None or rival_end is None else end - rival_end

    error = None if first.error is None or second.error is None else first.error + second.error
    return Points(
        first.points - second.points,
        error,
        difference(first.low, second.high),
        difference(first.high, second.low),
    )


def points_of(points: float, variance: ContrastVariance, index: int | tuple[int, int]) -> Points:
    """Elo points with the error and the interval of the contrast at `index` of `variance`."""
    if not variance.estimable[index]:
        return Points(points, None, None, None)
    error = ELO * float(variance.error[index])
    below, above = variance.reach(index)
    return Points(points, error, points - ELO * below, points + ELO * above)
