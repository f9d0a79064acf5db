"""How often figures hold that are chosen among many, or come from few and skewed deals.

Part of `make coverage-study`: the letters of leagues, ...
"""

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
from helpers.study_tables import Column, Line, StudyTable

from cantstop_arena.comparisons.statistics import Ratio, rule_effect
from cantstop_arena.deals.counting import COUNT, SHARE
from cantstop_arena.deals.seatings import Group
from cantstop_arena.extensions.league.rounds import RoundField, RoundRules, play_rounds
from cantstop_arena.ratings.model.evidence import Floats
from cantstop_arena.ratings.model.luce import ELO

LEAGUES = ("a wrong letter", "pairs told apart, of 66", "neighbours decided, of 11")


class SimulatedGames:
    """Two games a deal between bots whose strengths are `elo`; part of the luck is by deal."""

    def __init__(self, elo: Sequence[float], shared: float, rng: np.random.Generator) -> None:
        self._elo, self._shared = np.array(elo), shared
        self._seed = int(rng.integers(2**32))
        self._shares: dict[Group, Floats] = {}

    def reach(self, deals: Mapping[Group, int]) -> bool:
        """All games are there."""
        return True

    def missing(self, deals: Mapping[Group, int]) -> int:
        """None are missing."""
        return 0

    def shares(self, group: Group, deals: int) -> Floats:
        """The shares of two bots by deal."""
        known = self._shares.get(group, np.empty((0, 2)))
        if len(known) < deals:
            most = RoundRules().most * RoundRules().games // 2
            luck = np.random.default_rng(self._seed).random((most, 2))
            rng = np.random.default_rng([self._seed, *group])
            own = rng.random((most, 2)) >= self._shared
            drawn = np.where(own, rng.random((most, 2)), luck)
            chance = 1 / (1 + np.exp((self._elo[group[1]] - self._elo[group[0]]) / ELO))
            first = (drawn < chance).mean(axis=1)
            known = self._shares[group] = np.stack([first, 1 - first], axis=1)
        return known[:deals]


def league(
    bots: int, step: float, shared: float, repetitions: int, rng: np.random.Generator
) -> dict[str, float]:
    """Leagues of bots that are so many Elo apart: wrong letters, and what is told apart."""
    found = [_league([step * bot for bot in range(bots)], shared, rng) for _ in range(repetitions)]
    return dict(zip(LEAGUES, np.mean(found, axis=0).tolist(), strict=True))


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
        shares = [games / size * rng.binomial(size, chance, deals) for chance in (before, after)]
        ratios = [Ratio(share, np.full(deals, float(games))) for share in shares]
        effect = rule_effect(*ratios, SHARE, 0.002)
        ends = [effect.absolute and effect.absolute.among(questions) for questions in (1, 14)]
        held.append([bool(one) and _holds(one.low, after - before, one.high) for one in ends])
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
        relative = rule_effect(*ratios, COUNT, 0.01).relative
        held.append(bool(relative) and _holds(relative.low, 0.1, relative.high))
    return {EFFECTS[2]: float(np.mean(held))}


def _holds(low: float | None, true: float, high: float | None) -> bool:
    return (low is None or low <= true) and (high is None or true <= high)
