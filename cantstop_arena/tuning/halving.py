"""Optimises one to three numbers or choices by successive halving and a quadratic fit.

A grid of points plays a first round; the better half plays the next, and so on, so that most games
are played near the optimum (Jamieson and Talwalkar, 2016). The result is the peak of a quadratic
fitted to the trials of all rounds, each weighted by the deals it has played.
"""

from collections.abc import Sequence
from itertools import product
from math import floor, log10

import msgspec
import numpy as np

from cantstop_arena.errors import UsageError
from cantstop_arena.ratings.estimate import wilson
from cantstop_arena.ratings.sequential.sprt import equal_variance
from cantstop_arena.tuning.cma_search import Numbers, Scores

ROUNDS = 4
MAX_NUMBERS = 3
_LEVELS = {1: 15, 2: 5, 3: 3}  # levels of each number, by how many numbers there are
_GRID_LEVELS = {1: 201, 2: 41, 3: 21}  # of the grid on which the peak is searched
_SAMPLES = 1000
_CURVE_POINTS = 41  # points of a curve
_Z95 = 1.96  # standard errors on either side of a 95% interval


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
        return wilson(self.score, self.deals / (4 * self.variance), _Z95)


class Curve(msgspec.Struct, frozen=True):
    """The fitted scores along one number, all others at the optimum, with half-widths (95%)."""

    values: Numbers
    scores: Numbers
    halves: Numbers


class Optimum(msgspec.Struct, frozen=True):
    """The peak of the fitted quadratic, its score, and a 95% interval for each number.

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
    seed: int,
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
    _halve(scores_of, trials, deals)
    return _peak(trials, ranges, seed, variance)


def _short_levels(domain: Range, count: int) -> list[float]:
    """The levels of a number, those between its ends rounded to a tenth of their distance."""
    levels = domain.levels(count)
    if domain.is_integer or domain.is_choice or len(levels) < 3:
        return levels
    first, *between, last = levels
    decimals = 1 - floor(log10((domain.high - domain.low) / (count - 1)))
    return [first, *(round(level, decimals) for level in between), last]


def _halve(scores_of: Scores, trials: Sequence[Trial], deals: int) -> None:
    """Play the rounds; all trials of a round play the same deals."""
    remaining, first = list(trials), 0
    for _ in range(ROUNDS):
        deals_each = deals // ROUNDS // len(remaining)
        scores = scores_of([trial.point for trial in remaining], first, deals_each)
        for trial, score in zip(remaining, scores, strict=True):
            trial.won += score * deals_each
            trial.deals += deals_each
        first += deals_each
        remaining = sorted(remaining, key=lambda trial: -trial.score)[
            : max(2, (len(remaining) + 1) // 2)
        ]


def _peak(trials: Sequence[Trial], ranges: Sequence[Range], seed: int, variance: float) -> Optimum:
    grid = list(product(*(domain.levels(_grid_levels(domain, len(ranges))) for domain in ranges)))
    grid_design = _design_matrix(np.array(grid), ranges)
    trial_design = _design_matrix(np.array([trial.point for trial in trials]), ranges)
    weights = np.array([trial.deals for trial in trials]) / variance
    precision = trial_design.T @ (weights[:, None] * trial_design)
    covariance = np.linalg.pinv(precision)
    coefficients = covariance @ trial_design.T @ (weights * [trial.score for trial in trials])
    sample = np.random.default_rng(seed).multivariate_normal(coefficients, covariance, _SAMPLES)
    peaks = np.array(grid)[np.argmax(grid_design @ sample.T, axis=0)]
    best = int(np.argmax(grid_design @ coefficients))
    low, high = np.quantile(peaks, (0.025, 0.975), axis=0, method="closest_observation")
    point = np.array(grid[best])

    def curve(index: int) -> Curve:
        values = np.array(ranges[index].levels(_CURVE_POINTS))
        points = np.repeat(point[None], len(values), axis=0)
        points[:, index] = values
        design = _design_matrix(points, ranges)
        errors = np.sqrt(np.sum(design @ covariance * design, axis=1))
        return Curve(values, design @ coefficients, _Z95 * errors)

    curves = tuple(map(curve, range(len(ranges))))
    return Optimum(point, float(grid_design[best] @ coefficients), low, high, tuple(trials), curves)


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
