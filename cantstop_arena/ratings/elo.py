"""The ratings of a tournament, Elo with errors: the fitted model and its errors in Elo points.

The probability that one bot is better than another, the likelihood of superiority of tournament
tables, is that of Student's t below difference / error: the posterior under an even prior.

The model and its fit are in `model.luce`, the errors in `covariance`, the groups of bots that are
not significantly different in `significance`.

Elo is relative to the even score of each field, which has 1500 points, or to the field's anchor.

The reference of Elo in a field: the strength of a player that would score half against it.

The even score of strengths b is the strength m of a player that would score half against the field,
meeting each bot once: with pᵢ = logistic(bᵢ - m), the root of Σ pᵢ = n / 2. It moves with them as

    ∂m/∂bⱼ = pⱼ (1 - pⱼ) / Σ pᵢ (1 - pᵢ),

so that the errors of Elo are exact to first order. For equal bots, and for two bots, m is the mean;
bots that are far from the others hardly move it, and their errors hardly enter the others' Elo.

The ratings of two bots at tables of two: their Elo is that of the score.

With a single pair of bots no effect of the seat is fitted, since each bot takes each seat equally
often. The difference is 400 log10(s / (1 - s)), with s the score of the first, and its ends are
those of the score's interval, so that all outputs of a match agree with its score. That is also
the scale of a sequential test's hypotheses. Half of the difference goes to each bot. Where one of
the two won everything, the difference is the model's with its virtual games.

In larger fields the model has an effect of the first seat, which makes odds larger: there the same
pair may read some points more.
"""

from collections.abc import Mapping
from functools import cached_property
from math import log10
from typing import Any

import msgspec
import numpy as np
from msgspec.structs import replace

from cantstop_arena.deals.outcomes import TournamentTotals
from cantstop_arena.ratings.covariance import ContrastVariance, Sandwich
from cantstop_arena.ratings.estimate import ShareError
from cantstop_arena.ratings.labels import Label
from cantstop_arena.ratings.model.evidence import Floats, Ints, Truths, fields_of, gather_evidence
from cantstop_arena.ratings.model.luce import ELO, Luce, fit
from cantstop_arena.ratings.scores import score_error, seat_score_error
from cantstop_arena.ratings.significance import (
    SIGNIFICANT,
    assign_groups,
    ranks,
    significant_pairs,
    student_tail,
)


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
    points. `pair` is how far the first of two bots is ahead of the second, where that is the Elo of
    the score (`with_elo_of_score`).
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
    return _scaled(points, -1)


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


def rate(results: TournamentTotals) -> Ratings:
    """The ratings of a tournament's bots."""
    evidence, order = gather_evidence(results)
    model = fit(evidence)
    expected = results.until.expected if results.until else None
    sandwich = Sandwich(model, expected)
    ratings = _RatingBuilder(results, model, sandwich, order).ratings()
    return with_elo_of_score(results, ratings)


