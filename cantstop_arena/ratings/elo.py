"""The ratings of a tournament: Elo with errors, who is better than whom, and what limits it.

The model and its fit are in `luce`, the errors in `errors`, groups of equals in `groups`. Elo is
given relative to the mean of each field, which has 1500 points, or to the field's anchor.

The probability that i is better than j is that of Student's number to lie below difference / error:
the posterior under an even prior, of what tournament tables call the likelihood of superiority.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from cantstop_arena.outcomes import Results
from cantstop_arena.ratings.connections import Truths
from cantstop_arena.ratings.distributions import student, student_tail
from cantstop_arena.ratings.errors import Sandwich, Spread
from cantstop_arena.ratings.evidence import Floats, Ints, gathered
from cantstop_arena.ratings.groups import SIGNIFICANT, holm, letters, ranks
from cantstop_arena.ratings.labels import Label
from cantstop_arena.ratings.luce import ELO, Luce, maximum, tied

MEAN_ELO = 1500.0
SAME = 1e-9  # in Elo: errors that differ by less are equal


@dataclass(frozen=True, slots=True)
class Points:
    """A number of Elo points, its standard error and its 95 % interval.

    An `error` of None: the deals do not tell. An end of None: the games set no bound there, or
    there is no error.
    """

    points: float
    error: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Difference:
    """How far one bot is ahead of another, and the probability that it is the better one."""

    ahead: Points
    superiority: float


@dataclass(frozen=True, slots=True, eq=False)
class Ratings:
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
    letters: tuple[str, ...]
    ranks: tuple[tuple[int, int], ...]
    labels: Mapping[Label, tuple[int, ...]]
    deals: int
    covariance: Floats
    _apart: Spread = field(repr=False)
    _superior: Floats = field(repr=False)

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

    def met(self, one: int, other: int) -> bool:
        """Whether the two can be compared: games connect them."""
        return self.fields[one] == self.fields[other]

    def superiority(self, one: int, other: int) -> float | None:
        """The probability that one is better than the other; None if games do not connect them."""
        return float(self._superior[one, other]) if self.met(one, other) else None

    def difference(self, one: int, other: int) -> Difference | None:
        """How far one is ahead of the other; None if games do not connect them."""
        if not self.met(one, other):
            return None
        points = self.elo[one] - self.elo[other]
        ahead = _points(points, self._apart, (one, other)) if one != other else SELF
        return Difference(ahead, float(self._superior[one, other]))


SELF = Points(0.0, 0.0, 0.0, 0.0)


def rate(results: Results) -> Ratings:
    """The ratings of a tournament's bots."""
    evidence, order = gathered(results)
    model = maximum(evidence)
    sandwich = Sandwich(model)
    number = np.argsort(order, kind="stable")
    return _Rated(results, model, sandwich, number).ratings()


