"""Tuning from beginning to end: search, and a test of what was found on deals nobody has played."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec
import numpy as np

from cantstop_arena.ratings.sequential.sprt import SCORES, Sprt
from cantstop_arena.tuning.cma_search import Generation, Numbers, evolve
from cantstop_arena.tuning.halving import MAX_NUMBERS, Optimum, search
from cantstop_arena.tuning.search_space import NumberList, Ranges
from cantstop_arena.tuning.variant_trials import SEATS, VariantTrials

FRESH = 1 << 40  # the first deal of those on which the result is tested
_TEST = 1 << 41  # the first deal of the sequential test
_LOOK = 500  # deals between two looks at the test
_GENERATIONS = 60  # at least
_TRIALS = 14  # of a generation
_DEALS = 1000  # of a trial, at most
_TENTH = 10  # of the deals are played afresh with what was found
_MAX_FRESH = 20_000
_WIDTH = 1.96  # standard errors on either side of an interval that covers 95 %


class ScoreShare(msgspec.Struct, frozen=True):
    """The share that was won in so many games, and half of its interval."""

    score: float
    half: float
    games: int


class TuningVerdict(msgspec.Struct, frozen=True):
    """How what was found did against the bot as it is, on fresh deals.

    `accepted`: 1 that it is better, 0 that it is not; None: undecided after all deals.
    """

    score: float
    games: int
    accepted: int | None


class TuningResult(msgspec.Struct, frozen=True):
    """The options found, what they win on fresh deals, and whether they are better than before.

    There is a `peak` where a quadratic was fitted, and no `verdict` where nothing has changed.
    """

    options: Mapping[str, Any]
    peak: Optimum | None
    won: ScoreShare
    verdict: TuningVerdict | None


class Tuner:
    """Tunes options of a bot in a laboratory; `defaults` are what it plays with as it is."""

    def __init__(
        self, trials: VariantTrials, search_space: Ranges | NumberList, defaults: Mapping[str, Any]
    ) -> None:
        self._trials = trials
        self._search_space = search_space
        self._defaults = defaults

    def tune(
        self, deals: int, seed: int, test: Sprt, wrapper: Callable[[str], None] = lambda text: None
    ) -> TuningResult:
        """Search in about so many deals, then test what was found.

        Raises UsageError where they are too few, BotError where a bot cannot play.
        """
        ranges, peak = self._search_space, None
        if isinstance(ranges, Ranges) and len(ranges.names) <= MAX_NUMBERS:
            peak = search(self._scores, ranges.ranges, deals, seed)
            options = ranges.options(peak.point)
        else:
            options = ranges.options(np.round(self._evolved(deals, seed, wrapper), 2))
        wrapper("testing what was found on fresh deals")
        won = self._share(options, min(_MAX_FRESH, max(_LOOK, deals // _TENTH)))
        return TuningResult(options, peak, won, self._tested(options, test, deals))

    def _evolved(self, deals: int, seed: int, wrapper: Callable[[str], None]) -> Numbers:
        def told(generation: Generation) -> None:
            if generation.number % 10 == 0:
                wrapper(f"generation {generation.number}: {generation.mean_score:.1%} won")

        each = max(1, min(_DEALS, deals // _GENERATIONS // _TRIALS))
        return evolve(
            self._scores,
            self._search_space.start,
            self._search_space.steps,
            seed=seed,
            generations=max(1, deals // each // _TRIALS),
            deals=each,
            trials=_TRIALS,
            wrapper=told,
        )

    def _scores(self, points: Sequence[Numbers], first: int, deals: int) -> Sequence[float]:
        variants = [self._search_space.options(point) for point in points]
        won = self._trials.won(variants, first, deals)
        return [float(number.mean()) / self._trials.win_units for number in won]

    def _share(self, options: Mapping[str, Any], deals: int) -> ScoreShare:
        """What these options win against the opponents on fresh deals."""
        (won,) = self._trials.won([options], FRESH, deals)
        scores = won.mean(axis=0) / self._trials.win_units
        half = _WIDTH * float(scores.std(ddof=1)) / deals**0.5
        return ScoreShare(float(scores.mean()), half, SEATS * won.size)

    def _tested(self, options: Mapping[str, Any], test: Sprt, deals: int) -> TuningVerdict | None:
        """Let the bot with these options play itself as it is, until the test has decided."""
        if all(_same(self._defaults[name], value) for name, value in options.items()):
            return None
        counts = np.zeros(len(SCORES), np.int64)
        for first in range(0, min(_MAX_FRESH, max(_LOOK, deals)), _LOOK):
            won = self._trials.duel(options, _TEST + first, _LOOK)
            points = won * (len(SCORES) - 1) // self._trials.win_units
            counts += np.bincount(points, minlength=len(SCORES))
            if test.accepted(counts.tolist()) is not None:
                break
        games = SEATS * int(counts.sum())
        score = float(counts @ SCORES / counts.sum())
        return TuningVerdict(score, games, test.accepted(counts.tolist()))


def _same(default: Any, value: Any) -> bool:
    return list(default) == value if isinstance(default, tuple) else bool(default == value)