class _RatingBuilder:
    """Turns a fitted model into ratings; arrays are in the model's canonical order of the bots."""

    def __init__(
        self, results: TournamentTotals, model: Luce, sandwich: Sandwich, order: Ints
    ) -> None:
        self.results, self.model, self.sandwich, self.order = results, model, sandwich, order
        self.names = [results.bots[bot] for bot in order]
        self.canonical = np.argsort(order, kind="stable")  # by bot number
        self.mesh = np.ix_(self.canonical, self.canonical)
        self.together = model.links.together
        self.strengths = model.strengths

    def ratings(self) -> Ratings:
        """The ratings, by bot number."""
        pair_variance = self.sandwich.of_differences(len(self.names))
        worse = self._inferiority(pair_variance)
        different = self._significant_pairs(pair_variance, worse)
        contrasts = self._elo_contrasts()
        elo_variance = self.sandwich.of_contrasts(contrasts)
        ranges = ranks(different & (self.strengths[:, None] > self.strengths))
        points, groups = self._points(elo_variance), self._groups(different)
        seats, first_seat = self._seats()
        covariance = ELO**2 * contrasts @ self.sandwich.covariance @ contrasts.T
        return Ratings(
            bots=self.results.bots,
            ratings=tuple(points[bot] for bot in self.canonical),
            seats=seats,
            first_seat=first_seat,
            fields=tuple(fields_of(self.together[self.mesh]).tolist()),
            at_bound=self._bot_numbers(self.model.links.at_bound),
            groups=tuple(groups[bot] for bot in self.canonical),
            ranks=tuple(ranges[bot] for bot in self.canonical),
            labels=self._labels(pair_variance, elo_variance),
            deals=self.sandwich.deals,
            covariance=covariance[self.mesh],
            _pair_variance=_renumbered(pair_variance, self.mesh),
            _lead_variance=self._lead_variance(),
            _superior=1 - worse[self.mesh],
        )

    def _bot_numbers(self, mask: Truths) -> tuple[int, ...]:
        """The numbers of the bots that a mask in canonical order selects."""
        return tuple(np.flatnonzero(mask[self.canonical]).tolist())

    @cached_property
    def _references(self) -> tuple[Floats, Floats]:
        """The strength to which each bot's Elo is relative, and its derivatives: bots by bots.

        That is the even score of its field, or the mean of the field's anchors.
        """
        bots = len(self.names)
        anchored = np.array([bot in self.results.anchor for bot in self.names], np.bool_)
        references, derivatives = np.zeros(bots), np.zeros((bots, bots))
        for first in {*fields_of(self.together).tolist()}:
            field = self.together[first]
            anchors = field & anchored
            if anchors.any():
                derivatives[np.ix_(field, anchors)] = 1 / np.count_nonzero(anchors)
                references[field] = self.strengths[anchors].mean()
            else:
                references[field], row = even_score(self.strengths[field])
                derivatives[np.ix_(field, field)] = row
        return references, derivatives

    def _elo_contrasts(self) -> Floats:
        """The contrasts of parameters that are the bots' Elo: bots by parameters."""
        bots = len(self.names)
        contrasts = np.zeros((bots, bots + self.model.evidence.seats))
        contrasts[:, :bots] = np.eye(bots) - self._references[1]
        return contrasts

    def _points(self, variance: ContrastVariance) -> list[Points]:
        """The bots' Elo with intervals; an end that the games do not bound is None."""
        references, derivatives = self._references
        fixed_elo = np.array([self.results.anchor.get(bot, EVEN_ELO) for bot in self.names])
        offset = derivatives @ fixed_elo - ELO * references
        links = self.model.links
        ratings = []
        for bot, points in enumerate((offset + ELO * self.strengths).tolist()):
            bot_points = points_of(points, variance, bot)
            low = None if links.open_below[bot] else bot_points.low
            high = None if links.open_above[bot] else bot_points.high
            ratings.append(Points(points, bot_points.error, low, high))
        return ratings

    def _lead_variance(self) -> ContrastVariance:
        """The variance of each bot's lead over the mean of the others of its field."""
        bots = len(self.names)
        others = self.together & ~np.eye(bots, dtype=np.bool_)
        weights = np.eye(bots) - others / np.maximum(others.sum(axis=1, keepdims=True), 1)
        contrasts = np.concatenate([weights, np.zeros((bots, self.model.evidence.seats))], axis=1)
        return _renumbered(self.sandwich.of_contrasts(contrasts), self.canonical)

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
        seat_variance = self.sandwich.of_contrasts(contrasts)
        points = (ELO * weights @ self.model.seats).tolist()
        *effects, first = (points_of(point, seat_variance, row) for row, point in enumerate(points))
        return tuple(effects), first

    def _inferiority(self, pair_variance: ContrastVariance) -> Floats:
        """The probability that the row's bot is worse than the column's; 0.5 if unknown."""
        upper = np.triu_indices(len(self.names), 1)
        differences = (self.strengths[:, None] - self.strengths)[upper]
        error = pair_variance.error[upper]
        low, high = (of_end[upper] for of_end in pair_variance.degrees_of_freedom)
        dof = np.maximum(np.where(differences > 0, low, high), 1.0)
        estimable = pair_variance.estimable[upper] & (error > 0)
        deviates = np.divide(differences, error, out=np.zeros_like(differences), where=estimable)
        tails = student_tail(np.abs(deviates), dof)
        worse = np.full(pair_variance.error.shape, 0.5)
        worse[upper] = np.where(deviates >= 0, tails, 1 - tails)
        worse.T[upper] = np.where(deviates >= 0, 1 - tails, tails)
        return worse

    def _significant_pairs(self, pair_variance: ContrastVariance, worse: Floats) -> Truths:
        """Which pairs differ significantly, corrected for all pairs that can be compared."""
        tested = np.triu(self.together, 1) & pair_variance.estimable
        p_values = 2 * np.minimum(worse, worse.T)
        if pair_variance.expected is not None:  # results were looked at while games went on
            p_values = pair_variance.p_values(self.strengths[:, None] - self.strengths)
        return significant_pairs(p_values, tested)

    def _groups(self, different: Truths) -> list[str]:
        """The bots' group letters; no letter is used in two fields."""
        groups = [""] * len(different)
        ranked = np.argsort(-self.strengths, kind="stable")
        group_count = 0
        for field in sorted({*fields_of(self.together).tolist()}):
            order = [int(bot) for bot in ranked if self.together[bot, field]]
            group_count += assign_groups(different, order, groups, group_count)
        return groups

    def _labels(
        self, pair_variance: ContrastVariance, variance: ContrastVariance
    ) -> dict[Label, tuple[int, ...]]:
        model, is_solo = self.model, self.model.evidence.seats == 1
        everyone = np.ones(len(self.names), np.bool_)
        played = np.zeros(len(self.names), np.bool_)
        played[model.evidence.lineups.ravel()] = True
        several_fields = len({*fields_of(self.together)[played].tolist()}) > 1
        constant: Truths = (pair_variance.constant & self.together).sum(axis=1) > 0
        masks = {
            Label.ALONE: everyone & is_solo,
            Label.NO_GAMES: ~played & (not is_solo),
            Label.FEW_DEALS: played & ~variance.estimable & (not is_solo),
            Label.FIELDS: played & several_fields & (not is_solo),
            Label.ONE_SIDED: model.links.at_bound,
            Label.SEATS_ONE_SIDED: everyone & model.seats_at_bound,
            Label.SEATS_UNKNOWN: everyone & (not model.seats_separable) & (not is_solo),
            Label.SAME_DEALS: constant,
        }
        return {label: self._bot_numbers(mask) for label, mask in masks.items() if mask.any()}


