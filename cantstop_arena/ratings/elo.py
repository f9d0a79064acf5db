"""From results to ratings: what the fitted model and its errors say in Elo points.

The model and its fit are in `luce`, the errors in `errors`, groups of equals in `groups`. Elo is
given relative to the mean of each field, which has 1500 points, or to the field's anchor.
"""

from dataclasses import replace

import numpy as np

from cantstop_arena.outcomes import Results
from cantstop_arena.ratings.connections import Truths
from cantstop_arena.ratings.distributions import student_tail
from cantstop_arena.ratings.errors import Sandwich, Spread
from cantstop_arena.ratings.evidence import Floats, Ints, gathered
from cantstop_arena.ratings.groups import SIGNIFICANT, holm, letters, ranks
from cantstop_arena.ratings.labels import Label
from cantstop_arena.ratings.luce import ELO, Luce, maximum
from cantstop_arena.ratings.rating import Difference, Points, Ratings, points_of

__all__ = ["Difference", "Points", "Ratings", "rate"]

MEAN_ELO = 1500.0


def rate(results: Results) -> Ratings:
    """The ratings of a tournament's bots."""
    evidence, order = gathered(results)
    model = maximum(evidence)
    sandwich = Sandwich(model, results.until.expected if results.until else None)
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
            ratings=self._bounded([points_of(elo[bot], spread, bot) for bot in range(len(elo))]),
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
        some = anchors.any(axis=1, keepdims=True)
        holds = np.where(some, anchors, self.together)
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
        return tuple(points_of(float(point), spread, row) for row, point in enumerate(points))

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
        if apart.expected is not None:
            ahead = self.strengths[:, None] - self.strengths
            chances = apart.chances(ahead)[upper]
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
            label: tuple(np.flatnonzero(bots).tolist())
            for label, bots in said.items()
            if bots.any()
        }


def _renumbered(spread: Spread, number: Ints) -> Spread:
    mesh = np.ix_(number, number)
    return replace(
        spread,
        variance=spread.variance[mesh],
        error=spread.error[mesh],
        freedom=spread.freedom[mesh],
        known=spread.known[mesh],
        still=spread.still[mesh],
    )
