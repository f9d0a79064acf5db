"""The ratings of a tournament as they are told: Elo with errors, who is better than whom.

The probability that i is better than j is that of Student's number to lie below difference / error:
the posterior under an even prior, of what tournament tables call the likelihood of superiority.
"""

from collections.abc import Mapping

import msgspec

from cantstop_arena.ratings.covariance import ContrastVariance
from cantstop_arena.ratings.labels import Label
from cantstop_arena.ratings.model.evidence import Floats
from cantstop_arena.ratings.model.luce import ELO


class Points(msgspec.Struct, frozen=True):
    """A number of Elo points, its standard error and its 95% interval.

    An `error` of None: the deals do not tell. An end of None: the games set no bound there, or
    there is no error.
    """

    points: float
    error: float | None
    low: float | None
    high: float | None


SELF = Points(0.0, 0.0, 0.0, 0.0)


class RatingDifference(msgspec.Struct, frozen=True):
    """How far one bot is ahead of another, and the probability that it is the better one."""

    ahead: Points
    superiority: float


class Ratings(msgspec.Struct, frozen=True, eq=False):
    """The bots' ratings, by number.

    `fields` gives for each bot the lowest number among the bots it is connected with by games; Elo
    of different fields cannot be compared. `at_bound` are the bots whose rating the games bound on
    one side only, so that it rests on virtual games: those outside the largest set of bots that all
    won, directly or through others, against each other.

    `seats` are the seats' effects relative to their mean and `first_seat` the first seat's relative
    to the mean of the others, which is what going first is worth. `letters`: bots that share one
    cannot be told apart; `ranks`: the best and worst that each could have. `labels` say what limits
    all this. `covariance` is that of the Elo, in squared points, with no correction for few deals;
    `errors` have it.
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
    _superior: Floats

    @property
    def elo(self) -> tuple[float, ...]:
        """The Elo alone."""
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

    def met(self, number: int, other: int) -> bool:
        """Whether the two can be compared: games connect them."""
        return self.fields[number] == self.fields[other]

    def superiority(self, number: int, other: int) -> float | None:
        """The probability that one is better than the other; None if games do not connect them."""
        return float(self._superior[number, other]) if self.met(number, other) else None

    def difference(self, number: int, other: int) -> RatingDifference | None:
        """How far one is ahead of the other; None if games do not connect them."""
        if not self.met(number, other):
            return None
        points = self.elo[number] - self.elo[other]
        ahead = points_of(points, self._pair_variance, (number, other)) if number != other else SELF
        return RatingDifference(ahead, float(self._superior[number, other]))


def points_of(points: float, variance: ContrastVariance, position: int | tuple[int, int]) -> Points:
    """Points of Elo with what the spread of strengths has at that place."""
    if not variance.names[position]:
        return Points(points, None, None, None)
    error = ELO * float(variance.error[position])
    reach = ELO * variance.reach(position)
    return Points(points, error, points - reach, points + reach)
