"""How often figures hold that are chosen among many, or come from few and skewed deals.

Part of `make coverage-study`: letters of leagues, comparisons, profiles, tunings.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import combinations

import numpy as np
from helpers.study_tables import Column, Line, StudyTable

from cantstop_arena.comparisons.statistics import Numbers, Ratio, rule_effect
from cantstop_arena.deals.counting import COUNT, SHARE
from cantstop_arena.deals.seatings import Group
from cantstop_arena.extensions.design.game_profile import games_until_clear, ladder, quotient
from cantstop_arena.extensions.design.quantities import Quantity, luck_of, mean_of
from cantstop_arena.extensions.league.rounds import RoundField, RoundRules, play_rounds
from cantstop_arena.ratings.estimate import Estimate
from cantstop_arena.ratings.model.luce import ELO
from cantstop_arena.tuning.halving import Range, search

LEAGUES = ("a wrong letter", "pairs told apart, of 66", "neighbours decided, of 11")


class SimulatedGames:
    """Two games a deal between bots whose strengths are `elo`; part of the luck is by deal."""

    def __init__(self, elo: Sequence[float], shared: float, rng: np.random.Generator) -> None:
        self._elo, self._shared = np.array(elo), shared
        self._seed = int(rng.integers(2**32))
        self._shares: dict[Group, Numbers] = {}

    def reach(self, deals: Mapping[Group, int]) -> bool:
        """All games are there."""
        return True

    def missing(self, deals: Mapping[Group, int]) -> int:
        """None are missing."""
        return 0

    def shares(self, group: Group, deals: int) -> Numbers:
        """The shares of two bots by deal."""
        shares = self._shares.get(group, np.empty((0, 2)))
        if len(shares) < deals:
            most = RoundRules().most * RoundRules().games // 2
            luck = np.random.default_rng(self._seed).random((most, 2))
            rng = np.random.default_rng([self._seed, *group])
            own = rng.random((most, 2)) >= self._shared
            drawn = np.where(own, rng.random((most, 2)), luck)
            chance = 1 / (1 + np.exp((self._elo[group[1]] - self._elo[group[0]]) / ELO))
            first = (drawn < chance).mean(axis=1)
            shares = self._shares[group] = np.stack([first, 1 - first], axis=1)
        first_deals: Numbers = shares[:deals]
        return first_deals


def league(
    bots: int, step: float, shared: float, repetitions: int, rng: np.random.Generator
) -> dict[str, float]:
    """Leagues of bots that are so many Elo apart: wrong letters, and what is told apart."""
    measures = [
        _league([step * bot for bot in range(bots)], shared, rng) for _ in range(repetitions)
    ]
    return dict(zip(LEAGUES, np.mean(measures, axis=0).tolist(), strict=True))


def _league(elo: Sequence[float], shared: float, rng: np.random.Generator) -> tuple[bool, int, int]:
    field = RoundField(len(elo), 2, 2)
    table = play_rounds(field, RoundRules(), SimulatedGames(elo, shared, rng))
    apart = [
        elo[better] > elo[worse]
        for rank, better in enumerate(table.ranking)
        for worse in table.ranking[rank + 1 :]
        if not set(table.letters[better]) & set(table.letters[worse])
    ]
    return not all(apart), sum(apart), table.decided


EFFECTS = ("absolute", "absolute, among 14", "relative")


def rare_shares(
    deals: int,
    games: int,
    before: float,
    after: float,
    together: bool,
    repetitions: int,
    rng: np.random.Generator,
) -> dict[str, float]:
    """Intervals of the difference of two rare shares; `together`: all games of a deal are alike."""
    held = []
    for _ in range(repetitions):
        size = 1 if together else games
        shares = [
            (games / size * rng.binomial(size, p, deals)).astype(float) for p in (before, after)
        ]
        ratios = [Ratio(share, np.full(deals, float(games))) for share in shares]
        effect = rule_effect(ratios[0], ratios[1], SHARE, 0.002)
        assert effect.absolute
        intervals = [effect.absolute.among(questions) for questions in (1, 14)]
        held.append([_holds(interval.low, after - before, interval.high) for interval in intervals])
    return dict(zip(EFFECTS, np.mean(held, axis=0).tolist(), strict=False))


def skewed_counts(
    deals: int, sigma: float, repetitions: int, rng: np.random.Generator
) -> dict[str, float]:
    """Intervals of the relative difference of lognormal counts, luck of a deal shared in part."""
    held = []
    for _ in range(repetitions):
        luck, own = rng.normal(size=deals), rng.normal(size=(2, deals))
        counts = np.exp(sigma * (0.3**0.5 * luck + 0.7**0.5 * own) - sigma**2 / 2)
        ratios = [Ratio(count, np.ones(deals)) for count in (20 * counts[0], 22 * counts[1])]
        relative = rule_effect(ratios[0], ratios[1], COUNT, 0.01).relative
        assert relative
        held.append(_holds(relative.low, 0.1, relative.high))
    return {EFFECTS[2]: float(np.mean(held))}


PROFILES = ("ladder", "luck", "games to tell")


def profile(
    bots: int, step: float, deals: int, repetitions: int, rng: np.random.Generator
) -> dict[str, float]:
    """Intervals of bots that are so many points of score apart, luck of a deal shared in part."""
    chances = [
        1 / (1 + np.exp(-4 * step * (rival - bot))) for bot, rival in combinations(range(bots), 2)
    ]
    depth = max(abs(chance - 0.5) for chance in chances)
    luck = 1 - float(np.mean([(2 * chance - 1) ** 2 for chance in chances]))
    games = games_until_clear(Estimate(luck)).mean or np.inf
    truths = (ELO * np.log((0.5 + depth) / (0.5 - depth)), luck, games)
    held = []
    for _ in range(repetitions):
        scores = _scores(chances, deals, rng)
        of_luck = luck_of(scores)
        assert of_luck
        estimates = (ladder(scores), of_luck.estimate(), games_until_clear(of_luck.estimate()))
        held.append(
            [
                _holds(value.low, true, value.high)
                for value, true in zip(estimates, truths, strict=True)
            ]
        )
    return dict(zip(PROFILES, np.mean(held, axis=0).tolist(), strict=True))


def _scores(chances: Sequence[float], deals: int, rng: np.random.Generator) -> list[Quantity]:
    """The scores of pairs in two games a deal; three tenths of the games have the deal's luck."""
    luck = rng.random((2, deals))
    drawn = (np.where(rng.random((2, deals)) < 0.3, luck, rng.random((2, deals))) for _ in chances)
    wins = ((row < chance).mean(axis=0) for row, chance in zip(drawn, chances, strict=True))
    return [mean_of(won, is_share=True) for won in wins]


