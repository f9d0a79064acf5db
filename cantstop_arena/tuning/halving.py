"""One to three numbers, or choices: successive halving, and a quadratic fitted to all trials.

Points all over the range play a first round; the better half goes on to the next, and so on, so
that most games are played where it matters (Jamieson and Talwalkar, 2016). The best is where the
quadratic is highest that fits all rounds, each point weighing as many deals as it has played.
"""

from collections.abc import Sequence
from itertools import product

import msgspec
import numpy as np

from cantstop_arena.errors import UsageError
from cantstop_arena.tuning.cma_search import Numbers, Scores

ROUNDS = 4
MAX_NUMBERS = 3
_LEVELS = {1: 15, 2: 5, 3: 3}  # by how many numbers there are: levels of each
_FINE = {1: 201, 2: 41, 3: 21}  # where the peak is looked for
_VARIANCE = 1 / 8  # of what is won in a deal of two games, between equals, were they independent
_DRAWS = 1000
_CURVE = 41  # points of a curve
_WIDTH = 1.96  # standard errors on either side of an interval that covers 95 %


class Range(msgspec.Struct, frozen=True):
    """The values that one number may take; `whole` ones only, perhaps.

    Among choices the numbers, from 0, are places in a list, and near ones have nothing in common.
    """

    low: float
    high: float
    is_integer: bool
    is_choice: bool = False

    def levels(self, count: int) -> list[float]:
        """So many values at most, from end to end; all choices."""
        if self.is_choice:
            return [float(index) for index in range(int(self.high) + 1)]
        values = np.linspace(self.low, self.high, count)
        return sorted({float(value) for value in (np.round(values) if self.is_integer else values)})


class Trial(msgspec.Struct):
    """A point, the deals it has played and the share it won."""

    point: Numbers
    deals: int = 0
    won: float = 0.0

    @property
    def score(self) -> float:
        """The share won."""
        return self.won / self.deals


class Curve(msgspec.Struct, frozen=True):
    """The fitted scores along one number, all others being best, and half of their intervals."""

    values: Numbers
    scores: Numbers
    halves: Numbers


class Optimum(msgspec.Struct, frozen=True):
    """The best point by the fitted quadratic, its score, and an interval (95 %) for each number.

    There is a curve for each number, and for each choice.
    """

    point: Numbers
    score: float
    low: Numbers
    high: Numbers
    trials: tuple[Trial, ...]
    curves: tuple[Curve, ...]


def search(scores_of: Scores, ranges: Sequence[Range], deals: int, seed: int) -> Optimum:
    """Find the best point within the ranges, in about so many deals.

    Raises UsageError for too many numbers, or too few deals.
    """
    if not 1 <= len(ranges) <= MAX_NUMBERS:
        raise UsageError(f"one to {MAX_NUMBERS} numbers are tuned like this, not {len(ranges)}")
    levels = [item.levels(_LEVELS[len(ranges)]) for item in ranges]
    trials = [Trial(np.array(point)) for point in product(*levels)]
    if deals < ROUNDS * len(trials):
        raise UsageError(f"{deals} deals are too few for {len(trials)} trials in {ROUNDS} rounds")
    _halve(scores_of, trials, deals)
    return _peak(trials, ranges, seed)


def _halve(scores_of: Scores, trials: Sequence[Trial], deals: int) -> None:
    """Play the rounds; all trials of a round play the same deals."""
    left, first = list(trials), 0
    for _ in range(ROUNDS):
        each = deals // ROUNDS // len(left)
        scores = scores_of([trial.point for trial in left], first, each)
        for trial, score in zip(left, scores, strict=True):
            trial.won += score * each
            trial.deals += each
        first += each
        left = sorted(left, key=lambda trial: -trial.score)[: max(2, (len(left) + 1) // 2)]


def _peak(trials: Sequence[Trial], ranges: Sequence[Range], seed: int) -> Optimum:
    grid = list(product(*(item.levels(_fine(item, len(ranges))) for item in ranges)))
    options = _quadratic_options(np.array(grid), ranges)
    tried = _quadratic_options(np.array([trial.point for trial in trials]), ranges)
    weights = np.array([trial.deals for trial in trials]) / _VARIANCE
    precision = tried.T @ (weights[:, None] * tried)
    variance = np.linalg.pinv(precision)
    fitted = variance @ tried.T @ (weights * [trial.score for trial in trials])
    sample = np.random.default_rng(seed).multivariate_normal(fitted, variance, _DRAWS)
    peaks = np.array(grid)[np.argmax(options @ sample.T, axis=0)]
    best = int(np.argmax(options @ fitted))
    low, high = np.quantile(peaks, (0.025, 0.975), axis=0, method="closest_observation")
    point = np.array(grid[best])

    def curve(index: int) -> Curve:
        values = np.array(ranges[index].levels(_CURVE))
        points = np.repeat(point[None], len(values), axis=0)
        points[:, index] = values
        along = _quadratic_options(points, ranges)
        errors = np.sqrt(np.sum(along @ variance * along, axis=1))
        return Curve(values, along @ fitted, _WIDTH * errors)

    curves = tuple(map(curve, range(len(ranges))))
    return Optimum(point, float(options[best] @ fitted), low, high, tuple(trials), curves)


def _fine(item: Range, numbers: int) -> int:
    """How many values of a number are looked at; choices are all looked at anyway."""
    total = round(item.high - item.low) + 1
    return min(total, 1000) if item.is_integer and numbers == 1 else _FINE[numbers]


def _quadratic_options(points: Numbers, ranges: Sequence[Range]) -> Numbers:
    """The terms of a quadratic at some points, each number scaled to -1 to 1.

    Every choice but the first adds a constant, and a slope for each number.
    """
    scaled = np.column_stack([np.ones(len(points)), *_scaled(points, ranges)])
    count = scaled.shape[1]
    squares = [scaled[:, i] * scaled[:, j] for i in range(1, count) for j in range(i, count)]
    chosen = [row[:, None] * scaled for row in _chosen(points, ranges)]
    return np.column_stack([scaled, *squares, *chosen])


def _scaled(points: Numbers, ranges: Sequence[Range]) -> list[Numbers]:
    return [
        2 * (points[:, index] - item.low) / max(item.high - item.low, 1e-300) - 1
        for index, item in enumerate(ranges)
        if not item.is_choice
    ]


def _chosen(points: Numbers, ranges: Sequence[Range]) -> list[Numbers]:
    """For each choice but the first of a list: 1 where it is taken, 0 elsewhere."""
    return [
        (points[:, index] == choice).astype(np.float64)
        for index, item in enumerate(ranges)
        if item.is_choice
        for choice in range(1, int(item.high) + 1)
    ]
