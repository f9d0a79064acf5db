"""From results to ratings: what the fitted model and its errors say in Elo points.

The model and its fit are in `luce`, the errors in `errors`, groups of equals in `groups`. Elo is
given relative to the mean of each field, which has 1500 points, or to the field's anchor.
"""

from typing import Any

import numpy as np
from msgspec.structs import replace

from cantstop_arena.deals.outcomes import TournamentTotals
from cantstop_arena.ratings.covariance import ContrastVariance, Sandwich
from cantstop_arena.ratings.distributions import student_tail
from cantstop_arena.ratings.labels import Label
from cantstop_arena.ratings.model.connections import Truths, fields_of
from cantstop_arena.ratings.model.deal_clusters import (
    heavy_tail_degrees_of_freedom,
    intraclass_correlation,
)
from cantstop_arena.ratings.model.evidence import Floats, Ints, gather_evidence
from cantstop_arena.ratings.model.luce import ELO, Luce, maximum
from cantstop_arena.ratings.multiple_comparisons import SIGNIFICANT, assign_groups, holm, ranks
from cantstop_arena.ratings.rating import Points, Ratings, points_of

__all__ = ["Points", "Ratings", "rate"]

MEAN_ELO = 1500.0


def rate(results: TournamentTotals) -> Ratings:
    """The ratings of a tournament's bots."""
    evidence, order = gather_evidence(results)
    model = maximum(evidence)
    expected = results.until.expected if results.until else None
    sandwich = Sandwich(model, expected, intraclass_correlation(results, model, order))
    return _Rated(results, model, sandwich, order).ratings()


