"""Optimises one to three numbers or choices by successive halving and a fitted curve.

A grid of points plays a first round; the better ones and points between them play the next, and so
on, so that most games are played near the optimum (Jamieson and Talwalkar, 2016). The result is the
peak of a curve (`fitted_curve`) that is fitted to the trials of all rounds.

The interval has the values whose fitted score is not significantly lower than the peak's. Where the
trials speak against a quadratic, which no smooth curve may follow, it also has all trials that are
not significantly worse than any other (comparisons with the best: Hsu 1984), with their neighbours.
"""

from collections.abc import Sequence
from itertools import product
from math import floor, log10

import msgspec
import numpy as np

from cantstop_arena.errors import UsageError
from cantstop_arena.ratings.estimate import wilson
from cantstop_arena.ratings.fitted_curve import fitted_curve
from cantstop_arena.ratings.sequential.sprt import equal_variance
from cantstop_arena.ratings.significance import SIGNIFICANT, student_quantile
from cantstop_arena.tuning.cma_search import Numbers, Scores

ROUNDS = 4
MAX_NUMBERS = 3
_LEVELS = {1: 15, 2: 5, 3: 3}  # levels of each number, by how many numbers there are
_GRID_LEVELS = {1: 201, 2: 41, 3: 21}  # of the grid on which the peak is searched
_CURVE_POINTS = 41  # points of a curve
_FAR = 100.0  # the distance of two choices, where a number's range is 1
_NORMAL = 1.96  # standard errors on either side of a 95% interval of a fitted score
_REACH = 2.45  # standard errors: its square is exceeded with 5% by χ² of 2 (Scheffé 1953)
_MIN_QUADRATIC = 0.25  # the probability of a quadratic below which trials are compared, too


class Range(msgspec.Struct, frozen=True):
    """The values that one number can take, from `low` to `high`; integers if `is_integer`.

    With `is_choice` the numbers are indices into a list, and their order has no meaning.
    """

    low: float
    high: float
    is_integer: bool
    is_choice: bool = False

    def levels(self, count: int) -> list[float]:
        """At most `count` evenly spaced values, with both ends; all indices for choices."""
        if self.is_choice:
            return [float(index) for index in range(int(self.high) + 1)]
        values = np.linspace(self.low, self.high, count)
        return sorted({float(value) for value in (np.round(values) if self.is_integer else values)})