def _renumbered(variance: ContrastVariance, mesh: Any) -> ContrastVariance:
    return replace(
        variance,
        variance=variance.variance[mesh],
        error=variance.error[mesh],
        degrees_of_freedom=np.stack([of_end[mesh] for of_end in variance.degrees_of_freedom]),
        estimable=variance.estimable[mesh],
        constant=variance.constant[mesh],
    )


_BISECTIONS = 200  # of a bracket: to rounding, or to less than 1e-50 near 0


def even_score(strengths: Floats) -> tuple[Floats, Floats]:
    """The strength of a player that would score half against these, and its derivatives.

    Several fields of equal size can be given as rows.
    """
    low, high = strengths.min(axis=-1), strengths.max(axis=-1)
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        between = (low < middle) & (middle < high)
        if not between.any():
            break
        is_below = np.tanh((strengths - middle[..., None]) / 2).sum(axis=-1) > 0
        low = np.where(between & is_below, middle, low)
        high = np.where(between & ~is_below, middle, high)
    even = (low + high) / 2
    slopes = 1 / np.cosh((strengths - even[..., None]) / 2) ** 2
    return even, slopes / slopes.sum(axis=-1, keepdims=True)


_FITTED = (Label.SEATS_ONE_SIDED, Label.SEATS_UNKNOWN)  # labels of effects that are not fitted


def with_elo_of_score(results: TournamentTotals, ratings: Ratings) -> Ratings:
    """The ratings of two bots that met, with the Elo of their score.

    Where other bots or seats are rated they stay as they are.
    """
    if len(results.bots) != 2 or results.players != 2:
        return ratings
    score = score_error(results, 0)
    if score is None:
        return ratings
    ahead, p_value = _difference(score, ratings.lead_over_others(0)), score.p_of_even
    superior = 1 - p_value / 2 if ahead.points >= 0 else p_value / 2
    is_significant, leader = p_value < SIGNIFICANT, 0 if ahead.points >= 0 else 1
    order = (1, 2) if leader == 0 else (2, 1)
    fitted_seat, seat_error = ratings.first_seat, seat_score_error(results, 0)
    first_seat = _difference(seat_error, fitted_seat) if seat_error and fitted_seat else None
    shares = _shares_of_difference(results)
    labels = {label: of for label, of in ratings.labels.items() if label not in _FITTED}
    return replace(
        ratings,
        ratings=tuple(_moved(_scaled(ahead, share), _reference(results)) for share in shares),
        seats=tuple(_scaled(first_seat or NO_DIFFERENCE, share) for share in (0.5, -0.5)),
        first_seat=first_seat,
        groups=tuple("ab"[rank - 1] if is_significant else "a" for rank in order),
        ranks=tuple((rank, rank) if is_significant else (1, 2) for rank in order),
        labels=labels,
        covariance=(ahead.error or 0.0) ** 2 * np.outer(shares, shares),
        pair=ahead,
        _superior=np.array([[0.5, superior], [1 - superior, 0.5]]),
    )


def elo_of_share(share: float) -> float | None:
    """The Elo difference with an expected score of `share`; None at 0 and 1."""
    return 400 * log10(share / (1 - share)) if 0 < share < 1 else None


def _difference(score: ShareError, fitted: Points) -> Points:
    """The Elo difference of a score, at 0 and 1 the fitted one; its ends are the interval's."""
    low, high = map(elo_of_share, score.interval)
    points = elo_of_share(score.share)
    if points is None:
        return Points(fitted.points, None if low is high is None else fitted.error, low, high)
    slope = ELO / (score.share * (1 - score.share))
    return Points(points, None if low is high is None else slope * score.standard_error, low, high)


def _shares_of_difference(results: TournamentTotals) -> tuple[float, float]:
    """What of the difference each bot has: half of it, or all as the rival of an anchor."""
    first, second = (bot in results.anchor for bot in results.bots)
    return (0.5, -0.5) if first == second else (float(second), -float(first))


def _reference(results: TournamentTotals) -> float:
    """The Elo from which the two differ: 1500, or that of the anchors."""
    anchors = [results.anchor[bot] for bot in results.bots if bot in results.anchor]
    return sum(anchors) / len(anchors) if anchors else EVEN_ELO


def _scaled(points: Points, share: float) -> Points:
    """Points times a share; if it is negative the ends change sides."""
    if share == 0:
        return NO_DIFFERENCE
    low, high = (None if end is None else end * share for end in (points.low, points.high))
    error = None if points.error is None else points.error * abs(share)
    return Points(points.points * share, error, *((low, high) if share > 0 else (high, low)))


def _moved(points: Points, by: float) -> Points:
    low, high = (None if end is None else end + by for end in (points.low, points.high))
    return Points(points.points + by, points.error, low, high)
