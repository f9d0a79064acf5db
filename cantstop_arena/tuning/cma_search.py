"""Many numbers at once: CMA-ES (Hansen), by the library `cma`."""

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
Scores = Callable[[Sequence[Numbers], int, int], Sequence[float]]
"""What each of some points achieves, between 0 and 1, over so many deals from the first given."""

_SPREAD = 0.5  # of the first generation, in scales


class Generation(msgspec.Struct, frozen=True):
    """How far the search has come: the mean of its distribution, and what its trials achieved."""

    number: int
    numbers: Numbers
    mean_score: float
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
    wrapper: Callable[[Generation], None] = lambda generation: None,
) -> Numbers:
    """Numbers that score better than `start`: the mean of the last generation's distribution.

    `scales` say by how much each number may usefully change; 0 leaves it alone. All trials of a
    generation play the same `deals`, each generation others. The same seed gives the same numbers.
    """
    origin, widths = np.array(start, np.float64), np.array(scales, np.float64)
    free = np.flatnonzero(widths)
    search = _search(len(free), seed, trials)
    mean = origin
    for number in range(generations):
        steps = search.ask()
        tried = [_moved(origin, widths, free, step) for step in steps]
        scores = scores_of(tried, number * deals, deals)
        search.tell(steps, [-value for value in scores])
        mean = _moved(origin, widths, free, search.result.xfavorite)
        index = (number + 1) * trials * deals
        wrapper(Generation(number + 1, mean, float(np.mean(scores)), index))
    return mean


def _search(dimensions: int, seed: int, trials: int) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that pictures cannot be drawn
        import cma
    draws = np.random.default_rng(seed)
    options = {
        "verbose": -9,
        "popsize": trials,
        "seed": float("nan"),
        "randn": lambda *shape: draws.standard_normal(shape),
    }
    return cma.CMAEvolutionStrategy(np.zeros(dimensions), _SPREAD, options)


def _moved(origin: Numbers, widths: Numbers, free: NDArray[np.intp], step: Numbers) -> Numbers:
    numbers = origin.copy()
    numbers[free] += widths[free] * step
    return numbers