class Trial(msgspec.Struct):
    """A point, the variance of a deal's score, the number of deals and the sum of their scores."""

    point: Numbers
    variance: float
    deals: int = 0
    won: float = 0.0

    @property
    def score(self) -> float:
        """The mean score of a deal, from 0 to 1."""
        return self.won / self.deals

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95% interval of the score; a deal counts as many games as between equals."""
        return wilson(self.score, self.games, student_quantile(max(1, self.deals - 1)))

    @property
    def games(self) -> float:
        """The games between equals that tell as much as the deals."""
        return self.deals / (4 * self.variance)


class Curve(msgspec.Struct, frozen=True):
    """The fitted scores along one number, all others at the optimum, with half-widths (95%)."""

    values: Numbers
    scores: Numbers
    halves: Numbers


class Optimum(msgspec.Struct, frozen=True):
    """The peak of the fitted curve, its score, and a 95% interval for each number.

    `curves` has one for each number or choice.
    """

    point: Numbers
    score: float
    low: Numbers
    high: Numbers
    trials: tuple[Trial, ...]
    curves: tuple[Curve, ...]


def search(
    scores_of: Scores,
    ranges: Sequence[Range],
    deals: int,
    variance: float = equal_variance(players=2, games=2),
    games_per_deal: int = 2,
) -> Optimum:
    """Find the best point within the ranges, in about `deals` deals.

    `variance` is that of the score of a deal between equal bots, by default of two games; messages
    count `games_per_deal`.

    Raises UsageError for too many numbers, or too few deals.
    """
    if not 1 <= len(ranges) <= MAX_NUMBERS:
        raise UsageError(f"one to {MAX_NUMBERS} numbers are tuned like this, not {len(ranges)}")
    levels = [_short_levels(domain, _LEVELS[len(ranges)]) for domain in ranges]
    trials = [Trial(np.array(point), variance) for point in product(*levels)]
    if deals < ROUNDS * len(trials):
        raise UsageError(
            f"{deals * games_per_deal:,} games are too few for {len(trials)} trials in {ROUNDS}"
            f" rounds: --games must be {ROUNDS * len(trials) * games_per_deal} or more"
        )
    return _peak(_halve(scores_of, trials, ranges, deals), ranges)


def _short_levels(domain: Range, count: int) -> list[float]:
    """The levels of a number, those between its ends rounded to a tenth of their distance."""
    levels = domain.levels(count)
    if domain.is_integer or domain.is_choice or len(levels) < 3:
        return levels
    first, *between, last = levels
    decimals = 1 - floor(log10((domain.high - domain.low) / (count - 1)))
    return [first, *(round(level, decimals) for level in between), last]


def _halve(
    scores_of: Scores, trials: Sequence[Trial], ranges: Sequence[Range], deals: int
) -> list[Trial]:
    """Play the rounds, and return all trials; those of a round play the same deals."""
    remaining, played, first = list(trials), list(trials), 0
    for number in range(1, ROUNDS + 1):
        deals_each = deals // ROUNDS // len(remaining)
        scores = scores_of([trial.point for trial in remaining], first, deals_each)
        for trial, score in zip(remaining, scores, strict=True):
            trial.won += score * deals_each
            trial.deals += deals_each
        first += deals_each
        if number < ROUNDS:
            count = max(3, (len(remaining) + 1) // 2)
            best = sorted(remaining, key=lambda trial: -trial.score)[: count // 2 + 1]
            between = _between(best, played, ranges)[:count]
            remaining = [*best, *between]
            played += between
    return played


def _between(
    best: Sequence[Trial], played: Sequence[Trial], ranges: Sequence[Range]
) -> list[Trial]:
    """Trials halfway from the best ones to the next values of each number that were tried."""
    points = {tuple(trial.point): trial for trial in played}
    for trial in best:
        for index, domain in enumerate(ranges):
            if domain.is_choice:
                continue
            own = trial.point[index]
            values = [other.point[index] for other in played]
            nearest = [
                max((value for value in values if value < own), default=own),
                min((value for value in values if value > own), default=own),
            ]
            for value in nearest:
                point = trial.point.copy()
                middle = (own + value) / 2
                point[index] = round(middle) if domain.is_integer else round(middle, 12)
                points.setdefault(tuple(point), Trial(point, trial.variance))
    return list(points.values())[len(played) :]


def _peak(trials: Sequence[Trial], ranges: Sequence[Range]) -> Optimum:
    grid = np.array(
        [*product(*(domain.levels(_grid_levels(domain, len(ranges))) for domain in ranges))]
    )
    curve = fitted_curve(
        lambda points: _design_matrix(points, ranges),
        lambda points: _positions(points, ranges),
        np.array([trial.point for trial in trials]),
        np.array([trial.score for trial in trials]),
        np.array([trial.games for trial in trials]),
    )
    logits, _ = curve.at(grid)
    best = int(np.argmax(logits))
    point = grid[best]
    candidates = grid[curve.deviates(grid, best) <= _REACH]
    if curve.quadratic < _MIN_QUADRATIC:
        candidates = np.concatenate([candidates, _not_worse(trials, ranges)])

    def curve_of(index: int) -> Curve:
        values = np.array(ranges[index].levels(_CURVE_POINTS))
        points = np.repeat(point[None], len(values), axis=0)
        points[:, index] = values
        logits, errors = curve.at(points)
        scores = 1 / (1 + np.exp(-logits))
        return Curve(values, scores, _NORMAL * errors * scores * (1 - scores))

    score = float(1 / (1 + np.exp(-logits[best])))
    curves = tuple(map(curve_of, range(len(ranges))))
    low, high = candidates.min(axis=0), candidates.max(axis=0)
    return Optimum(point, score, low, high, tuple(trials), curves)


def _not_worse(trials: Sequence[Trial], ranges: Sequence[Range]) -> Numbers:
    """The points that are not significantly worse than any other, and the values next to them."""
    points = np.array([trial.point for trial in trials])
    scores = np.array([trial.score for trial in trials])
    variances = np.array([trial.variance / trial.deals for trial in trials])
    deals = min(trial.deals for trial in trials)
    reach = student_quantile(max(1, deals - 1), SIGNIFICANT / max(1, len(trials) - 1))
    errors = np.sqrt(variances + variances[:, None])
    possible = points[~(scores - scores[:, None] > reach * errors).any(axis=1)]
    ends = np.stack([possible.min(axis=0), possible.max(axis=0)])
    for index, domain in enumerate(ranges):
        if not domain.is_choice:
            values = np.unique(points[:, index])
            low, high = np.searchsorted(values, ends[:, index])
            ends[:, index] = values[max(0, low - 1)], values[min(len(values) - 1, high + 1)]
    return ends


def _grid_levels(domain: Range, numbers: int) -> int:
    """The number of grid values of a number; choices have all values in any case."""
    count = round(domain.high - domain.low) + 1
    return min(count, 1000) if domain.is_integer and numbers == 1 else _GRID_LEVELS[numbers]


def _design_matrix(points: Numbers, ranges: Sequence[Range]) -> Numbers:
    """The design matrix of the quadratic, a row for each point, with numbers scaled to -1 to 1.

    Every choice but the first of a list adds a constant, and a slope for each number.
    """
    scaled = np.column_stack([np.ones(len(points)), *_scaled_numbers(points, ranges)])
    count = scaled.shape[1]
    squares = [scaled[:, i] * scaled[:, j] for i in range(1, count) for j in range(i, count)]
    by_choice = [indicator[:, None] * scaled for indicator in _choice_indicators(points, ranges)]
    return np.column_stack([scaled, *squares, *by_choice])


def _positions(points: Numbers, ranges: Sequence[Range]) -> Numbers:
    """Points in a space in which distances matter: numbers from 0 to 1, choices far apart."""
    widths = [1 / _FAR if each.is_choice else max(each.high - each.low, 1e-300) for each in ranges]
    positions: Numbers = (points - [each.low for each in ranges]) / np.array(widths)
    return positions


def _scaled_numbers(points: Numbers, ranges: Sequence[Range]) -> list[Numbers]:
    return [
        2 * (points[:, index] - domain.low) / max(domain.high - domain.low, 1e-300) - 1
        for index, domain in enumerate(ranges)
        if not domain.is_choice
    ]


def _choice_indicators(points: Numbers, ranges: Sequence[Range]) -> list[Numbers]:
    """Indicators of each choice but the first of a list: 1 where it is taken, else 0."""
    return [
        (points[:, index] == choice).astype(np.float64)
        for index, domain in enumerate(ranges)
        if domain.is_choice
        for choice in range(1, int(domain.high) + 1)
    ]
