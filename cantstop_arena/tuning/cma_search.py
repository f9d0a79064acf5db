"""Optimises many numbers at once by CMA-ES (Hansen), with the library `cma`."""

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
Scores = Callable[[Sequence[Numbers], int, int], Sequence[float]]
"""A function (points, first deal, number of deals) -> score of each point, from 0 to 1."""

_START_DEVIATION = 0.5  # standard deviation of the first generation, in scales


class Generation(msgspec.Struct, frozen=True):
    """The state after a generation: its number, the distribution's mean, the trials' mean score.

    `deviation` is the standard deviation between trials, and each of them played so many `deals`.
    """

    number: int
    numbers: Numbers
    mean_score: float
    deviation: float
    deals: int


def evolve(
    scores_of: Scores,
    start: Sequence[float],
    scales: Sequence[float],
    *,
    seed: int,
    generations: int,
    deals: int,
    trials: int = 14,
    on_generation: Callable[[Generation], None] = lambda generation: None,
) -> Numbers:
    """Optimise `start`; returns the mean of the last generation's distribution.

    `scales` are typical useful changes of each number; 0 leaves a number constant. All trials of a
    generation play the same `deals` deals, each generation others. The same seed gives the same
    numbers. `on_generation` is called after each generation.
    """
    origin, widths = np.array(start, np.float64), np.array(scales, np.float64)
    free = np.flatnonzero(widths)
    search = _search(len(free), seed, trials)
    mean = origin
    for number in range(generations):
        steps = search.ask()
        points = [_point_at(origin, widths, free, step) for step in steps]
        scores = scores_of(points, number * deals, deals)
        search.tell(steps, [-score for score in scores])
        mean = _point_at(origin, widths, free, search.result.xfavorite)
        standard_deviation = float(np.std(scores, ddof=1)) if len(scores) > 1 else 0.0
        on_generation(
            Generation(number + 1, mean, float(np.mean(scores)), standard_deviation, deals)
        )
    return mean


def _search(dimensions: int, seed: int, trials: int) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # cma warns that it cannot plot
        import cma
    generator = np.random.default_rng(seed)
    options = {
        "verbose": -9,
        "popsize": trials,
        "seed": float("nan"),
        "randn": lambda *shape: generator.standard_normal(shape),
    }
    return cma.CMAEvolutionStrategy(np.zeros(dimensions), _START_DEVIATION, options)


def _point_at(origin: Numbers, widths: Numbers, free: NDArray[np.intp], step: Numbers) -> Numbers:
    numbers = origin.copy()
    numbers[free] += widths[free] * step
    return numbers