class _Rated:
    """A fitted model on its way to ratings: from canonical numbers to the bots' own."""

    def __init__(self, results: Results, model: Luce, sandwich: Sandwich, number: Ints) -> None:
        self.results, self.model, self.sandwich, self.number = results, model, sandwich, number
        self.together = model.links.together[np.ix_(number, number)]
        self.strengths = model.strengths[number]

    def ratings(self) -> Ratings:
        """All there is to tell."""
        apart = _renumbered(self.sandwich.of_differences(len(self.number)), self.number)
        worse = self._worse(apart)
        told = self._told_apart(apart, worse)
        better = told & (self.strengths[:, None] > self.strengths)
        relative = self._relative()
        spread = self.sandwich.of_contrasts(relative)
        elo = self._elo()
        fields = self.together.argmax(axis=1)
        return Ratings(
            bots=self.results.bots,
            ratings=self._bounded([_points(elo[bot], spread, bot) for bot in range(len(elo))]),
            seats=self._seats(),
            first_seat=self._first_seat(),
            fields=tuple(fields.tolist()),
            at_bound=tuple(np.flatnonzero(self._own(self.model.links.at_bound)).tolist()),
            letters=self._letters(told, fields),
            ranks=ranks(better),
            labels=self._labels(apart, spread),
            deals=self.sandwich.deals,
            covariance=ELO**2 * relative @ self.sandwich.covariance @ relative.T,
            _apart=apart,
            _superior=1 - worse,
        )

    def _own(self, numbers: Truths) -> Truths:
        return numbers[self.number]

    def _weights(self) -> Floats:
        """For each bot the weights of those that its Elo is relative to: a field's mean, or anchor.

        Several anchors of one field hold their mean.
        """
        anchored = np.array([bot in self.results.anchor for bot in self.results.bots], np.bool_)
        anchors: Truths = self.together & anchored
        holds = np.where(anchors.any(axis=1)[:, None], anchors, self.together)
        weights: Floats = holds / holds.sum(axis=1, keepdims=True)
        return weights

    def _relative(self) -> Floats:
        """The contrasts of parameters, in canonical numbers, that the Elo of the bots are."""
        bots = len(self.number)
        contrasts = np.zeros((bots, bots + self.model.evidence.seats))
        contrasts[:, self.number] = np.eye(bots) - self._weights()
        return contrasts

    def _elo(self) -> list[float]:
        weights = self._weights()
        holds = np.array([self.results.anchor.get(bot, MEAN_ELO) for bot in self.results.bots])
        zero = weights @ (holds - ELO * self.strengths)
        elo: list[float] = (zero + ELO * self.strengths).tolist()
        return elo

    def _bounded(self, ratings: list[Points]) -> tuple[Points, ...]:
        """Ratings without the ends that no game bounds."""
        links = self.model.links
        above, below = self._own(links.open_above), self._own(links.open_below)
        return tuple(
            Points(
                rating.points,
                rating.error,
                None if below[bot] else rating.low,
                None if above[bot] else rating.high,
            )
            for bot, rating in enumerate(ratings)
        )

    def _seats(self) -> tuple[Points, ...]:
        seats, bots = self.model.evidence.seats, len(self.number)
        contrasts = np.zeros((seats, bots + seats))
        contrasts[:, bots:] = np.eye(seats) - 1 / seats
        return self._effects(contrasts)

    def _first_seat(self) -> Points | None:
        seats, bots = self.model.evidence.seats, len(self.number)
        if seats < 2:
            return None
        contrasts = np.zeros((1, bots + seats))
        contrasts[:, bots:] = -1 / (seats - 1)
        contrasts[:, bots] = 1
        return self._effects(contrasts)[0]

    def _effects(self, contrasts: Floats) -> tuple[Points, ...]:
        if not self.model.seats_told:
            return (Points(0.0, None, None, None),) * len(contrasts)
        spread = self.sandwich.of_contrasts(contrasts)
        points = ELO * contrasts[:, len(self.number) :] @ self.model.seats
        return tuple(_points(float(point), spread, row) for row, point in enumerate(points))

    def _worse(self, apart: Spread) -> Floats:
        """The probability that the row's bot is worse than the column's; a half if unknown."""
        ahead = self.strengths[:, None] - self.strengths
        bots = range(len(ahead))
        upper = np.triu_indices(len(ahead), 1)
        sure = apart.known[upper] & (apart.error[upper] > 0)
        deviate = np.divide(ahead[upper], apart.error[upper], out=0 * ahead[upper], where=sure)
        tails = student_tail(np.abs(deviate), np.maximum(apart.freedom[upper], 1.0))
        worse = np.full(ahead.shape, 0.5)
        worse[upper] = np.where(deviate >= 0, tails, 1 - tails)
        worse.T[upper] = np.where(deviate >= 0, 1 - tails, tails)
        worse[bots, bots] = 0.5
        return worse

    def _told_apart(self, apart: Spread, worse: Floats) -> Truths:
        """Which pairs differ significantly, corrected for all pairs that can be compared."""
        upper = np.triu(self.together, 1) & apart.known
        chances = 2 * np.minimum(worse, worse.T)[upper]
        told = np.zeros(upper.shape, np.bool_)
        told[upper] = holm(chances) < SIGNIFICANT
        return told | told.T

    def _letters(self, told: Truths, fields: Ints) -> tuple[str, ...]:
        """Letters of each field by itself."""
        signs = [""] * len(told)
        ranked = np.argsort(-self.strengths, kind="stable")
        for number in np.unique(fields):
            order = [int(bot) for bot in ranked if fields[bot] == number]
            for bot, sign in enumerate(letters(told, order)):
                signs[bot] += sign
        return tuple(signs)

    def _labels(self, apart: Spread, spread: Spread) -> dict[Label, tuple[int, ...]]:
        model, bots = self.model, len(self.number)
        everyone = np.ones(bots, np.bool_)
        played = np.zeros(bots, np.bool_)
        played[np.unique(model.evidence.lineups)] = True
        idle = ~self._own(played)
        still = (apart.still & self.together).any(axis=1)
        many = len(np.unique(self.together.argmax(axis=1)[~idle])) > 1
        alone = model.evidence.seats == 1
        said = {
            Label.ALONE: everyone & alone,
            Label.NO_GAMES: idle & (not alone),
            Label.FEW_DEALS: ~idle & ~spread.known & (not alone),
            Label.FIELDS: ~idle & many & (not alone),
            Label.ONE_SIDED: self._own(model.links.at_bound),
            Label.SEATS_ONE_SIDED: everyone & model.seats_at_bound,
            Label.SEATS_UNKNOWN: everyone & (not model.seats_told) & (not alone),
            Label.SAME_DEALS: still,
        }
        return {
            label: tuple(np.flatnonzero(bots).tolist()) for label, bots in said.items() if bots.any()
        }


def _renumbered(spread: Spread, number: Ints) -> Spread:
    mesh = np.ix_(number, number)
    return Spread(
        spread.variance[mesh],
        spread.error[mesh],
        spread.freedom[mesh],
        spread.known[mesh],
        spread.still[mesh],
    )


def _points(points: float, spread: Spread, place: int | tuple[int, int]) -> Points:
    if not spread.known[place]:
        return Points(points, None, None, None)
    error = ELO * float(spread.error[place])
    reach = student(float(spread.freedom[place])) * error if error else 0.0
    return Points(points, error, points - reach, points + reach)
