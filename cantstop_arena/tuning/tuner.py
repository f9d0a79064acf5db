"""Tunes a bot: a search, then a test of the options found on fresh deals."""

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

import msgspec
import numpy as np

from cantstop_arena.ratings.mean_error import mean_error
from cantstop_arena.ratings.sequential.confidence import half_width
from cantstop_arena.ratings.sequential.sprt import (
    Sprt,
    equal_variance,
    expected_deals,
    score_steps,
)
from cantstop_arena.tournaments.run_observer import RunObserver
from cantstop_arena.tuning.cma_search import Generation, Numbers, evolve
from cantstop_arena.tuning.halving import MAX_NUMBERS, Optimum, search
from cantstop_arena.tuning.search_space import NumberList, Ranges
from cantstop_arena.tuning.variant_trials import VariantTrials

FIRST_FRESH_DEAL = 1 << 40  # the first deal of those on which the result is tested
_FIRST_TEST_DEAL = 1 << 41  # the first deal of the sequential test
_LOOK_DEALS = 500  # deals between two looks of the sequential test
_MIN_GENERATIONS = 60  # of a search with enough deals
_TRIALS = 14  # of a generation
_MAX_TRIAL_DEALS = 1000
_SEARCH_DEALS_PER_FRESH = 10  # of the search, for each fresh deal with the options found
_MAX_FRESH_DEALS = 20_000


class ScoreShare(msgspec.Struct, frozen=True):
    """The share won, half the width of its 95% interval, the larger one, and the games."""

    score: float
    half: float
    games: int


class TuningVerdict(msgspec.Struct, frozen=True):
    """The result of the options found against the bot's present ones, on fresh deals.

    `accepted` is 1 for better, 0 for not better, None if undecided after all deals. `half` is that
    of the score's confidence sequence, valid at any stopping time; None before its first look.
    """

    score: float
    games: int
    accepted: int | None
    half: float | None = None


class TuningResult(msgspec.Struct, frozen=True):
    """The options found, the share they win on fresh deals, and the test against the present ones.

    `peak` is None without a fitted curve, `verdict` when the options have not changed. The
    `present` values of the options are those of the bot as it is. A search by evolution has
    `generations`; `trial_games` is the number of games of the search.
    """

    options: Mapping[str, Any]
    peak: Optimum | None
    share: ScoreShare
    verdict: TuningVerdict | None
    present: Mapping[str, Any] = msgspec.field(default_factory=dict)
    generations: Sequence[Generation] = ()
    trial_games: int = 0


class Tuner:
    """Tunes options of a bot by trials of variants; `defaults` are its present options."""

    def __init__(
        self, trials: VariantTrials, search_space: Ranges | NumberList, defaults: Mapping[str, Any]
    ) -> None:
        self._trials = trials
        self._search_space = search_space
        self._defaults = defaults

    def tune(
        self,
        deals: int,
        seed: int,
        test: Sprt,
        observer: RunObserver,
    ) -> TuningResult:
        """Search in about `deals` deals, then test the options found.

        `observer` gets the number of games, that of the longest possible test included; the
        trials count those that are played. Raises UsageError when the deals are too few, BotError
        when a bot cannot play.
        """
        search_space, peak, generations = self._search_space, None, list[Generation]()
        fresh = min(_MAX_FRESH_DEALS, max(_LOOK_DEALS, deals // _SEARCH_DEALS_PER_FRESH))
        trial_deals = (deals + fresh) * self._trials.opponents
        all_deals = trial_deals + _max_test_deals(deals)
        observer.on_start(0, self._trials.games_per_deal * all_deals)
        if isinstance(search_space, Ranges) and len(search_space.names) <= MAX_NUMBERS:
            variance = equal_variance(self._trials.lineup_size, self._trials.games_per_deal)
            games = self._trials.games_per_deal * self._trials.opponents
            peak = search(self._scores, search_space.ranges, deals, variance, games)
            options = search_space.options(peak.point)
        else:
            numbers = self._evolved(deals, seed, observer, generations)
            options = search_space.options(np.round(numbers, 2))
        observer.on_notice("Testing these options on fresh deals.")
        share = self._share(options, fresh)
        verdict = self._verdict(options, test, deals)
        present = {name: self._defaults[name] for name in options}
        each = self._trials.games_per_deal * self._trials.opponents
        trials = [trial.deals for trial in peak.trials] if peak else []
        played = each * (sum(trials) + _TRIALS * sum(past.deals for past in generations))
        return TuningResult(options, peak, share, verdict, present, tuple(generations), played)

    def _evolved(
        self, deals: int, seed: int, observer: RunObserver, generations: list[Generation]
    ) -> Numbers:
        def report_generation(generation: Generation) -> None:
            generations.append(generation)
            if generation.number % 10 == 0:
                observer.on_notice(
                    f"Generation {generation.number}: {generation.mean_score:.1%} won"
                )

        trial_deals = max(1, min(_MAX_TRIAL_DEALS, deals // _MIN_GENERATIONS // _TRIALS))
        return evolve(
            self._scores,
            self._search_space.start,
            self._search_space.steps,
            seed=seed,
            generations=max(1, deals // trial_deals // _TRIALS),
            deals=trial_deals,
            trials=_TRIALS,
            on_generation=report_generation,
        )

    def _scores(self, points: Sequence[Numbers], first: int, deals: int) -> Sequence[float]:
        variants = [self._search_space.options(point) for point in points]
        wins_by_variant = self._trials.wins(variants, first, deals)
        return [float(wins.mean()) / self._trials.win_units for wins in wins_by_variant]

    def _share(self, options: Mapping[str, Any], deals: int) -> ScoreShare:
        """The share that these options win against the opponents on fresh deals."""
        (wins,) = self._trials.wins([options], FIRST_FRESH_DEAL, deals)
        scores = wins.mean(axis=0) / self._trials.win_units
        error = mean_error(float(scores.mean()), scores, bounds=(0.0, 1.0))
        return ScoreShare(error.mean, error.half_width, self._trials.games_per_deal * wins.size)

    def _verdict(self, options: Mapping[str, Any], test: Sprt, deals: int) -> TuningVerdict | None:
        """Test the bot with these options against its present ones; None if they are the same."""
        if all(_is_same(self._defaults[name], value) for name, value in options.items()):
            return None
        games_per_deal = self._trials.games_per_deal
        steps = score_steps(self._trials.lineup_size, games_per_deal)
        counts = np.zeros(steps + 1, np.int64)
        for first in range(0, _max_test_deals(deals), _LOOK_DEALS):
            wins = self._trials.duel(options, _FIRST_TEST_DEAL + first, _LOOK_DEALS)
            scores = wins * steps // self._trials.win_units
            counts += np.bincount(scores, minlength=steps + 1)
            if test.accepted(counts.tolist()) is not None:
                break
        played = int(counts.sum())
        values = np.arange(steps + 1) / steps
        score = float(counts @ values / played)
        variance = float(counts @ (values - score) ** 2 / played)
        half = half_width(variance, played, expected_deals(test))
        return TuningVerdict(
            score,
            games_per_deal * played,
            test.accepted(counts.tolist()),
            half if isfinite(half) else None,
        )


def _max_test_deals(deals: int) -> int:
    """The deals of the longest sequential test after a search in so many deals."""
    return min(_MAX_FRESH_DEALS, max(_LOOK_DEALS, deals))


def _is_same(default: Any, value: Any) -> bool:
    return list(default) == value if isinstance(default, tuple) else bool(default == value)