class _Rated:
    """A fitted model on its way to ratings, reckoned in canonical numbers as the model is."""

    def __init__(
        self, results: TournamentTotals, model: Luce, sandwich: Sandwich, order: Ints
    ) -> None:
        self.results, self.model, self.sandwich, self.order = results, model, sandwich, order
        self.names = [results.bots[bot] for bot in order]
        self.number = np.argsort(order, kind="stable")  # canonical, of the bots in their own order
        self.mesh = np.ix_(self.number, self.number)
        self.together = model.links.together
        self.strengths = model.strengths

    def ratings(self) -> Ratings:
        """All there is to tell, in the bots' own order."""
        contrast_variance = self.sandwich.of_differences(len(self.names))
        worse = self._worse(contrast_variance)
        values = self._significant_pairs(contrast_variance, worse)
        relative = self._relative()
        variance = self._heavy(self.sandwich.of_contrasts(relative), relative)
        ranges = ranks(values & (self.strengths[:, None] > self.strengths))
        rated, signs = self._points(variance), self._groups(values)
        seats, first_seat = self._seats()
        covariance = ELO**2 * relative @ self.sandwich.covariance @ relative.T
        return Ratings(
            bots=self.results.bots,
            ratings=tuple(rated[bot] for bot in self.number),
            seats=seats,
            first_seat=first_seat,
            fields=tuple(fields_of(self.together[self.mesh]).tolist()),
            at_bound=self._own(self.model.links.at_bound),
            groups=tuple(signs[bot] for bot in self.number),
            ranks=tuple(ranges[bot] for bot in self.number),
            labels=self._labels(contrast_variance, variance),
            deals=self.sandwich.deals,
            covariance=covariance[self.mesh],
            _pair_variance=_renumbered(contrast_variance, self.mesh),
            _superior=1 - worse[self.mesh],
        )

    def _own(self, which: Truths) -> tuple[int, ...]:
        """The bots' own numbers."""
        return tuple(np.flatnonzero(which[self.number]).tolist())

    def _weights(self) -> Floats:
        """For each bot the weights of those that its Elo is relative to: a field's mean, or anchor.

        Several anchors of one field hold their mean.
        """
        anchored = np.array([bot in self.results.anchor for bot in self.names], np.bool_)
        anchors: Truths = self.together & anchored
        some = anchors.any(axis=1, keepdims=True)
        holds = np.where(some, anchors, self.together)
        weights: Floats = holds / holds.sum(axis=1, keepdims=True)
        return weights

    def _relative(self) -> Floats:
        """The contrasts of parameters that the Elo of the bots are."""
        bots = len(self.names)
        contrasts = np.zeros((bots, bots + self.model.evidence.seats))
        contrasts[:, :bots] = np.eye(bots) - self._weights()
        return contrasts

    def _points(self, variance: ContrastVariance) -> list[Points]:
        """The Elo, without the ends that no game bounds."""
        holds = np.array([self.results.anchor.get(bot, MEAN_ELO) for bot in self.names])
        zero = self._weights() @ (holds - ELO * self.strengths)
        links = self.model.links
        rated = []
        for bot, points in enumerate((zero + ELO * self.strengths).tolist()):
            result = points_of(points, variance, bot)
            low = None if links.open_below[bot] else result.low
            high = None if links.open_above[bot] else result.high
            rated.append(Points(points, result.error, low, high))
        return rated

    def _seats(self) -> tuple[tuple[Points, ...], Points | None]:
        """The seats' effects relative to their mean, and the first's to the mean of the others."""
        seats, bots = self.model.evidence.seats, len(self.names)
        if seats < 2 or not self.model.seats_separable:
            unknown = Points(0.0, None, None, None)
            return (unknown,) * seats, unknown if seats > 1 else None
        weights = np.full((seats + 1, seats), -1 / (seats - 1))
        weights[:seats] = np.eye(seats) - 1 / seats
        weights[seats, 0] = 1
        contrasts = np.concatenate([np.zeros((seats + 1, bots)), weights], axis=1)
        contrast_variance = self._heavy(self.sandwich.of_contrasts(contrasts), contrasts)
        points = (ELO * weights @ self.model.seats).tolist()
        *effects, first = (
            points_of(point, contrast_variance, row) for row, point in enumerate(points)
        )
        return tuple(effects), first

    def _heavy(self, variance: ContrastVariance, contrasts: Floats) -> ContrastVariance:
        """With no more degrees of freedom than deals of such weight leave."""
        if self.sandwich.expected is not None:
            return variance
        deals = self.sandwich.deals
        limit = heavy_tail_degrees_of_freedom(
            self.results, self.model, self.order, deals, contrasts
        )
        return replace(
            variance,
            degrees_of_freedom=np.minimum(variance.degrees_of_freedom, np.maximum(limit, 1.0)),
        )

    def _worse(self, isolated: ContrastVariance) -> Floats:
        """The probability that the row's bot is worse than the column's; a half if unknown."""
        upper = np.triu_indices(len(self.names), 1)
        ahead = (self.strengths[:, None] - self.strengths)[upper]
        error, dof = isolated.error[upper], np.maximum(isolated.degrees_of_freedom[upper], 1.0)
        sure = isolated.names[upper] & (error > 0)
        deviate = np.divide(ahead, error, out=np.zeros_like(ahead), where=sure)
        tails = student_tail(np.abs(deviate), dof)
        worse = np.full(isolated.error.shape, 0.5)
        worse[upper] = np.where(deviate >= 0, tails, 1 - tails)
        worse.T[upper] = np.where(deviate >= 0, 1 - tails, tails)
        return worse

    def _significant_pairs(self, isolated: ContrastVariance, worse: Floats) -> Truths:
        """Which pairs differ significantly, corrected for all pairs that can be compared."""
        upper = np.triu(self.together, 1) & isolated.names
        chances = 2 * np.minimum(worse, worse.T)[upper]
        if isolated.expected is not None:  # one looked while games went on
            chances = isolated.chances(self.strengths[:, None] - self.strengths)[upper]
        values = np.zeros(upper.shape, np.bool_)
        values[upper] = holm(chances) < SIGNIFICANT
        return values | values.T

    def _groups(self, values: Truths) -> list[str]:
        """Letters of each field by itself, so that one does not stand for another's equals."""
        signs = [""] * len(values)
        ranked = np.argsort(-self.strengths, kind="stable")
        number = 0
        for field in sorted({*fields_of(self.together).tolist()}):
            order = [int(bot) for bot in ranked if self.together[bot, field]]
            number += assign_groups(values, order, signs, number)
        return signs

    def _labels(
        self, isolated: ContrastVariance, variance: ContrastVariance
    ) -> dict[Label, tuple[int, ...]]:
        model, alone = self.model, self.model.evidence.seats == 1
        everyone = np.ones(len(self.names), np.bool_)
        played = np.zeros(len(self.names), np.bool_)
        played[model.evidence.lineups.ravel()] = True
        many = len({*fields_of(self.together)[played].tolist()}) > 1
        constant: Truths = (isolated.constant & self.together).sum(axis=1) > 0
        data = {
            Label.ALONE: everyone & alone,
            Label.NO_GAMES: ~played & (not alone),
            Label.FEW_DEALS: played & ~variance.names & (not alone),
            Label.FIELDS: played & many & (not alone),
            Label.ONE_SIDED: model.links.at_bound,
            Label.SEATS_ONE_SIDED: everyone & model.seats_at_bound,
            Label.SEATS_UNKNOWN: everyone & (not model.seats_separable) & (not alone),
            Label.SAME_DEALS: constant,
        }
        return {label: self._own(which) for label, which in data.items() if which.any()}


def _renumbered(variance: ContrastVariance, mesh: Any) -> ContrastVariance:
    return replace(
        variance,
        variance=variance.variance[mesh],
        error=variance.error[mesh],
        degrees_of_freedom=variance.degrees_of_freedom[mesh],
        names=variance.names[mesh],
        constant=variance.constant[mesh],
    )