QUOTIENT = "quotient"


def quotients(
    kind: str, games: int, repetitions: int, rng: np.random.Generator
) -> dict[str, float]:
    """Intervals of a quotient of sums over games."""
    held = []
    for _ in range(repetitions):
        above, below, true = _quotient(kind, games, rng)
        estimate = quotient(above, below)
        held.append(_holds(estimate.low, true, estimate.high))
    return {QUOTIENT: float(np.mean(held))}


def _quotient(kind: str, games: int, rng: np.random.Generator) -> tuple[Numbers, Numbers, float]:
    """Its numerators and denominators, and its true value."""
    if kind == SKEWED:
        below = np.exp(rng.normal(size=games))
        return below * np.exp(rng.normal(size=games) - 0.5), below, 1.0
    below = 1 + rng.poisson(20, games).astype(float)
    if kind == MILD:
        return rng.poisson(3 * below).astype(float), below, 3.0
    return rng.binomial(below.astype(int), 0.05).astype(float), below, 0.05


MILD, RARE, SKEWED = "mild", "rare share", "lognormal"


TUNED = ("covered", "width", "Elo lost", "band covered")
CURVES: Mapping[str, tuple[Callable[[Numbers], Numbers], float]] = {
    "parabola": (lambda x: -150 * (x - 0.6) ** 2, 0.6),
    "steep parabola": (lambda x: -2500 * (x - 0.55) ** 2, 0.55),
    "flat top with a steep flank": (
        lambda x: np.where(x < 0.3, -700 * (0.3 - x), -20 * (x - 0.3)),
        0.3,
    ),
    "like a gamma density": (
        lambda x: 200 * (np.log(np.maximum(x, 0.02) / 0.25) - np.maximum(x, 0.02) / 0.25 + 1),
        0.25,
    ),
}
"""Elo by an option's value from 0 to 1, and the best value."""


def tuned(name: str, games: int, repetitions: int, rng: np.random.Generator) -> dict[str, float]:
    """Tunings of one number in so many games, half of the luck shared by the trials of a round."""
    measures = [_tuned(*CURVES[name], games, rng) for _ in range(repetitions)]
    return dict(zip(TUNED, np.mean(measures, axis=0).tolist(), strict=True))


def _tuned(
    elo: Callable[[Numbers], Numbers], best: float, games: int, rng: np.random.Generator
) -> tuple[bool, float, float, float]:
    def chances(values: Numbers) -> Numbers:
        shares: Numbers = 1 / (1 + np.exp(-elo(values) / ELO))
        return shares

    def scores(points: Sequence[Numbers], first: int, deals: int) -> Sequence[float]:
        shares = chances(np.array(points)[:, 0])
        luck = 0.5**0.5 * (rng.normal() + rng.normal(size=len(points)))
        noisy = shares + luck * np.sqrt(shares * (1 - shares) / 2 / deals)
        return [float(share) for share in np.clip(noisy, 0, 1)]

    peak = search(scores, [Range(0.0, 1.0, is_integer=False)], games // 2)
    low, high, point = peak.low[0], peak.high[0], peak.point
    (curve,) = peak.curves
    inside = np.abs(chances(curve.values) - curve.scores) <= curve.halves
    lost = float(elo(np.array([best]))[0] - elo(point)[0])
    grid = 0.0025  # the point is one of 201
    return low - grid <= best <= high + grid, high - low, lost, float(inside.mean())


def _holds(low: float | None, true: float, high: float | None) -> bool:
    return (low is None or low <= true) and (high is None or true <= high)


def tables() -> Sequence[StudyTable]:
    """Those of leagues, comparisons, profiles and tunings."""
    rare = [
        (100, 2, 0.02, 0.002, False),
        (1000, 2, 0.004, 0.0005, False),
        (100, 24, 0.05, 0.01, True),
        (300, 24, 0.02, 0.002, True),
        (100, 2, 0.3, 0.35, False),
    ]
    return (
        StudyTable(
            "{repetitions} leagues of equal bots, and of bots 10 Elo apart, with the default"
            " rounds: how many have any wrong letter, how many pairs they tell apart, and of how"
            " many neighbours. {error}",
            "leagues",
            [Column(LEAGUES[0]), *(Column(name, 1) for name in LEAGUES[1:])],
            [
                Line(
                    f"{bots} bots, {f'{step} Elo apart' if step else 'equal'}, {shared:.0%} shared",
                    partial(league, bots, step, shared),
                )
                for bots, step, shared in (
                    (12, 0, 0.0),
                    (12, 0, 0.5),
                    (12, 10, 0.0),
                    (24, 0, 0.0),
                    (40, 0, 0.0),
                )
            ],
            share=0.75,
        ),
        StudyTable(
            "{repetitions} comparisons of rare shares: intervals of the difference that hold the"
            " truth, for a single question (95.0 are promised) and for one of 14 (99.64). {error}",
            "rare shares",
            [*map(Column, EFFECTS[:2])],
            [
                Line(
                    f"{before} and {after}, {deals} deals of {games} games"
                    + (" that are alike" if together else ""),
                    partial(rare_shares, deals, games, before, after, together),
                )
                for deals, games, before, after, together in rare
            ],
            share=5,
        ),
        StudyTable(
            "{repetitions} comparisons of lognormal counts: intervals of the relative difference."
            " {error}",
            "skewed counts",
            [Column(EFFECTS[2])],
            [
                Line(
                    f"lognormal, sigma {sigma}, {deals} deals", partial(skewed_counts, deals, sigma)
                )
                for sigma, deals in ((0.3, 10), (0.3, 30), (1.0, 10), (1.0, 30), (1.0, 100))
            ],
            share=5,
        ),
        StudyTable(
            "{repetitions} profiles from 600 deals: intervals of the Elo from the weakest bot to"
            " the best, of the luck in a single game, and of the games until the better bot leads."
            " {error}",
            "profiles",
            [*map(Column, PROFILES)],
            [
                Line(f"{bots} bots, {100 * step:g} points apart", partial(profile, bots, step, 600))
                for bots, step in (
                    (2, 0),
                    (2, 0.01),
                    (2, 0.02),
                    (2, 0.05),
                    (6, 0),
                    (6, 0.01),
                    (6, 0.03),
                    (6, 0.1),
                    (12, 0),
                )
            ],
        ),
        StudyTable(
            "{repetitions} profiles of games: intervals of a quotient of sums over games. {error}",
            "quotients",
            [Column(QUOTIENT)],
            [
                Line(f"{kind}, {games} games", partial(quotients, kind, games))
                for kind in (MILD, RARE, SKEWED)
                for games in (10, 20, 60)
            ],
            share=2,
        ),
        StudyTable(
            "{repetitions} tunings of one number from 0 to 1: the intervals of the best value that"
            " hold it, their mean width, the Elo that the value found is worse than the best, and"
            " how much of the true curve the printed band holds. {error}",
            "tune",
            [Column(TUNED[0]), Column(TUNED[1], 2), Column(TUNED[2], 1), Column(TUNED[3])],
            [
                Line(f"{name}, {games:,} games", partial(tuned, name, games))
                for name in CURVES
                for games in (2000, 20_000, 200_000)
            ],
        ),
    )
